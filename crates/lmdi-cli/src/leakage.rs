//! Warns of columns that give the target away.

use crate::learning::Rows;
use crate::terminal::shortened;
use lmdi::table::{Leak, Schema, Target, leaks};
use std::io::{self, Write};

/// Correlation with the target from which on a column is suspect: sizes of the same thing in two units, or
/// a code that follows from the outcome, lie above, honest measurements far below.
const SUSPECT: f64 = 0.999;

/// Prints a warning for every suspect column.
pub fn warn(out: &mut dyn Write, schema: &Schema, target: &Target, rows: &Rows) -> io::Result<()> {
    let origins = schema.origins();
    let mut told = None;
    for Leak { feature, strength } in leaks(&rows.x.view(), &rows.y.response(), SUSPECT) {
        let column = origins[feature];
        if told.replace(column) == Some(column) {
            continue;
        }
        let name = shortened(&schema.columns[column].name);
        let target = shortened(&target.name);
        writeln!(
            out,
            "\nWARNING: column {name} gives {target} away (correlation {strength:.4}). If it is known only \
             once {target} is,\nthe model will be useless on new rows: leave it out with --drop."
        )?;
    }
    Ok(())
}
