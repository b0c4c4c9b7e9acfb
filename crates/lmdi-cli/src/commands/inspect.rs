//! `lmdi inspect`: what is in a model file or a table.

use crate::flags::reading::{KindFlags, ReadFlags};
use crate::input::model_file;
use crate::input::tables::{TableReader, format_name, nearly_numbers_text, tell_notices};
use crate::output::column_list;
use crate::output::printer::{Printer, is_json};
use crate::output::terminal::{Align, TextTable, shortened};
use crate::process::console;
use anyhow::{Context, Result};
use clap::Args;
use lmdi::file::{Explainer, Model};
use lmdi::forest::{Ensemble, NONE, Outcome, Tree};
use lmdi::study::{measure_title, sample_title};
use lmdi::table::{ColumnReport, Encoding, Part, Schema, Values};
use lmdi::text::{count, counted, short_number};
use lmdi_io::printable::printable;
use lmdi_io::read::{Noticed, ReadOptions, Table};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Show what is in a model file or a table.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi inspect data.csv
  lmdi inspect model.lmdi
  lmdi inspect model.lmdi --json | jq .quality")]
pub struct Options {
    /// Model file, or CSV or Parquet file; - is a table on standard input
    file: PathBuf,
    #[command(flatten)]
    kinds: KindFlags,
    #[command(flatten)]
    reading: ReadFlags,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    options.reading.check()?;
    let mut out = Printer::of_result();
    if is_model(&options.file)? {
        let model = model_file::load(&options.file)?;
        if is_json() {
            writeln!(out, "{:#}", model_json(&model))?;
        } else {
            print_model(&mut out, &options.file, &model)?;
        }
        return out.finish();
    }
    let mut read_options = ReadOptions::default().with_kinds(&options.kinds.kinds);
    read_options.recognise = true;
    let (name, table) = TableReader::new(&options.reading).read(&options.file, read_options)?;
    tell_notices(&table.notices);
    for notice in &table.notices {
        if let Noticed::NearlyNumbers { near, line } = &notice.what {
            console::note(nearly_numbers_text(&notice.column, near, *line));
        }
    }
    for (column, _) in &options.kinds.kinds {
        table.frame.require(column).with_context(|| name.clone())?;
    }
    let report = |column| ColumnReport::of(column, &table.reading);
    let mut reports: Vec<ColumnReport> = table.frame.columns().iter().map(report).collect();
    for report in &mut reports {
        if let Some((_, kind)) = options.kinds.kinds.iter().find(|(name, _)| *name == report.name) {
            report.kind = *kind;
        }
    }
    if is_json() {
        writeln!(out, "{:#}", table_json(&table, &reports))?;
        return out.finish();
    }
    writeln!(
        out,
        "{name}: {}, {} ({})\n",
        counted(table.frame.rows(), "row"),
        counted(table.frame.columns().len(), "column"),
        format_name(table.format)
    )?;
    column_list::print(&mut out, &table.frame, &table.reading, &reports, None)?;
    out.finish()
}

fn is_model(path: &Path) -> Result<bool> {
    if path == Path::new("-") {
        return Ok(false);
    }
    let name = path.display().to_string();
    let metadata = path.metadata().with_context(|| format!("cannot read {}", printable(&name)))?;
    if !metadata.is_file() {
        return Ok(false);
    }
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(64).read_to_end(&mut start))
        .with_context(|| format!("cannot read {}", printable(&name)))?;
    Ok(model_file::is_start_of_model(&start))
}

fn depth(tree: &Tree) -> usize {
    let mut depths = vec![0; tree.n_nodes()];
    for node in 0..tree.n_nodes() {
        for child in [tree.left[node], tree.right[node]] {
            if child != NONE {
                depths[child as usize] = depths[node] + 1;
            }
        }
    }
    depths.into_iter().max().unwrap_or(0)
}

struct Shape {
    leaves: usize,
    deepest: usize,
    in_bag: bool,
}

fn shape(ensemble: &Ensemble) -> Shape {
    Shape {
        leaves: ensemble.trees.iter().map(Tree::n_leaves).sum(),
        deepest: ensemble.trees.iter().map(depth).max().unwrap_or(0),
        in_bag: ensemble.trees.iter().all(|tree| tree.in_bag.is_some()),
    }
}

fn kind_name(ensemble: &Ensemble) -> &'static str {
    if ensemble.is_boosted() { "boosting" } else { "forest" }
}

fn print_model(out: &mut impl Write, path: &Path, model: &Model) -> io::Result<()> {
    let Model { ensemble, schema, threshold, explainer, metadata } = model;
    let shape = shape(ensemble);
    writeln!(
        out,
        "{}: {} of {} with {} leaves, deepest {}",
        printable(&path.display().to_string()),
        kind_name(ensemble),
        counted(ensemble.trees.len(), "tree"),
        count(shape.leaves),
        shape.deepest
    )?;
    let target = schema.as_ref().and_then(|schema| schema.target.as_ref());
    let name = target.map_or(String::new(), |target| format!(" {}", shortened(&target.name)));
    match &ensemble.outcome {
        Outcome::Number => writeln!(out, "Predicts{name}, a number")?,
        Outcome::Classes(labels) => {
            let shown: Vec<String> = labels.iter().take(20).map(|label| shortened(label)).collect();
            let more = if labels.len() > 20 { ", ..." } else { "" };
            writeln!(out, "Predicts{name}, one of {}: {}{more}", labels.len(), shown.join(", "))?;
            if let (Some(threshold), Some(positive)) = (threshold, labels.last()) {
                let positive = shortened(positive);
                writeln!(out, "Predicts {positive} from a probability of {threshold} on")?;
            }
        }
    }
    if !metadata.producer.is_empty() {
        writeln!(out, "Trained by {}", printable(&metadata.producer))?;
    }
    if let Some(rows) = metadata.training_rows {
        writeln!(out, "Trained on {}", counted(rows as usize, "row"))?;
    }
    if !metadata.training_options.is_empty() {
        writeln!(out, "Options: {}", printable(&metadata.training_options))?;
    }
    writeln!(out, "In-bag counts: {}", if shape.in_bag { "kept" } else { "none" })?;
    if let Some(mark) = &metadata.fingerprint {
        writeln!(out, "Training data: sha256 {mark}")?;
    }
    for quality in &metadata.quality {
        writeln!(
            out,
            "{} {}: {}",
            printable(sample_title(&quality.sample)),
            printable(measure_title(&quality.measure)),
            short_number(quality.value)
        )?;
    }
    print_explainer(out, path, explainer.as_ref())?;
    writeln!(out)?;
    match schema {
        Some(schema) => print_schema(out, schema),
        None => writeln!(out, "Reads {}", counted(ensemble.n_features(), "numeric column")),
    }
}

fn n_fits(explainer: &Explainer) -> (usize, usize) {
    let fits = || explainer.trees.iter().flat_map(|tree| &tree.fits);
    (fits().count(), fits().filter(|fit| !fit.converged).count())
}

fn print_explainer(
    out: &mut impl Write,
    path: &Path,
    explainer: Option<&Explainer>,
) -> io::Result<()> {
    let Some(explainer) = explainer else {
        let command = model_file::explainer_command(path);
        return writeln!(out, "Explainer: none ({command} makes one)");
    };
    let (fits, unconverged) = n_fits(explainer);
    let how = match explainer.options.as_str() {
        "" => String::new(),
        options => format!(" ({})", printable(options)),
    };
    writeln!(out, "Explainer: LMDI+, {}{how}", counted(fits, "linear model"))?;
    if unconverged > 0 {
        writeln!(out, "WARNING: {} did not converge", counted(unconverged, "fit"))?;
    }
    Ok(())
}

fn print_schema(out: &mut impl Write, schema: &Schema) -> io::Result<()> {
    let mut table = TextTable::new(&[("column", Align::Left), ("read as", Align::Left)]);
    const SHOWN: usize = 60;
    for column in schema.columns.iter().take(SHOWN) {
        let how = match &column.encoding {
            Encoding::Number => "number".into(),
            Encoding::Truth => "false or true".into(),
            Encoding::Codes(levels) => counted(levels.len(), "level"),
            Encoding::OneHot(parts) => {
                let levels = parts.iter().filter(|part| matches!(part, Part::Level(_))).count();
                let pooled = parts.iter().find_map(|part| match part {
                    Part::Other { pooled } => Some(pooled.len()),
                    _ => None,
                });
                let pooled = pooled.map_or(String::new(), |n| format!(", {n} rare ones pooled"));
                format!("{}{pooled}", counted(levels, "level"))
            }
        };
        table.row([column.name.clone(), how]);
    }
    write!(out, "{table}")?;
    if schema.columns.len() > SHOWN {
        writeln!(out, "  ... and {} more (--json lists all)", schema.columns.len() - SHOWN)?;
    }
    let dropped: Vec<String> = schema
        .dropped
        .iter()
        .take(SHOWN)
        .map(|column| {
            format!("{} ({})", shortened(&column.name), column_list::reason_text(column.reason))
        })
        .collect();
    if !dropped.is_empty() {
        writeln!(out, "\nNot used in training: {}", dropped.join(", "))?;
    }
    if let Some(weight) = &schema.weight {
        writeln!(out, "\nRow weights in training: {}", shortened(weight))?;
    }
    Ok(())
}

fn model_json(model: &Model) -> Value {
    let Model { ensemble, schema, threshold, explainer, metadata } = model;
    let shape = shape(ensemble);
    let quality: Vec<Value> = metadata
        .quality
        .iter()
        .map(|q| json!({"sample": q.sample, "measure": q.measure, "value": finite(q.value)}))
        .collect();
    json!({
        "model": kind_name(ensemble),
        "trees": ensemble.trees.len(),
        "leaves": shape.leaves,
        "deepest": shape.deepest,
        "in_bag_counts": shape.in_bag,
        "classes": match &ensemble.outcome {
            Outcome::Number => Value::Null,
            Outcome::Classes(labels) => json!(labels),
        },
        "threshold": threshold,
        "encoded_columns": ensemble.feature_names,
        "schema": schema,
        "producer": metadata.producer,
        "training_options": metadata.training_options,
        "seed": metadata.seed,
        "training_rows": metadata.training_rows,
        "fingerprint": metadata.fingerprint.map(|mark| mark.to_string()),
        "quality": quality,
        "explainer": explainer.as_ref().map(|explainer| {
            let (fits, unconverged) = n_fits(explainer);
            json!({
                "method": "LMDI+",
                "options": explainer.options,
                "linear_models": fits,
                "not_converged": unconverged,
            })
        }),
    })
}

/// JSON has no NaN.
fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

fn table_json(table: &Table, reports: &[ColumnReport]) -> Value {
    let columns: Vec<Value> = table
        .frame
        .columns()
        .iter()
        .zip(reports)
        .map(|(column, report)| {
            let range = match &column.values {
                Values::Numbers(cells) => column_list::range(cells),
                Values::Labels(_) => None,
            };
            json!({
                "name": column.name,
                "kind": report.kind.name(),
                "missing": report.missing,
                "levels": report.levels,
                "min": range.map(|(low, _)| low),
                "max": range.map(|(_, high)| high),
            })
        })
        .collect();
    json!({"rows": table.frame.rows(), "format": format_name(table.format), "columns": columns})
}
