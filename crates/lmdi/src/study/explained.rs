//! Explained rows.

use super::{Assessment, Predictor, Rows, Sample, Study};
use crate::Result;
use crate::explanation::{ExplainedRows, Grouping, rank_by_score, sum_groups};
use crate::forest::Ensemble;
use crate::forest::predict::apply_link;
use crate::importance::{LmdiPlus, Scores, TreeSubset};
use crate::monitor::Stages;
use std::sync::Arc;

/// The trees that training rows are explained by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TreeChoice {
    /// All of them.
    #[default]
    All,
    /// Each row by those that did not see it.
    OutOfBag,
    /// Each row by those that saw it.
    InBag,
}

impl TreeChoice {
    /// The trees of an ensemble.
    pub fn of(self, ensemble: &Ensemble) -> TreeSubset<'_> {
        match self {
            Self::All => TreeSubset::All,
            Self::OutOfBag => TreeSubset::OutOfBag(ensemble),
            Self::InBag => TreeSubset::InBag(ensemble),
        }
    }
}

/// What columns of a row are ranked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankBy {
    /// The size of the score.
    Score,
    /// The mean of the ranks within each tree.
    TreeRank,
}

/// What is computed of each row.
#[derive(Debug, Clone)]
pub struct ExplainOptions {
    /// What has a score.
    pub grouping: Grouping,
    /// The trees that count; other than all for training rows only.
    pub trees: TreeChoice,
    /// Whether to compute standard errors over the trees.
    pub standard_error: bool,
    /// Whether to rank, and by what.
    pub rank: Option<RankBy>,
    /// Whether to also take the model's own predictions, where scores add up to others.
    pub model_predictions: bool,
}

impl ExplainOptions {
    /// Scores of these groups, and nothing else.
    pub fn scores_of(grouping: Grouping) -> Self {
        Self {
            grouping,
            trees: TreeChoice::All,
            standard_error: false,
            rank: None,
            model_predictions: false,
        }
    }
}

/// Rows with their scores and predictions.
#[derive(Debug, Clone)]
pub struct Explained {
    /// The rows.
    pub rows: Arc<Rows>,
    /// What has a score.
    pub grouping: Grouping,
    /// The trees that counted.
    pub trees: TreeChoice,
    /// The scores.
    pub scores: Scores,
    /// Standard errors of the scores over the trees, laid out like them.
    pub errors: Option<Vec<f64>>,
    /// Per row the rank of everything that has a score; larger is more important.
    pub ranks: Option<Vec<f64>>,
    /// Per row a number, or the probability of every class. Where scores add up to a prediction, it
    /// is that one.
    pub predictions: Vec<f64>,
    /// The model's own predictions, if wanted and not the same.
    pub model_predictions: Option<Vec<f64>>,
    /// Per row the difference between base plus scores and what they should add up to; none where
    /// that is no prediction.
    pub residuals: Option<Vec<f64>>,
    /// How well the linear models predict the rows; none where there are no such models, no target,
    /// or the rows are those that the model was trained on: the model's own measures tell more
    /// there.
    pub assessment: Option<Assessment>,
}

impl Explained {
    /// How many numbers a row's prediction has: one, or one per class.
    pub fn prediction_width(&self) -> usize {
        self.predictions.len() / self.rows.len().max(1)
    }

    /// The largest difference between base plus scores and what they should add up to.
    pub fn largest_residual(&self) -> Option<f64> {
        // Rows without a score are NaN, which `max` passes over.
        self.residuals.as_ref().map(|residuals| residuals.iter().copied().fold(0.0, f64::max))
    }

    /// The model's own predictions.
    pub fn decisions(&self) -> &[f64] {
        self.model_predictions.as_deref().unwrap_or(&self.predictions)
    }

    /// The model's own prediction of one row.
    pub fn decision(&self, row: usize) -> &[f64] {
        let width = self.prediction_width();
        &self.decisions()[row * width..(row + 1) * width]
    }

    /// The rows with what the model decides about them, as counterfactuals, subgroups and pictures
    /// take them.
    pub fn decided(&self) -> ExplainedRows<'_> {
        self.view(self.decisions())
    }

    /// The rows with the predictions that their scores add up to.
    pub fn predicted(&self) -> ExplainedRows<'_> {
        self.view(&self.predictions)
    }

    fn view<'a>(&'a self, predictions: &'a [f64]) -> ExplainedRows<'a> {
        let (x, truth) = (self.rows.x.view(), self.rows.response());
        ExplainedRows { x, scores: &self.scores, predictions, truth }
    }

    /// The chosen rows alone, in the order given.
    pub fn take(&self, rows: &[usize]) -> Self {
        let take = |cells: &[f64], width: usize| -> Vec<f64> {
            rows.iter().flat_map(|&row| &cells[row * width..(row + 1) * width]).copied().collect()
        };
        let width = self.prediction_width();
        let n_groups = self.scores.n_features;
        let scores = self.scores.n_features * self.scores.n_outputs;
        Self {
            rows: Arc::new(self.rows.take(rows)),
            grouping: self.grouping.clone(),
            trees: self.trees,
            scores: self.scores.take_rows(rows),
            errors: self.errors.as_ref().map(|errors| take(errors, scores)),
            ranks: self.ranks.as_ref().map(|ranks| take(ranks, n_groups)),
            predictions: take(&self.predictions, width),
            model_predictions: self.model_predictions.as_ref().map(|cells| take(cells, width)),
            residuals: self.residuals.as_ref().map(|cells| take(cells, 1)),
            assessment: None,
        }
    }
}

/// Explains rows by the explainer of a study.
pub(super) fn explain(
    study: &Study,
    rows: Arc<Rows>,
    options: &ExplainOptions,
    stages: &dyn Stages,
) -> Result<Explained> {
    let (x, n) = (rows.x.view(), rows.len());
    let explainer = study.explainer();
    let trees = options.trees.of(&study.model.ensemble);
    let groups = &options.grouping.groups;
    let single = explainer.explain_on(&x, trees, &*stages.start("Scoring", n))?;
    let scores = sum_groups(&single, groups)?;
    let errors = if options.standard_error {
        let monitor = stages.start("Standard errors", n);
        Some(explainer.standard_errors(&x, groups, trees, &*monitor)?)
    } else {
        None
    };
    let ranks = match options.rank {
        None => None,
        Some(RankBy::Score) => Some(rank_by_score(&scores)),
        Some(RankBy::TreeRank) => {
            Some(explainer.mean_tree_ranks(&x, groups, &*stages.start("Ranking", n))?)
        }
    };
    let ensemble = &study.model.ensemble;
    let (predictions, residuals) = match explainer.linear_models() {
        Some(models) => {
            let (predictions, residuals) = of_linear_models(models, &single, &scores);
            (predictions, Some(residuals))
        }
        None => {
            let raw = ensemble.predict_raw(&x, &*stages.start("Predicting", n))?;
            let adds_up = explainer.adds_up_to().is_none();
            let residuals = adds_up.then(|| of_model(&raw, ensemble.n_outputs, &scores));
            (apply_link(ensemble.link, ensemble.n_outputs, raw), residuals)
        }
    };
    let model_predictions = if options.model_predictions && explainer.linear_models().is_some() {
        Some(ensemble.predict(&x, &*stages.start("Predicting", n))?)
    } else {
        None
    };
    let is_assessed = explainer.linear_models().is_some() && rows.sample != Sample::Training;
    let assessment = rows.target.as_ref().filter(|_| is_assessed).map(|truth| {
        let (sample, weights) = (rows.sample, rows.weights.as_deref());
        Assessment::measure(Predictor::LmdiPlus, sample, truth, &predictions, weights)
    });
    Ok(Explained {
        grouping: options.grouping.clone(),
        trees: options.trees,
        rows,
        scores,
        errors,
        ranks,
        predictions,
        model_predictions,
        residuals,
        assessment,
    })
}

/// What linear models predict, and how far grouped scores are from it.
fn of_linear_models(models: &LmdiPlus, single: &Scores, scores: &Scores) -> (Vec<f64>, Vec<f64>) {
    let mut predictions = Vec::new();
    let mut residuals = Vec::with_capacity(single.n_rows);
    for row in 0..single.n_rows {
        let totals: Vec<f64> =
            (0..single.n_outputs).map(|output| single.total(row, output)).collect();
        let off = |(output, total): (usize, &f64)| (scores.total(row, output) - total).abs();
        residuals.push(totals.iter().enumerate().map(off).fold(f64::NAN, f64::max));
        predictions.extend(models.prediction_of(&totals));
    }
    (predictions, residuals)
}

/// How far scores are from the model's raw outputs.
fn of_model(raw: &[f64], n_outputs: usize, scores: &Scores) -> Vec<f64> {
    // Of two outputs that tell the same, the last is explained.
    let first = n_outputs - scores.n_outputs;
    let of_row = |(row, raw): (usize, &[f64])| {
        let off = |output| (scores.total(row, output) - raw[first + output]).abs();
        (0..scores.n_outputs).map(off).fold(f64::NAN, f64::max)
    };
    raw.chunks_exact(n_outputs).enumerate().map(of_row).collect()
}
