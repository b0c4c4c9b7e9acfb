//! Explained rows: scores, the model's predictions, and the unexplained part of them.

use super::{Assessment, FidelityOn, Predictor, Rows, Sample, Study};
use crate::Result;
use crate::explanation::{
    ExplainedRows, Fidelity, Grouping, ModelPredictions, PredictedBy, rank_by_score,
    score_rows_seen_by_all, sum_groups,
};
use crate::forest::Ensemble;
use crate::forest::decision::class_of;
use crate::importance::{LocalMethod, OutputScale, Scores, TreeSubset};
use crate::monitor::{Silent, Stages};
use crate::setters::setters;
use std::sync::Arc;

/// The trees that training rows are explained by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TreeChoice {
    /// Those that predict the row: for training rows of a forest, the trees that did not see them,
    /// else all. Methods that cannot select trees take all.
    #[default]
    Predicting,
    /// All of them.
    All,
    /// Each row by those that did not see it.
    OutOfBag,
    /// Each row by those that saw it.
    InBag,
}

impl TreeChoice {
    /// The choice once it is known which trees predict.
    fn settled(self, by: PredictedBy, explainer: &dyn LocalMethod) -> Self {
        match (self, by) {
            (Self::Predicting, PredictedBy::OutOfBag { .. })
                if explainer.linear_models().is_some() =>
            {
                Self::OutOfBag
            }
            (Self::Predicting, _) => Self::All,
            (chosen, _) => chosen,
        }
    }

    /// The trees of an ensemble.
    pub fn of(self, ensemble: &Ensemble) -> TreeSubset<'_> {
        match self {
            Self::Predicting | Self::All => TreeSubset::All,
            Self::OutOfBag => TreeSubset::OutOfBag(ensemble),
            Self::InBag => TreeSubset::InBag(ensemble),
        }
    }
}

/// How the columns of a row are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankBy {
    /// The size of the score.
    Score,
    /// The mean of the ranks within each tree.
    TreeRank,
}

/// What is computed per row.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExplainOptions {
    /// The units that have a score.
    pub grouping: Grouping,
    /// The trees that are used; anything but all is for training rows only.
    pub trees: TreeChoice,
    /// Whether to compute standard errors over the trees.
    pub standard_error: bool,
    /// Whether to rank, and by what.
    pub rank: Option<RankBy>,
}

impl ExplainOptions {
    setters! {
        with_grouping(grouping: Grouping),
        with_trees(trees: TreeChoice),
        with_standard_error(standard_error: bool);
        optional:
        with_rank(rank: RankBy),
    }
}

impl ExplainOptions {
    /// Scores of these groups, and nothing else.
    pub fn scores_of(grouping: Grouping) -> Self {
        Self { grouping, trees: TreeChoice::Predicting, standard_error: false, rank: None }
    }
}

/// Rows with their scores and predictions.
#[derive(Debug, Clone)]
pub struct Explained {
    /// The rows.
    pub rows: Arc<Rows>,
    /// The units that have a score.
    pub grouping: Grouping,
    /// The trees that were used.
    pub trees: TreeChoice,
    /// The scores.
    pub scores: Scores,
    /// Standard errors of the scores over the trees, laid out like them.
    pub errors: Option<Vec<f64>>,
    /// Per row the rank of everything that has a score; larger is more important.
    pub ranks: Option<Vec<f64>>,
    /// The model's predictions: per row a number, or the probability of every class.
    pub predictions: Vec<f64>,
    /// With two classes, the probability from which the second is predicted; without it, the most
    /// probable class is predicted.
    pub threshold: Option<f64>,
    /// The trees that predicted.
    pub predicted_by: PredictedBy,
    /// How base plus scores compares with the predictions; `None` if they are something else.
    pub account: Option<Account>,
    /// How much of the predictions is explained; `None` if that follows from the method.
    pub fidelity: Option<FidelityOn>,
    /// How well the linear models predict the rows; `None` without such models or a target, and for
    /// rows that the model was trained on, where the model's own measures tell more.
    pub assessment: Option<Assessment>,
}

/// How base plus scores compares with the predictions, on the scale of the scores: row by row, one
/// number per output. Explained and unexplained parts add up to the prediction on that scale, with
/// the out-of-bag part where there is one.
#[derive(Debug, Clone)]
pub struct Account {
    /// Whether scores add up to the model's output by the method's definition.
    pub is_exact: bool,
    /// Base plus scores.
    pub explained: Vec<f64>,
    /// The prediction of the scored trees minus that.
    pub unexplained: Vec<f64>,
    /// If all trees are scored and the prediction is out of bag: what changes when the trees that
    /// saw the row are left out.
    pub out_of_bag: Option<Vec<f64>>,
    /// The explained part as predictions: a number, or the probability of every class.
    pub as_predictions: Vec<f64>,
    /// Whether these are more than the explained part itself, which has another scale.
    pub is_transformed: bool,
}

impl Account {
    /// The prediction on the scale of the scores.
    pub fn prediction(&self, row: usize, output: usize, n_outputs: usize) -> f64 {
        let at = row * n_outputs + output;
        let out_of_bag = self.out_of_bag.as_ref().map_or(0.0, |cells| cells[at]);
        self.explained[at] + self.unexplained[at] + out_of_bag
    }

    fn take(&self, rows: &[usize], n_outputs: usize, width: usize) -> Self {
        Self {
            is_exact: self.is_exact,
            explained: take(&self.explained, rows, n_outputs),
            unexplained: take(&self.unexplained, rows, n_outputs),
            out_of_bag: self.out_of_bag.as_ref().map(|cells| take(cells, rows, n_outputs)),
            as_predictions: take(&self.as_predictions, rows, width),
            is_transformed: self.is_transformed,
        }
    }
}

fn take(cells: &[f64], rows: &[usize], width: usize) -> Vec<f64> {
    rows.iter().flat_map(|&row| &cells[row * width..(row + 1) * width]).copied().collect()
}

impl Explained {
    /// How many numbers a row's prediction has: one, or one per class.
    pub fn prediction_width(&self) -> usize {
        self.predictions.len() / self.rows.len().max(1)
    }

    /// The largest difference between base plus scores and the model's output; `None` if the method
    /// does not guarantee that they are equal.
    pub fn largest_residual(&self) -> Option<f64> {
        let account = self.account.as_ref().filter(|account| account.is_exact)?;
        // Rows without a score are NaN, which `max` passes over.
        Some(account.unexplained.iter().map(|off| off.abs()).fold(0.0, f64::max))
    }

    /// The model's prediction of one row.
    pub fn prediction(&self, row: usize) -> &[f64] {
        let width = self.prediction_width();
        &self.predictions[row * width..(row + 1) * width]
    }

    /// The median of predicted numbers, the default threshold of counterfactuals; for an even
    /// number of rows, the upper one. `None` without a prediction.
    pub fn median_prediction(&self) -> Option<f64> {
        let mut known: Vec<f64> =
            self.predictions.iter().copied().filter(|prediction| prediction.is_finite()).collect();
        known.sort_by(f64::total_cmp);
        known.get(known.len() / 2).copied()
    }

    /// The predicted class of a row; `None` for regression and without a prediction.
    pub fn class(&self, row: usize) -> Option<usize> {
        let prediction = self.prediction(row);
        if prediction.len() < 2 { None } else { class_of(prediction, self.threshold) }
    }

    /// The rows in the form that counterfactuals, subgroups and plots take.
    pub fn view(&self) -> ExplainedRows<'_> {
        let (x, truth) = (self.rows.x.view(), self.rows.response());
        let (scores, predictions) = (&self.scores, &*self.predictions);
        ExplainedRows { x, scores, predictions, truth, threshold: self.threshold }
    }

    /// The chosen rows alone, in the order given.
    pub fn take(&self, rows: &[usize]) -> Self {
        let width = self.prediction_width();
        let n_groups = self.scores.n_features;
        let n_outputs = self.scores.n_outputs;
        Self {
            rows: Arc::new(self.rows.take(rows)),
            grouping: self.grouping.clone(),
            trees: self.trees,
            scores: self.scores.take_rows(rows),
            errors: self.errors.as_ref().map(|errors| take(errors, rows, n_groups * n_outputs)),
            ranks: self.ranks.as_ref().map(|ranks| take(ranks, rows, n_groups)),
            predictions: take(&self.predictions, rows, width),
            threshold: self.threshold,
            predicted_by: self.predicted_by,
            account: self.account.as_ref().map(|account| account.take(rows, n_outputs, width)),
            fidelity: None,
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
    let ensemble = &study.model.ensemble;
    let in_training = rows.sample == Sample::Training;
    let monitor = stages.start("Predicting", n);
    let model = ModelPredictions::of(ensemble, &x, in_training, &*monitor)?;
    drop(monitor);
    let choice = options.trees.settled(model.by, explainer);
    let trees = choice.of(ensemble);
    let groups = &options.grouping.groups;
    let monitor = stages.start("Scoring", n);
    let mut single = explainer.explain_on(&x, trees, &*monitor)?;
    drop(monitor);
    if options.trees == TreeChoice::Predicting {
        score_rows_seen_by_all(&mut single, &x, |rows| explainer.explain(rows, &Silent))?;
    }
    let scores = sum_groups(&single, groups)?;
    drop(single);
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
    let account = explainer.explains_predictions().then(|| account(study, &model, &scores, choice));
    let fidelity = match &account {
        Some(account) if !account.is_exact => {
            fidelity(study, &rows, &model, account, choice, stages)?
        }
        _ => None,
    };
    let is_assessed = explainer.linear_models().is_some() && !in_training;
    let assessment = account.as_ref().filter(|_| is_assessed).and_then(|account| {
        let (truth, weights) = (rows.target.as_ref()?, rows.weights.as_deref());
        let (explained, threshold) = (&account.as_predictions, study.model.threshold);
        let who = Predictor::LmdiPlus;
        Some(Assessment::measure(who, rows.sample, truth, explained, weights, threshold))
    });
    Ok(Explained {
        grouping: options.grouping.clone(),
        trees: choice,
        rows,
        scores,
        errors,
        ranks,
        threshold: study.model.threshold,
        predicted_by: model.by,
        predictions: model.values,
        account,
        fidelity,
        assessment,
    })
}

/// How much of the predictions is explained. Out of bag, predictions and scores are of the same trees:
/// what a tree knows of its own rows says nothing about new ones.
fn fidelity(
    study: &Study,
    rows: &Rows,
    model: &ModelPredictions,
    account: &Account,
    trees: TreeChoice,
    stages: &dyn Stages,
) -> Result<Option<FidelityOn>> {
    let (ensemble, explainer) = (&study.model.ensemble, study.explainer());
    let measure = |predictions: &[f64], explained: &[f64], by: PredictedBy| {
        let width = ensemble.n_predictions();
        let class = |shares: &[f64]| class_of(shares, study.model.threshold);
        let of = Fidelity::measure(predictions, explained, width, class)?;
        Some(FidelityOn { of, sample: rows.sample, by })
    };
    if account.out_of_bag.is_none() {
        let by = if trees == TreeChoice::InBag { PredictedBy::AllTrees } else { model.by };
        return Ok(measure(&model.values, &account.as_predictions, by));
    }
    if explainer.linear_models().is_none() {
        let by_all = model.by_all_trees(ensemble);
        return Ok(measure(&by_all.values, &account.as_predictions, by_all.by));
    }
    let monitor = stages.start("Fidelity", rows.len());
    let left_out = TreeSubset::OutOfBag(ensemble);
    let scores = explainer.explain_on(&rows.x.view(), left_out, &*monitor)?;
    let explained = as_predictions(ensemble, explainer, &totals(&scores), scores.n_outputs);
    Ok(measure(&model.values, &explained, model.by))
}

/// Base plus scores, row by row, one number per output.
fn totals(scores: &Scores) -> Vec<f64> {
    let of_row = |row| (0..scores.n_outputs).map(move |output| scores.total(row, output));
    (0..scores.n_rows).flat_map(of_row).collect()
}

/// What scores say about predictions.
fn account(study: &Study, model: &ModelPredictions, scores: &Scores, trees: TreeChoice) -> Account {
    let (ensemble, explainer) = (&study.model.ensemble, study.explainer());
    let (scale, k) = (explainer.scale(), scores.n_outputs);
    let explained = totals(scores);
    let less = |from: &[f64], part: &[f64]| -> Vec<f64> {
        from.iter().zip(part).map(|(from, part)| from - part).collect()
    };
    let predictions = model.on_scale(ensemble, scale, k);
    let is_exact = explainer.linear_models().is_none() && explainer.adds_up_to().is_none();
    let (unexplained, out_of_bag) = match model.by {
        PredictedBy::OutOfBag { .. } if trees == TreeChoice::All => {
            // Scores explain what all trees say, those included that saw the row.
            let by_all = model.by_all_trees(ensemble).on_scale(ensemble, scale, k);
            (less(&by_all, &explained), Some(less(&predictions, &by_all)))
        }
        _ => (less(&predictions, &explained), None),
    };
    let as_predictions = as_predictions(ensemble, explainer, &explained, k);
    let is_transformed = scale != OutputScale::Identity;
    Account { is_exact, explained, unexplained, out_of_bag, as_predictions, is_transformed }
}

/// What sums on the scale of scores are as predictions.
fn as_predictions(
    ensemble: &Ensemble,
    explainer: &dyn LocalMethod,
    totals: &[f64],
    n_outputs: usize,
) -> Vec<f64> {
    let two_classes = ensemble.n_predictions() == 2;
    totals
        .chunks_exact(n_outputs.max(1))
        .flat_map(|totals| explainer.scale().prediction_of(totals, two_classes))
        .collect()
}

/// Standard errors of the chosen rows, where trees are repeated measurements.
pub(super) fn standard_errors(
    study: &Study,
    explained: &Explained,
    chosen: &[usize],
    stages: &dyn Stages,
) -> Result<Option<Vec<f64>>> {
    let ensemble = &study.model.ensemble;
    if study.explainer().linear_models().is_none() || !ensemble.averages_trees() {
        return Ok(None);
    }
    let width = explained.scores.n_features * explained.scores.n_outputs;
    if let Some(errors) = &explained.errors {
        return Ok(Some(take(errors, chosen, width)));
    }
    let trees = explained.trees.of(ensemble);
    let groups = &explained.grouping.groups;
    let errors = |rows: &Rows| {
        let monitor = stages.start("Standard errors", rows.len());
        study.explainer().standard_errors(&rows.x.view(), groups, trees, &*monitor)
    };
    if explained.trees == TreeChoice::All {
        return Ok(Some(errors(&explained.rows.take(chosen))?));
    }
    // Which trees saw a row is known by its place among all.
    Ok(Some(take(&errors(&explained.rows)?, chosen, width)))
}
