//! The columns that take part in a linear system; all others keep a slope of zero.

use crate::glm::model::coefficients::Coefficients;
use crate::glm::quadratic::hessian::Hessian;

/// A set of columns of the basis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveColumns {
    /// Per split, whether its stump takes part.
    pub stump: Vec<bool>,
    /// The raw columns that take part, rising.
    pub raw: Vec<usize>,
}

impl ActiveColumns {
    /// All columns.
    pub fn all(hessian: &Hessian<'_>) -> Self {
        Self { stump: vec![true; hessian.stumps.n_splits()], raw: (0..hessian.n_raw()).collect() }
    }

    /// The columns whose slope is not zero.
    pub fn of(coefficients: &Coefficients) -> Self {
        Self {
            stump: coefficients.stump.iter().map(|&b| b != 0.0).collect(),
            raw: (0..coefficients.raw.len()).filter(|&k| coefficients.raw[k] != 0.0).collect(),
        }
    }
}
