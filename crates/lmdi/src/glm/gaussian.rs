//! Least squares with an elastic net from sufficient statistics.
//!
//! Convergence is judged by the duality gap in the form scikit-learn uses: with residual r, penalty
//! (l1, l2) and c = min(1, l1 / max_j |x_j' r - l2 b_j|),
//!
//! ```text
//! gap = (1 + c^2)/2 (|r|^2 + l2 |b|^2) + l1 |b|_1 - c r'y   <=   tolerance * y'y
//! ```
//!
//! All sums follow from the statistics: with q = X'y and g = X'r, r'y = y'y - b'q and
//! |r|^2 = r'y - b'g.

use super::coefficients::Coefficients;
use super::coordinate_descent::Descent;
use super::penalty::Penalty;
use super::quadratic::Quadratic;
use super::statistics::Statistics;
use super::vector::{Lanes, Vectorised, per_lane, vectorised};
use crate::basis::Basis;

/// Sweeps at one penalty after which an outdated curvature of the raw block is to blame.
const REBUILD_AFTER: usize = 2;

/// Sweeps that a curvature of the raw block serves at least.
const REBUILD_EVERY: usize = 6;

/// Sweeps at one penalty after which plain steps, slow but sure, take over.
const GIVE_UP_AFTER: usize = 20;

/// The least-squares problem of some rows: curvature and the gradient at zero slopes.
#[derive(Debug)]
pub struct GaussianProblem<'b> {
    /// Curvature.
    pub quadratic: Quadratic<'b>,
    /// Weighted mean response.
    pub response_mean: f64,
    /// Centred sum of squared responses.
    pub response_square: f64,
    /// Weighted sums of the centred response per leaf.
    pub leaf_response: Vec<f64>,
    /// Gradient at zero slopes along each stump.
    pub stump_gradient: Vec<f64>,
    /// Gradient at zero slopes along each raw column.
    pub raw_gradient: Vec<f64>,
}

/// Where a descent stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Sweeps done.
    pub iterations: usize,
    /// Duality gap as a share of the centred sum of squared responses.
    pub gap: f64,
    /// Whether the gap met the tolerance.
    pub converged: bool,
}

impl<'b> GaussianProblem<'b> {
    /// The problem of rows with these statistics.
    pub fn new(basis: &'b Basis, statistics: &Statistics) -> Self {
        let quadratic = Quadratic::new(basis, statistics);
        let total = quadratic.total;
        let sum: f64 = statistics.leaf_response.iter().sum();
        let response_mean = if total > 0.0 { sum / total } else { 0.0 };
        let response_square =
            (statistics.response_square - total * response_mean * response_mean).max(0.0);
        let leaf_response: Vec<f64> = statistics
            .leaf_response
            .iter()
            .zip(&statistics.leaf_weight)
            .map(|(wy, w)| wy - response_mean * w)
            .collect();
        let raw_gradient: Vec<f64> = statistics
            .raw_response
            .iter()
            .zip(&quadratic.raw_mean)
            .map(|(xy, mean)| xy - response_mean * mean * total)
            .collect();
        let mut problem = Self {
            quadratic,
            response_mean,
            response_square,
            leaf_response,
            stump_gradient: Vec::new(),
            raw_gradient,
        };
        let start = problem.descent::<1>();
        let stump_gradient =
            (0..basis.stumps.n_splits()).map(|split| start.stump_gradient(split)[0]).collect();
        problem.stump_gradient = stump_gradient;
        problem
    }

    /// A descent that starts at zero slopes.
    pub fn descent<const N: usize>(&self) -> Descent<'_, 'b, N> {
        let mut zero = Coefficients::zero(self.quadratic.stumps.n_splits(), self.quadratic.n_raw());
        zero.intercept = self.response_mean;
        Descent::new(&self.quadratic, &zero, &self.leaf_response, &self.raw_gradient)
    }

    /// The largest absolute gradient at zero slopes: with an l1 penalty of at least this, all slopes
    /// are zero.
    pub fn largest_gradient(&self) -> f64 {
        self.stump_gradient
            .iter()
            .chain(&self.raw_gradient)
            .fold(0.0_f64, |largest, gradient| largest.max(gradient.abs()))
    }

    /// Objective and duality gap at the descent's point, on the scale of a sum over rows.
    #[inline(always)]
    fn objective_and_gap<const N: usize>(
        &self,
        descent: &Descent<'_, 'b, N>,
        penalty: &[Penalty; N],
    ) -> (Lanes<N>, Lanes<N>) {
        let (mut by_start, mut by_gradient) = ([0.0; N], [0.0; N]);
        let (mut absolute, mut squares, mut dual_norm) = ([0.0; N], [0.0; N], [0.0_f64; N]);
        let l2: Lanes<N> = per_lane(|lane| penalty[lane].l2);
        let mut add = |b: Lanes<N>, start: f64, gradient: Lanes<N>| {
            for lane in 0..N {
                by_start[lane] += b[lane] * start;
                by_gradient[lane] += b[lane] * gradient[lane];
                absolute[lane] += b[lane].abs();
                squares[lane] += b[lane] * b[lane];
                let violation = (gradient[lane] - l2[lane] * b[lane]).abs();
                dual_norm[lane] =
                    if violation > dual_norm[lane] { violation } else { dual_norm[lane] };
            }
        };
        for (split, (&b, &start)) in
            descent.point.stump.iter().zip(&self.stump_gradient).enumerate()
        {
            add(b, start, descent.stump_gradient(split));
        }
        for ((&b, &start), &gradient) in
            descent.point.raw.iter().zip(&self.raw_gradient).zip(&descent.point.raw_gradient)
        {
            add(b, start, gradient);
        }
        let mut objective = [0.0; N];
        let gap = per_lane(|lane| {
            let l1 = penalty[lane].l1;
            let residual_response = self.response_square - by_start[lane];
            let residual_square = (residual_response - by_gradient[lane]).max(0.0);
            let c = if dual_norm[lane] > l1 { l1 / dual_norm[lane] } else { 1.0 };
            let ridge = residual_square + l2[lane] * squares[lane];
            let lasso = l1 * absolute[lane];
            objective[lane] = 0.5 * ridge + lasso;
            (0.5 * (1.0 + c * c) * ridge + lasso - c * residual_response).max(0.0)
        });
        (objective, gap)
    }

    /// Sweeps until in every lane the gap is at most `tolerance` times the centred sum of squared
    /// responses.
    pub fn descend<const N: usize>(
        &self,
        descent: &mut Descent<'_, 'b, N>,
        penalty: &[Penalty; N],
        tolerance: f64,
        max_iterations: usize,
    ) -> Progress {
        vectorised(Descend { problem: self, descent, penalty, tolerance, max_iterations })
    }
}

struct Descend<'t, 'd, 'b, const N: usize> {
    problem: &'t GaussianProblem<'b>,
    descent: &'t mut Descent<'d, 'b, N>,
    penalty: &'t [Penalty; N],
    tolerance: f64,
    max_iterations: usize,
}

impl<const N: usize> Vectorised for Descend<'_, '_, '_, N> {
    type Output = Progress;

    #[inline(always)]
    fn run(self) -> Progress {
        let Self { problem, descent, penalty, tolerance, max_iterations } = self;
        descent.set_penalty(penalty);
        let scale = problem.response_square;
        // A rise far below the tolerance is rounding in a lane that has long converged.
        let slack = 0.01 * tolerance * scale;
        let mut iterations = 0;
        let mut before = [f64::INFINITY; N];
        let mut plain_until = [0; N];
        let mut safe = descent.point.clone();
        loop {
            let (objective, gap) = problem.objective_and_gap(descent, penalty);
            let largest = gap.iter().fold(0.0_f64, |largest, &gap| largest.max(gap));
            let converged = largest <= tolerance * scale;
            if converged || iterations >= max_iterations {
                let gap = if scale > 0.0 { largest / scale } else { 0.0 };
                return Progress { iterations, gap, converged };
            }
            for lane in 0..N {
                if objective[lane] > before[lane] + slack {
                    // The model of the stumps' answer overshot: go back and do without it a while.
                    descent.point.copy_lane_from(&safe, lane);
                    descent.forget_raw_curvature(lane);
                    plain_until[lane] = iterations + REBUILD_EVERY;
                } else {
                    before[lane] = objective[lane];
                }
            }
            safe.copy_from(&descent.point);
            if iterations == GIVE_UP_AFTER {
                for lane in 0..N {
                    descent.forget_raw_curvature(lane);
                }
            } else if (REBUILD_AFTER..GIVE_UP_AFTER).contains(&iterations)
                && descent.since_rebuild >= REBUILD_EVERY
            {
                descent.rebuild_raw_curvature(plain_until.map(|until| iterations >= until));
            }
            descent.sweep();
            iterations += 1;
        }
    }
}
