//! Fitting the linear model of every tree: [`LmdiPlus::fit`](super::LmdiPlus::fit).
//!
//! `target` says what a fit is about, `class_weight` and `leaf_steps` what rows weigh and aim at.
//! `fit` has what all fits share, `forest` and `boosted` the order in which trees are fitted.

mod boosted;
mod class_weight;
mod fit;
mod forest;
mod leaf_steps;
mod target;
