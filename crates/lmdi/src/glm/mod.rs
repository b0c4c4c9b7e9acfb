//! Regularised generalised linear models over the stump basis.
//!
//! [`fit_glm`] is the way in: it searches the penalty as the [`GlmOptions`] ask and fits. Least
//! squares works on [`Statistics`], which add over blocks of rows, folds or machines; other families
//! solve a sequence of weighted least-squares models. Both use the coordinate descent of
//! [`Descent`], whose cost is linear in the size of the tree.

#![allow(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "loops over lanes index several arrays at once and become vector instructions"
)]

mod acceleration;
mod active;
mod cholesky;
mod coefficients;
mod conjugate;
mod coordinate_descent;
mod curvatures;
mod elimination;
mod family;
mod fit;
mod gaussian;
mod gaussian_search;
mod gradient;
mod huber;
mod least_squares;
mod leave_one_out;
mod leverage;
mod line;
mod newton;
mod newton_model;
mod newton_search;
mod options;
mod penalty;
mod polish;
mod quadratic;
mod raw_curvature;
mod reduction;
mod row_solution;
mod selection;
mod side_by_side;
mod signs;
mod smooth_search;
mod statistics;
mod validation;
mod vector;
mod whole_point;

pub use active::ActiveColumns;
pub(crate) use cholesky::Cholesky;
pub use coefficients::Coefficients;
pub use coordinate_descent::{Descent, Point, Start};
pub use curvatures::Curvatures;
pub use elimination::Elimination;
pub use family::Family;
pub use fit::{GlmFit, fit_glm, fit_newton_from};
pub use gaussian::GaussianProblem;
pub use gradient::Gradient;
pub use huber::{HuberFit, fit_huber};
pub use least_squares::{Exactness, least_squares};
pub use leave_one_out::{
    LeftOut, RidgeErrors, WorkingRows, leave_one_out, leave_one_out_predictors, leave_one_out_ridge,
};
pub use newton::{NewtonPoint, NewtonProblem, NewtonReport};
pub use options::{GlmOptions, Grid, Measure, PenaltyChoice, Rule, Strength};
pub use penalty::Penalty;
pub use polish::polish;
pub use quadratic::Quadratic;
pub use selection::{Candidate, Search};
pub use side_by_side::{Progress, SideBySide};
pub use smooth_search::smallest_on_grid;
pub use statistics::Statistics;
pub use validation::squared_error_of_rows;
pub use vector::Lanes;
