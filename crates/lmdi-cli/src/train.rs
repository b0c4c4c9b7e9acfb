//! `lmdi train`: from a table to a model file.

use crate::columns;
use crate::model_file;
use crate::options::{KindFlags, ReadFlags, ThreadFlags, format_name};
use crate::progress::Progress;
use crate::quality::{self, Sample};
use crate::terminal::{count, counted, size};
use crate::training::{Plan, TrainingFlags};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use lmdi::file::{Metadata, Model};
use lmdi::forest::train::TrainingSet;
use lmdi::forest::{Ensemble, oob_prediction};
use lmdi::random::{generator, subset};
use lmdi::table::{Fingerprint, Frame, Matrix, Schema, SchemaOptions, Target, TargetCells, Task};
use lmdi_io::printable::printable;
use lmdi_io::read::{CellType, Input, ReadOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

#[derive(Clone, Copy, ValueEnum)]
enum TaskFlag {
    Regression,
    Binary,
    Multiclass,
}

/// Train a model on a table and say how good it is.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi train examples/diabetes.csv --target progression --save diabetes.lmdi
  lmdi train data.csv.gz --target label --model boosting --holdout 0.3 --save model.lmdi
  lmdi train data.parquet --target y --drop id --kind zip=categorical --weight w --save model.lmdi
  zcat data.csv.gz | lmdi train - --target y --save model.lmdi

The target decides the task: numbers are a regression, unless there are exactly two distinct ones;
two labels are binary, more are multiclass. Rows without a target are left out and counted.
Categorical columns become one 0/1 column a level.")]
pub struct Options {
    /// CSV or Parquet file; - is standard input
    data: PathBuf,
    /// The column to predict
    #[arg(long, value_name = "COL")]
    target: String,
    /// Where to keep the model; a name ending in .json is written as JSON
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// What to learn from the target [default: decided from its values]
    #[arg(long, value_enum)]
    task: Option<TaskFlag>,
    /// Share of the rows kept out of training to measure quality
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_share)]
    holdout: f64,
    /// A column of row weights, not used as input
    #[arg(long, value_name = "COL", help_heading = "Columns")]
    weight: Option<String>,
    /// A column not to use; repeatable
    #[arg(long, value_name = "COL", help_heading = "Columns")]
    drop: Vec<String>,
    #[command(flatten)]
    kinds: KindFlags,
    /// Most levels of a categorical column that get a 0/1 column each; rarer ones are pooled
    #[arg(long, value_name = "N", default_value_t = lmdi::table::DEFAULT_MAX_LEVELS, help_heading = "Columns")]
    max_levels: usize,
    #[command(flatten)]
    training: TrainingFlags,
    #[command(flatten)]
    reading: ReadFlags,
    #[command(flatten)]
    threads: ThreadFlags,
}

fn parse_share(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..1.0).contains(&share) => Ok(share),
        _ => bail!("expected a share of at least 0 and below 1, such as 0.3"),
    }
}

/// Encoded rows with their target and weights.
struct Rows {
    x: Matrix,
    y: TargetCells,
    weights: Option<Vec<f64>>,
}

impl Rows {
    fn take(&self, rows: &[usize]) -> Self {
        Self {
            x: self.x.take_rows(rows),
            y: self.y.take(rows),
            weights: self.weights.as_ref().map(|w| rows.iter().map(|&row| w[row]).collect()),
        }
    }
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    options.threads.apply()?;
    let mut out = io::stdout().lock();
    let (schema, rows) = read(options, &mut out)?;
    let target = schema.target.as_ref().context("a learned schema has a target")?;
    let plan = options.training.plan(target.task)?;
    plan.check(schema.n_encoded())?;
    let (train, holdout) = split(rows, options.holdout, options.training.seed)?;

    let started = Instant::now();
    let (ensemble, samples) = fit(&plan, &schema, target, &train, holdout.as_ref())?;
    let seconds = started.elapsed().as_secs_f64();
    writeln!(
        out,
        "\n{}: {} with {} leaves on {} and {}, {seconds:.2} s",
        plan.name(),
        counted(ensemble.trees.len(), "tree"),
        count(ensemble.trees.iter().map(|tree| tree.n_leaves()).sum::<usize>() as u64),
        counted(train.x.rows(), "row"),
        counted(train.x.cols(), "encoded column"),
    )?;
    if samples.is_empty() {
        writeln!(
            out,
            "Quality was not measured: {} has no out-of-bag rows; add --holdout 0.2.",
            plan.name()
        )?;
    } else {
        write!(out, "\n{}", quality::table(&samples))?;
    }

    let Some(path) = &options.save else {
        writeln!(out, "\nThe model was not kept; add --save FILE.")?;
        return Ok(());
    };
    let metadata = Metadata {
        training_options: plan.text(),
        seed: Some(options.training.seed),
        training_rows: Some(train.x.rows() as u64),
        fingerprint: Some(Fingerprint::of(
            &train.x.view(),
            &train.y.response(),
            train.weights.as_deref(),
        )),
        quality: samples.iter().flat_map(Sample::records).collect(),
        ..Metadata::of_this_library()
    };
    let model = Model { ensemble, schema: Some(schema), explainer: None, metadata };
    let bytes = model_file::save(&model, path)?;
    writeln!(out, "\nSaved {} ({}).", printable(&path.display().to_string()), size(bytes))?;
    Ok(())
}

/// Reads the table, prints what was found, and encodes it.
fn read(options: &Options, out: &mut impl Write) -> Result<(Schema, Rows)> {
    let started = Instant::now();
    let wishes = SchemaOptions {
        target: options.target.clone(),
        task: options.task.map(|task| match task {
            TaskFlag::Regression => Task::Regression,
            TaskFlag::Binary => Task::Binary,
            TaskFlag::Multiclass => Task::Multiclass,
        }),
        weight: options.weight.clone(),
        drop: options.drop.clone(),
        kinds: options.kinds.kinds.clone(),
        max_levels: options.max_levels,
    };
    let input = Input::from_argument(&options.data);
    let name = printable(&input.name()).into_owned();
    let mut read_options = ReadOptions::default().with_kinds(&wishes.kinds);
    // Columns that must be numbers are read as such, so that an error names the line.
    let regression = (wishes.task == Some(Task::Regression)).then_some(&wishes.target);
    for name in wishes.weight.iter().chain(regression) {
        read_options.cells.entry(name.clone()).or_insert(CellType::Number);
    }
    let table = options.reading.read(&input, read_options)?;
    let format = format_name(table.format);
    let (frame, without_target) =
        with_target(table.frame, &options.target).with_context(|| name.clone())?;
    let (schema, reports) = Schema::learn(&frame, &wishes).with_context(|| name.clone())?;
    let x = schema.encode(&frame).with_context(|| name.clone())?.matrix;
    let target = schema.target.as_ref().context("a learned schema has a target")?;
    let y = target.cells(&frame).with_context(|| name.clone())?;
    let weights = schema.weights(&frame).with_context(|| name.clone())?;

    writeln!(
        out,
        "{name}: {}, {} ({format}), {:.2} s\n",
        counted(frame.rows() + without_target, "row"),
        counted(frame.columns().len(), "column"),
        started.elapsed().as_secs_f64()
    )?;
    columns::print(out, &frame, &reports, Some(target.task))?;
    columns::print_dropped(out, &reports)?;
    if without_target > 0 {
        let missing = counted(without_target, "row");
        writeln!(out, "\nLeft out {missing} without a value of {}.", printable(&options.target))?;
    }
    Ok((schema, Rows { x, y, weights }))
}

/// The rows that have a target, and how many have none.
fn with_target(frame: Frame, target: &str) -> lmdi::Result<(Frame, usize)> {
    let present = Target::present_rows(&frame, target)?;
    let missing = frame.rows() - present.len();
    if missing == 0 || present.is_empty() {
        Ok((frame, 0))
    } else {
        Ok((frame.take_rows(&present), missing))
    }
}

/// Splits off the hold-out rows, drawn by the seed.
fn split(rows: Rows, share: f64, seed: u64) -> Result<(Rows, Option<Rows>)> {
    let n = rows.x.rows();
    if n < 2 {
        bail!("there is {} to learn from; expected at least 2", counted(n, "row"));
    }
    if share == 0.0 {
        return Ok((rows, None));
    }
    let held_out = (n as f64 * share).round() as usize;
    if held_out == 0 || n - held_out < 2 {
        bail!(
            "a hold-out of {share} keeps {} of {n} out of training; expected at least 1 there and 2 for training",
            counted(held_out, "row")
        );
    }
    // Trees draw from the generators 0, 1, 2, ...; the last one is free for the split.
    let held: Vec<usize> = subset(&mut generator(seed, u64::MAX), n, held_out)
        .iter()
        .map(|&row| row as usize)
        .collect();
    let mut is_held = vec![false; n];
    held.iter().for_each(|&row| is_held[row] = true);
    let kept: Vec<usize> = (0..n).filter(|&row| !is_held[row]).collect();
    Ok((rows.take(&kept), Some(rows.take(&held))))
}

/// Trains, and measures on the rows that the trees did not see.
fn fit(
    plan: &Plan,
    schema: &Schema,
    target: &Target,
    train: &Rows,
    holdout: Option<&Rows>,
) -> Result<(Ensemble, Vec<Sample>)> {
    let feature_names = schema.encoded_names();
    let set = TrainingSet {
        x: train.x.view(),
        y: train.y.response(),
        weights: train.weights.as_deref(),
        feature_names: &feature_names,
        labels: &target.labels,
    };
    let ensemble = plan.train(&set, &Progress::new("Training", plan.units()))?;
    let mut samples = Vec::new();
    if plan.has_oob() {
        let progress = Progress::new("Out-of-bag", train.x.rows() as u64);
        let oob = oob_prediction(&ensemble, &train.x.view(), &progress)?;
        samples.push(Sample::measure("oob", &train.y, &oob.prediction, set.weights));
    }
    if let Some(rows) = holdout {
        let progress = Progress::new("Hold-out", rows.x.rows() as u64);
        let prediction = ensemble.predict(&rows.x.view(), &progress)?;
        samples.push(Sample::measure("holdout", &rows.y, &prediction, rows.weights.as_deref()));
    }
    Ok((ensemble, samples))
}
