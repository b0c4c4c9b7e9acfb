//! Least squares with an elastic net, several problems in one batch.
//!
//! Lane `i` is a [`GaussianProblem`] of its own rows. All lanes have the same columns: those of a
//! basis or what a [`Reduction`] left of them.
//!
//! The stopping rule is the duality gap in the form that scikit-learn uses: with residual r,
//! penalty (l1, l2) and c = min(1, l1 / max_j |x_j' r - l2 b_j|),
//!
//! ```text
//! gap = (1 + c^2)/2 (|r|^2 + l2 |b|^2) + l1 |b|_1 - c r'y   <=   tolerance * y'y
//! ```
//!
//! All sums follow from the statistics: with q = X'y and g = X'r, r'y = y'y - b'q and
//! |r|^2 = r'y - b'g.
//!
//! Sweeps find which columns are active, direct steps settle them ([`Descent::step_directly`]).

use crate::basis::Stumps;
use crate::glm::linalg::vector::{Lanes, of_lane, per_lane, spread};
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::batched_hessian::BatchedHessian;
use crate::glm::quadratic::gaussian::GaussianProblem;
use crate::glm::quadratic::reduction::Reduction;
use crate::glm::solvers::descent::coordinate_descent::{Descent, Point, Start};
use crate::vectorised::{Vectorised, vectorised};

/// Tolerance above which sweeps alone mostly do, and their number before the first direct step. Else
/// there is one sweep before each.
const ROUGH: f64 = 1e-3;
const SWEEPS_IF_ROUGH: usize = 3;

/// Below this share of the terms it is summed from, a squared error of other rows has lost too many
/// digits to be compared.
const CANCELLED: f64 = 1e-7;

/// Least-squares problems over the same columns.
#[derive(Debug, Clone)]
pub struct BatchedProblem<const N: usize> {
    /// BatchedHessian.
    pub hessians: BatchedHessian<N>,
    /// Weighted mean responses.
    pub(crate) response_mean: Lanes<N>,
    /// Centred sums of squared responses.
    pub(crate) response_square: Lanes<N>,
    /// Weighted sums of the centred responses per leaf.
    leaf_response: Vec<Lanes<N>>,
    /// Gradients at zero slopes along each stump and each raw column.
    stump_gradient: Vec<Lanes<N>>,
    raw_gradient: Vec<Lanes<N>>,
}

/// Where a descent stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DescentReport {
    /// Sweeps done.
    pub iterations: usize,
    /// Duality gap as a share of the centred sum of squared responses.
    pub gap: f64,
    /// Whether the gap met the tolerance.
    pub converged: bool,
}

impl<const N: usize> BatchedProblem<N> {
    /// Problems over the same basis.
    pub fn new<'b>(problems: [&GaussianProblem<'b>; N]) -> Self {
        let gather = |of: for<'p> fn(&'p GaussianProblem<'b>) -> &'p Vec<f64>| -> Vec<Lanes<N>> {
            let lanes = problems.map(of);
            (0..lanes[0].len()).map(|i| per_lane(|lane| lanes[lane][i])).collect()
        };
        Self {
            hessians: BatchedHessian::new(problems.map(|problem| &problem.hessian)),
            response_mean: per_lane(|lane| problems[lane].response_mean),
            response_square: per_lane(|lane| problems[lane].response_square),
            leaf_response: gather(|problem| &problem.leaf_response),
            stump_gradient: gather(|problem| &problem.stump_gradient),
            raw_gradient: gather(|problem| &problem.raw_gradient),
        }
    }

    /// Problems without columns.
    pub(crate) fn empty() -> Self {
        Self {
            hessians: BatchedHessian::empty(),
            response_mean: [0.0; N],
            response_square: [0.0; N],
            leaf_response: Vec::new(),
            stump_gradient: Vec::new(),
            raw_gradient: Vec::new(),
        }
    }

    /// Puts the same problems over the columns that are left into `out`, whose memory is used
    /// again. A problem that lanes share is spread to all of them.
    pub(crate) fn reduce_into<const M: usize>(
        &self,
        reduction: &Reduction,
        out: &mut BatchedProblem<M>,
    ) {
        self.hessians.reduce_into(reduction, &mut out.hessians);
        out.response_mean = spread(&self.response_mean);
        out.response_square = spread(&self.response_square);
        out.leaf_response = reduction.sum_leaves(&self.leaf_response);
        out.stump_gradient = reduction.choose_stumps(&self.stump_gradient);
        out.raw_gradient = reduction.choose_raw(&self.raw_gradient);
    }

    /// Zero slopes.
    pub(crate) fn zero<const M: usize>(&self) -> Start<M> {
        Start {
            intercept: spread(&self.response_mean),
            stump: vec![[0.0; M]; self.hessians.n_splits()],
            raw: vec![[0.0; M]; self.hessians.n_raw()],
            leaf_residual: self.leaf_response.iter().map(spread).collect(),
            raw_gradient: self.raw_gradient.iter().map(spread).collect(),
        }
    }

    /// A descent that starts at zero slopes.
    #[cfg(test)]
    pub fn descent(&self) -> Descent<'_, N> {
        Descent::new(&self.hessians, self.zero())
    }

    /// Objective and duality gap at the descent's point, on the scale of a sum over rows. `outside`
    /// is the largest absolute gradient of columns that are not part of the problems.
    #[inline(always)]
    pub(crate) fn objective_and_gap(
        &self,
        point: &Point<N>,
        penalty: &[Penalty; N],
        outside: Lanes<N>,
    ) -> (Lanes<N>, Lanes<N>) {
        let (mut by_start, mut by_gradient) = ([0.0; N], [0.0; N]);
        let (mut absolute, mut squares, mut dual_norm) = ([0.0; N], [0.0; N], outside);
        let l2: Lanes<N> = per_lane(|lane| penalty[lane].l2);
        let mut add = |b: Lanes<N>, start: Lanes<N>, gradient: Lanes<N>| {
            for lane in 0..N {
                by_start[lane] += b[lane] * start[lane];
                by_gradient[lane] += b[lane] * gradient[lane];
                absolute[lane] += b[lane].abs();
                squares[lane] += b[lane] * b[lane];
                let violation = (gradient[lane] - l2[lane] * b[lane]).abs();
                dual_norm[lane] =
                    if violation > dual_norm[lane] { violation } else { dual_norm[lane] };
            }
        };
        for (split, (&b, &start)) in point.stump.iter().zip(&self.stump_gradient).enumerate() {
            add(b, start, point.stump_gradient(&self.hessians, split));
        }
        for ((&b, &start), &gradient) in
            point.raw.iter().zip(&self.raw_gradient).zip(&point.raw_gradient)
        {
            add(b, start, gradient);
        }
        let mut objective = [0.0; N];
        let gap = per_lane(|lane| {
            let l1 = penalty[lane].l1;
            let residual_response = self.response_square[lane] - by_start[lane];
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
    pub fn descend(
        &self,
        descent: &mut Descent<'_, N>,
        penalty: &[Penalty; N],
        tolerance: f64,
        max_iterations: usize,
    ) -> DescentReport {
        vectorised(Descend { problems: self, descent, penalty, tolerance, max_iterations })
    }

    /// Weighted sums of squared errors of the lanes' rows under coefficients that may come from
    /// other rows; `None` in a lane where too many digits cancelled.
    ///
    /// With c_l the predictor's constant on leaf l less the mean response, s the raw slopes and
    /// sums of centred responses y:
    ///
    /// ```text
    /// sum w (y - c - x s)^2 = y'y - 2 (sum_l c_l (w y)_l + s' X'y)
    ///                         + sum_l c_l^2 w_l + 2 sum_l c_l (w x)_l s + s' X'X s
    /// ```
    ///
    /// Lanes that share a problem have coefficients of their own. Cost: leaves x raw columns with a
    /// slope, whatever the number of rows.
    pub fn squared_error<const M: usize>(
        &self,
        intercept: Lanes<M>,
        stump: &[Lanes<M>],
        raw: &[Lanes<M>],
    ) -> [Option<f64>; M] {
        let (error, size) = vectorised(SquaredError { problems: self, intercept, stump, raw });
        std::array::from_fn(|lane| (error[lane] > CANCELLED * size[lane]).then_some(error[lane]))
    }
}

impl BatchedProblem<1> {
    /// The problem alone, over the same columns.
    pub(crate) fn into_single(self, stumps: &Stumps) -> GaussianProblem<'_> {
        GaussianProblem {
            hessian: self.hessians.into_single(stumps),
            response_mean: self.response_mean[0],
            response_square: self.response_square[0],
            leaf_response: self.leaf_response.into_flattened(),
            stump_gradient: self.stump_gradient.into_flattened(),
            raw_gradient: self.raw_gradient.into_flattened(),
        }
    }
}

struct SquaredError<'t, const N: usize, const M: usize> {
    problems: &'t BatchedProblem<N>,
    intercept: Lanes<M>,
    stump: &'t [Lanes<M>],
    raw: &'t [Lanes<M>],
}

impl<const N: usize, const M: usize> Vectorised for SquaredError<'_, N, M> {
    type Output = (Lanes<M>, Lanes<M>);

    #[inline(always)]
    fn run(self) -> (Lanes<M>, Lanes<M>) {
        let Self { problems, intercept, stump, raw } = self;
        let q = &problems.hessians;
        let r = q.n_raw();
        let total: Lanes<M> = spread(&q.total);
        let mean: Lanes<M> = spread(&problems.response_mean);
        let from_mean = per_lane(|lane| intercept[lane] - mean[lane]);
        let constant = q.leaf_offsets(from_mean, stump);
        let (mut error, mut at_mean) = (spread(&problems.response_square), [0.0; M]);
        // Centring the responses has cost digits already.
        let mut size: Lanes<M> =
            per_lane(|lane| error[lane] + total[lane] * mean[lane] * mean[lane]);
        for ((c, sum), w) in constant.iter().zip(&problems.leaf_response).zip(q.leaf_weight()) {
            for lane in 0..M {
                let square = c[lane] * c[lane] * of_lane(w, lane);
                size[lane] += square;
                error[lane] += square - 2.0 * c[lane] * of_lane(sum, lane);
            }
        }
        let active: Vec<usize> = (0..r).filter(|&k| raw[k] != [0.0; M]).collect();
        let slopes: Vec<Lanes<M>> = active.iter().map(|&k| raw[k]).collect();
        // Minus what constants and raw columns have in common.
        let mut crossed = vec![[0.0; M]; active.len()];
        q.raw_leaf.subtract_products_of(
            &active,
            &mut crossed,
            &constant,
            q.along_weight(&constant),
        );
        for ((&k, raw), crossed) in active.iter().zip(&slopes).zip(&crossed) {
            let mut image = [0.0; M];
            let gram = &q.raw_gram[k * r..(k + 1) * r];
            for (slope, &other) in slopes.iter().zip(&active) {
                for lane in 0..M {
                    image[lane] += slope[lane] * of_lane(&gram[other], lane);
                }
            }
            for lane in 0..M {
                let gradient = of_lane(&problems.raw_gradient[k], lane);
                let along = image[lane] - 2.0 * (crossed[lane] + gradient);
                error[lane] += raw[lane] * along;
                size[lane] += (raw[lane] * image[lane]).abs();
                at_mean[lane] += raw[lane] * of_lane(&q.raw_mean[k], lane);
            }
        }
        for lane in 0..M {
            let square = total[lane] * at_mean[lane] * at_mean[lane];
            error[lane] += square;
            size[lane] += square;
        }
        (error, size)
    }
}

struct Descend<'t, 'd, const N: usize> {
    problems: &'t BatchedProblem<N>,
    descent: &'t mut Descent<'d, N>,
    penalty: &'t [Penalty; N],
    tolerance: f64,
    max_iterations: usize,
}

impl<const N: usize> Vectorised for Descend<'_, '_, N> {
    type Output = DescentReport;

    #[inline(always)]
    fn run(self) -> DescentReport {
        let Self { problems, descent, penalty, tolerance, max_iterations } = self;
        descent.set_penalty(penalty);
        let scale = problems.response_square;
        let mut iterations = 0;
        let mut wait = if tolerance > ROUGH { SWEEPS_IF_ROUGH } else { 1 };
        let mut next_step = wait;
        let mut safe = None;
        loop {
            let (objective, gap) = problems.objective_and_gap(&descent.point, penalty, [0.0; N]);
            let largest = largest_share(gap, scale);
            let converged = largest <= tolerance;
            if converged || iterations >= max_iterations {
                return DescentReport { iterations, gap: largest, converged };
            }
            if iterations < next_step {
                descent.sweep();
                iterations += 1;
                continue;
            }
            let safe = match &mut safe {
                None => safe.insert(descent.point.clone()),
                Some(safe) => {
                    safe.copy_from(&descent.point);
                    safe
                }
            };
            descent.step_directly();
            let (further, _) = problems.objective_and_gap(&descent.point, penalty, [0.0; N]);
            let mut any = false;
            for lane in 0..N {
                if further[lane] < objective[lane] {
                    any |= gap[lane] > tolerance * scale[lane];
                } else {
                    descent.point.copy_lane_from(safe, lane);
                }
            }
            if !any {
                // Rounding is all that such steps find here.
                wait *= 2;
            }
            next_step = iterations + wait;
        }
    }
}

/// The largest gap as a share of the lane's centred sum of squared responses.
#[inline(always)]
pub(crate) fn largest_share<const N: usize>(gap: Lanes<N>, scale: Lanes<N>) -> f64 {
    (0..N).fold(0.0_f64, |largest, lane| {
        largest.max(if scale[lane] > 0.0 { gap[lane] / scale[lane] } else { 0.0 })
    })
}
