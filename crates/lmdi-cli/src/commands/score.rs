//! `lmdi score`: new rows explained by a saved explainer, or by a method that needs none.

use crate::flags::method::MethodFlags;
use crate::flags::result::ResultFlags;
use crate::flags::running::RunFlags;
use crate::input::saved_study;
use crate::output::destination::{table_output, write_result};
use crate::output::printer::Printer;
use crate::output::score_table::score_table;
use crate::process::console;
use crate::process::progress::Bars;
use anyhow::Result;
use clap::Args;
use lmdi::study::TreeChoice;
use std::path::PathBuf;
use std::sync::Arc;

/// Explain the rows of a table with a saved model.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi explain houses.csv --target price --save houses.lmdi
  lmdi score houses.lmdi new.csv --out scores.csv
  lmdi score houses.lmdi new.parquet --out scores.parquet --keep id --standard-error
  lmdi score houses.lmdi new.csv --out - --top 3
  lmdi score houses.lmdi new.csv --out scores.csv --method tree-shap
  lmdi score houses.lmdi new.csv --out scores.csv --method lime --background houses.csv

Columns are found by name, in any order; the target is not needed. The result is that of `lmdi \
explain`: row, prediction, explained, unexplained, base and one score per column. Levels that training did not know are counted on \
standard error; they count as the pooled rare levels if the column has them, else as no level.")]
pub struct Options {
    /// Model file; for LMDI+ with an explainer, as `lmdi explain --save` writes it
    model: PathBuf,
    /// CSV or Parquet file; - is standard input
    data: PathBuf,
    /// Where to write: a name ending in .csv or .parquet, or - for standard output (CSV)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    method: MethodFlags,
    #[command(flatten)]
    result: ResultFlags,
    #[command(flatten)]
    running: RunFlags,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let output = table_output(&options.out)?;
    let files = saved_study::files(&options.model, &options.data, &options.method)
        .writing("out", Some(&options.out));
    let reader = options.running.start(&files)?;
    let mut out = Printer::beside(Some(&output));
    let result = &options.result;
    options.method.check(None, Some(result))?;
    let study = saved_study::load(&options.model, &options.method, &reader)?;
    let (schema, ensemble) = (&study.schema, &study.model.ensemble);
    let explain =
        result.explain_options(schema, ensemble.averages_trees(), TreeChoice::Predicting)?;
    let metadata = &study.model.metadata;
    let rows = reader.rows_of_model(&options.data, schema, metadata, &result.read())?;
    let rows = result.keyed(rows, &reader)?;
    let explained = study.explain(Arc::new(rows), &explain, &Bars)?;
    if let Some(warning) = explained.fidelity.and_then(|fidelity| fidelity.warning(&study)) {
        console::note(warning);
    }
    let kept = reader.copies(&explained.rows, &result.read());
    let table = score_table(&ensemble.outcome, explained, kept, result.top)?;
    write_result(table, &output, &mut out)?;
    out.finish()
}
