//! The methods: against their definitions, reference implementations and one another.

mod lime;
mod lmdi_plus;
mod maple;
mod mdi_plus;
mod node_methods;
mod path_methods;
mod permutation;
mod tree_shap;
