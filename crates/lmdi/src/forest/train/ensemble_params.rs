//! Parameters of any ensemble that can be trained here.

use super::{BoostingParams, ForestParams, TrainingSet, train_boosting, train_forest};
use crate::Result;
use crate::forest::Ensemble;
use crate::monitor::Monitor;

/// What to train, and how.
#[derive(Debug, Clone)]
pub enum EnsembleParams {
    /// A random forest or extra-trees.
    Forest(ForestParams),
    /// Gradient boosting.
    Boosting(BoostingParams),
}

impl EnsembleParams {
    /// What the ensemble is called.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Forest(params) if params.extra_trees => "Extra-trees",
            Self::Forest(_) => "Random forest",
            Self::Boosting(_) => "Gradient boosting",
        }
    }

    /// Seed of all random choices.
    pub fn seed(&self) -> u64 {
        match self {
            Self::Forest(params) => params.seed,
            Self::Boosting(params) => params.seed,
        }
    }

    /// The same parameters with another seed.
    pub fn with_seed(&self, seed: u64) -> Self {
        match self {
            Self::Forest(params) => Self::Forest(ForestParams { seed, ..params.clone() }),
            Self::Boosting(params) => Self::Boosting(BoostingParams { seed, ..params.clone() }),
        }
    }

    /// How many units training advances its monitor by, at most.
    pub fn units(&self) -> usize {
        match self {
            Self::Forest(params) => params.n_trees,
            Self::Boosting(params) => params.n_rounds,
        }
    }

    /// Whether each tree is grown on the residuals of the trees before it.
    pub fn is_boosted(&self) -> bool {
        matches!(self, Self::Boosting(_))
    }

    /// Whether each tree leaves rows out, which then measure its quality.
    pub fn leaves_rows_out(&self) -> bool {
        matches!(self, Self::Forest(params) if params.bootstrap)
    }

    /// The bytes that the ensemble may take in memory, at most: a tree that nothing else limits has a
    /// leaf for every row that it sees.
    pub fn memory(&self, n_rows: usize, weighted: bool, n_outputs: usize) -> u64 {
        let (n_trees, max_depth, least, max_leaves, share) = match self {
            Self::Forest(params) => {
                // Drawn with replacement, less than two thirds of the rows are different ones; more if
                // weights are numbers of copies.
                let share = if params.bootstrap && !weighted { 0.64 } else { 1.0 };
                let least = params.min_samples_leaf;
                (params.n_trees, params.max_depth, least, params.max_leaf_nodes, share)
            }
            Self::Boosting(params) => {
                let n_trees = params.n_rounds.saturating_mul(n_outputs);
                let least = params.min_samples_leaf;
                (n_trees, params.max_depth, least, params.max_leaf_nodes, params.subsample)
            }
        };
        let by_rows = (n_rows as f64 * share / least.max(1) as f64).max(1.0);
        let by_depth = max_depth.map_or(f64::INFINITY, |depth| 2f64.powf(depth as f64));
        let by_count = max_leaves.map_or(f64::INFINITY, |leaves| leaves as f64);
        let n_nodes = 2.0 * by_rows.min(by_depth).min(by_count);
        let n_values = if self.is_boosted() { 1 } else { n_outputs };
        // Feature, children, set, missing rule, threshold, weight, impurity; then the values.
        let per_node = (4 * 4 + 1 + 3 * 8 + 8 * n_values) as f64;
        (n_trees as f64 * (n_nodes * per_node + n_rows as f64)) as u64
    }

    /// Fails with the first parameter outside its range.
    pub fn check(&self, n_features: usize) -> Result<()> {
        match self {
            Self::Forest(params) => params.check(n_features),
            Self::Boosting(params) => params.check(n_features),
        }
    }

    /// Trains the ensemble.
    pub fn train(&self, set: &TrainingSet<'_>, monitor: &dyn Monitor) -> Result<Ensemble> {
        match self {
            Self::Forest(params) => train_forest(set, params, monitor),
            Self::Boosting(params) => train_boosting(set, params, monitor),
        }
    }
}
