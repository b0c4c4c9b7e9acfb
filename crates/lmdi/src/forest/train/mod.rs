//! Training: CART trees, forests and gradient boosting.
//!
//! | file | what |
//! |---|---|
//! | `params`, `training_set` | what the user gives, checked before work starts |
//! | `columns`, `order` | columns as ranks or bins, and their sorting |
//! | `criterion` | what a split improves |
//! | `draw`, `search`, `splitter` | columns to try, the best split of a column, of a node |
//! | `grower` | nodes to tree, depth first or best first |
//! | `forest` | bootstrap samples and independent trees |
//! | `loss`, `histogram`, `early_stopping`, `boosting` | trees that correct one another |
//! | `ensemble_params` | parameters of either |
//!
//! The rules are scikit-learn's: cells are compared as 32-bit numbers, thresholds lie halfway
//! between neighbouring values, `<=` goes left, and missing cells go where the impurity decreases
//! most, or with the larger child where training saw none.

mod boosting;
mod columns;
mod criterion;
mod draw;
mod early_stopping;
mod ensemble_params;
mod forest;
mod grower;
mod histogram;
mod loss;
mod order;
mod params;
mod partition;
mod search;
mod splitter;
mod training_set;

pub use boosting::train_boosting;
pub use ensemble_params::EnsembleParams;
pub use forest::train_forest;
pub use params::{
    BoostingParams, Criterion, EarlyStopping, ForestParams, HISTOGRAM_ROWS, MAX_BINS, MaxFeatures,
    MaxSamples, SplitFinder,
};
pub use training_set::TrainingSet;
