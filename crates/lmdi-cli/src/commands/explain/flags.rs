//! The flags of `lmdi explain`, and which of them do not go together.

use crate::flags::decision::DecisionFlags;
use crate::flags::invalid;
use crate::flags::lmdi_plus::LmdiPlusFlags;
use crate::flags::method::{MethodFlags, tree_method_parser};
use crate::flags::model::ModelKind;
use crate::flags::result::ResultFlags;
use crate::flags::running::RunFlags;
use crate::flags::training::TrainingFlags;
use crate::input::model_file;
use crate::output::destination::Files;
use anyhow::Result;
use clap::{Args, ValueEnum};
use lmdi::importance::Method;
use lmdi::named::Named;
use lmdi::study::{ExplainOptions, TreeChoice};
use lmdi::table::Schema;
use lmdi_io::read::Input;
use lmdi_io::same_file::is_same_file;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ScoreTrees {
    /// Those that predict the row: in a forest, the trees that did not see it
    Auto,
    /// All trees
    All,
    /// Those that did not see the row
    Oob,
    /// Those that saw the row
    Inbag,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum WhatIfFlag {
    /// If the model takes at most 8 MB in the page, and all rows still fit
    Auto,
    /// At any size
    Always,
    /// Never, to keep the model out of the page
    Never,
}

/// A model to train, or the file of a trained one.
#[derive(Clone)]
pub(super) enum ModelSource {
    Train(ModelKind),
    File(PathBuf),
}

fn parse_model(text: &str) -> Result<ModelSource, std::convert::Infallible> {
    let kind = ModelKind::from_str(text, false).ok();
    Ok(kind.map_or_else(|| ModelSource::File(text.into()), ModelSource::Train))
}

/// Train a model, explain it with LMDI+ or another method, and write what each column adds to each
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
classes they are probabilities (forests) or log-odds (boosting) of the second label; with three or more \
classes, each has its own `base:LABEL` and `score:LABEL:COL`. Training rows are predicted out \
of bag, by the trees that did not see them.

The explained rows are those of --test, or the held-out rows of --holdout, or else the training rows.")]
pub struct Options {
    /// CSV or Parquet file; - is standard input
    pub(super) data: PathBuf,
    /// The column to predict; not needed if the model file names it
    #[arg(long, value_name = "COL")]
    pub(super) target: Option<String>,
    /// Where to write the scores: a name ending in .csv or .parquet, or - for standard output (CSV;
    /// the summary then goes to standard error)
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Where to save the model with its explainer, for `lmdi score`; a name ending in .json gives
    /// JSON
    #[arg(long, value_name = "FILE")]
    pub(super) save: Option<PathBuf>,
    /// Where to write the report: an interactive page that needs no network. It shows the scores,
    /// which columns matter, single rows, and how far to trust them
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    /// Another method to show beside the first in the report: tree-shap, saabas or local-mdi;
    /// repeatable
    #[arg(long, value_name = "METHOD", requires = "report", value_parser = tree_method_parser())]
    pub(super) compare: Vec<Method>,
    /// Another model to show beside the first in the report, on the same rows: a model file of
    /// lmdi, XGBoost, LightGBM or CatBoost
    #[arg(long, value_name = "FILE", requires = "report")]
    pub(super) compare_model: Option<PathBuf>,
    /// Number of refits with other seeds, and of refits on rows drawn with replacement, to show in
    /// the report how stable explanations are [default: 2 for up to a million cells, else 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(super) stability_runs: Option<u8>,
    /// Whether the report can predict rows with changed cells: if the model is small, always, or
    /// never
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", requires = "report")]
    pub(super) what_if: WhatIfFlag,
    /// Explain the rows of this table; it needs no target
    #[arg(long, value_name = "FILE", conflicts_with = "holdout")]
    pub(super) test: Option<PathBuf>,
    /// The trees that score a training row
    #[arg(long, value_enum, value_name = "TREES", default_value = "auto")]
    pub(super) score_trees: ScoreTrees,
    /// The model to train (forest, extra-trees or boosting), or the file of a trained model of
    /// lmdi, XGBoost, LightGBM or CatBoost
    #[arg(long, value_name = "KIND|FILE", default_value = "forest", value_parser = parse_model, help_heading = "Model")]
    pub(super) model: ModelSource,
    #[command(flatten)]
    pub(super) result: ResultFlags,
    #[command(flatten)]
    pub(super) method: MethodFlags,
    #[command(flatten)]
    pub(super) lmdi_plus: LmdiPlusFlags,
    #[command(flatten)]
    pub(super) decision: DecisionFlags,
    #[command(flatten)]
    pub(super) training: TrainingFlags,
    #[command(flatten)]
    pub(super) running: RunFlags,
}

impl Options {
    /// Fails on results that cannot be written, or would replace each other or what is read. Only
    /// the model that is explained may be replaced, by the same one with its explainer.
    pub(super) fn check_files(&self) -> Result<()> {
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
    pub(super) fn check(&self) -> Result<()> {
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
    pub(super) fn scores_some_trees(&self) -> bool {
        matches!(self.score_trees, ScoreTrees::Oob | ScoreTrees::Inbag)
    }

    /// What is computed per row.
    pub(super) fn explain_options(
        &self,
        schema: &Schema,
        averages_trees: bool,
    ) -> Result<ExplainOptions> {
        let trees = match self.score_trees {
            ScoreTrees::Auto => TreeChoice::Predicting,
            ScoreTrees::All => TreeChoice::All,
            ScoreTrees::Oob => TreeChoice::OutOfBag,
            ScoreTrees::Inbag => TreeChoice::InBag,
        };
        self.result.explain_options(schema, averages_trees, trees)
    }

    /// The column to predict, without which no model can be trained.
    pub(super) fn needed_target(&self) -> Result<&str> {
        self.target.as_deref().ok_or_else(|| {
            invalid("target", "not given", "--target COL, unless --model names the file of a model")
        })
    }

    /// How often the report refits a model that was trained on this many cells.
    pub(super) fn refits(&self, cells: usize) -> u8 {
        /// Beyond this, a refit takes long enough to be requested.
        const MOST_CELLS: usize = 1_000_000;
        if self.report.is_none() || self.scores_some_trees() {
            return 0;
        }
        self.stability_runs.unwrap_or(if cells <= MOST_CELLS { 2 } else { 0 })
    }
}
