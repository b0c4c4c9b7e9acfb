//! Leave-one-out along a path of ridge penalties, for families other than the gaussian: the errors
//! that a penalty search compares, and the rows left out of the fit it chooses.
//!
//! Each fit starts where a line through the two fits with the nearest penalties, on a logarithmic
//! scale, expects it. The Hessian at a fit gives the leverages of its rows, and is reused for the
//! first steps to the next.

use crate::basis::{Basis, TreeRows};
use crate::glm::leave_one_out::leverage::leverages;
use crate::glm::leave_one_out::{LeftOut, WorkingRows, visit_rows};
use crate::glm::linalg::vector::add_scaled;
use crate::glm::model::coefficients::Coefficients;
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
    fits: Vec<PathFit>,
}

/// A fit that others start from.
struct PathFit {
    /// Logarithm of the penalty.
    place: f64,
    at: Coefficients,
    /// Linear predictor of every row.
    eta: Vec<f64>,
}

/// Fits that the next one is expected from.
const NEAREST: usize = 2;

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
            fits: Vec::new(),
        })
    }

    /// The linear predictor of every row by the model with penalty `l2` fitted without it, to one
    /// Newton step from a fit of this tolerance.
    pub(crate) fn left_out(&mut self, l2: f64, tolerance: f64) -> Vec<f64> {
        self.fit(l2, tolerance);
        let rows = self.problem.rows;
        let (curvature, pull) = self.working();
        let Some(hessian) = self.problem.hessian_at(&mut self.point) else {
            return self.point.eta.clone();
        };
        let active = ActiveColumns::all(hessian);
        let factor = Elimination::new(hessian, active, stable_l2(hessian, l2));
        let mut left_out = leverages(&factor, rows);
        for (row, found) in left_out.iter_mut().enumerate() {
            let left = (1.0 - curvature[row] * *found).max(f64::EPSILON);
            *found = self.point.eta[row] - pull[row] / left * *found;
        }
        left_out
    }

    /// Fits with penalty `l2` to this tolerance, visits every row left out, as
    /// [`leave_one_out`](super::leave_one_out) does, and returns the fit.
    pub(crate) fn leave_one_out(
        mut self,
        l2: f64,
        tolerance: f64,
        visit: impl FnMut(LeftOut<'_>),
    ) -> Coefficients {
        self.fit(l2, tolerance);
        let NewtonProblem { basis, rows, .. } = self.problem;
        let (curvature, pull) = self.working();
        let fit = self.point.at.clone();
        if let Some(hessian) = self.problem.hessian_at(&mut self.point) {
            let active = ActiveColumns::all(hessian);
            let factor = Elimination::new(hessian, active, stable_l2(hessian, l2));
            let working = WorkingRows { curvature: &curvature, pull: &pull };
            visit_rows(basis, rows, working, &fit, &factor, visit);
        }
        fit
    }

    /// Moves the point to the fit with penalty `l2`.
    fn fit(&mut self, l2: f64, tolerance: f64) {
        let place = libm::log(l2);
        self.start(place);
        let penalty = Penalty { l1: 0.0, l2 };
        let (null_loss, null_gradient) = (self.null_loss, self.null_gradient);
        let (point, most) = (&mut self.point, self.max_iterations);
        self.problem.solve(point, penalty, null_loss, null_gradient, tolerance, most);
        self.fits.retain(|fit| fit.place != place);
        let (at, eta) = (self.point.at.clone(), self.point.eta.clone());
        self.fits.push(PathFit { place, at, eta });
    }

    /// Moves the point to where the nearest fits so far expect that of a penalty with this
    /// logarithm.
    fn start(&mut self, place: f64) {
        let apart = |fit: &PathFit| (fit.place - place).abs();
        self.fits.sort_by(|a, b| apart(a).total_cmp(&apart(b)));
        let near = &self.fits[..self.fits.len().min(NEAREST)];
        let (mut at, mut eta) = match near.first() {
            None => return,
            Some(nearest) => (nearest.at.clone(), nearest.eta.clone()),
        };
        // By Lagrange's formula; what is beyond one times the nearest is added.
        for (index, fit) in near.iter().enumerate() {
            let others = near.iter().filter(|other| other.place != fit.place);
            let share: f64 =
                others.map(|other| (place - other.place) / (fit.place - other.place)).product();
            let share = if index == 0 { share - 1.0 } else { share };
            at.add(share, &fit.at);
            add_scaled(&mut eta, share, &fit.eta);
        }
        self.point.move_to(at, eta);
    }

    /// Curvature and pull of every row at the point.
    fn working(&self) -> (Vec<f64>, Vec<f64>) {
        let NewtonProblem { rows, response, family, .. } = self.problem;
        let (mut curvature, mut pull) = (Vec::new(), Vec::new());
        family.add_means_and_variances(&self.point.eta, &mut pull, &mut curvature);
        for (row, (pull, curvature)) in pull.iter_mut().zip(&mut curvature).enumerate() {
            *curvature *= rows.weight[row];
            *pull = rows.weight[row] * (response[row] - *pull);
        }
        (curvature, pull)
    }
}
