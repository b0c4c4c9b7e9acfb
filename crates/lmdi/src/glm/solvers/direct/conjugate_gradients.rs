//! Steps of minimum norm: `(H + l2) b = g` for any l2 >= 0, singular or not.
//!
//! A factored system ([`Elimination`]) needs a positive penalty. If l2 is negligible beside H,
//! conjugate gradients solve the system itself, with the factor of a slightly larger penalty as
//! preconditioner. All iterates are polynomials in H applied to g, so they never leave the space
//! spanned by the columns' rows: of all solutions they approach the one of minimum norm, which is
//! what a pseudo-inverse gives. When l2 is large enough the preconditioner is exact and one step
//! remains, which doubles as iterative refinement.
//!
//! Cost: one factorisation, then 4 m r per step. Eigenvalues above the preconditioner's penalty
//! count as one; each smaller one costs about one more step.

use crate::glm::model::coefficients::Coefficients;
use crate::glm::quadratic::gradient::Gradient;
use crate::glm::quadratic::hessian::Hessian;
use crate::glm::solvers::direct::active_columns::ActiveColumns;
use crate::glm::solvers::direct::elimination::Elimination;

/// Smallest penalty of the preconditioner, as a share of the largest curvature of a column. The
/// smaller it is the more rounding leaks into directions that the data leave open.
const LEAST_SHARE: f64 = 1e-6;

/// The squared size of the gradient, as a share of where it started, at which to stop.
const ENOUGH: f64 = 1e-22;

/// A direction of less curvature than this share of the largest is one that the data leave open:
/// what points along it is rounding. A Gram matrix does not resolve less.
const OPEN: f64 = 1e-12;

/// Smallest l2 of an exact factor, as a share of the largest curvature. Without a penalty, a row
/// that alone decides a slope has a leave-one-out answer only as the limit of small penalties; this
/// one stands for the limit. It balances the distance to the limit against rounding, which grows as
/// the penalty falls.
const LEAST_EXACT_SHARE: f64 = 1e-8;

/// Steps after which to give up.
const MOST_STEPS: usize = 400;

/// Steps with an exact factor, after which what is left of the gradient is rounding.
const EXACT_STEPS: usize = 3;

/// The largest diagonal entry of the Hessian.
pub(crate) fn largest_diagonal(hessian: &Hessian<'_>) -> f64 {
    let r = hessian.n_raw();
    let raw = (0..r).map(|k| hessian.raw_gram[k * r + k]);
    hessian.stump_square.iter().copied().chain(raw).fold(0.0_f64, f64::max)
}

/// The penalty itself, or the smallest that an exact factor of the system bears.
pub(crate) fn stable_l2(hessian: &Hessian<'_>, l2: f64) -> f64 {
    let stable = l2.max(LEAST_EXACT_SHARE * largest_diagonal(hessian));
    if stable > 0.0 { stable } else { 1.0 }
}

/// A system over some columns, factored once.
pub(crate) struct System<'q, 'b> {
    hessian: &'q Hessian<'b>,
    pub(crate) l2: f64,
    /// Least curvature of a direction to move in.
    least: f64,
    most_steps: usize,
    factor: Elimination<'q, 'b>,
}

/// What came of a system.
pub(crate) struct Solution {
    pub(crate) step: Coefficients,
    pub(crate) iterations: usize,
    /// A direction without curvature along which the gradient, or its rounding, still points.
    pub(crate) open: Option<Coefficients>,
}

impl<'q, 'b> System<'q, 'b> {
    pub(crate) fn new(hessian: &'q Hessian<'b>, active: ActiveColumns, l2: f64) -> Self {
        let largest = largest_diagonal(hessian);
        let stable = l2.max(LEAST_SHARE * largest);
        // Without any curvature there is nothing to solve, and every penalty says so.
        let stable = if stable > 0.0 { stable } else { 1.0 };
        let factor = Elimination::new(hessian, active, stable);
        let most_steps = if stable > l2 { MOST_STEPS } else { EXACT_STEPS };
        Self { hessian, l2, least: OPEN * largest, most_steps, factor }
    }

    /// Solves `(H + l2) step = gradient`, as far as the gradient is within reach of H.
    pub(crate) fn solve(&self, gradient: &Gradient) -> Solution {
        let q = self.hessian;
        let mut left = gradient.clone();
        let mut answer = self.factor.solve(&left);
        let mut direction = answer.clone();
        let mut size = left.along(q, &answer);
        let enough = ENOUGH * size;
        let mut step = Coefficients::zero(answer.stump.len(), answer.raw.len());
        let mut steps = 0;
        let mut open = None;
        while steps < self.most_steps && size > enough {
            let mut image = Gradient::zero(q);
            image.follow(q, &direction, self.l2);
            let bend = -image.along(q, &direction);
            let squares: f64 = direction.slopes().map(|b| b * b).sum();
            if bend.is_nan() || bend <= self.least * squares {
                open = Some(direction);
                break;
            }
            let length = size / bend;
            step.add(length, &direction);
            left.add(length, &image);
            steps += 1;
            answer = self.factor.solve(&left);
            let before = std::mem::replace(&mut size, left.along(q, &answer));
            let mut next = answer;
            next.add(size / before, &direction);
            direction = next;
        }
        Solution { step, iterations: steps, open }
    }

    /// The same for the next of many steps, each of which sees what the one before left: where the
    /// factor is exact, what rounding leaves is not worth a second solution.
    pub(crate) fn step(&self, gradient: &Gradient) -> Coefficients {
        if self.most_steps == EXACT_STEPS {
            self.factor.solve(gradient)
        } else {
            self.solve(gradient).step
        }
    }

    /// One more step from what is left of the gradient, which must be small. It moves along open
    /// directions by no more than rounding.
    pub(crate) fn refine(&self, left: &Gradient) -> Coefficients {
        self.factor.solve(left)
    }
}
