//! `lmdi stability`: whether another fit of the same model would tell the same.

use crate::destination::Destination;
use crate::explainer::{ExplainerFlags, Taught};
use crate::learning::{LearningFlags, Lesson, Rows};
use crate::method::MethodFlags;
use crate::options::{ReadFlags, ThreadFlags, wrong};
use crate::progress::Progress;
use crate::scoring::{Asked, ScoreFlags, Subject};
use crate::terminal::{Align, Decimals, TextTable, count, counted};
use crate::training::{ModelKind, Plan};
use anyhow::{Context, Result};
use clap::Args;
use lmdi::explanation::{Stability, bootstrap_rows, stability};
use lmdi::forest::train::TrainingSet;
use lmdi::importance::Scores;
use lmdi::importance::lmdi_plus::{LmdiPlusOptions, TreeSubset, usual_family};
use lmdi::monitor::Monitor;
use lmdi::table::{Column, Frame, Schema, Task, Values};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Columns that are printed.
const COLUMNS: usize = 15;

/// Fit a model several times and say how far the scores of its rows agree.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi stability houses.csv --target price
  lmdi stability houses.csv --target price --fits 10 --bootstrap-rows --out stability.csv
  lmdi stability houses.csv --target price --method tree-shap --holdout 0.33

The model is trained and explained anew, each time with another seed (--seed and those after it), or with --bootstrap-rows also on rows drawn with replacement. Each fit scores the same rows: those of --holdout, or all. For each row it is counted how many different columns are among the top k % of any fit (the fewer, the better), and how alike the ranks of the columns are (1 is the same order).

The table has a row for each scored row: `row`, `correlation`, and `unique:K%` for every share.")]
pub struct Options {
    /// CSV or Parquet file; - is standard input
    data: PathBuf,
    /// The column to predict
    #[arg(long, value_name = "COL")]
    target: String,
    /// Where to write what was found for each row: a name ending in .csv, .parquet or .json, or - for
    /// standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How often to fit
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=1000))]
    fits: u16,
    /// Fit each time on as many training rows drawn with replacement
    #[arg(long)]
    bootstrap_rows: bool,
    /// Shares of the columns that count as the top, in percent
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', default_value = "10,20,30,40")]
    top: Vec<f64>,
    /// The model to train
    #[arg(long, value_enum, default_value = "forest", help_heading = "Model")]
    model: ModelKind,
    #[command(flatten)]
    explainer: ExplainerFlags,
    #[command(flatten)]
    method: MethodFlags,
    #[command(flatten)]
    learning: LearningFlags,
    #[command(flatten)]
    reading: ReadFlags,
    #[command(flatten)]
    threads: ThreadFlags,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    options.threads.apply()?;
    let destination = Destination::from_argument(options.out.as_deref())?;
    options.explainer.check(Some(&options.method), &ScoreFlags::plain())?;
    let is_share = |percent: &&f64| **percent > 0.0 && **percent <= 100.0;
    if let Some(percent) = options.top.iter().find(|percent| !is_share(percent)) {
        return Err(wrong(
            "top",
            percent.to_string(),
            "shares in percent, above 0 and at most 100",
        ));
    }
    let mut report = Destination::report(destination.as_ref());
    let out = &mut *report;
    let mut fitting = None;
    let check = |_: &Frame, schema: &Schema, plan: &Plan| {
        let boosted = matches!(plan, Plan::Boosting(_));
        let task = schema.target.as_ref().map_or(Task::Regression, |target| target.task);
        let usual = usual_family(task != Task::Regression, boosted);
        fitting = Some(options.method.choices().options(usual)?);
        Ok(())
    };
    let Options { data, target, model, reading, learning, .. } = options;
    let lesson = learning.lesson(data, target, *model, reading, out, check)?;
    let fitting = fitting.context("the options of LMDI+ are known")?;
    let scored = lesson.holdout.as_ref().unwrap_or(&lesson.train);
    let fits = options.fit(&lesson, scored, &fitting)?;
    let progress = Progress::new("Comparing", scored.x.rows() as u64);
    let found = stability(&fits, &options.top, &progress)?;
    drop(progress);
    options.print(out, &lesson, &found)?;
    match &destination {
        None => Ok(()),
        Some(destination) => {
            destination.write(|| of_rows(scored, &found), || as_json(&lesson, scored, &found), out)
        }
    }
}

impl Options {
    /// The scores of the same rows by each fit.
    fn fit(
        &self,
        lesson: &Lesson,
        scored: &Rows,
        fitting: &LmdiPlusOptions,
    ) -> Result<Vec<Scores>> {
        let Lesson { schema, target, plan, train, frame, .. } = lesson;
        let feature_names = schema.encoded_names();
        let progress = Progress::new("Fitting", u64::from(self.fits));
        let first_seed = self.learning.training.seed;
        let mut fits = Vec::new();
        for fit in 0..u64::from(self.fits) {
            let drawn = self
                .bootstrap_rows
                .then(|| train.take(&bootstrap_rows(train.x.rows(), first_seed, fit)));
            let rows = drawn.as_ref().unwrap_or(train);
            let set = TrainingSet {
                x: rows.x.view(),
                y: rows.y.response(),
                weights: rows.weights.as_deref(),
                feature_names: &feature_names,
                labels: &target.labels,
            };
            let quiet = Quiet(&progress);
            let ensemble = plan.with_seed(first_seed.wrapping_add(fit)).train(&set, &quiet)?;
            let taught = Taught { ensemble: &ensemble, schema, rows, reading: &self.reading };
            let explainer = self.explainer.teach(&taught, fitting, &quiet)?;
            let subject = Subject { ensemble: &ensemble, schema, explainer: &explainer };
            let asked = Asked {
                x: &scored.x,
                frame,
                table: "",
                of_table: &scored.of_table,
                trees: TreeSubset::All,
            };
            fits.push(ScoreFlags::plain().score(&subject, &asked)?.scores);
            progress.advance(1);
        }
        Ok(fits)
    }

    fn print(&self, out: &mut dyn Write, lesson: &Lesson, found: &Stability) -> Result<()> {
        let columns = &lesson.schema.columns;
        let how = if self.bootstrap_rows { "other rows and seeds" } else { "other seeds" };
        let which = if lesson.holdout.is_some() { "hold-out row" } else { "row" };
        writeln!(
            out,
            "\n{} with {how}, compared on {}.\n",
            counted(found.n_fits, "fit"),
            counted(found.n_rows, which)
        )?;
        let mut table = TextTable::new(&[
            ("top columns", Align::Left),
            ("different over all fits", Align::Right),
            ("at best", Align::Right),
            ("share of all columns", Align::Right),
        ]);
        for top in &found.tops {
            table.row([
                format!("{} % of {}", top.percent, count(columns.len() as u64)),
                format!("{:.2}", top.mean_unique),
                top.n_top.to_string(),
                format!("{:.3}", top.unique_share),
            ]);
        }
        write!(out, "{table}")?;
        writeln!(
            out,
            "\nRank correlation between two fits: {:.3} on average (1 is the same order).",
            found.mean_correlation
        )?;
        let mut order: Vec<(usize, f64, f64)> = (0..columns.len())
            .map(|column| {
                let values = || found.importance.iter().map(|fit| fit[column]);
                let mean = values().sum::<f64>() / found.n_fits as f64;
                let square = values().map(|value| (value - mean) * (value - mean)).sum::<f64>();
                (column, mean, (square / (found.n_fits - 1) as f64).sqrt())
            })
            .collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let Some(top) = found.tops.first() else { return Ok(()) };
        writeln!(
            out,
            "\nColumns, and in how many rows they are among the top {} %:\n",
            top.percent
        )?;
        let mut table = TextTable::new(&[
            ("column", Align::Left),
            ("mean |score|", Align::Right),
            ("spread over fits", Align::Right),
            ("in every fit", Align::Right),
            ("in some fit", Align::Right),
        ]);
        let decimals = Decimals::for_largest(order.first().map_or(0.0, |(_, mean, _)| *mean));
        for &(column, mean, spread) in order.iter().take(COLUMNS) {
            table.row([
                columns[column].name.clone(),
                decimals.text(mean),
                decimals.text(spread),
                format!("{:.1} %", 100.0 * top.always[column]),
                format!("{:.1} %", 100.0 * top.ever[column]),
            ]);
        }
        write!(out, "{table}")?;
        if order.len() > COLUMNS {
            writeln!(out, "  ... and {}", counted(order.len() - COLUMNS, "more column"))?;
        }
        Ok(())
    }
}

/// Passes on the wish to stop, but not the steps within one fit.
struct Quiet<'a>(&'a Progress);

impl Monitor for Quiet<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

fn of_rows(scored: &Rows, found: &Stability) -> Result<Frame> {
    let numbers = |name: String, cells: Vec<f64>| Column { name, values: Values::Numbers(cells) };
    let places = scored.of_table.iter().map(|&row| (row + 1) as f64).collect();
    let mut columns = vec![
        numbers("row".into(), places),
        numbers("correlation".into(), found.correlation.clone()),
    ];
    for top in &found.tops {
        let unique = top.unique.iter().map(|&unique| f64::from(unique)).collect();
        columns.push(numbers(format!("unique:{}%", top.percent), unique));
    }
    Frame::new(columns).context("the result: --top names the same share twice")
}

fn as_json(lesson: &Lesson, scored: &Rows, found: &Stability) -> Value {
    let names: Vec<&str> =
        lesson.schema.columns.iter().map(|column| column.name.as_str()).collect();
    let tops: Vec<Value> = found
        .tops
        .iter()
        .map(|top| {
            json!({
                "percent": top.percent,
                "columns": top.n_top,
                "mean_unique": top.mean_unique,
                "unique_share": top.unique_share,
                "always": top.always,
                "ever": top.ever,
                "unique": top.unique,
            })
        })
        .collect();
    json!({
        "columns": names,
        "fits": found.n_fits,
        "rows": scored.of_table.iter().map(|row| row + 1).collect::<Vec<_>>(),
        "mean_correlation": found.mean_correlation,
        "correlation": found.correlation,
        "importance": found.importance,
        "tops": tops,
    })
}
