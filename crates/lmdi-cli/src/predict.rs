//! `lmdi predict`: from a model and a table to a table of predictions.

use crate::options::{ReadFlags, ThreadFlags, check_writable};
use crate::progress::Progress;
use crate::{model_file, prediction, rows};
use anyhow::{Context, Result};
use clap::Args;
use lmdi::table::Frame;
use lmdi_io::write::{Output, write_table};
use std::path::PathBuf;

/// Predict the rows of a table with a saved model.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi predict houses.lmdi new.csv --out prices.csv
  lmdi predict houses.lmdi new.parquet --out prices.parquet --keep id
  cat new.csv | lmdi predict houses.lmdi - --out - | head

Columns are found by name, in any order. The result has a row for each row of the table: `prediction` \
and, for a model of classes, `probability:LABEL` for every label. Levels that training did not know \
are counted on standard error; they count as the pooled rare levels if the column has them, else as \
no level.")]
pub struct Options {
    /// Model file, of ours or of XGBoost, LightGBM or CatBoost
    model: PathBuf,
    /// CSV or Parquet file; - is standard input
    data: PathBuf,
    /// Where to write: a name ending in .csv or .parquet, or - for standard output (CSV)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// A column of the table to copy into the result; repeatable
    #[arg(long, value_name = "COL")]
    keep: Vec<String>,
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
    let model = model_file::load(&options.model)?;
    let schema = rows::schema_of(&model);
    let table = rows::read(&options.data, &schema, &options.keep, &[], &options.reading)?;
    let mut columns = rows::kept_columns(&table.frame, &options.keep, &table.name)?;
    let progress = Progress::new("Predicting", table.frame.rows() as u64);
    let predictions = model.ensemble.predict(&table.x.view(), &progress)?;
    drop(progress);
    columns.extend(prediction::columns(&model.ensemble.outcome, predictions));
    let result = Frame::new(columns).context("the result: leave out a --keep, or rename it")?;
    Ok(write_table(&result, &output, &Progress::new("Writing", result.rows() as u64))?)
}
