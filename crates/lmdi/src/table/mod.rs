//! What the algorithms read: a numeric matrix, a response and weights.

mod matrix;
mod response;

pub use matrix::{Cells, Matrix, MatrixView};
pub use response::Response;
