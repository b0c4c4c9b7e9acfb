//! Tree ensembles: the library-neutral arrays that hold every model, and how a row finds its leaf.

mod category_set;
mod class_weights;
pub mod decision;
mod draws;
mod ensemble;
pub mod import;
mod in_bag;
mod oob;
pub mod predict;
pub mod routing;
pub mod train;
mod tree;

pub use category_set::CategorySet;
pub use class_weights::ClassWeights;
pub use draws::drew_from;
pub use ensemble::{Aggregation, Ensemble, Growth, Link, Loss, Outcome};
pub use in_bag::InBag;
pub use oob::{OobPrediction, oob_prediction};
pub use predict::Predictor;
pub use tree::{Comparison, Missing, NONE, Precision, Tree};
