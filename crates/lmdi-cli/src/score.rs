//! `lmdi score`: new rows explained by a saved explainer, or by a method that needs none.

use crate::explained::ReadyModel;
use crate::explainer::ExplainerFlags;
use crate::options::{ReadFlags, ThreadFlags, check_writable};
use crate::progress::Progress;
use crate::rows;
use crate::scoring::{Asked, ScoreFlags};
use anyhow::Result;
use clap::Args;
use lmdi::forest::Aggregation;
use lmdi::importance::lmdi_plus::TreeSubset;
use lmdi_io::write::{Output, write_table};
use std::path::PathBuf;

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
explain`: row, prediction, base and a score a column. Levels that training did not know are counted on \
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
    explainer: ExplainerFlags,
    #[command(flatten)]
    result: ScoreFlags,
    #[command(flatten)]
    reading: ReadFlags,
    #[command(flatten)]
    threads: ThreadFlags,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    options.threads.apply()?;
    let output = Output::from_argument(&options.out)?;
    check_writable(Some(&output), None)?;
    options.explainer.check(None, &options.result)?;
    let ready = ReadyModel::load(&options.model, &options.explainer, &options.reading)?;
    let ReadyModel { model, schema, .. } = &ready;
    options.result.check(schema, matches!(model.ensemble.aggregation, Aggregation::Sum { .. }))?;
    let table = rows::read(&options.data, schema, &options.result.keep, &[], &options.reading)?;
    options.result.check_kept(&table.frame, &table.name)?;
    let subject = ready.subject();
    let asked = Asked {
        x: &table.x,
        frame: &table.frame,
        table: &table.name,
        of_table: &(0..table.frame.rows()).collect::<Vec<_>>(),
        trees: TreeSubset::All,
    };
    let scored = options.result.score(&subject, &asked)?;
    let table = options.result.table(&subject, &asked, scored)?;
    Ok(write_table(&table, &output, &Progress::new("Writing", table.rows() as u64))?)
}
