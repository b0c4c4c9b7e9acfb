//! What a pass sums up for one output of one tree, and the target that follows from it.
//!
//! A row's target is known only when all rows are: `t = a + c z`, where z is a number of the row that the
//! pass knows, and a, constant on a leaf, and c follow from the sums of all rows. Sums over t follow from
//! sums over z, leaf by leaf:
//!
//! ```text
//! sum w t     = a W + c sum w z
//! sum w x t   = a sum w x + c sum w x z
//! sum w t^2   = a^2 W + 2 a c sum w z + c^2 sum w z^2
//! ```

use crate::basis::Basis;
use crate::glm::Statistics;
use crate::{Error, Result};

/// Sums of the rows for one output of one tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TreeStatistics {
    /// Per fold, with z for the response.
    pub(crate) folds: Vec<Statistics>,
    /// Per leaf: the weights of rows, and the weighted sum of what the tree was grown on.
    pub(crate) grown: Vec<[f64; 2]>,
    /// Per leaf, for boosted trees: the weights of rows as they are, and the weighted sum of their responses
    /// around the mean, which tell what a ranking keeps; empty elsewhere.
    pub(crate) response: Vec<[f64; 2]>,
    /// Loss above that of a model that predicts every response exactly; zero for least squares, which
    /// needs it not.
    pub(crate) excess_loss: f64,
}

impl TreeStatistics {
    pub(crate) fn new(basis: &Basis, n_folds: usize, boosted: bool) -> Self {
        let n_leaves = basis.stumps.n_leaves();
        Self {
            folds: vec![Statistics::new(basis); n_folds],
            grown: vec![[0.0; 2]; n_leaves],
            response: vec![[0.0; 2]; if boosted { n_leaves } else { 0 }],
            excess_loss: 0.0,
        }
    }

    /// No sums, for a fit that is finished.
    pub(crate) fn nothing() -> Self {
        Self { folds: Vec::new(), grown: Vec::new(), response: Vec::new(), excess_loss: 0.0 }
    }

    /// Whether other sums are of a tree of the same size.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.folds.len() == other.folds.len()
            && self.grown.len() == other.grown.len()
            && self.response.len() == other.response.len()
            && self.folds.iter().zip(&other.folds).all(|(mine, theirs)| mine.is_like(theirs))
    }

    /// The weight of all rows, and the weighted sum of what the tree was grown on.
    pub(super) fn totals(&self) -> [f64; 2] {
        let add = |sums: [f64; 2], leaf: &[f64; 2]| [sums[0] + leaf[0], sums[1] + leaf[1]];
        self.grown.iter().fold([0.0; 2], add)
    }

    /// How many numbers are kept for a tree with this many leaves and raw columns.
    pub(super) fn size(n_leaves: usize, n_raw: usize, n_folds: usize) -> usize {
        4 * n_leaves + n_folds * (n_leaves * (2 + n_raw) + n_raw * (n_raw + 1) + 2)
    }

    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        if !self.is_like(other) {
            return Err(Error::Data("the statistics are of different trees".into()));
        }
        self.folds.iter_mut().zip(&other.folds).for_each(|(mine, theirs)| mine.merge(theirs));
        self.excess_loss += other.excess_loss;
        let leaves = self.grown.iter_mut().chain(&mut self.response);
        for (mine, theirs) in leaves.zip(other.grown.iter().chain(&other.response)) {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
        Ok(())
    }

    /// The statistics of targets `a + c z`, with a given per leaf.
    pub(super) fn of_target(&self, a: &[f64], c: f64) -> Vec<Statistics> {
        let of_fold = |fold: &Statistics| {
            let mut target = fold.clone();
            let n_raw = target.raw_response.len();
            let mut square = c * c * fold.response_square;
            target.raw_response.iter_mut().for_each(|sum| *sum *= c);
            for (leaf, &a) in a.iter().enumerate() {
                let (weight, sum) = (fold.leaf_weight[leaf], fold.leaf_response[leaf]);
                target.leaf_response[leaf] = a * weight + c * sum;
                square += a * (a * weight + 2.0 * c * sum);
                let raw = &fold.leaf_raw[leaf * n_raw..(leaf + 1) * n_raw];
                target.raw_response.iter_mut().zip(raw).for_each(|(sum, raw)| *sum += a * raw);
            }
            target.response_square = square.max(0.0);
            target
        };
        self.folds.iter().map(of_fold).collect()
    }
}

/// The mean and the standard deviation of a response.
pub(super) fn mean_and_deviation(folds: &[Statistics]) -> (f64, f64) {
    let sum = |of: fn(&Statistics) -> f64| folds.iter().map(of).sum::<f64>();
    let total = sum(|fold| fold.leaf_weight.iter().sum());
    if total <= 0.0 {
        return (0.0, 1.0);
    }
    let mean = sum(|fold| fold.leaf_response.iter().sum()) / total;
    let square = sum(|fold| fold.response_square) / total;
    (mean, (square - mean * mean).max(0.0).sqrt())
}
