//! Text columns that turn out to be numbers, dates or times, and notices about them.

use lmdi::table::{
    CellFormat, ColumnFormat, Labels, MISSING, NearNumbers, NumberHints, Recognised, UnitOfSome,
    Values,
};
use std::collections::HashMap;

/// A notice about a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// Name of the column.
    pub column: String,
    /// What it is about.
    pub what: Noticed,
}

/// The kinds of notices.
#[derive(Debug, Clone, PartialEq)]
pub enum Noticed {
    /// Its text is read as numbers.
    ReadAs {
        /// The format that all cells have.
        format: CellFormat,
        /// Words that count as missing, and how many cells have them.
        missing: Vec<String>,
        /// Number of these cells.
        missing_cells: usize,
        /// Another format that all cells have too, which would give other numbers.
        or: Option<CellFormat>,
        /// A unit that some numbers have and others lack, and the line of the first that has it.
        unit: Option<(UnitOfSome, u64)>,
    },
    /// Most of its cells are numbers, dates or times, but it is read as text.
    NearlyNumbers {
        /// What they are, and the first other cell.
        near: NearNumbers,
        /// The line of that cell.
        line: u64,
    },
    /// Two of its levels differ only in case or spaces.
    Spellings {
        /// One of them.
        one: String,
        /// The other.
        other: String,
        /// How many levels have another spelling.
        levels: usize,
    },
}

/// What became of a column of text.
pub(super) struct Found {
    /// Its numbers, if it is one of numbers.
    pub(super) values: Option<Values>,
    /// How they are written.
    pub(super) format: Option<ColumnFormat>,
    /// What to tell about it.
    pub(super) notice: Option<Notice>,
}

/// Looks at a column; `line_of` knows the line of a data row.
pub(super) fn look_at(
    column: &str,
    labels: &Labels,
    hints: &NumberHints,
    line_of: impl Fn(usize) -> u64,
) -> Found {
    let notice = |what| Some(Notice { column: column.to_owned(), what });
    match Recognised::of(labels, hints) {
        Recognised::As { format, missing, or, unit } => {
            let unit = unit.map(|unit| {
                let line = line_of(unit.first);
                (unit, line)
            });
            let is_missing = |level: &str| missing.iter().any(|word| word == level);
            let levels: Vec<f64> = (labels.levels().iter())
                .map(|level| format.parse(level).filter(|_| !is_missing(level)))
                .map(|number| number.unwrap_or(f64::NAN))
                .collect();
            let number = |&code: &u32| levels.get(code as usize).copied().unwrap_or(f64::NAN);
            let cells: Vec<f64> = labels.codes().iter().map(number).collect();
            let missing_cells = (labels.codes().iter())
                .filter(|&&code| code != MISSING && levels[code as usize].is_nan())
                .count();
            let name = column.to_owned();
            let kept = ColumnFormat { name, format, missing: missing.clone() };
            Found {
                values: Some(Values::Numbers(cells)),
                format: Some(kept),
                notice: notice(Noticed::ReadAs { format, missing, missing_cells, or, unit }),
            }
        }
        Recognised::Nearly(near) => {
            let line = line_of(near.first_other);
            Found {
                values: None,
                format: None,
                notice: notice(Noticed::NearlyNumbers { near, line }),
            }
        }
        Recognised::Text => {
            Found { values: None, format: None, notice: spellings(labels).and_then(notice) }
        }
    }
}

/// Levels of a categorical column that differ in case or spaces only.
fn spellings(labels: &Labels) -> Option<Noticed> {
    // A column with more levels is hardly one of categories.
    const MOST: usize = 10_000;
    if labels.levels().len() > MOST {
        return None;
    }
    let mut known: HashMap<String, &str> = HashMap::new();
    let mut first: Option<(&str, &str)> = None;
    let mut levels = 0;
    for level in labels.levels() {
        let folded = level.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        match known.get(&folded) {
            None => {
                known.insert(folded, level);
            }
            Some(one) => {
                levels += 1;
                first.get_or_insert((one, level));
            }
        }
    }
    let (one, other) = first?;
    Some(Noticed::Spellings { one: one.into(), other: other.into(), levels })
}
