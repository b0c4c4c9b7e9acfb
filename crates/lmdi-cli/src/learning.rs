//! From a table to a trained model: what `train` and `explain` have in common.

use crate::options::{KindFlags, ReadFlags, format_name};
use crate::parameters;
use crate::progress::Progress;
use crate::quality::{self, Sample};
use crate::terminal::{count, counted};
use crate::training::{ModelKind, Plan, TrainingFlags};
use crate::{columns, leakage};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use lmdi::file::{Metadata, Model};
use lmdi::forest::train::TrainingSet;
use lmdi::forest::{Ensemble, oob_prediction};
use lmdi::random::{generator, subset};
use lmdi::table::{Fingerprint, Frame, Matrix, Schema, SchemaOptions, Target, TargetCells, Task};
use lmdi_io::printable::printable;
use lmdi_io::read::{CellType, Input, ReadOptions};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

#[derive(Clone, Copy, ValueEnum)]
enum TaskFlag {
    Regression,
    Binary,
    Multiclass,
}

/// What to learn from, and how.
#[derive(Args)]
pub struct LearningFlags {
    /// What to learn from the target [default: decided from its values]
    #[arg(long, value_enum)]
    task: Option<TaskFlag>,
    /// Share of the rows kept out of training
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_share)]
    pub holdout: f64,
    /// A column of row weights, not used as input
    #[arg(long, value_name = "COL", help_heading = "Columns")]
    weight: Option<String>,
    /// A column not to use; repeatable
    #[arg(long, value_name = "COL", help_heading = "Columns")]
    drop: Vec<String>,
    #[command(flatten)]
    kinds: KindFlags,
    /// Most levels of a categorical column that get a 0/1 column each; rarer ones are pooled
    /// [default: 32]
    #[arg(long, value_name = "N", help_heading = "Columns")]
    max_levels: Option<usize>,
    #[command(flatten)]
    pub training: TrainingFlags,
}

fn parse_share(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..1.0).contains(&share) => Ok(share),
        _ => bail!("expected a share of at least 0 and below 1, such as 0.3"),
    }
}

/// Encoded rows with their target and weights.
#[derive(Clone)]
pub struct Rows {
    pub x: Matrix,
    pub y: TargetCells,
    pub weights: Option<Vec<f64>>,
    /// Which rows of the table these are.
    pub of_table: Vec<usize>,
}

impl Rows {
    /// The chosen rows, in the order given.
    pub fn take(&self, rows: &[usize]) -> Self {
        Self {
            x: self.x.take_rows(rows),
            y: self.y.take(rows),
            weights: self.weights.as_ref().map(|w| rows.iter().map(|&row| w[row]).collect()),
            of_table: rows.iter().map(|&row| self.of_table[row]).collect(),
        }
    }

    /// The mark of these rows as training data.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.x.view(), &self.y.response(), self.weights.as_deref())
    }
}

/// What is to be learned, before it is.
pub struct Lesson {
    pub schema: Schema,
    pub target: Target,
    pub plan: Plan,
    /// The table, with all its rows and columns.
    pub frame: Frame,
    pub train: Rows,
    pub holdout: Option<Rows>,
}

/// A trained model, the rows it learned from and those kept out.
pub struct Learned {
    pub model: Model,
    /// How it was trained.
    pub plan: Plan,
    /// The table, with all its rows and columns.
    pub frame: Frame,
    pub train: Rows,
    pub holdout: Option<Rows>,
}

impl LearningFlags {
    /// The first flag that was given and says how to learn.
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--task", self.task.is_some()),
            ("--holdout", self.holdout != 0.0),
            ("--weight", self.weight.is_some()),
            ("--drop", !self.drop.is_empty()),
            ("--kind", !self.kinds.kinds.is_empty()),
            ("--max-levels", self.max_levels.is_some()),
        ];
        let first = given.iter().find(|(_, given)| *given).map(|(flag, _)| *flag);
        first.or_else(|| self.training.first_given())
    }

    /// Reads a table and gets ready to train a model on it. `check` sees table and plan before the
    /// work starts.
    pub fn lesson(
        &self,
        data: &Path,
        target: &str,
        kind: ModelKind,
        reading: &ReadFlags,
        out: &mut dyn Write,
        check: impl FnOnce(&Frame, &Schema, &Plan) -> Result<()>,
    ) -> Result<Lesson> {
        let (schema, frame, rows) = self.read(data, target, reading, out)?;
        let target = schema.target.clone().context("a learned schema has a target")?;
        let plan = self.training.plan(kind, target.task)?;
        plan.check(schema.n_encoded())?;
        check(&frame, &schema, &plan)?;
        let (train, holdout) = split(rows, self.holdout, self.training.seed)?;
        leakage::warn(out, &schema, &target, &train)?;
        Ok(Lesson { schema, target, plan, frame, train, holdout })
    }

    /// Reads a table and trains a model on it. `check` sees table and plan before the work
    /// starts.
    pub fn learn(
        &self,
        data: &Path,
        target: &str,
        kind: ModelKind,
        reading: &ReadFlags,
        out: &mut dyn Write,
        check: impl FnOnce(&Frame, &Schema, &Plan) -> Result<()>,
    ) -> Result<Learned> {
        let lesson = self.lesson(data, target, kind, reading, out, check)?;
        let Lesson { schema, target, plan, frame, train, holdout } = lesson;
        let started = Instant::now();
        let (ensemble, samples) = fit(&plan, &schema, &target, &train, holdout.as_ref())?;
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
        let metadata = Metadata {
            training_options: parameters::text(&plan),
            seed: Some(self.training.seed),
            training_rows: Some(train.x.rows() as u64),
            fingerprint: Some(train.fingerprint()),
            quality: samples.iter().flat_map(Sample::records).collect(),
            ..Metadata::of_this_library()
        };
        let model = Model { ensemble, schema: Some(schema), explainer: None, metadata };
        Ok(Learned { model, plan, frame, train, holdout })
    }

    /// Reads the table, prints what was found, and encodes it.
    fn read(
        &self,
        data: &Path,
        target: &str,
        reading: &ReadFlags,
        out: &mut dyn Write,
    ) -> Result<(Schema, Frame, Rows)> {
        let started = Instant::now();
        let wishes = SchemaOptions {
            target: target.to_owned(),
            task: self.task.map(|task| match task {
                TaskFlag::Regression => Task::Regression,
                TaskFlag::Binary => Task::Binary,
                TaskFlag::Multiclass => Task::Multiclass,
            }),
            weight: self.weight.clone(),
            drop: self.drop.clone(),
            kinds: self.kinds.kinds.clone(),
            max_levels: self.max_levels.unwrap_or(lmdi::table::DEFAULT_MAX_LEVELS),
        };
        let input = Input::from_argument(data);
        let name = printable(&input.name()).into_owned();
        let mut read_options = ReadOptions::default().with_kinds(&wishes.kinds);
        // Columns that must be numbers are read as such, so that an error names the line.
        let regression = (wishes.task == Some(Task::Regression)).then_some(&wishes.target);
        for name in wishes.weight.iter().chain(regression) {
            read_options.cells.entry(name.clone()).or_insert(CellType::Number);
        }
        let table = reading.read(&input, read_options)?;
        let present = Target::present_rows(&table.frame, target).with_context(|| name.clone())?;
        let without_target = table.frame.rows() - present.len();
        // Without a single target the next step says so.
        let all_or_none = without_target == 0 || present.is_empty();
        let kept = (!all_or_none).then(|| table.frame.take_rows(&present));
        let frame = kept.as_ref().unwrap_or(&table.frame);
        let (schema, reports) = Schema::learn(frame, &wishes).with_context(|| name.clone())?;
        let x = schema.encode(frame).with_context(|| name.clone())?.matrix;
        let target = schema.target.as_ref().context("a learned schema has a target")?;
        let y = target.cells(frame).with_context(|| name.clone())?;
        let weights = schema.weights(frame).with_context(|| name.clone())?;

        writeln!(
            out,
            "{name}: {}, {} ({}), {:.2} s\n",
            counted(table.frame.rows(), "row"),
            counted(table.frame.columns().len(), "column"),
            format_name(table.format),
            started.elapsed().as_secs_f64()
        )?;
        columns::print(out, frame, &reports, Some(target.task))?;
        columns::print_dropped(out, &reports)?;
        if without_target > 0 {
            let missing = counted(without_target, "row");
            writeln!(out, "\nLeft out {missing} without a value of {}.", printable(&target.name))?;
        }
        drop(kept);
        Ok((schema, table.frame, Rows { x, y, weights, of_table: present }))
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

/// Trains a model.
pub fn grow(plan: &Plan, schema: &Schema, target: &Target, rows: &Rows) -> Result<Ensemble> {
    let feature_names = schema.encoded_names();
    let set = TrainingSet {
        x: rows.x.view(),
        y: rows.y.response(),
        weights: rows.weights.as_deref(),
        feature_names: &feature_names,
        labels: &target.labels,
    };
    Ok(plan.train(&set, &Progress::new("Training", plan.units()))?)
}

/// Trains, and measures on the rows that the trees did not see.
fn fit(
    plan: &Plan,
    schema: &Schema,
    target: &Target,
    train: &Rows,
    holdout: Option<&Rows>,
) -> Result<(Ensemble, Vec<Sample>)> {
    let ensemble = grow(plan, schema, target, train)?;
    let mut samples = Vec::new();
    if plan.has_oob() {
        let progress = Progress::new("Out-of-bag", train.x.rows() as u64);
        let oob = oob_prediction(&ensemble, &train.x.view(), &progress)?;
        let weights = train.weights.as_deref();
        samples.push(Sample::measure("oob", &train.y, &oob.prediction, weights));
    }
    if let Some(rows) = holdout {
        let progress = Progress::new("Hold-out", rows.x.rows() as u64);
        let prediction = ensemble.predict(&rows.x.view(), &progress)?;
        samples.push(Sample::measure("holdout", &rows.y, &prediction, rows.weights.as_deref()));
    }
    Ok((ensemble, samples))
}
