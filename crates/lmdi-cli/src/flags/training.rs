//! What to learn from a table, and how.

use super::decision::DecisionFlags;
use super::invalid;
use super::model::{ModelFlags, ModelKind};
use super::reading::KindFlags;
use super::result::keyed;
use crate::input::tables::{TableReader, nearly_numbers_text, tell_notices};
use crate::output::terminal::size;
use crate::output::{params_text, training_log};
use crate::process::console;
use crate::process::progress::Bars;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use lmdi::file::Model;
use lmdi::study::{NamedFrame, TrainingData, TrainingJob};
use lmdi::table::{ColumnReport, MergedCells, Reading, SchemaOptions, Task};
use lmdi::text::count;
use lmdi_io::printable::printable;
use lmdi_io::read::{CellType, Notice, Noticed, ReadOptions};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

#[derive(Clone, Copy, ValueEnum)]
enum TaskFlag {
    Regression,
    Binary,
    Multiclass,
}

/// What a command asks of a training job beside the flags.
#[derive(Default)]
pub struct JobOptions<'a> {
    /// How two classes are decided.
    pub decision: Option<&'a DecisionFlags>,
    /// Columns that can be copied into a result.
    pub kept: Vec<String>,
    /// A column that names rows, and is no input.
    pub key: Option<&'a str>,
    /// Whether it names the rows of this table; otherwise those of another.
    pub names_rows: bool,
}

/// Fails on a key that has another use.
fn check_key(key: &str, schema_options: &SchemaOptions) -> Result<()> {
    let is_weight = schema_options.weight.as_deref() == Some(key);
    if key == schema_options.target || is_weight {
        let what = if is_weight { "the column of weights" } else { "the target" };
        return Err(invalid("key", format!("{key:?}, {what}"), "another column, which names rows"));
    }
    Ok(())
}

/// What to learn from, and how.
#[derive(Args)]
pub struct TrainingFlags {
    /// The task [default: detected from the values of the target]
    #[arg(long, value_enum)]
    task: Option<TaskFlag>,
    /// Share of the rows kept out of training
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_share)]
    pub holdout: f64,
    /// A column of row weights, which is not an input
    #[arg(long, value_name = "COL", help_heading = "Columns")]
    weight: Option<String>,
    /// A column not to use; repeatable
    #[arg(long, value_name = "COL", help_heading = "Columns")]
    pub drop: Vec<String>,
    #[command(flatten)]
    kinds: KindFlags,
    /// Maximum number of levels of a categorical column with their own 0/1 column; rarer ones are
    /// pooled [default: 32]
    #[arg(long, value_name = "N", help_heading = "Columns")]
    max_levels: Option<usize>,
    #[command(flatten)]
    pub model: ModelFlags,
}

fn parse_share(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..1.0).contains(&share) => Ok(share),
        _ => bail!("expected a share of at least 0 and below 1, such as 0.3"),
    }
}

impl TrainingFlags {
    /// The first flag that was given and says how to train.
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
        first.or_else(|| self.model.first_given())
    }

    /// Reads a table, tells what was found, and gets ready to train a model on it. A column that
    /// gives the target away is warned of.
    pub fn job(
        &self,
        data: &Path,
        target: &str,
        kind: ModelKind,
        options: &JobOptions<'_>,
        reader: &TableReader,
        out: &mut dyn Write,
    ) -> Result<TrainingJob> {
        let started = Instant::now();
        let mut schema_options = self.schema_options(target);
        schema_options.positive = options.decision.and_then(|decision| decision.positive.clone());
        if let Some(key) = options.key {
            check_key(key, &schema_options)?;
        }
        let mut read_options = ReadOptions::default().with_kinds(&schema_options.kinds);
        read_options.copied = options.kept.clone();
        // A key may look like numbers, and is none.
        read_options.dropped =
            self.drop.iter().cloned().chain(options.key.map(str::to_owned)).collect();
        // Columns that must be numbers are read as such, so that an error names the line.
        let regression =
            (schema_options.task == Some(Task::Regression)).then_some(&schema_options.target);
        for name in schema_options.weight.iter().chain(regression) {
            read_options.cells.entry(name.clone()).or_insert(CellType::Number);
        }
        read_options.recognise = true;
        let (name, table) = reader.read(data, read_options)?;
        self.check_nearly_numbers(&table.notices, target).with_context(|| name.clone())?;
        tell_notices(&table.notices);
        schema_options.reading = table.reading;
        let format = table.format;
        let key = options.key.filter(|key| options.names_rows || table.frame.column(key).is_some());
        schema_options.drop.extend(key.map(str::to_owned));
        let named = NamedFrame { name: name.clone(), frame: table.frame };
        let mut data = TrainingData::learn(named, &schema_options).with_context(|| name.clone())?;
        if options.names_rows {
            data.rows = keyed(data.rows, key, reader)?;
        }
        training_log::print_data(out, &data, &schema_options.reading, format, started.elapsed())?;
        tell_merged(&data.reports);
        let params = self.model.params(kind, data.target.task)?;
        let threshold = options.decision.and_then(DecisionFlags::threshold);
        let job = data.job(params, self.holdout)?.deciding_at(threshold)?;
        tell_memory(&job);
        training_log::print_suspects(out, &job)?;
        Ok(job)
    }

    /// Bytes that a row of training adds to the model, at most.
    pub fn memory_per_row(&self, kind: ModelKind) -> Result<u64> {
        const ROWS: usize = 1 << 20;
        Ok(self.model.params(kind, Task::Regression)?.memory(ROWS, self.weight.is_some(), 1)
            / ROWS as u64)
    }

    /// Fails on a column that is one of numbers but for a few cells: read as text it would be
    /// worth nothing, unless the user says that it is meant so.
    fn check_nearly_numbers(&self, notices: &[Notice], target: &str) -> Result<()> {
        for Notice { column, what } in notices {
            let Noticed::NearlyNumbers { near, line } = what else { continue };
            let is_stated = self.drop.contains(column)
                || self.kinds.kinds.iter().any(|(name, _)| name == column)
                || (column == target && self.task.is_some());
            if !is_stated {
                bail!("{}", nearly_numbers_text(column, near, *line));
            }
        }
        Ok(())
    }

    fn schema_options(&self, target: &str) -> SchemaOptions {
        SchemaOptions::new(target.to_owned())
            .with_task(self.task.map(|task| match task {
                TaskFlag::Regression => Task::Regression,
                TaskFlag::Binary => Task::Binary,
                TaskFlag::Multiclass => Task::Multiclass,
            }))
            .with_positive(None)
            .with_weight(self.weight.clone())
            .with_drop(self.drop.clone())
            .with_kinds(self.kinds.kinds.clone())
            .with_max_levels(self.max_levels.unwrap_or(lmdi::table::DEFAULT_MAX_LEVELS))
            .with_reading(Reading::default())
    }
}

/// Reports columns with many values that are equal to our trees.
fn tell_merged(reports: &[ColumnReport]) {
    for report in reports {
        let Some(MergedCells { different, remaining }) = report.merged else { continue };
        console::note(format!(
            "column {}: only {} of its {} different values remain apart in 32 bits, in which trees \
             compare numbers; write it as numbers that count from its smallest value to keep them \
             apart",
            printable(&report.name),
            count(remaining),
            count(different)
        ));
    }
}

/// Tells if the model may take more memory than `--memory` or the machine leaves.
fn tell_memory(job: &TrainingJob) {
    let needed = job.model_memory();
    let left = lmdi_memory::limit().saturating_sub(lmdi_memory::used()) as u64;
    if needed > left {
        console::note(format!(
            "the trees may take up to {} of memory, and {} are left: --max-depth, --min-samples-leaf, \
             --max-leaf-nodes or --trees make them smaller",
            size(needed),
            size(left)
        ));
    }
}

/// What was trained and how good it is, for the summary as JSON.
pub fn facts(job: &TrainingJob, model: &Model) -> serde_json::Value {
    let quality = model.metadata.quality.iter();
    let quality: Vec<serde_json::Value> = quality
        .map(|q| {
            let value = q.value.is_finite().then_some(q.value);
            serde_json::json!({"sample": q.sample, "measure": q.measure, "value": value})
        })
        .collect();
    let columns: Vec<&str> = job.schema.columns.iter().map(|one| one.name.as_str()).collect();
    serde_json::json!({
        "table": job.train.table.name,
        "rows": job.train.len(),
        "columns": columns,
        "not_used": job.schema.dropped.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
        "target": job.target.name,
        "task": job.target.task.name(),
        "model": job.params.title(),
        "trees": model.ensemble.trees.len(),
        "quality": quality,
    })
}

/// Trains a model, and tells how good it is.
pub fn train(job: &TrainingJob, out: &mut dyn Write) -> Result<Model> {
    let started = Instant::now();
    let mut trained = job.train(&Bars)?;
    training_log::print_trained(out, job, &trained, started.elapsed())?;
    trained.model.metadata.training_options = params_text::as_flags(&job.params);
    Ok(trained.model)
}
