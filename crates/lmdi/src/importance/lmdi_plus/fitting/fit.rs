//! Fitting the linear model of every tree.
//!
//! This is what all fits share: rows, weights, folds, and the fit of one tree to given targets.
//! [`super::forest`] and [`super::boosted`] decide the targets and the order of trees. Every tree
//! is fitted from its own data, so the result does not depend on the number of threads.

use super::boosted::BoostedFit;
use super::class_weight::{counts_draws, row_class_weights};
use super::target::Plan;
use super::unfinished_model::UnfinishedModel;
use crate::basis::{Basis, RareCells, TreeRows};
use crate::forest::routing::Router;
use crate::forest::train::TrainingSet;
use crate::forest::{Ensemble, InBag, Tree};
use crate::glm::{Family, GlmOptions, fit_glms};
use crate::importance::lmdi_plus::model::{LmdiPlus, TreeModel};
use crate::importance::lmdi_plus::options::{FitOn, FitTo, FoldBy, LmdiPlusOptions, Validation};
use crate::importance::lmdi_plus::rows::RowChoice;
use crate::importance::{check_cells, check_weights};
use crate::monitor::Monitor;
use crate::table::{
    MatrixView, Response, RowDeal, contiguous_folds, hash_rows, hashed_folds, stratified_folds,
};
use crate::{Error, Result};
use rayon::prelude::*;
use std::borrow::Cow;

/// Rows that tell the mean size of a tree's scores.
pub(super) const ROWS_FOR_A_MEAN: usize = 1024;

/// What the fits of all trees share.
pub(super) struct Shared<'s> {
    pub(super) ensemble: &'s Ensemble,
    pub(super) x: &'s MatrixView<'s>,
    rare: RareCells,
    /// What each row weighs, with mean one: sample weights times class weights.
    weight: Option<Vec<f64>>,
    /// What its class weighs, with mean one.
    class_weight: Option<Vec<f64>>,
    rows: RowChoice,
    pub(super) include_raw: bool,
    raw_scale: f64,
    scale_target: bool,
    glm: GlmOptions,
    fold: Vec<u32>,
    /// Which rows each tree gets, and their hashes, where it does not get all.
    deal: Option<(RowDeal, Vec<u64>)>,
}

/// What one output of one tree is fitted to.
pub(super) type TargetAndWeight = (Vec<f64>, Option<Vec<f64>>);

impl LmdiPlus {
    /// Fits LMDI+ to an ensemble on the rows it was trained on.
    ///
    /// `set` has the training rows in their original order: bootstrap counts are per row. Only the
    /// proportions of its weights matter. A forest drew its bootstrap samples by them, so there an
    /// in-bag row counts as often as it was drawn and an out-of-bag row by its weight. Names are
    /// those of the ensemble. The monitor advances by one per tree.
    ///
    /// ```
    /// use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
    /// use lmdi::importance::lmdi_plus::{LmdiPlus, LmdiPlusOptions, ScoreOptions};
    /// use lmdi::{monitor::Silent, table::Matrix};
    /// # fn main() -> lmdi::Result<()> {
    /// let x = Matrix::from_column_major((0..60).map(f64::from).collect(), 60, 1)?;
    /// let y: Vec<f64> = (0..60).map(|i| if i < 30 { 1.0 } else { 5.0 }).collect();
    /// let names = ["age".to_string()];
    /// let set = TrainingSet::regression(x.view(), &y, &names);
    /// let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
    ///
    /// let options = LmdiPlusOptions::default();
    /// let explainer = LmdiPlus::fit(&forest, &set, &options, &Silent)?;
    /// let scores = explainer.score(&x.view(), &ScoreOptions::default(), &Silent)?;
    /// assert!(scores.get(50, 0, 0) > 0.0); // being above 30 raises the prediction
    /// # Ok(())
    /// # }
    /// ```
    pub fn fit(
        ensemble: &Ensemble,
        set: &TrainingSet<'_>,
        options: &LmdiPlusOptions,
        monitor: &dyn Monitor,
    ) -> Result<Self> {
        let (x, response, weights) = (&set.x, &set.y, set.weights);
        ensemble.check()?;
        check_rows(ensemble, x, response, weights)?;
        let plan = Plan::new(ensemble, response, options)?;
        let glm = options.glm(plan.family)?;
        let rows = options.rows(ensemble, x.rows())?;
        let by_cells = options.fold_by == FoldBy::Cells;
        let hashes = (by_cells || options.rows_per_tree.is_some()).then(|| hash_rows(x));
        let deal = (options.rows_per_tree.zip(hashes.as_ref()))
            .map(|(per_tree, hashes)| (RowDeal::new(per_tree, x.rows() as u64), hashes.clone()));
        let hashes = hashes.filter(|_| by_cells);
        let class_weight = row_class_weights(ensemble, x, response, rows.bags_known)?;
        let shared = Shared {
            ensemble,
            x,
            rare: RareCells::of(x),
            weight: row_weights(weights, class_weight.as_deref())?,
            class_weight,
            rows,
            include_raw: options.include_raw,
            raw_scale: options.raw_scale(ensemble.is_boosted()),
            scale_target: options.scale_target && glm.family == Family::Gaussian,
            fold: match &hashes {
                Some(hashes) => hashed_folds(hashes, glm.folds),
                None if plan.strata.is_empty() => contiguous_folds(x.rows(), glm.folds),
                None => stratified_folds(&plan.strata, glm.folds),
            },
            glm,
            deal,
        };
        if ensemble.is_boosted() {
            let BoostedFit { models, fidelity, kept } =
                shared.fit_boosted(response, options.rounds, monitor)?;
            let ranges = if options.bound_raw { shared.ranges() } else { Vec::new() };
            let fitted = Self::new(ensemble, plan.scale, models)?.within(ranges)?;
            let fitted = fitted.ranking_by(kept, x, &shared.some_rows(hashes.as_deref()))?;
            return Ok(Self { fidelity: Some(fidelity), ..fitted });
        }
        let trees = match options.fit_to {
            FitTo::Response => shared.fit_to_response(response, plan.n_outputs, monitor)?,
            FitTo::Model => shared.fit_to_model(response, plan.n_outputs, options, monitor)?,
        };
        let ranges = if options.bound_raw { shared.ranges() } else { Vec::new() };
        Self::new(ensemble, plan.scale, trees)?.within(ranges)
    }
}

impl Shared<'_> {
    /// Some of the rows that count, enough for a mean: spread evenly, or those with the smallest hashes.
    fn some_rows(&self, hashes: Option<&[u64]>) -> Vec<usize> {
        let mut counting: Vec<usize> =
            (0..self.x.rows()).filter(|&row| self.weight(row) > 0.0).collect();
        if let Some(hashes) = hashes {
            counting.sort_by_key(|&row| hashes[row]);
            counting.truncate(ROWS_FOR_A_MEAN);
            return counting;
        }
        let step = counting.len().div_ceil(ROWS_FOR_A_MEAN).max(1);
        counting.into_iter().step_by(step).collect()
    }

    /// The smallest and the largest cell of every column, over the rows that count.
    fn ranges(&self) -> Vec<[f64; 2]> {
        let counts = |row: &usize| self.weight(*row) > 0.0;
        (0..self.x.cols())
            .into_par_iter()
            .map(|column| {
                let cells = (0..self.x.rows()).filter(counts).map(|row| self.x.get(row, column));
                let widen = |[low, high]: [f64; 2], cell: f64| [low.min(cell), high.max(cell)];
                let range = cells.fold([f64::INFINITY, f64::NEG_INFINITY], widen);
                // A column without any cell has no raw term.
                if range[0] <= range[1] { range } else { [0.0; 2] }
            })
            .collect()
    }

    /// The columns of a tree, and the leaf of every row.
    pub(super) fn basis(&self, index: usize) -> (Basis, Vec<u32>) {
        let tree = &self.ensemble.trees[index];
        let drawn = self.in_bag_weight(tree);
        // Compiled for this once: of a fully grown forest all trees together take much memory.
        let router = Router::of_trees(self.ensemble, index..index + 1);
        let (mut basis, leaves) =
            Basis::with_leaves(tree, self.x, self.include_raw, drawn, &router, 0);
        basis.scale_raw(self.raw_scale);
        (basis, leaves)
    }

    /// Fits the linear models of a tree, one per target.
    pub(super) fn fit_tree(
        &self,
        index: usize,
        first_output: u32,
        (basis, leaves): &(Basis, Vec<u32>),
        targets: &[TargetAndWeight],
    ) -> TreeModel {
        let tree = &self.ensemble.trees[index];
        let first = first_output as usize;
        let mut model = UnfinishedModel::new(tree, basis, first..first + targets.len());
        let (fold, n_folds) = self.folds(index);
        // Outputs without extra weights share their rows.
        let shares_rows = |a: &TargetAndWeight, b: &TargetAndWeight| a.1.is_none() && b.1.is_none();
        let mut output = 0;
        for targets in targets.chunk_by(shares_rows) {
            let weight = self.row_weights(index, targets[0].1.as_deref());
            // Boosted trees follow one another and have their folds to share out.
            let rows = TreeRows::new(self.x, basis, leaves, &weight, &fold, n_folds)
                .on_one_thread(!self.ensemble.is_boosted());
            // Least squares takes all it needs in one pass.
            let one_pass = self.glm.family == Family::Gaussian;
            let rows = if one_pass { rows.with_sparse(&self.rare) } else { rows.keep_sparse() };
            let scaled: Vec<(Vec<f64>, f64)> = targets
                .iter()
                .map(|(target, _)| {
                    let mut target = rows.gather(target);
                    let unit =
                        if self.scale_target { deviation(&target, &rows.weight) } else { 1.0 };
                    target.iter_mut().for_each(|target| *target /= unit);
                    (target, unit)
                })
                .collect();
            let responses: Vec<&[f64]> = scaled.iter().map(|(target, _)| &target[..]).collect();
            let mut units = scaled.iter().map(|(_, unit)| *unit);
            fit_glms(basis, &rows, &responses, &self.glm, |mut fit| {
                fit.coefficients.scale(units.next().unwrap_or(1.0));
                model.add_output(basis, output, fit);
                output += 1;
            });
        }
        model.finish()
    }

    /// The fold of every row, and how many folds there are; see [`TreeRows::new`].
    fn folds(&self, index: usize) -> (Cow<'_, [u32]>, usize) {
        let tree = &self.ensemble.trees[index];
        if let (Validation::OutOfBag, Some(in_bag)) = (self.rows.validation, self.in_bag(tree)) {
            let judges = |row: usize| in_bag.count(row) == 0;
            let counts = |row: usize| self.weight(row) > 0.0 && self.gets(index, row);
            if (0..in_bag.len()).any(|row| judges(row) && counts(row)) {
                let fold = (0..in_bag.len()).map(|row| u32::from(!judges(row)));
                return (fold.collect(), 1);
            }
        }
        ((&self.fold).into(), self.glm.folds)
    }

    /// How often each row was drawn, if the rows at hand are those that were drawn from.
    fn in_bag<'t>(&self, tree: &'t Tree) -> Option<&'t InBag> {
        tree.in_bag.as_ref().filter(|_| self.rows.bags_known)
    }

    /// What a row weighed when the tree was grown. Forests draw rows with chances in proportion to
    /// their weights, so that a draw counts one; other samples carry the weights themselves.
    fn in_bag_weight<'t>(&'t self, tree: &'t Tree) -> impl Fn(usize) -> f64 + 't {
        let in_bag = self.in_bag(tree);
        let forest = !self.ensemble.is_boosted();
        let class_weight = self.class_weight.as_ref().filter(|_| !counts_draws(tree));
        move |row| match in_bag {
            Some(in_bag) if forest => {
                let class = class_weight.map_or(1.0, |weight| weight[row]);
                f64::from(in_bag.count(row)) * class
            }
            Some(in_bag) => f64::from(in_bag.count(row)) * self.weight(row),
            None => self.weight(row),
        }
    }

    /// The weight of a row, with mean one.
    pub(super) fn weight(&self, row: usize) -> f64 {
        self.weight.as_ref().map_or(1.0, |weight| weight[row])
    }

    /// Whether a tree is fitted on a row.
    fn gets(&self, index: usize, row: usize) -> bool {
        self.deal.as_ref().is_none_or(|(deal, hashes)| deal.gives(index, hashes[row]))
    }

    pub(super) fn row_weights(&self, index: usize, extra: Option<&[f64]>) -> Vec<f64> {
        let tree = &self.ensemble.trees[index];
        let in_bag_weight = self.in_bag_weight(tree);
        (0..self.x.rows())
            .map(|row| {
                if !self.gets(index, row) {
                    return 0.0;
                }
                let drawn = self.in_bag(tree).is_none_or(|in_bag| in_bag.count(row) > 0);
                let chosen = match (self.rows.fit_on, drawn) {
                    (FitOn::All | FitOn::InBag, true) => in_bag_weight(row),
                    (FitOn::All | FitOn::OutOfBag, false) | (FitOn::Uniform, _) => self.weight(row),
                    (FitOn::InBag, false) | (FitOn::OutOfBag, true) => 0.0,
                };
                chosen * extra.map_or(1.0, |extra| extra[row])
            })
            .collect()
    }
}

/// The weighted standard deviation; 1 for numbers that are all equal.
fn deviation(numbers: &[f64], weight: &[f64]) -> f64 {
    // Scaled first so that no square overflows or vanishes.
    let largest = numbers.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    let total: f64 = weight.iter().sum();
    let mean = |term: &dyn Fn(f64) -> f64| {
        numbers.iter().zip(weight).map(|(x, w)| w * term(x / largest)).sum::<f64>() / total
    };
    let centre = mean(&|x| x);
    let deviation = largest * mean(&|x| (x - centre) * (x - centre)).sqrt();
    // Below rounding of the numbers themselves there is nothing to explain; NaN without any number.
    if deviation > f64::EPSILON * largest { deviation } else { 1.0 }
}

/// Sample weights times class weights, with mean one; `None` if all rows have the same weight.
fn row_weights(sample: Option<&[f64]>, class: Option<&[f64]>) -> Result<Option<Vec<f64>>> {
    let mut weights = match (sample, class) {
        (None, None) => return Ok(None),
        (Some(weights), None) | (None, Some(weights)) => weights.to_vec(),
        (Some(sample), Some(class)) => {
            let largest = largest(sample);
            sample.iter().zip(class).map(|(sample, class)| sample / largest * class).collect()
        }
    };
    let mean = mean_weight(&weights);
    if mean.is_nan() || mean <= 0.0 {
        return Err(Error::Data(
            "no row has a positive weight once sample weights and class weights are multiplied"
                .into(),
        ));
    }
    weights.iter_mut().for_each(|weight| *weight /= mean);
    Ok(Some(weights))
}

fn largest(weights: &[f64]) -> f64 {
    weights.iter().copied().fold(0.0, f64::max)
}

/// The mean of the weights, scaled first so that no sum overflows.
fn mean_weight(weights: &[f64]) -> f64 {
    let largest = largest(weights);
    largest * (weights.iter().map(|w| w / largest).sum::<f64>() / weights.len() as f64)
}

fn check_rows(
    ensemble: &Ensemble,
    x: &MatrixView<'_>,
    response: &Response<'_>,
    weights: Option<&[f64]>,
) -> Result<()> {
    if x.cols() != ensemble.n_features() {
        return Err(Error::Shape {
            what: "columns of the training table".into(),
            found: x.cols(),
            expected: ensemble.n_features(),
        });
    }
    if x.rows() == 0 {
        return Err(Error::Data("there is no row to fit LMDI+ on".into()));
    }
    response.check(x.rows())?;
    check_weights(weights, x.rows())?;
    check_cells(x, &ensemble.feature_names)
}
