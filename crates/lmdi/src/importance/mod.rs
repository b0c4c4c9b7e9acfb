//! Feature importances: one folder or file per method.
//!
//! Local methods give [`Scores`]: for every row what each feature adds to the prediction.

mod groups;
pub mod lmdi_plus;
mod ranking;
mod scores;

pub use groups::Groups;
pub use lmdi_plus::LmdiPlus;
pub use ranking::rank_in_place;
pub use scores::Scores;
