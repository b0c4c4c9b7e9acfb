//! One file per command: its flags, its help, and the order of its work.

pub mod completions;
pub mod convert;
pub mod counterfactual;
pub mod explain;
pub mod importance;
pub mod inspect;
pub mod plot;
pub mod predict;
pub mod score;
#[cfg(feature = "serve")]
pub mod serve;
pub mod stability;
pub mod subgroups;
pub mod train;
