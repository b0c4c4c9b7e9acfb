//! TreeSHAP against its definition on random trees, what must hold for every model, and against
//! shap, XGBoost and LightGBM.

mod brute_force;
mod deep;
mod definition;
mod golden;
mod invariance;
mod random_trees;
mod refusals;
