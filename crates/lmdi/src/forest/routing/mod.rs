//! Fast routing of many rows to their leaves: trees compiled for walking.
//!
//! Trees are compiled to small arrays in an order of their own (`compiled`); [`Router`]
//! gives node indices of the ensemble. Trees that compare 32-bit cells hold 32-bit thresholds,
//! rounded down: no 32-bit number lies between a threshold and its rounded form.
//!
//! Trees with categorical splits, or with zero as missing value, are walked as they are.
//!
//! Cost: compiling is linear in the number of nodes; a step of a row is a few instructions, and
//! rows of a block wait together for the same part of the tree to arrive from memory.

mod block;
mod compiled;
mod lanes;
mod path_amounts;
mod path_sums;
mod router;

pub use block::Block;
pub(crate) use lanes::LANES;
pub(crate) use path_amounts::NodeAmounts;
pub(crate) use path_sums::PathSums;
pub use router::Router;
