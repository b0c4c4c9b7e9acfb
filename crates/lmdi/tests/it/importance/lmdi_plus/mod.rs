//! What must hold for LMDI+ on every model: random tables (missing cells, one-hot-like, repeated and
//! constant columns, weights), forests and boosting of both orders, numbers and classes. Expected
//! values are worked out from the definitions, densely and row by row.

mod additivity;
mod degenerate;
mod exhaustive;
mod identities;
mod imported;
mod invariance;
mod optimality;
mod ranking;
mod reference;
mod selection;
mod streaming;
