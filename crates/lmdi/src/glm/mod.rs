//! Regularised generalised linear models over the stump basis.

#![allow(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "loops over lanes index several arrays at once and become vector instructions"
)]

mod active;
mod cholesky;
mod coefficients;
mod conjugate;
mod coordinate_descent;
mod elimination;
mod gaussian;
mod gradient;
mod least_squares;
mod penalty;
mod polish;
mod quadratic;
mod raw_curvature;
mod statistics;
mod validation;
mod vector;

pub use active::ActiveColumns;
pub use coefficients::Coefficients;
pub use coordinate_descent::{Descent, Point};
pub use elimination::Elimination;
pub use gaussian::{GaussianProblem, Progress};
pub use gradient::Gradient;
pub use least_squares::{Exactness, least_squares};
pub use penalty::Penalty;
pub use polish::polish;
pub use quadratic::Quadratic;
pub use statistics::Statistics;
pub use validation::{HeldOut, squared_error_of_rows};
pub use vector::Lanes;
