//! `lmdi stability`: whether another fit of the model would give the same explanation.

use crate::flags::invalid;
use crate::flags::lmdi_plus::LmdiPlusFlags;
use crate::flags::method::MethodFlags;
use crate::flags::model::ModelKind;
use crate::flags::running::RunFlags;
use crate::flags::training::{JobOptions, TrainingFlags};
use crate::output::destination::{Destination, Files};
use crate::output::terminal::{Align, Decimals, TextTable};
use crate::process::progress::{NoBars, Progress};
use anyhow::{Context, Result};
use clap::Args;
use lmdi::explanation::{Grouping, Stability, bootstrap_rows, stability, sum_groups};
use lmdi::importance::Scores;
use lmdi::monitor::{Monitor, Stages};
use lmdi::study::{ExplainerOptions, Rows, Study, TrainingJob};
use lmdi::table::{Column, Frame, Task, Values};
use lmdi::text::{count, counted};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Columns that are printed.
const COLUMNS: usize = 15;

/// Fit a model several times and measure how far the fits agree on the scores.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi stability houses.csv --target price
  lmdi stability houses.csv --target price --fits 10 --bootstrap-rows --out stability.csv
  lmdi stability houses.csv --target price --method tree-shap --holdout 0.33

Each fit has another seed (--seed, --seed + 1, ...), and with --bootstrap-rows other rows, drawn with replacement. All fits score the same rows: those of --holdout, or all. Each row gets two measures: how many different columns are among the top k % of any fit (fewer is better), and how similar the ranks of the columns are (1 is the same order).

The result has one row per scored row: `row`, `correlation`, and `unique:K%` for every share.")]
pub struct Options {
    /// CSV or Parquet file; - is standard input
    data: PathBuf,
    /// The column to predict
    #[arg(long, value_name = "COL")]
    target: String,
    /// Where to write the measures of each row: a name ending in .csv, .parquet or .json, or -
    /// for standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Number of fits
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=1000))]
    fits: u16,
    /// Draw the training rows of each fit with replacement
    #[arg(long)]
    bootstrap_rows: bool,
    /// Shares of the columns that count as the top, in percent
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', default_value = "10,20,30,40")]
    top: Vec<f64>,
    /// The model to train
    #[arg(long, value_enum, default_value = "forest", help_heading = "Model")]
    model: ModelKind,
    #[command(flatten)]
    method: MethodFlags,
    #[command(flatten)]
    lmdi_plus: LmdiPlusFlags,
    #[command(flatten)]
    training: TrainingFlags,
    #[command(flatten)]
    running: RunFlags,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let destination = Destination::from_argument(options.out.as_deref())?;
    options.method.check(Some(&options.lmdi_plus), None)?;
    let files = Files::default()
        .reading("DATA", Some(&options.data))
        .reading("--background", options.method.others.background.as_deref())
        .writing("out", options.out.as_deref());
    let reader = options.running.start(&files)?;
    let is_share = |percent: &&f64| **percent > 0.0 && **percent <= 100.0;
    if let Some(percent) = options.top.iter().find(|percent| !is_share(percent)) {
        return Err(invalid(
            "top",
            percent.to_string(),
            "a share in percent, above 0 and at most 100",
        ));
    }
    let mut printer = Destination::printer(destination.as_ref());
    let out = &mut printer;
    let Options { data, target, model, .. } = options;
    let job = options.training.job(data, target, *model, &JobOptions::default(), &reader, out)?;
    let of_classes = job.target.task != Task::Regression;
    let lmdi_plus = options.lmdi_plus.options(of_classes, job.params.is_boosted())?;
    let method = options.method.options(&job.schema, lmdi_plus, &reader)?;
    let rows = job.holdout.as_ref().unwrap_or(&job.train);
    let fits = options.fit(&job, &method, rows)?;
    let progress = Progress::new("Comparing", rows.len());
    let found = stability(&fits, &options.top, &progress)?;
    drop(progress);
    if let Some(destination) = &destination {
        destination.write(
            || Ok(of_rows(rows, &found)?.into()),
            || as_json(&job, rows, &found),
            out,
        )?;
    }
    options.print(out, &job, &found)?;
    out.fact("stability", as_json(&job, rows, &found));
    printer.finish()
}

impl Options {
    /// The scores of the same rows by each fit.
    fn fit(
        &self,
        job: &TrainingJob,
        method: &ExplainerOptions,
        rows: &Arc<Rows>,
    ) -> Result<Vec<Scores>> {
        let groups = Grouping::columns(&job.schema)?.groups;
        let progress = Progress::new("Fitting", usize::from(self.fits));
        let first_seed = job.params.seed();
        let mut fits = Vec::new();
        for fit in 0..u64::from(self.fits) {
            let drawn = self
                .bootstrap_rows
                .then(|| job.train.take(&bootstrap_rows(job.train.len(), first_seed, fit)));
            let train = drawn.as_ref().unwrap_or(&job.train);
            let seed = first_seed.wrapping_add(fit);
            let study = Study::refitted(job, method, train, seed, &NoBars)?;
            let single = study.explainer().explain(&rows.x.view(), &*NoBars.start("Scoring", 0))?;
            fits.push(sum_groups(&single, &groups)?);
            progress.advance(1);
        }
        Ok(fits)
    }

    fn print(&self, out: &mut dyn Write, job: &TrainingJob, found: &Stability) -> Result<()> {
        let columns = &job.schema.columns;
        let how = if self.bootstrap_rows { "other rows and seeds" } else { "other seeds" };
        let which = if job.holdout.is_some() { "hold-out row" } else { "row" };
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
                format!("{} % of {}", top.percent, count(columns.len())),
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

fn of_rows(rows: &Rows, found: &Stability) -> Result<Frame> {
    let numbers = |name: String, cells: Vec<f64>| Column { name, values: Values::Numbers(cells) };
    let places = rows.places.iter().map(|&row| (row + 1) as f64).collect();
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

fn as_json(job: &TrainingJob, rows: &Rows, found: &Stability) -> Value {
    let names: Vec<&str> = job.schema.columns.iter().map(|column| column.name.as_str()).collect();
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
        "rows": rows.places.iter().map(|row| row + 1).collect::<Vec<_>>(),
        "mean_correlation": found.mean_correlation,
        "correlation": found.correlation,
        "importance": found.importance,
        "tops": tops,
    })
}
