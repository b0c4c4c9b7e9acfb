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

    /// Whether each tree is grown on what the trees before it left over.
    pub fn is_boosted(&self) -> bool {
        matches!(self, Self::Boosting(_))
    }

    /// Whether each tree leaves rows out, which then measure its quality.
    pub fn leaves_rows_out(&self) -> bool {
        matches!(self, Self::Forest(params) if params.bootstrap)
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
