//! Feature importances: one folder or file per method.
//!
//! Local methods give [`Scores`]: for every row what each feature adds to the prediction.

pub mod lmdi_plus;
mod ranking;
mod scores;

pub use lmdi_plus::LmdiPlus;
pub use ranking::rank_in_place;
pub use scores::Scores;
