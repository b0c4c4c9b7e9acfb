//! `lmdi explain`: from a table to the scores of its rows.
//!
//! Three steps, each of which may be given instead of made: a model (`--model FILE`), its explainer (kept
//! in that file), and the rows to score (`--test`, `--holdout`, else the rows that were fitted on).

use crate::explainer::{Explainer, ExplainerFlags, tree_method_parser};
use crate::learning::LearningFlags;
use crate::method::MethodFlags;
use crate::options::{ReadFlags, ThreadFlags, check_writable, wrong};
use crate::preparation::Prepared;
use crate::progress::Progress;
use crate::quality::{self, Sample};
use crate::report::{self, Run};
use crate::scoring::{Asked, ScoreFlags, Subject};
use crate::terminal::{count, counted, short_number};
use crate::training::ModelKind;
use crate::{model_file, summary};
use anyhow::Result;
use clap::{Args, ValueEnum};
use lmdi::file::{self, Model};
use lmdi::importance::Method;
use lmdi::importance::lmdi_plus::TreeSubset;
use lmdi::named::Named;
use lmdi::table::Matrix;
use lmdi_io::printable::printable;
use lmdi_io::write::{Output, write_table};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScoreTrees {
    /// All trees
    All,
    /// Those that did not see the row
    Oob,
    /// Those that saw the row
    Inbag,
}

/// A model to train, or the file of a trained one.
#[derive(Clone)]
enum ModelSource {
    Train(ModelKind),
    File(PathBuf),
}

fn parse_model(text: &str) -> Result<ModelSource, std::convert::Infallible> {
    let kind = ModelKind::from_str(text, false).ok();
    Ok(kind.map_or_else(|| ModelSource::File(text.into()), ModelSource::Train))
}

/// Train a model, explain it with LMDI+ or another method and write what each column adds to each prediction.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi explain examples/diabetes.csv --target progression --out scores.csv
  lmdi explain examples/diabetes.csv --target progression --report report.html
  lmdi explain data.csv --target label --holdout 0.3 --out scores.parquet --save model.lmdi
  lmdi explain data.csv --target y --test new.csv --out - --top 3
  lmdi explain data.csv --target y --model xgboost.json --out scores.csv
  lmdi explain data.csv --target y --method tree-shap --out scores.csv
  lmdi explain train.csv --model model.lmdi --method lime --test new.csv --out scores.csv
  lmdi explain data.csv --model model.lmdi --out scores.csv --group size=width --group size=height

The result has a row for each explained row: `row` (its place in the table, from 1), `prediction` (for \
classes also `probability:LABEL`), `base`, and `score:COL` for every column. Base plus scores is the \
prediction: in units of the target, or for classes in log-odds of the second one; with three or more \
classes each has its own `base:LABEL` and `score:LABEL:COL`.

Explained are the rows of --test, or those that --holdout keeps out, or the training rows.")]
pub struct Options {
    /// CSV or Parquet file; - is standard input
    pub data: PathBuf,
    /// The column to predict; a model file knows it
    #[arg(long, value_name = "COL")]
    pub target: Option<String>,
    /// Where to write the scores: a name ending in .csv or .parquet, or - for standard output (CSV;
    /// the report then goes to standard error)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Where to keep the model with its explainer, for `lmdi score`; a name ending in .json is written
    /// as JSON
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Where to write the report: a page to open in a browser, which needs no network and holds the scores,
    /// what matters, single rows, and how far to trust it
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Another method to show beside the first in the report: tree-shap, saabas or local-mdi; repeatable
    #[arg(long, value_name = "METHOD", requires = "report", value_parser = tree_method_parser())]
    compare: Vec<Method>,
    /// How often the model of the report is trained and explained again, with other seeds, to show how
    /// stable explanations are [default: 2 for up to a million cells, else 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100))]
    stability_runs: Option<u8>,
    /// Explain the rows of this table, which needs no target
    #[arg(long, value_name = "FILE", conflicts_with = "holdout")]
    pub test: Option<PathBuf>,
    /// Trees that a training row is scored on
    #[arg(long, value_enum, value_name = "TREES", default_value = "all")]
    pub score_trees: ScoreTrees,
    /// The model to train (forest, extra-trees or boosting), or the file of a trained one, which may be
    /// one of XGBoost, LightGBM or CatBoost
    #[arg(long, value_name = "KIND|FILE", default_value = "forest", value_parser = parse_model, help_heading = "Model")]
    model: ModelSource,
    #[command(flatten)]
    pub result: ScoreFlags,
    #[command(flatten)]
    pub explainer: ExplainerFlags,
    #[command(flatten)]
    pub method: MethodFlags,
    #[command(flatten)]
    pub learning: LearningFlags,
    #[command(flatten)]
    pub reading: ReadFlags,
    #[command(flatten)]
    threads: ThreadFlags,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    options.threads.apply()?;
    let output = options.out.as_deref().map(Output::from_argument).transpose()?;
    check_writable(output.as_ref(), options.save.as_deref())?;
    check_writable(None, options.report.as_deref())?;
    if options.score_trees != ScoreTrees::All
        && (options.test.is_some() || options.learning.holdout > 0.0)
    {
        return Err(wrong(
            "score_trees",
            "oob or inbag, for rows that no tree was trained on",
            "all with --test and --holdout: every tree is out-of-bag there",
        ));
    }
    options.explainer.check(Some(&options.method), &options.result)?;
    if options.score_trees != ScoreTrees::All && !options.explainer.is_lmdi_plus() {
        let name = options.explainer.method.name();
        return Err(wrong(
            "score_trees",
            format!("oob or inbag, with {name}"),
            "all, or --method lmdi-plus",
        ));
    }
    let mut report: Box<dyn Write> = match output {
        Some(Output::Stdout) => Box::new(io::stderr().lock()),
        _ => Box::new(io::stdout().lock()),
    };
    let out = &mut *report;
    let prepared = match &options.model {
        ModelSource::Train(kind) => options.train(*kind, out)?,
        ModelSource::File(path) => options.with_model(path, out)?,
    };
    options.explain(prepared, output, out)
}

impl Options {
    /// How often a model that learned from so many cells is trained again for the report.
    pub fn repeats(&self, cells: usize) -> u8 {
        /// Beyond this, runs take long enough to be asked for.
        const MOST_CELLS: usize = 1_000_000;
        if self.report.is_none() || self.score_trees != ScoreTrees::All {
            return 0;
        }
        self.stability_runs.unwrap_or(if cells <= MOST_CELLS { 2 } else { 0 })
    }

    /// Scores, tells, writes and keeps.
    fn explain(
        &self,
        prepared: Prepared,
        output: Option<Output>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let Prepared { model, schema, explainer, how, rows, again } = prepared;
        let subject = Subject { ensemble: &model.ensemble, schema: &schema, explainer: &explainer };
        let trees = match self.score_trees {
            ScoreTrees::Oob if rows.are_training_rows => TreeSubset::OutOfBag(&model.ensemble),
            ScoreTrees::Inbag if rows.are_training_rows => TreeSubset::InBag(&model.ensemble),
            _ => TreeSubset::All,
        };
        let asked = Asked {
            x: &rows.x,
            frame: &rows.frame,
            table: &rows.table,
            of_table: &rows.of_table,
            trees,
        };
        let started = Instant::now();
        let scored = self.result.score(&subject, &asked)?;
        let which = match trees {
            TreeSubset::All => "",
            TreeSubset::OutOfBag(_) => ", each on the trees that did not see it",
            TreeSubset::InBag(_) => ", each on the trees that saw it",
        };
        writeln!(
            out,
            "Scored {} {}{which}, {:.2} s. Base plus scores is the {}{}.",
            count(rows.x.rows() as u64),
            rows.what,
            started.elapsed().as_secs_f64(),
            summary::total_text(&subject),
            scored.residual().map_or(String::new(), |residual| {
                format!(" to within {}", short_number(residual))
            })
        )?;
        let mut warnings = Vec::new();
        let of_explainer = match (&rows.truth, &explainer) {
            (Some((y, weights)), Explainer::LmdiPlus(_)) if !rows.are_training_rows => {
                let weights = weights.as_deref();
                let sample = Sample::measure("lmdi_plus", y, &scored.predictions, weights);
                write!(out, "\n{}", quality::table(std::slice::from_ref(&sample)))?;
                if let Some(note) = quality::far_below(&sample, &model.metadata.quality) {
                    writeln!(out, "\nNOTE: {note}")?;
                    warnings.push(note);
                }
                Some(sample)
            }
            _ => None,
        };
        if let Explainer::LmdiPlus(fitted) = &explainer {
            warnings.extend(summary::unconverged(fitted));
        }
        summary::print_importance(out, &subject, &scored)?;
        summary::print_example(out, &subject, &asked, &scored)?;
        if let Some(path) = &self.report {
            let explain_again = again
                .as_ref()
                .map(|again| |seed: u64, x: &Matrix| self.explain_again(again, &schema, seed, x));
            let run = Run {
                model: &model,
                subject: &subject,
                asked: &asked,
                scored: &scored,
                flags: &self.result,
                rows: &rows,
                how: &how,
                method: self.explainer.method,
                compare: &self.compare,
                runs: again.as_ref().map_or(0, |again| again.runs),
                again: explain_again.as_ref().map(|again| again as report::ExplainAgain<'_>),
                of_explainer: of_explainer.as_ref(),
                warnings,
                tables: &[Some(&*self.data), self.test.as_deref()],
            };
            report::write_and_tell(&run, path, out)?;
        }
        match &output {
            None if self.report.is_some() => {}
            None => {
                writeln!(out, "\nThe scores were not written; add --out FILE or --report FILE.")?;
            }
            Some(output) => {
                let table = self.result.table(&subject, &asked, scored)?;
                let size = (counted(table.rows(), "row"), counted(table.columns().len(), "column"));
                write_table(&table, output, &Progress::new("Writing", table.rows() as u64))?;
                if let Output::Csv(path) | Output::Parquet(path) = output {
                    let name = path.display().to_string();
                    writeln!(out, "\nWrote {} ({}, {}).", printable(&name), size.0, size.1)?;
                }
            }
        }
        if let Some(path) = &self.save {
            let mut model = match &explainer {
                Explainer::LmdiPlus(fitted) => {
                    Model { explainer: Some(file::Explainer::of(fitted, how)), ..model }
                }
                Explainer::Other(_) => model,
            };
            model.metadata.quality.extend(of_explainer.iter().flat_map(Sample::records));
            model_file::save_and_tell(&model, path, out)?;
        }
        Ok(())
    }
}
