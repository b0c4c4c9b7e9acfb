//! Experiments on counterfactuals: how far the nearest row of the other class is, on data sets and
//! where signal is known.

pub mod nearest;
pub mod observed;
pub mod simulated;
