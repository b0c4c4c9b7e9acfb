//! `lmdi explain`: from a table to the scores of its rows.
//!
//! Three things are needed, each of which may be given instead of made: a model (`--model FILE`),
//! its explainer (kept in that file), and the rows to explain (`--test`, `--holdout`, else the rows
//! that were fitted to).

mod compared_model;
mod in_batches;
mod memory;
mod on_sample;
mod saved_model;

use crate::flags::decision::DecisionFlags;
use crate::flags::invalid;
use crate::flags::lmdi_plus::LmdiPlusFlags;
use crate::flags::method::{MethodFlags, tree_method_parser};
use crate::flags::model::ModelKind;
use crate::flags::result::ResultFlags;
use crate::flags::running::RunFlags;
use crate::flags::training::{JobOptions, TrainingFlags, facts, train};
use crate::input::model_file;
use crate::input::tables::TableReader;
use crate::output::destination::{Files, Outcomes, table_output, write_file, write_result};
use crate::output::printer::Printer;
use crate::output::quality;
use crate::output::score_table::score_table;
use crate::output::summary::{self, Importance};
use crate::process::progress::Bars;
use anyhow::Result;
use clap::{Args, ValueEnum};
use lmdi::importance::Method;
use lmdi::named::Named;
use lmdi::study::{Assessment, ExplainOptions, Explained, Rows, Sample, Study, TreeChoice};
use lmdi::table::{Schema, Task};
use lmdi::text::count;
use lmdi_io::read::Input;
use lmdi_io::same_file::is_same_file;
use lmdi_io::write::Output;
use lmdi_report::page::{ComparedModel, PageOptions, WhatIf, page};
use saved_model::ModelFile;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScoreTrees {
    /// Those that predict the row: of a forest, the ones that did not see it
    Auto,
    /// All trees
    All,
    /// Those that did not see the row
    Oob,
    /// Those that saw the row
    Inbag,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WhatIfFlag {
    /// If the model takes at most 8 MB in the page, and all rows still fit
    Auto,
    /// Whatever its size
    Always,
    /// Not at all, to keep the model out of the page
    Never,
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

/// Train a model, explain it with LMDI+ or another method and write what each column adds to each
/// prediction.
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
  lmdi explain customers.csv --target churn --positive yes --costs 1,4 --key customer_id --report r.html

The result has one row per explained row: `row` (its place in the table, from 1), `prediction` (the \
model's; for classes also `probability:LABEL`), `explained` (base plus scores), `unexplained` (the rest \
of the prediction), `base`, and `score:COL` for every column. Scores are in units of the target. For \
classes they are shares of probability (forests) or log-odds (boosting) of the second label; with three \
or more classes, each has its own `base:LABEL` and `score:LABEL:COL`. Training rows are predicted out \
of bag, by the trees that did not see them.

The explained rows are those of --test, or those that --holdout keeps out, or else the training rows.")]
pub struct Options {
    /// CSV or Parquet file; - is standard input
    data: PathBuf,
    /// The column to predict; not needed if a model file names it
    #[arg(long, value_name = "COL")]
    target: Option<String>,
    /// Where to write the scores: a name ending in .csv or .parquet, or - for standard output (CSV;
    /// the summary then goes to standard error)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Where to keep the model with its explainer, for `lmdi score`; a name ending in .json is
    /// written as JSON
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Where to write the report: a page for the browser, which needs no network. It shows the
    /// scores, what matters overall, single rows, and how far to trust them
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Another method to show beside the first in the report: tree-shap, saabas or local-mdi;
    /// repeatable
    #[arg(long, value_name = "METHOD", requires = "report", value_parser = tree_method_parser())]
    compare: Vec<Method>,
    /// Another model to show beside the first in the report, on the same rows: a model file of lmdi,
    /// XGBoost, LightGBM or CatBoost
    #[arg(long, value_name = "FILE", requires = "report")]
    compare_model: Option<PathBuf>,
    /// How often the model of the report is refitted with other seeds, and as often on rows drawn
    /// with replacement, to show how stable explanations are [default: 2 for up to a million cells, else 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100))]
    stability_runs: Option<u8>,
    /// Whether the report can compute what changed cells would give: if the model is small, always,
    /// or never
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", requires = "report")]
    what_if: WhatIfFlag,
    /// Explain the rows of this table, which needs no target
    #[arg(long, value_name = "FILE", conflicts_with = "holdout")]
    test: Option<PathBuf>,
    /// The trees that score a training row
    #[arg(long, value_enum, value_name = "TREES", default_value = "auto")]
    score_trees: ScoreTrees,
    /// The model to train (forest, extra-trees or boosting), or the file of a trained one, which
    /// may be one of XGBoost, LightGBM or CatBoost
    #[arg(long, value_name = "KIND|FILE", default_value = "forest", value_parser = parse_model, help_heading = "Model")]
    model: ModelSource,
    #[command(flatten)]
    result: ResultFlags,
    #[command(flatten)]
    method: MethodFlags,
    #[command(flatten)]
    lmdi_plus: LmdiPlusFlags,
    #[command(flatten)]
    decision: DecisionFlags,
    #[command(flatten)]
    training: TrainingFlags,
    #[command(flatten)]
    running: RunFlags,
}

/// A study, and the rows it is to explain.
struct Prepared {
    study: Study,
    rows: Arc<Rows>,
    options: ExplainOptions,
    /// How often the report refits the study.
    refits: u8,
}

/// What the command starts from, read once.
enum Start {
    /// A model of this kind is to be trained.
    Train(ModelKind),
    /// A model that is trained.
    Trained(Box<ModelFile>),
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    options.running.apply()?;
    let output = options.out.as_deref().map(table_output).transpose()?;
    options.check_files()?;
    options.check()?;
    let mut printer = Printer::beside(output.as_ref());
    let reader = match options.report {
        Some(_) => TableReader::recording(&options.running.reading),
        None => TableReader::new(&options.running.reading),
    };
    let reader = reader.copying_to(output.as_ref());
    let start = match &options.model {
        ModelSource::Train(kind) => Start::Train(*kind),
        ModelSource::File(path) => Start::Trained(Box::new(options.trained_model(path)?)),
    };
    if options.exceeds_memory(&start) {
        let (output, out) = (output.as_ref(), &mut printer);
        match start {
            Start::Train(kind) => options.train_on_sample(kind, output, &reader, out)?,
            Start::Trained(file) => options.explain_in_batches(*file, output, &reader, out)?,
        }
        return printer.finish();
    }
    let out = &mut printer;
    let compared = options.compare_model.as_deref().map(ModelFile::load).transpose()?;
    let prepared = match start {
        Start::Train(kind) => options.train(kind, &reader, out)?,
        Start::Trained(file) => options.with_model(*file, &reader, out)?,
    };
    let Prepared { study, rows, options: explain, refits } = prepared;
    let started = Instant::now();
    let explained = study.explain(rows, &explain, &Bars)?;
    print_scored(out, &study, &explained, started.elapsed().as_secs_f64())?;
    let assessment = explained.assessment.clone();
    if let Some(assessment) = &assessment {
        write!(out, "\n{}", quality::table(std::slice::from_ref(assessment)))?;
        if let Some(shortfall) = assessment.shortfall(&study.model.metadata.quality) {
            writeln!(out, "\nNOTE: {shortfall}")?;
        }
    }
    let mut importance = Importance::default();
    importance.add(&explained);
    importance.print(out, &study)?;
    summary::print_example(out, &study, &explained)?;
    out.fact("explained_rows", explained.scores.n_rows);
    out.fact("method", study.method().name());
    out.fact("importance", importance.facts());
    if let Some(job) = study.job() {
        out.fact("training", facts(job, &study.model));
    }
    // Each result is written whatever becomes of the others.
    let mut outcomes = Outcomes::default();
    outcomes.add(options.write_page(&study, &explained, refits, compared, &reader, out))?;
    outcomes.add(options.write(&study, explained, output.as_ref(), &reader, out))?;
    outcomes.add(options.save(study, assessment.as_ref(), out))?;
    outcomes.add(printer.finish())?;
    outcomes.finish()
}

fn print_scored(
    out: &mut dyn Write,
    study: &Study,
    explained: &Explained,
    seconds: f64,
) -> Result<()> {
    let which = match explained.trees {
        TreeChoice::Predicting | TreeChoice::All => "",
        TreeChoice::OutOfBag => ", each on the trees that did not see it",
        TreeChoice::InBag => ", each on the trees that saw it",
    };
    writeln!(
        out,
        "Scored {} {}{which}, {seconds:.2} s.",
        count(explained.rows.len()),
        explained.rows.sample.title()
    )?;
    summary::print_account(out, study, explained)?;
    Ok(())
}

impl Options {
    /// Fails on results that cannot be written, or would replace each other or what is read. Only
    /// the model that is explained may be replaced, by the same one with its explainer.
    fn check_files(&self) -> Result<()> {
        let model = match &self.model {
            ModelSource::File(path) => Some(path.as_path()),
            ModelSource::Train(_) => None,
        };
        let files = || {
            Files::default()
                .reading("DATA", Some(&self.data))
                .reading("--test", self.test.as_deref())
                .reading("--compare-model", self.compare_model.as_deref())
                .reading("--background", self.method.others.background.as_deref())
                .writing("out", self.out.as_deref())
                .writing("report", self.report.as_deref())
        };
        files().reading("--model", model).check()?;
        let save = self.save.as_deref();
        if let (Some(model), Some(save)) = (model, save)
            && is_same_file(model, save)
            && model_file::is_foreign(model)
        {
            return Err(invalid(
                "save",
                format!("{save:?}, which is also --model"),
                "another file: this one is of another library, and would be replaced",
            ));
        }
        files().writing("save", save).check()
    }

    /// Fails on flags that do not go together, before any work.
    fn check(&self) -> Result<()> {
        let some_trees = self.scores_some_trees();
        if some_trees && (self.test.is_some() || self.training.holdout > 0.0) {
            return Err(invalid(
                "score_trees",
                "oob or inbag, for rows that no tree was trained on",
                "all with --test and --holdout: every tree is out-of-bag there",
            ));
        }
        self.method.check(Some(&self.lmdi_plus), Some(&self.result))?;
        let explained = self.test.as_deref().unwrap_or(&self.data);
        let is_stdin = |path: &Path| Input::from_argument(path) == Input::Stdin;
        if self.compare_model.is_some() && (is_stdin(&self.data) || is_stdin(explained)) {
            return Err(invalid(
                "compare_model",
                "given, with a table from standard input",
                "a file as the table: both models read it",
            ));
        }
        if some_trees && !self.method.is_lmdi_plus() {
            let name = self.method.method.name();
            return Err(invalid(
                "score_trees",
                format!("oob or inbag, with {name}"),
                "all, or --method lmdi-plus",
            ));
        }
        Ok(())
    }

    /// Whether training rows are to be scored on some of the trees, whatever predicts them.
    fn scores_some_trees(&self) -> bool {
        matches!(self.score_trees, ScoreTrees::Oob | ScoreTrees::Inbag)
    }

    /// What is computed of each row.
    fn explain_options(&self, schema: &Schema, averages_trees: bool) -> Result<ExplainOptions> {
        let trees = match self.score_trees {
            ScoreTrees::Auto => TreeChoice::Predicting,
            ScoreTrees::All => TreeChoice::All,
            ScoreTrees::Oob => TreeChoice::OutOfBag,
            ScoreTrees::Inbag => TreeChoice::InBag,
        };
        self.result.explain_options(schema, averages_trees, trees)
    }

    /// Trains a model and fits its explainer.
    fn train(
        &self,
        kind: ModelKind,
        reader: &TableReader,
        out: &mut dyn Write,
    ) -> Result<Prepared> {
        let target = self.needed_target()?;
        let names_rows = self.test.is_none();
        let kept = if names_rows { self.result.read() } else { vec![] };
        let key = self.result.key.as_deref();
        let job_options = JobOptions { decision: Some(&self.decision), kept, key, names_rows };
        let job =
            Arc::new(self.training.job(&self.data, target, kind, &job_options, reader, out)?);
        let boosted = job.params.is_boosted();
        let options = self.explain_options(&job.schema, !boosted)?;
        let of_classes = job.target.task != Task::Regression;
        let lmdi_plus = self.lmdi_plus.options(of_classes, boosted)?;
        let method = self.method.options(&job.schema, lmdi_plus, reader)?;
        // Whatever can be wrong with the rows to explain is told before the model is trained.
        let rows = match (&self.test, &job.holdout) {
            (Some(test), _) => self.rows(test, &job.schema, Sample::Test, reader)?,
            (None, Some(holdout)) => holdout.clone(),
            (None, None) => job.train.clone(),
        };
        let model = train(&job, out)?;
        let started = Instant::now();
        let study = Study::of_trained(job.clone(), model, method, &Bars)?;
        let seconds = started.elapsed().as_secs_f64();
        summary::print_fitting(out, &study, &job.train.table.name, None, seconds)?;
        let refits = self.refits(job.train.len() * job.train.x.cols());
        Ok(Prepared { study, rows, options, refits })
    }

    /// The column to predict, without which no model can be trained.
    fn needed_target(&self) -> Result<&str> {
        self.target.as_deref().ok_or_else(|| {
            invalid("target", "not given", "--target COL, unless --model names the file of a model")
        })
    }

    /// How often the report refits a model that was trained on so many cells.
    fn refits(&self, cells: usize) -> u8 {
        /// Beyond this, a refit takes long enough to be requested.
        const MOST_CELLS: usize = 1_000_000;
        if self.report.is_none() || self.scores_some_trees() {
            return 0;
        }
        self.stability_runs.unwrap_or(if cells <= MOST_CELLS { 2 } else { 0 })
    }

    /// Reads rows to explain, which need no target.
    fn rows(
        &self,
        path: &Path,
        schema: &Schema,
        sample: Sample,
        reader: &TableReader,
    ) -> Result<Arc<Rows>> {
        let rows = reader.rows(path, schema, &self.result.read(), &[], sample)?;
        Ok(Arc::new(self.result.keyed(rows, reader)?))
    }

    /// Writes the report.
    fn write_page(
        &self,
        study: &Study,
        explained: &Explained,
        refits: u8,
        compared: Option<ModelFile>,
        reader: &TableReader,
        out: &mut Printer,
    ) -> Result<()> {
        let Some(path) = &self.report else { return Ok(()) };
        let tables = reader.sources();
        let what_if = match self.what_if {
            WhatIfFlag::Auto => WhatIf::Auto,
            WhatIfFlag::Always => WhatIf::Always,
            WhatIfFlag::Never => WhatIf::Never,
        };
        let refits = refits.into();
        let other = compared.map(|file| self.compared(file, study, explained)).transpose()?;
        let compare_model =
            other.as_ref().map(|(name, study, explained)| ComparedModel { name, study, explained });
        let compare = &self.compare;
        let options = PageOptions { compare, compare_model, refits, what_if, tables };
        let bytes = page(study, explained, &options, &Bars)?.into_bytes();
        write_file(path, &bytes, "; open it in a browser", out)
    }

    /// Writes the scores.
    fn write(
        &self,
        study: &Study,
        explained: Explained,
        output: Option<&Output>,
        reader: &TableReader,
        out: &mut Printer,
    ) -> Result<()> {
        let Some(output) = output else {
            if self.report.is_none() {
                writeln!(out, "\nThe scores were not written; add --out FILE or --report FILE.")?;
            }
            return Ok(());
        };
        let outcome = &study.model.ensemble.outcome;
        let kept = reader.copies(&explained.rows, &self.result.read());
        let table = score_table(outcome, explained, kept, self.result.top)?;
        write_result(table, output, out)
    }

    /// Saves the model with its explainer.
    fn save(&self, study: Study, assessment: Option<&Assessment>, out: &mut Printer) -> Result<()> {
        match &self.save {
            Some(path) => model_file::save_and_tell(&study.into_model(assessment), path, out),
            None => Ok(()),
        }
    }
}
