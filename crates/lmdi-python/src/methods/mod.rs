//! Importance methods: LMDI+, the other local ones, the global ones, and how well scores account for
//! predictions.

pub mod global;
pub mod lmdi_plus;
pub mod local;
mod metric;
mod options;
pub mod predicted;
pub mod streamed;
