//! `lmdi predict`: from a model and a table to a table of predictions.

use crate::model_file;
use crate::options::{ReadFlags, ThreadFlags};
use crate::progress::Progress;
use crate::terminal::{counted, shortened};
use anyhow::{Context, Result};
use clap::Args;
use lmdi::forest::Outcome;
use lmdi::table::{Column, Frame, Labels, Schema, Unseen, Values};
use lmdi_io::printable::printable;
use lmdi_io::read::{CellType, Input, ReadOptions};
use lmdi_io::write::{Output, write_table};
use std::path::PathBuf;

/// Predict the rows of a table with a saved model.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi predict houses.lmdi new.csv --out prices.csv
  lmdi predict houses.lmdi new.parquet --out prices.parquet --keep id
  cat new.csv | lmdi predict houses.lmdi - --out - | head

Columns are found by name, in any order. The result has a row for each row of the table: `prediction`
and, for a model of classes, `probability:LABEL` for every label. Levels that training did not know
are counted on standard error; they count as the pooled rare levels if the column has them, else as
no level.")]
pub struct Options {
    /// Model file
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
    let model = model_file::load(&options.model)?;
    let schema = model
        .schema
        .unwrap_or_else(|| Schema::numeric(model.ensemble.feature_names.iter().cloned()));
    let mut read_options = ReadOptions::for_schema(&schema);
    for name in &options.keep {
        read_options = read_options.also(name);
        // Kept as it is written, unless the model needs it as numbers.
        read_options.cells.entry(name.clone()).or_insert(CellType::Text);
    }
    let input = Input::from_argument(&options.data);
    let name = printable(&input.name()).into_owned();
    let frame = options.reading.read(&input, read_options)?.frame;
    let encoded = schema.encode(&frame).with_context(|| name.clone())?;
    encoded.unseen.iter().for_each(|unseen| eprintln!("{}", unseen_text(unseen)));
    let progress = Progress::new("Predicting", frame.rows() as u64);
    let predictions = model.ensemble.predict(&encoded.matrix.view(), &progress)?;
    drop(progress);

    let mut columns = Vec::new();
    for kept in &options.keep {
        columns.push(frame.require(kept).with_context(|| name.clone())?.clone());
    }
    columns.extend(result(&model.ensemble.outcome, predictions));
    write_table(&Frame::new(columns)?, &output)?;
    Ok(())
}

fn unseen_text(unseen: &Unseen) -> String {
    let column = printable(&unseen.column);
    let cells = counted(unseen.cells, "cell");
    match &unseen.example {
        Some(level) => format!(
            "note: column {column}: {cells} with a level that training did not know, such as {}",
            shortened(level)
        ),
        None => format!("note: column {column}: {cells} missing, where training had none missing"),
    }
}

/// The columns of the result.
fn result(outcome: &Outcome, predictions: Vec<f64>) -> Vec<Column> {
    let labels = match outcome {
        Outcome::Number => {
            return vec![Column {
                name: "prediction".into(),
                values: Values::Numbers(predictions),
            }];
        }
        Outcome::Classes(labels) => labels,
    };
    let n = labels.len();
    // The first of equally probable labels, as in the accuracy that training reports.
    let most_probable =
        |row: &[f64]| (1..n).fold(0, |best, at| if row[at] > row[best] { at } else { best });
    let chosen: Labels =
        predictions.chunks_exact(n).map(|row| Some(labels[most_probable(row)].as_str())).collect();
    let mut columns = vec![Column { name: "prediction".into(), values: Values::Labels(chosen) }];
    for (class, label) in labels.iter().enumerate() {
        let probability = predictions.chunks_exact(n).map(|row| row[class]).collect();
        let name = format!("probability:{label}");
        columns.push(Column { name, values: Values::Numbers(probability) });
    }
    columns
}
