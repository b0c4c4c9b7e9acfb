//! What most programs need: `use lmdi::prelude::*`.

pub use crate::file::Model;
pub use crate::forest::train::{
    BoostingParams, ForestParams, TrainingSet, train_boosting, train_forest,
};
pub use crate::forest::{Ensemble, Predictor};
pub use crate::importance::lmdi_plus::{LmdiPlusOptions, ScoreOptions};
pub use crate::importance::{LmdiPlus, LocalMethod, Method, Scores};
pub use crate::monitor::{Monitor, Silent};
pub use crate::table::{Matrix, MatrixView, Response};
