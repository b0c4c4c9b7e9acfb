//! Steps of minimum norm: `(H + l2) b = g` for any l2 >= 0, singular or not.
//!
//! A factored system ([`Elimination`]) needs a positive penalty. When l2 is too small to be seen
//! beside H, conjugate gradients solve the system as it stands, with the factor of a slightly larger
//! penalty as preconditioner. All iterates are polynomials in H applied to g, so they never leave the
//! space spanned by the columns' rows: of all solutions they approach the one of minimum norm, which is
//! what a pseudo-inverse gives. When l2 is large enough the preconditioner is exact and one step
//! remains, which doubles as iterative refinement.
//!
//! Cost: one factorisation, then 4 m r a step. Eigenvalues above the preconditioner's penalty count as
//! one; each smaller one costs about one more step.

use super::active::ActiveColumns;
use super::coefficients::Coefficients;
use super::elimination::Elimination;
use super::gradient::Gradient;
use super::quadratic::Quadratic;

/// Smallest penalty of the preconditioner, as a share of the largest curvature of a column. The
/// smaller it is the more rounding leaks into directions that the data leave open.
const LEAST_SHARE: f64 = 1e-6;

/// The squared size of the gradient, as a share of where it started, at which to stop.
const ENOUGH: f64 = 1e-22;

/// A direction of less curvature than this share of the largest is one that the data leave open: what
/// points along it is rounding. A Gram matrix does not resolve less.
const OPEN: f64 = 1e-12;

/// Steps after which to give up.
const MOST_STEPS: usize = 400;

/// Steps with an exact factor, after which what is left of the gradient is rounding.
const EXACT_STEPS: usize = 3;

/// The largest curvature of a column.
pub(super) fn largest_curvature(quadratic: &Quadratic<'_>) -> f64 {
    let r = quadratic.n_raw();
    let raw = (0..r).map(|k| quadratic.raw_gram[k * r + k]);
    quadratic.stump_square.iter().copied().chain(raw).fold(0.0_f64, f64::max)
}

/// A system over some columns, factored once.
pub(super) struct System<'q, 'b> {
    quadratic: &'q Quadratic<'b>,
    l2: f64,
    /// Least curvature of a direction to move in.
    least: f64,
    most_steps: usize,
    factor: Elimination<'q, 'b>,
}

/// What came of a system.
pub(super) struct Solution {
    pub(super) step: Coefficients,
    pub(super) iterations: usize,
    /// A direction without curvature along which the gradient, or its rounding, still points.
    pub(super) open: Option<Coefficients>,
}

impl<'q, 'b> System<'q, 'b> {
    pub(super) fn new(quadratic: &'q Quadratic<'b>, active: ActiveColumns, l2: f64) -> Self {
        let largest = largest_curvature(quadratic);
        let bearable = l2.max(LEAST_SHARE * largest);
        // Without any curvature there is nothing to solve, and every penalty says so.
        let bearable = if bearable > 0.0 { bearable } else { 1.0 };
        let factor = Elimination::new(quadratic, active, bearable);
        let most_steps = if bearable > l2 { MOST_STEPS } else { EXACT_STEPS };
        Self { quadratic, l2, least: OPEN * largest, most_steps, factor }
    }

    /// Solves `(H + l2) step = gradient`, as far as the gradient is within reach of H.
    pub(super) fn solve(&self, gradient: &Gradient) -> Solution {
        let q = self.quadratic;
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

    /// One more step from what is left of the gradient, which must be small. It moves along open
    /// directions by no more than rounding.
    pub(super) fn refine(&self, left: &Gradient) -> Coefficients {
        self.factor.solve(left)
    }
}
