//! LMDI+: local feature importances from a regularised linear model of every tree.
//!
//! Each tree is rewritten as a linear model over its stumps and raw columns ([`crate::basis`]) and
//! fitted as a regularised GLM ([`crate::glm`]) on the rows chosen by [`FitOn`]. The score of
//! feature k for a row is the contribution of its block of columns:
//!
//! ```text
//! score_k(x) = sum_{splits v on k} b_v psi_v(x) + s_k (x_k - mean_k)
//! ```
//!
//! on the link scale, so that per tree `intercept + sum_k score_k(x)` is the linear predictor.
//! Forests average over trees, and boosted ensembles sum with their learning rate, so scores still
//! add up.
//!
//! Fitting costs one pass over the rows per tree and then nothing that depends on their number
//! (least squares). Scoring costs about as much as predicting: one walk per tree, one addition per
//! feature on the path, and one multiplication per feature for all raw parts together.

mod choices;
mod fitting;
mod local_method;
mod model;
mod options;
mod paths;
mod rank;
mod rows;
mod score;
mod spread;

pub use crate::sparse_numbers::SparseNumbers;
pub use choices::{Choices, Glm, Preset};
pub use fitting::streaming;
pub use model::{LOW_FIDELITY, LmdiPlus, RawTerm, TreeFit, TreeModel};
pub(crate) use model::{
    check_kept, check_parts, check_ranges, check_sizes, outputs_of, used_features,
};
pub use options::{FitOn, FitTo, FoldBy, LmdiPlusOptions, Validation};
pub use rows::RowChoice;
pub use score::ScoreOptions;
