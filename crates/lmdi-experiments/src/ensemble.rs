//! The ensembles of the experiments.

use crate::data::{Kind, Part};
use lmdi::Result;
use lmdi::forest::Ensemble;
use lmdi::forest::train::{
    BoostingParams, ForestParams, MaxFeatures, SplitFinder, TrainingSet, train_boosting,
    train_forest,
};
use lmdi::monitor::Monitor;

/// An ensemble by its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnsembleKind {
    /// The paper's forest: 100 trees; regression with leaves of 5 and a third of the features,
    /// classification with leaves of 1 and the root of their number.
    Forest,
    /// scikit-learn's forest as it is by default: leaves of 1; regression with all features.
    DefaultForest,
    /// The paper's with another number of trees.
    Trees(usize),
    /// The same with another leaf size.
    Leaf(usize),
    /// Both.
    Sized {
        /// Number of trees.
        trees: usize,
        /// Least number of rows in a leaf.
        leaf: usize,
    },
    /// Gradient boosting as scikit-learn's default: 100 trees of depth 3, learning rate 0.1.
    Boosting,
    /// The same with every tree grown on half of the rows, drawn at random. Without draws, other
    /// seeds give nearly the same trees, and stability says nothing.
    StochasticBoosting,
}

impl EnsembleKind {
    /// Its name in result files.
    pub fn name(self) -> String {
        match self {
            EnsembleKind::Forest => "forest".into(),
            EnsembleKind::DefaultForest => "default_forest".into(),
            EnsembleKind::Trees(trees) => format!("forest_{trees}_trees"),
            EnsembleKind::Leaf(leaf) => format!("forest_leaf_{leaf}"),
            EnsembleKind::Sized { trees, leaf } => format!("forest_{trees}_trees_leaf_{leaf}"),
            EnsembleKind::Boosting => "boosting".into(),
            EnsembleKind::StochasticBoosting => "boosting_half_of_rows".into(),
        }
    }

    /// Whether its trees build on one another.
    pub fn is_boosted(self) -> bool {
        matches!(self, EnsembleKind::Boosting | EnsembleKind::StochasticBoosting)
    }

    /// Trains on a part.
    pub fn train(self, part: &Part, seed: u64, monitor: &dyn Monitor) -> Result<Ensemble> {
        let kind = part.answers.kind();
        let names: Vec<String> = (0..part.x.cols()).map(|col| format!("x{}", col + 1)).collect();
        let labels: Vec<String> = match kind {
            Kind::Regression => Vec::new(),
            Kind::Classification => vec!["0".into(), "1".into()],
        };
        let set = TrainingSet { feature_names: &names, labels: &labels, ..part.set() };
        let forest = paper_forest(kind, seed);
        let forest = match self {
            EnsembleKind::Forest => forest,
            EnsembleKind::DefaultForest => match kind {
                Kind::Regression => ForestParams::regression().with_seed(seed),
                Kind::Classification => ForestParams::classification().with_seed(seed),
            },
            EnsembleKind::Trees(n_trees) => forest.with_n_trees(n_trees),
            EnsembleKind::Leaf(min_samples_leaf) => forest.with_min_samples_leaf(min_samples_leaf),
            EnsembleKind::Sized { trees, leaf } => {
                forest.with_n_trees(trees).with_min_samples_leaf(leaf)
            }
            EnsembleKind::Boosting => return train_boosting(&set, &boosting(seed), monitor),
            EnsembleKind::StochasticBoosting => {
                let params = boosting(seed).with_subsample(0.5);
                return train_boosting(&set, &params, monitor);
            }
        };
        train_forest(&set, &forest, monitor)
    }
}

fn paper_forest(kind: Kind, seed: u64) -> ForestParams {
    match kind {
        Kind::Regression => ForestParams::regression()
            .with_min_samples_leaf(5)
            .with_max_features(MaxFeatures::Fraction(0.33))
            .with_seed(seed),
        Kind::Classification => ForestParams::classification().with_seed(seed),
    }
}

fn boosting(seed: u64) -> BoostingParams {
    BoostingParams::default()
        .with_max_depth(Some(3))
        .with_min_samples_leaf(1)
        .with_max_leaf_nodes(None)
        .with_split_finder(SplitFinder::Exact)
        .with_seed(seed)
}
