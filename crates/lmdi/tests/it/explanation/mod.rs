//! What is read off scores: counterfactuals, stability, subgroups.

mod counterfactual;
mod stability;
mod subgroups;
