//! Training: CART trees, forests and gradient boosting.
//!
//! | file | what |
//! |---|---|
//! | `params`, `training_set` | the user's input, checked before work starts |
//! | `columns` | columns as ranks or bins, their packing into bytes, and the sorting of ranks |
//! | `tree/criterion` | the criterion that a split improves |
//! | `tree/draw`, `search`, `splitter` | columns to try, the best split of a column, of a node |
//! | `tree/partition` | the rows of a node, between its children |
//! | `tree/grower` | nodes to tree, depth first or best first |
//! | `bagging`, `forest` | bootstrap samples, and trees grown on them |
//! | `boosting` | trees that correct one another: losses, histograms, early stopping |
//! | `ensemble_params` | parameters of either |
//!
//! The rules are scikit-learn's: cells are compared as 32-bit numbers, thresholds lie halfway
//! between neighbouring values, `<=` goes left, and missing cells go where the impurity decreases
//! most, or with the larger child where training saw none.

mod bagging;
mod boosting;
mod columns;
mod ensemble_params;
mod forest;
mod params;
mod training_set;
mod tree;

pub use boosting::train_boosting;
pub use ensemble_params::EnsembleParams;
pub use forest::train_forest;
pub use params::{
    BoostingParams, Criterion, EarlyStopping, ForestParams, HISTOGRAM_ROWS, MAX_BINS, MaxFeatures,
    MaxSamples, SplitFinder,
};
pub use training_set::TrainingSet;
