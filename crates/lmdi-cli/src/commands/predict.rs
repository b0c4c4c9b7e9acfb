//! `lmdi predict`: from a model and a table to a table of predictions.

use crate::flags::result::read_with;
use crate::flags::running::RunFlags;
use crate::input::model_file;
use crate::input::row_stream::{RowBatch, Streamed, for_each_batch};
use crate::output::destination::{Files, ResultWriter, table_output};
use crate::output::predictions;
use crate::output::printer::Printer;
use crate::output::score_table::SAME_NAME;
use crate::process::progress::Quiet;
use anyhow::{Context, Result};
use clap::Args;
use lmdi::study::schema_of;
use lmdi_io::write::{OutputColumn, OutputTable};
use std::path::PathBuf;

/// Predict the rows of a table with a saved model.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi predict houses.lmdi new.csv --out prices.csv
  lmdi predict houses.lmdi new.parquet --out prices.parquet --keep id
  cat new.csv | lmdi predict houses.lmdi - --out - | head

Columns are matched by name, in any order. The result has one row per row of the table: `prediction` \
and, for classes, `probability:LABEL` for every label. Levels that did not occur in \
training are treated like the pooled rare levels if the column has them, else like no level; standard \
error tells how many there were.

Every row is predicted by all trees, as a new row, even if the table is the one the model was trained \
on. `lmdi score` and `lmdi explain` predict training rows of a forest out of bag.")]
pub struct Options {
    /// Model file of lmdi, XGBoost, LightGBM or CatBoost
    model: PathBuf,
    /// CSV or Parquet file, or a directory of Parquet files; - is standard input. Rows are read,
    /// predicted and written in batches, so there may be any number of them
    data: PathBuf,
    /// Where to write: a name ending in .csv or .parquet, or - for standard output (CSV)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// A column of the table to copy into the result; repeatable
    #[arg(long, value_name = "COL")]
    keep: Vec<String>,
    /// A column that identifies rows, to copy into the result; must be unique
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
    let kept = read_with(options.key.as_ref(), &options.keep);
    let (data, key) = (&*options.data, options.key.as_deref());
    let written = 1 + model.ensemble.n_predictions();
    let what = Streamed {
        data,
        schema: &schema,
        recognised_by: None,
        target: None,
        tells_unseen: true,
        kept: &kept,
        key,
        written,
    };
    let mut writer = ResultWriter::create(&output)?;
    let mut is_read = true;
    for_each_batch(&reader, "Predicting", &what, |RowBatch { rows, copies, .. }, monitor| {
        let quiet = Quiet(monitor);
        let predicted = model.ensemble.predict(&rows.x.view(), &quiet)?;
        let predicted = predictions::columns(&model.ensemble.outcome, predicted, model.threshold);
        let kept = copies.into_iter().map(OutputColumn::Copied);
        let columns = kept.chain(predicted.into_iter().map(OutputColumn::Computed));
        let result = OutputTable::new(columns.collect()).context(SAME_NAME)?;
        is_read = writer.write(result, &quiet)?;
        Ok(is_read)
    })?;
    if is_read {
        writer.finish(&mut out)?;
    }
    out.finish()
}
