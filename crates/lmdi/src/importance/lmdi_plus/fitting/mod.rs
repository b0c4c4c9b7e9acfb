//! Fitting the linear model of every tree: [`LmdiPlus::fit`](super::LmdiPlus::fit) on rows in memory,
//! [`streaming`] on rows that are not.
//!
//! `target` has the family and the responses of a fit, `class_weight` and `leaf_steps` the weights
//! and targets of rows, and `tree_outputs` the outputs that a tree adds to. `unfinished_model` puts
//! the outputs of a tree together. `fit` has what all fits share, `forest` and `boosted` the order
//! in which trees are fitted. `support` computes what a ranking keeps of a boosted tree.

mod boosted;
mod class_weight;
mod fit;
mod forest;
mod leaf_steps;
pub mod streaming;
mod support;
mod target;
mod tree_outputs;
mod unfinished_model;
