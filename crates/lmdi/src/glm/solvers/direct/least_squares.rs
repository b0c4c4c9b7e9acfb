//! Least squares without an l1 penalty: ridge regression, and ordinary least squares of minimum
//! norm.
//!
//! Minimises `1/2 sum w (y - b0 - x b)^2 + l2/2 |b|^2` directly. With l2 = 0 and linearly dependent
//! columns (duplicates, leaves without weight, more columns than rows), it returns the minimum-norm
//! solution over centred columns, which a pseudo-inverse gives.

use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::gaussian::GaussianProblem;
use crate::glm::quadratic::gradient::Gradient;
use crate::glm::solvers::direct::active_columns::ActiveColumns;
use crate::glm::solvers::direct::conjugate_gradients::System;

/// Steps from what rounding left of the gradient.
const MOST_REFINEMENTS: usize = 4;

/// A violation at which nothing is left but rounding.
const NOTHING: f64 = 1e-15;

/// The largest violation of a fit that counts as converged.
const CONVERGED: f64 = 1e-10;

/// How exactly a direct fit meets the optimality conditions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Convergence {
    /// Steps done.
    pub iterations: usize,
    /// Largest violation of the optimality condition of a column, relative to the size of its
    /// parts; see [`GaussianProblem::violations`].
    pub violation: f64,
    /// Whether the violation is negligible.
    pub converged: bool,
}

impl Convergence {
    pub(crate) fn new(iterations: usize, violation: f64) -> Self {
        Self { iterations, violation, converged: violation <= CONVERGED }
    }
}

/// The least-squares fit with ridge penalty `l2` (on the scale of a sum over rows), or of minimum
/// norm when `l2` is zero.
pub fn least_squares(problem: &GaussianProblem<'_>, l2: f64) -> (Coefficients, Convergence) {
    let q = &problem.hessian;
    let penalty = Penalty { l1: 0.0, l2 };
    let system = System::new(q, ActiveColumns::all(q), l2);
    let mut fit = Coefficients::zero(q.stumps.n_splits(), q.n_raw());
    fit.intercept = problem.response_mean;
    let mut violation = problem.violation(&fit, penalty);
    let solution = system.solve(&problem.gradient(&fit, penalty));
    let mut iterations = solution.iterations;
    let mut tried = fit.clone();
    tried.add(1.0, &solution.step);
    for _ in 0..MOST_REFINEMENTS {
        let found = problem.violation(&tried, penalty);
        if found >= violation || found.is_nan() {
            break;
        }
        (fit, violation) = (tried.clone(), found);
        if violation <= NOTHING {
            break;
        }
        tried.add(1.0, &system.refine(&problem.gradient(&fit, penalty)));
        iterations += 1;
    }
    (fit, Convergence::new(iterations, violation))
}

impl GaussianProblem<'_> {
    /// The gradient of minus the objective at some coefficients, without the l1 part.
    pub fn gradient(&self, at: &Coefficients, penalty: Penalty) -> Gradient {
        let mut gradient = Gradient::of_residuals(&self.leaf_response, &self.raw_gradient);
        let mut moved = at.clone();
        moved.intercept -= self.response_mean;
        gradient.follow(&self.hessian, &moved, penalty.l2);
        gradient
    }

    /// The largest violation of the optimality conditions at some coefficients; see
    /// [`GaussianProblem::violations`].
    pub fn violation(&self, at: &Coefficients, penalty: Penalty) -> f64 {
        self.violations(at, penalty).into_iter().fold(0.0, f64::max)
    }

    /// How far each stump, each raw column and the intercept, in this order, are from meeting the
    /// optimality conditions: as a share of the norm of the column times the norm of the response
    /// (centred, plus a thousandth of the norm of its mean, so that a constant response is not
    /// measured against its own rounding).
    pub fn violations(&self, at: &Coefficients, penalty: Penalty) -> Vec<f64> {
        let q = &self.hessian;
        let r = q.n_raw();
        // The l2 part is added by `Penalty::violation`.
        let gradient = self.gradient(at, Penalty::NONE);
        let scale = self.response_square.sqrt() + 1e-3 * self.response_mean.abs() * q.total.sqrt();
        let share = |violation: f64, square: f64| {
            if violation == 0.0 { 0.0 } else { violation / (square.sqrt() * scale) }
        };
        let mut violations: Vec<f64> = gradient
            .along_stumps(q)
            .into_iter()
            .enumerate()
            .map(|(split, along)| {
                share(penalty.violation(along, at.stump[split]), q.stump_square[split])
            })
            .collect();
        violations.extend((0..r).map(|k| {
            let square = q.raw_gram[k * r + k] + q.total * q.raw_mean[k] * q.raw_mean[k];
            share(penalty.violation(gradient.raw[k], at.raw[k]), square)
        }));
        violations.push(share(gradient.leaf.iter().sum::<f64>().abs(), q.total));
        violations
    }
}
