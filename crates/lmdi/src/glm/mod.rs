//! Regularised generalised linear models over the stump basis.
//!
//! [`fit_glm`] is the entry point: it searches the penalty as the [`GlmOptions`] say, and fits.
//! Least squares works on sufficient statistics, which add over blocks of rows, folds or machines;
//! other families solve a sequence of weighted least-squares models. Both end in coordinate
//! descent, whose sweep costs time linear in the size of the tree.
//!
//! | folder | what |
//! |---|---|
//! | `model` | families, the penalty, coefficients, options |
//! | `linalg` | dense kernels with a fixed order of additions |
//! | `quadratic` | statistics of rows, Hessian and gradient |
//! | `solvers` | direct, coordinate descent, proximal Newton, Huber |
//! | `search` | candidates of a penalty, their errors, the choice |
//! | `leave_one_out` | predictions of each row by the model without it |
//!
//! A folder imports only from those above it. `ARCHITECTURE.md` follows a fit from the objective to
//! the stopping rule.

#![allow(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "loops over lanes index several arrays at once and become vector instructions"
)]

mod fit;
mod leave_one_out;
mod linalg;
mod model;
mod quadratic;
mod search;
mod solvers;
#[cfg(test)]
mod tests;

pub(crate) use fit::fit_glms;
pub use fit::{GlmFit, fit_glm, fit_statistics};
pub(crate) use fit::{Scouted, penalty_for, scout};
pub(crate) use leave_one_out::{
    LeftOut, NewtonPath, RidgeErrors, WorkingRows, leave_one_out, leave_one_out_predictors,
    leave_one_out_ridge,
};
pub(crate) use linalg::cholesky::Cholesky;
pub use model::coefficients::Coefficients;
pub use model::family::Family;
pub use model::options::{GlmOptions, Grid, Measure, PenaltyChoice, Rule, Strength};
pub(crate) use model::penalty::Penalty;
pub use quadratic::statistics::Statistics;
pub(crate) use search::ridge_grid::{Accuracy, minimise_in_two_stages, minimise_on_grid};
pub use search::selection::{Candidate, Search};
pub(crate) use solvers::huber::{HuberFit, fit_huber};
pub(crate) use solvers::newton::by_passes::{FitByPasses, NewtonSums, NullModel, Step};
