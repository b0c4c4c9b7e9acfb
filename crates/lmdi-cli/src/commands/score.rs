//! `lmdi score`: new rows explained by a saved explainer, or by a method that needs none.

use crate::flags::method::MethodFlags;
use crate::flags::result::ResultFlags;
use crate::flags::running::RunFlags;
use crate::input::row_stream::{RowBatch, Streamed, for_each_batch};
use crate::input::saved_study;
use crate::output::destination::{ResultWriter, table_output};
use crate::output::printer::Printer;
use crate::output::score_table::score_table;
use crate::process::console;
use crate::process::progress::{NoBars, Quiet};
use anyhow::Result;
use clap::Args;
use lmdi::study::{SeenRows, StreamedFidelity, TreeChoice};
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

Columns are matched by name, in any order; the target is not needed. The result has the columns of `lmdi \
explain`: row, prediction, explained, unexplained, base and one score per column. Levels that did not \
occur in training are treated like the pooled rare levels if the column has them, else like no level; \
standard error tells how many there were.")]
pub struct Options {
    /// Model file; LMDI+ needs one with an explainer, as written by `lmdi explain --save`
    model: PathBuf,
    /// CSV or Parquet file, or a directory of Parquet files; - is standard input. Rows are read,
    /// explained and written in batches, so there may be any number of them
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
    let kept = result.read();
    let what = Streamed {
        data: &options.data,
        schema,
        recognised_by: Some(&study.model),
        target: None,
        tells_unseen: true,
        kept: &kept,
        key: result.key.as_deref(),
        written: explain.grouping.names.len() * ensemble.n_outputs.max(1) * 2,
    };
    let mut fidelity = StreamedFidelity::of(&study);
    let mut writer = ResultWriter::create(&output)?;
    let (mut is_read, mut seen) = (true, None);
    for_each_batch(
        &reader,
        "Scoring",
        &what,
        |RowBatch { rows, copies, is_whole_table }, monitor| {
            let explained = study.explain(Arc::new(rows), &explain, &NoBars)?;
            fidelity.add(&explained, is_whole_table);
            seen = seen.take().or_else(|| SeenRows::of(&explained, &study.model.metadata.quality));
            let table = score_table(&ensemble.outcome, explained, copies, result.top)?;
            is_read = writer.write(table, &Quiet(monitor))?;
            Ok(is_read)
        },
    )?;
    if let Some(warning) = fidelity.finish().and_then(|fidelity| fidelity.warning(&study)) {
        console::note(warning);
    }
    if let Some(seen) = seen {
        console::note(seen);
    }
    if is_read {
        writer.finish(&mut out)?;
    }
    out.finish()
}
