//! The fitted LMDI+ model: per tree a number for every node and a slope for every raw column.

use super::paths::Paths;
use crate::forest::routing::{NodeAmounts, PathSums, Router};
use crate::forest::{Aggregation, Ensemble, Growth, NONE, Outcome, Tree};
use crate::glm::Candidate;
use crate::importance::OutputScale;
use crate::sparse_numbers::SparseNumbers;
use crate::{Error, Result};

/// Share of a boosted model's variance on the fitted rows below which rows, response or weights are
/// probably not those of training; see [`LmdiPlus::fidelity`].
pub const LOW_FIDELITY: f64 = 0.8;

/// The raw column of a feature in one tree.
#[derive(Debug, Clone, PartialEq)]
pub struct RawTerm {
    /// The feature.
    pub feature: u32,
    /// Cell at which the term is zero.
    pub mean: f64,
    /// Slope per unit of the cell, one per output of the tree.
    pub slope: Vec<f64>,
}

/// How the linear model of one tree was fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeFit {
    /// The penalty, after a search if there was one; `None` without penalty.
    pub chosen: Option<Candidate>,
    /// Iterations of the final fit.
    pub iterations: usize,
    /// How far from the optimum; see [`crate::glm::GlmFit`].
    pub gap: f64,
    /// Whether the fit met its tolerance.
    pub converged: bool,
}

/// The linear model of one tree.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeModel {
    /// First output the tree adds to.
    pub first_output: u32,
    /// How many outputs it adds to.
    pub n_outputs: u32,
    /// Linear predictor at the in-bag mean, per output.
    pub intercept: Vec<f64>,
    /// What a row gains for its parent's feature when it enters a node: node by node, output by
    /// output; zero at the root. Most are zero in a fully grown tree.
    pub step: SparseNumbers,
    /// The raw columns.
    pub raw: Vec<RawTerm>,
    /// How each output's model was fitted.
    pub fits: Vec<TreeFit>,
}

impl TreeModel {
    /// The linear predictor of a row in each node, without its raw terms: node by node, output by
    /// output.
    pub(super) fn without_raw(&self, tree: &Tree) -> Vec<f64> {
        let k = self.n_outputs as usize;
        let mut sums = self.step.to_vec();
        sums[..k].copy_from_slice(&self.intercept);
        // Children come after their parents.
        for node in (0..tree.n_nodes()).filter(|&node| !tree.is_leaf(node)) {
            for child in [tree.left[node] as usize, tree.right[node] as usize] {
                for output in 0..k {
                    sums[child * k + output] += sums[node * k + output];
                }
            }
        }
        sums
    }

    /// The linear predictor of a row in a leaf, for one of the tree's outputs. `at_node` comes from
    /// [`TreeModel::without_raw`], `cell` gives the row's cells.
    #[inline]
    pub(super) fn at_leaf(
        &self,
        at_node: &[f64],
        leaf: usize,
        output: usize,
        cell: impl Fn(u32) -> f64,
    ) -> f64 {
        let raw = self.raw.iter().map(|term| {
            let cell = cell(term.feature);
            if cell.is_nan() { 0.0 } else { term.slope[output] * (cell - term.mean) }
        });
        at_node[leaf * self.n_outputs as usize + output] + raw.sum::<f64>()
    }
}

/// A fitted LMDI+ explainer.
#[derive(Debug)]
pub struct LmdiPlus {
    /// Number of features of the ensemble.
    pub(super) n_features: usize,
    /// Number of outputs.
    pub(super) n_outputs: usize,
    /// Whether one of two classes is predicted.
    pub(super) two_classes: bool,
    /// Whether the trees are averaged (forests) rather than added up.
    pub(super) averages: bool,
    /// Factor on the sum over trees: one over their number, or the learning rate.
    pub(super) factor: f64,
    /// What the sum starts from.
    pub(super) start: Vec<f64>,
    pub(super) scale: OutputScale,
    pub(super) trees: Vec<TreeModel>,
    /// Smallest and largest training cell per feature, which bound the raw terms; empty without bounds.
    pub(super) ranges: Vec<[f64; 2]>,
    /// Weight of each tree in a ranking by rank; empty if all are equal.
    pub(super) tree_sizes: Vec<f64>,
    /// How much of its scores a ranking by rank keeps: tree by tree, used feature by used feature, output by
    /// output of the tree. Empty where it keeps all.
    pub(super) kept: Vec<Vec<f64>>,
    /// How much of the model the refit reproduces, where that is known.
    pub(super) fidelity: Option<f64>,
    /// Features that each tree uses, rising.
    pub(super) used: Vec<Vec<u32>>,
    /// The trees with their steps, to be added on the way down.
    pub(super) steps: PathSums,
    pub(super) paths: Vec<Paths>,
}

impl LmdiPlus {
    /// Builds a fitted explainer from its linear models and the ensemble it belongs to. `trees`
    /// must have one entry per tree, each with a step for every node.
    pub fn new(ensemble: &Ensemble, scale: OutputScale, trees: Vec<TreeModel>) -> Result<Self> {
        check_parts(ensemble, scale, &trees)?;
        let n_outputs = outputs_of(ensemble);
        // Independent trees are fitted to the whole response, boosted ones to what the base leaves.
        let start = match ensemble.growth {
            Growth::Independent => vec![0.0; n_outputs],
            _ => ensemble.base_score.clone(),
        };
        let used = ensemble.trees.iter().map(used_features).collect();
        let amounts: Vec<NodeAmounts<'_>> = trees
            .iter()
            .map(|model| NodeAmounts {
                amounts: &model.step,
                n_outputs: model.n_outputs as usize,
                first_output: model.first_output as usize,
                all_outputs: n_outputs,
            })
            .collect();
        let steps = PathSums::new(ensemble, &amounts);
        let paths = (ensemble.trees.iter().enumerate())
            .map(|(index, tree)| Paths::new(tree, steps.router().originals(index)))
            .collect();
        Ok(Self {
            n_features: ensemble.n_features(),
            n_outputs,
            two_classes: matches!(&ensemble.outcome, Outcome::Classes(labels) if labels.len() == 2),
            averages: matches!(ensemble.aggregation, Aggregation::Mean),
            factor: ensemble.factor(),
            start,
            scale,
            trees,
            ranges: Vec::new(),
            tree_sizes: Vec::new(),
            kept: Vec::new(),
            fidelity: None,
            used,
            steps,
            paths,
        })
    }

    /// Bounds the raw terms to the range of the training cells, `[smallest, largest]` per feature.
    /// Trees are flat beyond that range, so an unbounded raw term would explain a prediction that
    /// the model does not make.
    pub fn within(mut self, ranges: Vec<[f64; 2]>) -> Result<Self> {
        check_ranges(self.n_features, &ranges)?;
        self.ranges = ranges;
        Ok(self)
    }

    /// The range of the training cells per feature; empty when raw terms are not bounded.
    pub fn ranges(&self) -> &[[f64; 2]] {
        &self.ranges
    }

    /// Sets the weight of each tree in a ranking by rank; empty if all are equal.
    pub fn weighing_trees(mut self, sizes: Vec<f64>) -> Result<Self> {
        check_sizes(self.trees.len(), &sizes)?;
        self.tree_sizes = sizes;
        Ok(self)
    }

    /// Weight of each tree in a ranking by rank; empty if all are equal.
    pub fn tree_sizes(&self) -> &[f64] {
        &self.tree_sizes
    }

    /// Sets the share of its scores that a ranking by rank keeps, from 0 to 1: tree by tree, used
    /// feature by used feature (ascending), output by output of the tree. Empty if it keeps all.
    pub fn keeping(mut self, kept: Vec<Vec<f64>>) -> Result<Self> {
        let lengths = self.trees.iter().zip(&self.used);
        let lengths = lengths.map(|(tree, used)| used.len() * tree.n_outputs as usize);
        check_kept(lengths, &kept)?;
        self.kept = kept;
        Ok(self)
    }

    /// The share of its scores that a ranking by rank keeps; empty if it keeps all. See
    /// [`LmdiPlus::keeping`].
    pub fn kept(&self) -> &[Vec<f64>] {
        &self.kept
    }

    /// A cell as its raw terms see it; NaN stays NaN.
    #[inline]
    pub(super) fn bounded(&self, feature: usize, cell: f64) -> f64 {
        match self.ranges.get(feature) {
            Some(&[low, high]) => cell.clamp(low, high),
            None => cell,
        }
    }

    /// The trees, compiled for walking.
    pub(super) fn router(&self) -> &Router {
        self.steps.router()
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// Number of outputs: one for numbers and two classes, else one per class.
    pub fn n_outputs(&self) -> usize {
        self.n_outputs
    }

    /// The scale on which scores add up.
    pub fn scale(&self) -> OutputScale {
        self.scale
    }

    /// The linear model of every tree.
    pub fn trees(&self) -> &[TreeModel] {
        &self.trees
    }

    /// The base that all scores of a row are added to, per output.
    pub fn base(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.n_outputs];
        for tree in &self.trees {
            for (output, intercept) in tree.intercept.iter().enumerate() {
                sum[tree.first_output as usize + output] += intercept;
            }
        }
        sum.iter().zip(&self.start).map(|(sum, start)| start + self.factor * sum).collect()
    }

    /// The share of the variance of a boosted model's raw output that the explanation reproduces on
    /// the rows it was fitted on (R²). Known only right after the fit of a boosted model. If it is
    /// far below one, the rows, the response or the weights are probably not those of training.
    pub fn fidelity(&self) -> Option<f64> {
        self.fidelity.filter(|fidelity| !fidelity.is_nan())
    }

    /// Fits that did not meet their tolerance.
    pub fn n_unconverged(&self) -> usize {
        self.trees.iter().flat_map(|tree| &tree.fits).filter(|fit| !fit.converged).count()
    }
}

/// Checks that linear models of trees, which may come from a file, fit an ensemble that has been
/// checked. What passes can be scored with.
pub(crate) fn check_parts(
    ensemble: &Ensemble,
    scale: OutputScale,
    trees: &[TreeModel],
) -> Result<()> {
    let fail = |what: String| Err(Error::Model(format!("LMDI+: {what}")));
    if trees.len() != ensemble.trees.len() {
        return fail(format!("{} linear models for {} trees", trees.len(), ensemble.trees.len()));
    }
    let n_outputs = outputs_of(ensemble);
    let scale_fits = match (&ensemble.outcome, scale) {
        (Outcome::Number, OutputScale::Identity | OutputScale::Log) => true,
        (Outcome::Classes(_), OutputScale::Identity | OutputScale::LogOdds) => true,
        (Outcome::Classes(_), OutputScale::Softmax) => n_outputs > 1,
        _ => false,
    };
    if !scale_fits {
        return fail(format!("the scale {scale:?} does not fit what the trees predict"));
    }
    for (index, (model, tree)) in trees.iter().zip(&ensemble.trees).enumerate() {
        if let Err(what) = check_tree(model, tree, n_outputs, ensemble.n_features()) {
            return fail(format!("the linear model of tree {index} {what}"));
        }
    }
    Ok(())
}

/// Checks ranges of training cells, which may come from a file.
pub(crate) fn check_ranges(n_features: usize, ranges: &[[f64; 2]]) -> Result<()> {
    let fail = |what: String| Err(Error::Model(format!("LMDI+: {what}")));
    if !ranges.is_empty() && ranges.len() != n_features {
        return fail(format!("{} ranges of cells for {n_features} columns", ranges.len()));
    }
    let is_range = |[low, high]: &[f64; 2]| low.is_finite() && high.is_finite() && low <= high;
    match ranges.iter().position(|range| !is_range(range)) {
        Some(feature) => fail(format!("the range of cells of column {feature} is not a range")),
        None => Ok(()),
    }
}

/// Checks what trees count in a ranking, which may come from a file.
pub(crate) fn check_sizes(n_trees: usize, sizes: &[f64]) -> Result<()> {
    let fail = |what: String| Err(Error::Model(format!("LMDI+: {what}")));
    if !sizes.is_empty() && sizes.len() != n_trees {
        return fail(format!("{} sizes for {n_trees} trees", sizes.len()));
    }
    match sizes.iter().position(|size| !(size.is_finite() && *size >= 0.0)) {
        Some(tree) => fail(format!("the size of tree {tree} is {}", sizes[tree])),
        None => Ok(()),
    }
}

/// Checks how much a ranking keeps of scores, which may come from a file. `lengths` has the number of
/// shares that each tree should have.
pub(crate) fn check_kept(
    lengths: impl ExactSizeIterator<Item = usize>,
    kept: &[Vec<f64>],
) -> Result<()> {
    let fail = |what: String| Err(Error::Model(format!("LMDI+: {what}")));
    if kept.is_empty() {
        return Ok(());
    }
    if kept.len() != lengths.len() {
        return fail(format!("kept shares of {} trees for {} trees", kept.len(), lengths.len()));
    }
    for (tree, (expected, kept)) in lengths.zip(kept).enumerate() {
        if kept.len() != expected {
            let found = kept.len();
            return fail(format!("tree {tree} has {found} kept shares; expected {expected}"));
        }
        if let Some(share) = kept.iter().find(|share| !(0.0..=1.0).contains(*share)) {
            return fail(format!("a kept share of tree {tree} is {share}; expected 0 to 1"));
        }
    }
    Ok(())
}

/// The features that a tree splits on, rising.
pub(crate) fn used_features(tree: &Tree) -> Vec<u32> {
    let mut used: Vec<u32> =
        tree.feature.iter().copied().filter(|&feature| feature != NONE).collect();
    used.sort_unstable();
    used.dedup();
    used
}

fn check_tree(
    model: &TreeModel,
    tree: &Tree,
    n_outputs: usize,
    n_features: usize,
) -> std::result::Result<(), &'static str> {
    let k = model.n_outputs as usize;
    let sizes_fit = k > 0
        && model.intercept.len() == k
        && model.fits.len() == k
        && tree.n_nodes().checked_mul(k) == Some(model.step.len())
        && model.raw.iter().all(|term| term.slope.len() == k);
    if !sizes_fit {
        return Err("has the wrong size");
    }
    if (model.first_output as usize).checked_add(k).is_none_or(|end| end > n_outputs) {
        return Err("adds to an output that does not exist");
    }
    if model.raw.iter().any(|term| term.feature as usize >= n_features) {
        return Err("names an unknown feature");
    }
    if !model.raw.is_sorted_by(|a, b| a.feature < b.feature) {
        return Err("has raw columns that are not in rising order");
    }
    let numbers = model.intercept.iter().chain(model.step.nonzero());
    let raw = model.raw.iter().flat_map(|term| term.slope.iter().chain([&term.mean]));
    if numbers.chain(raw).any(|number| !number.is_finite()) {
        return Err("has a number that is not finite");
    }
    Ok(())
}

/// Number of linear predictors: one for numbers and for two classes of independent trees (unless each
/// tree belongs to one class), otherwise as many as the ensemble has outputs.
pub(crate) fn outputs_of(ensemble: &Ensemble) -> usize {
    match (&ensemble.outcome, ensemble.growth) {
        (Outcome::Classes(labels), Growth::Independent)
            if labels.len() == 2 && ensemble.output_of_tree.is_empty() =>
        {
            1
        }
        _ => ensemble.n_outputs,
    }
}
