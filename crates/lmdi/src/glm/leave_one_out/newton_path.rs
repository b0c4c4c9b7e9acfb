//! Leave-one-out along a path of ridge penalties, for families other than the gaussian: the errors
//! that a penalty search compares.
//!
//! Each fit is warm-started from the last one. The Hessian at a fit gives the leverages of its
//! rows, and is reused for the first steps to the next.

use crate::basis::{Basis, TreeRows};
use crate::glm::leave_one_out::leverage::leverages;
use crate::glm::model::family::Family;
use crate::glm::model::penalty::Penalty;
use crate::glm::solvers::direct::active_columns::ActiveColumns;
use crate::glm::solvers::direct::conjugate_gradients::stable_l2;
use crate::glm::solvers::direct::elimination::Elimination;
use crate::glm::solvers::newton::proximal::{NewtonPoint, NewtonProblem};

/// Fits to the same rows under different penalties.
pub(crate) struct NewtonPath<'p, 'x> {
    problem: NewtonProblem<'p, 'x>,
    point: NewtonPoint<'p>,
    null_loss: f64,
    null_gradient: f64,
    max_iterations: usize,
}

impl<'p, 'x> NewtonPath<'p, 'x> {
    /// Takes the rows and their responses. `None` when nothing can be fitted to them, for they
    /// have no weight or only one class.
    pub(crate) fn new(
        basis: &'p Basis,
        rows: &'p TreeRows<'x>,
        response: &'p [f64],
        family: Family,
        max_iterations: usize,
    ) -> Option<Self> {
        let ranges = rows.without_fold(None);
        let problem = NewtonProblem { basis, rows, response, family, ranges };
        let point = problem.null()?;
        Some(Self {
            null_loss: problem.excess_loss(&point.eta),
            null_gradient: problem.largest_gradient(&point),
            problem,
            point,
            max_iterations,
        })
    }

    /// The linear predictor of every row by the model with penalty `l2` fitted without it, to one
    /// Newton step from a fit of this tolerance.
    pub(crate) fn left_out(&mut self, l2: f64, tolerance: f64) -> Vec<f64> {
        let NewtonProblem { rows, response, family, .. } = self.problem;
        let (null_loss, null_gradient) = (self.null_loss, self.null_gradient);
        self.problem.solve(
            &mut self.point,
            Penalty { l1: 0.0, l2 },
            null_loss,
            null_gradient,
            tolerance,
            self.max_iterations,
        );
        let eta = self.point.eta.clone();
        let Some(hessian) = self.problem.hessian_at(&mut self.point) else {
            return eta;
        };
        let active = ActiveColumns::all(hessian);
        let factor = Elimination::new(hessian, active, stable_l2(hessian, l2));
        let leverages = leverages(&factor, rows);
        let left_out = eta.iter().zip(leverages).enumerate();
        left_out
            .map(|(row, (&eta, leverage))| {
                let (mean, variance) = family.mean_and_variance(eta);
                let weight = rows.weight[row];
                let left = (1.0 - weight * variance * leverage).max(f64::EPSILON);
                eta - weight * (response[row] - mean) / left * leverage
            })
            .collect()
    }
}
