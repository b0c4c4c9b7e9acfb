//! Fits other than least squares, on rows that come in batches: a Newton step per pass.
//!
//! ```text
//! first pass of a group    sums at the null model -> penalties, searched on a sample of rows,
//!                          and where the sample's own fit is
//! every further pass       sums at the present coefficients -> one Newton step
//! ```
//!
//! All trees of a group step together, and those that have converged are left out of further
//! passes. The sample decides the penalty; the fit at that penalty uses all rows.

mod solve;
mod sums;

pub(super) use sums::NewtonRows;

use crate::glm::{Candidate, FitByPasses};

/// The linear model of one output of a tree, between two passes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OutputFit {
    /// The penalty; `None` where there is none, or it is not known yet.
    pub(crate) chosen: Option<Candidate>,
    /// Whether the fits that a search of the penalty compared met their tolerance.
    pub(crate) search_converged: bool,
    pub(crate) fit: FitByPasses,
}
