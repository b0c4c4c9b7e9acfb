//! Analyses of scores: counterfactuals, stability, subgroups.

mod counterfactual;
mod stability;
mod subgroups;
