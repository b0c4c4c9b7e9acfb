//! `lmdi predict`: from a model and a table to a table of predictions.

use crate::flags::result::{keyed, read_with};
use crate::flags::running::RunFlags;
use crate::input::model_file;
use crate::output::destination::{Files, table_output, write_result};
use crate::output::predictions;
use crate::output::printer::Printer;
use crate::output::score_table::SAME_NAME;
use crate::process::progress::Progress;
use anyhow::{Context, Result};
use clap::Args;
use lmdi::study::{Sample, schema_of};
use lmdi_io::write::{OutputColumn, OutputTable};
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
    running: RunFlags,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let output = table_output(&options.out)?;
    let files = Files::default()
        .reading("DATA", Some(&options.data))
        .reading("MODEL", Some(&options.model))
        .writing("out", Some(&options.out));
    let reader = options.running.start(&files)?;
    let mut out = Printer::beside(Some(&output));
    let model = model_file::load(&options.model)?;
    let schema = schema_of(&model);
    let wanted = read_with(options.key.as_ref(), &options.keep);
    let rows = reader.rows(&options.data, &schema, &wanted, &[], Sample::Unspecified)?;
    let rows = keyed(rows, options.key.as_deref(), &reader)?;
    let kept = reader.copies(&rows, &wanted);
    let progress = Progress::new("Predicting", rows.len());
    let predicted = model.ensemble.predict(&rows.x.view(), &progress)?;
    drop(progress);
    let predicted = predictions::columns(&model.ensemble.outcome, predicted, model.threshold);
    let kept = kept.into_iter().map(OutputColumn::Copied);
    let columns = kept.chain(predicted.into_iter().map(OutputColumn::Computed));
    let result = OutputTable::new(columns.collect()).context(SAME_NAME)?;
    write_result(result, &output, &mut out)?;
    out.finish()
}
