//! Experiments on the top features of every row: whether they predict, and whether other seeds name
//! the same ones.

pub mod ablation;
mod protocol;
pub mod selection;
pub mod selection_full;
pub mod stability;
