//! What must hold for LMDI+ on every model: random tables (missing cells, one-hot-like, repeated and
//! constant columns, weights), forests and boosting of both orders, numbers and classes. Expected
//! values are worked out from the definitions, densely and row by row.

#[path = "../random_models/mod.rs"]
mod random_models;

mod additivity;
mod identities;
mod invariance;
mod optimality;
mod ranking;
mod selection;
mod statistics;
