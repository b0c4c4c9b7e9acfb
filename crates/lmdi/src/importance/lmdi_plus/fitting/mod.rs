//! Fitting the linear model of every tree: [`LmdiPlus::fit`](super::LmdiPlus::fit) on rows in memory,
//! [`streaming`] on rows that are not.
//!
//! `target` says what a fit is about, `class_weight` and `leaf_steps` what rows weigh and aim at, and
//! `tree_outputs` which outputs a tree adds to. `unfinished_model` puts a tree's model together. `fit` has what all fits share, `forest` and `boosted`
//! the order in which trees are fitted. `support` says what a ranking keeps of a boosted tree.

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
