//! `lmdi predict`: from a model and a table to a table of predictions.

use crate::flags::reading::ReadFlags;
use crate::flags::result::{keyed, read_with};
use crate::flags::running::ThreadFlags;
use crate::input::model_file;
use crate::input::tables::{TableReader, kept_columns};
use crate::output::destination::check_writable;
use crate::output::predictions;
use crate::process::progress::Progress;
use anyhow::{Context, Result};
use clap::Args;
use lmdi::study::{Sample, schema_of};
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
    /// A column that names rows, to copy into the result; different in every row
    #[arg(long, value_name = "COL")]
    key: Option<String>,
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
    let (schema, reader) = (schema_of(&model), TableReader::new(&options.reading));
    let kept = read_with(options.key.as_ref(), &options.keep);
    let rows = reader.rows(&options.data, &schema, &kept, &[], Sample::Unspecified)?;
    let rows = keyed(rows, options.key.as_deref())?;
    let mut columns = kept_columns(&rows, &kept)?;
    let progress = Progress::new("Predicting", rows.len());
    let predicted = model.ensemble.predict(&rows.x.view(), &progress)?;
    drop(progress);
    columns.extend(predictions::columns(&model.ensemble.outcome, predicted, model.threshold));
    let result = Frame::new(columns).context("the result: leave out a --keep, or rename it")?;
    Ok(write_table(&result, &output, &Progress::new("Writing", result.rows()))?)
}
