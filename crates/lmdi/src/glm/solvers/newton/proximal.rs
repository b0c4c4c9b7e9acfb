//! Proximal Newton for families other than the gaussian.
//!
//! At the current point the loss is replaced by its quadratic model (row weights = second
//! derivatives, residuals = minus first derivatives), the model is solved with the elastic net
//! ([`LocalModel`]), and a line search on the true objective takes the step:
//!
//! ```text
//! f(b + t d) <= f(b) + 1e-4 t D,    D = -g'd + penalty(b + d) - penalty(b)
//! ```
//!
//! If D and the curvature along d imply that the condition holds, the objective is not evaluated.
//! The larger of -D/2 and the predicted decrease of the best single column estimates how far the
//! objective is above its minimum; a fit stops when that is below a share of the null model's loss.
//! The Hessian is reused for the next step while steps reduce the violation of the optimality
//! conditions fast, because building it costs r^2/2 per row and a gradient only r.

use crate::basis::{Basis, SparseBlock, TreeRows};
use crate::glm::linalg::vector::{add_scaled, dot};
use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::family::Family;
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::hessian::Hessian;
use crate::glm::quadratic::statistics::Statistics;
use crate::glm::solvers::direct::active_columns::ActiveColumns;
use crate::glm::solvers::direct::conjugate_gradients::System;
use crate::glm::solvers::newton::local_model::{Effort, LocalModel, LocalSolution};
use crate::vectorised::{Vectorised, vectorised};
use std::ops::Range;

/// A kept curvature must shrink the violation at least to this share a step.
const KEEP_CURVATURE: f64 = 0.6;

/// A fit to less accuracy than this only ranks penalties roughly: the estimate of what is left to
/// gain may then rest on a model that is not quite solved, or on a curvature that was kept.
const ROUGH: f64 = 1e-4;

/// Rounds of direct steps in one model at most, for rough fits and others.
const ROUGH_ROUNDS: usize = 3;
const MOST_ROUNDS: usize = 20;

/// What a step under a kept curvature is taken to leave at least of the violation.
const KEPT_AT_LEAST: f64 = 0.5;

/// What of the promised decrease a step must bring.
const ENOUGH_DECREASE: f64 = 1e-4;

/// Changes of a linear predictor below which the bound on the loss has no digits left as it is
/// written, and from which it is too loose to be of use.
const SHORT: f64 = 1e-3;
const LONG: f64 = 3.0;

/// Halvings of a step before the fit gives up.
const HALVINGS: usize = 30;

/// The rows of a fit, with their responses.
pub struct NewtonProblem<'p, 'x> {
    /// The columns.
    pub basis: &'p Basis,
    /// The rows; those outside `ranges` are predicted but not fitted.
    pub rows: &'p TreeRows<'x>,
    /// Response of every fitted row.
    pub response: &'p [f64],
    /// Response family.
    pub family: Family,
    /// The rows that are fitted.
    pub ranges: [Range<usize>; 2],
}

/// A point of a fit, the linear predictors there, and the curvature last built.
#[derive(Debug, Clone)]
pub struct NewtonPoint<'p> {
    /// Coefficients.
    pub at: Coefficients,
    /// Linear predictor of every row, fitted or not.
    pub eta: Vec<f64>,
    hessian: Option<Hessian<'p>>,
}

/// How a fit ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonReport {
    /// Newton steps.
    pub iterations: usize,
    /// Estimated distance of the objective from its minimum, as a share of the null loss.
    pub gap: f64,
    /// Largest violation of the optimality conditions, as a share of the largest gradient of the
    /// null model.
    pub violation: f64,
    /// Whether the gap met the tolerance.
    pub converged: bool,
}

/// Derivatives at a point.
struct Slope {
    /// Weighted residual of every fitted row.
    residual: Vec<f64>,
    /// Second derivative of the loss of every fitted row in its linear predictor.
    curvature: Vec<f64>,
    /// Sum of residuals per leaf.
    leaf_residual: Vec<f64>,
    /// Gradient along each raw column.
    raw_gradient: Vec<f64>,
}

impl NewtonPoint<'_> {
    /// Moves to coefficients with these linear predictors. The curvature stays that of another
    /// point, which is close enough for the first steps from a point nearby.
    pub(crate) fn move_to(&mut self, at: Coefficients, eta: Vec<f64>) {
        (self.at, self.eta) = (at, eta);
    }
}

impl<'p, 'x> NewtonProblem<'p, 'x> {
    /// The null model: an intercept alone. `None` when there is no weight, or (binomial) only one
    /// class, so that nothing can be fitted.
    pub fn null(&self) -> Option<NewtonPoint<'p>> {
        let (mut weight, mut sum) = (0.0, 0.0);
        for row in self.fitted() {
            weight += self.rows.weight[row];
            sum += self.rows.weight[row] * self.response[row];
        }
        let mean = sum / weight;
        let usable = match self.family {
            Family::Gaussian => weight > 0.0,
            Family::Binomial => mean > 0.0 && mean < 1.0,
            Family::Poisson => mean > 0.0,
        };
        if !usable {
            return None;
        }
        let mut at = Coefficients::zero(self.basis.stumps.n_splits(), self.basis.raw.len());
        at.intercept = self.family.link(mean);
        let eta = vec![at.intercept; self.rows.len()];
        Some(NewtonPoint { at, eta, hessian: None })
    }

    /// The point at some coefficients.
    pub fn at(&self, at: Coefficients) -> NewtonPoint<'p> {
        let eta = self.predict(&at);
        NewtonPoint { at, eta, hessian: None }
    }

    fn fitted(&self) -> impl Iterator<Item = usize> {
        let [first, second] = self.ranges.clone();
        first.chain(second)
    }

    /// Loss of the fitted rows at some linear predictors.
    pub fn loss(&self, eta: &[f64]) -> f64 {
        let (mut sum, mut losses) = (0.0, Vec::new());
        for range in &self.ranges {
            let (y, eta) = (&self.response[range.clone()], &eta[range.clone()]);
            self.family.losses(y, eta, &mut losses);
            for (w, loss) in self.rows.weight[range.clone()].iter().zip(&losses) {
                sum += w * loss;
            }
        }
        sum
    }

    /// Loss plus penalty at a point.
    pub fn objective(&self, point: &NewtonPoint<'p>, penalty: Penalty) -> f64 {
        self.loss(&point.eta) + penalty_of(penalty, &point.at)
    }

    /// Loss of the fitted rows above that of a model that predicts every response exactly. Unlike
    /// the loss itself, which may be negative for counts, it is a scale for what is left to gain.
    pub fn excess_loss(&self, eta: &[f64]) -> f64 {
        let smallest: f64 = self
            .fitted()
            .map(|row| self.rows.weight[row] * self.family.smallest_loss(self.response[row]))
            .sum();
        self.loss(eta) - smallest
    }

    /// Largest absolute gradient over all columns; the null model's says which l1 penalty sets
    /// every slope to zero.
    pub fn largest_gradient(&self, point: &NewtonPoint<'p>) -> f64 {
        let (slope, _) = self.differentiate(&point.eta, false);
        largest_gradient(self.basis, &slope.leaf_residual, &slope.raw_gradient)
    }

    /// The curvature of the loss at a point, which serves the next fit from there as well.
    pub fn hessian_at<'h>(&self, point: &'h mut NewtonPoint<'p>) -> Option<&'h Hessian<'p>> {
        (_, point.hessian) = self.differentiate(&point.eta, true);
        point.hessian.as_ref()
    }

    /// Gradient sums at some linear predictors and, if requested, the Hessian.
    fn differentiate(&self, eta: &[f64], with_hessian: bool) -> (Slope, Option<Hessian<'p>>) {
        let (n_leaves, r) = (self.basis.stumps.n_leaves(), self.basis.raw.len());
        let mut slope = Slope {
            residual: Vec::with_capacity(self.rows.len()),
            curvature: Vec::with_capacity(self.rows.len()),
            leaf_residual: vec![0.0; n_leaves],
            raw_gradient: vec![0.0; r],
        };
        let mut statistics = with_hessian.then(|| Statistics::new(self.basis));
        let sparse = self.rows.sparse_columns();
        // By position, and without what the modes add.
        let mut by_position = vec![0.0; r];
        for range in self.ranges.clone() {
            self.rows.for_sparse_blocks(range, |block| {
                let first = slope.residual.len();
                let Slope { residual, curvature, .. } = &mut slope;
                let eta = &eta[block.range.clone()];
                self.family.add_means_and_variances(eta, residual, curvature);
                let of_rows = residual[first..].iter_mut().zip(&mut curvature[first..]);
                for ((mean, variance), row) in of_rows.zip(block.range.clone()) {
                    let w = self.rows.weight[row];
                    *mean = w * (self.response[row] - *mean);
                    *variance *= w;
                }
                let residual = &slope.residual[first..];
                let leaf = &self.rows.leaf[block.range.clone()];
                for (&leaf, residual) in leaf.iter().zip(residual) {
                    slope.leaf_residual[leaf as usize] += residual;
                }
                vectorised(AddRows {
                    sum: &mut by_position,
                    n_dense: sparse.n_dense,
                    factor: residual,
                    block: &block,
                });
                if let Some(statistics) = &mut statistics {
                    statistics.update_sparse(leaf, &slope.curvature[first..], &block);
                }
            });
        }
        let total: f64 = slope.leaf_residual.iter().sum();
        for (position, &k) in sparse.order.iter().enumerate() {
            slope.raw_gradient[k] = by_position[position] + sparse.mode[position] * total;
        }
        let hessian =
            statistics.map(|statistics| Hessian::new(self.basis, &statistics.with_modes(sparse)));
        (slope, hessian)
    }

    /// Linear predictor of every row.
    fn predict(&self, model: &Coefficients) -> Vec<f64> {
        let mut offset = Vec::new();
        self.basis.stumps.leaf_offsets(&model.stump, &mut offset);
        let sparse = self.rows.sparse_columns();
        let slope: Vec<f64> = sparse.order.iter().map(|&k| model.raw[k]).collect();
        let everywhere = model.intercept + dot(&slope, &sparse.mode);
        let mut eta: Vec<f64> =
            self.rows.leaf.iter().map(|&leaf| everywhere + offset[leaf as usize]).collect();
        self.rows.for_sparse_blocks(0..self.rows.len(), |block| {
            let n_dense = sparse.n_dense;
            let out = &mut eta[block.range.clone()];
            vectorised(AddDots { out, n_dense, block: &block, slope: &slope });
        });
        eta
    }

    /// Improves `point` until its objective is within `tolerance` times the null loss `null_loss`
    /// of the minimum. `null_gradient` is the null model's largest gradient.
    pub fn solve(
        &self,
        point: &mut NewtonPoint<'p>,
        penalty: Penalty,
        null_loss: f64,
        null_gradient: f64,
        tolerance: f64,
        max_iterations: usize,
    ) -> NewtonReport {
        let loss = self.loss(&point.eta);
        // Where the null model leaves nothing to gain, what is left of its loss is rounding.
        let null_loss = null_loss.max(f64::EPSILON * loss.abs()).max(f64::MIN_POSITIVE);
        let mut descent = NewtonDescent {
            problem: self,
            penalty,
            null_loss,
            null_gradient,
            tolerance,
            max_iterations,
            penalty_value: penalty_of(penalty, &point.at),
            loss: Some(loss),
            last_violation: f64::INFINITY,
            report: NewtonReport {
                iterations: 0,
                gap: f64::INFINITY,
                violation: f64::INFINITY,
                converged: false,
            },
        };
        loop {
            let kept = point.hessian.take();
            let (slope, built) = self.differentiate(&point.eta, kept.is_none());
            let is_fresh = built.is_some();
            let Some(hessian) = built.or(kept) else {
                return descent.report;
            };
            if descent.step_under(&hessian, is_fresh, slope, point) == Ended::Finished {
                point.hessian = Some(hessian);
                return descent.report;
            }
        }
    }
}

/// Why steps under one curvature ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// The fit is finished.
    Finished,
    /// The curvature no longer serves.
    CurvatureOutdated,
}

/// A fit on its way.
struct NewtonDescent<'d, 'p, 'x> {
    problem: &'d NewtonProblem<'p, 'x>,
    penalty: Penalty,
    null_loss: f64,
    null_gradient: f64,
    tolerance: f64,
    max_iterations: usize,
    penalty_value: f64,
    /// Loss at the point, if it is known.
    loss: Option<f64>,
    last_violation: f64,
    report: NewtonReport,
}

impl<'p> NewtonDescent<'_, 'p, '_> {
    /// Takes steps under one curvature, which is that of the point if it is fresh. `slope` is that
    /// of the point.
    fn step_under(
        &mut self,
        hessian: &Hessian<'p>,
        mut is_fresh: bool,
        mut slope: Slope,
        point: &mut NewtonPoint<'p>,
    ) -> Ended {
        let Self { problem, penalty, .. } = *self;
        let is_rough = self.tolerance > ROUGH;
        // One factor serves all steps.
        let ridge = (penalty.l1 <= 0.0)
            .then(|| System::new(hessian, ActiveColumns::all(hessian), penalty.l2));
        loop {
            let model = LocalModel {
                hessian,
                at: &point.at,
                leaf_residual: &slope.leaf_residual,
                raw_gradient: &slope.raw_gradient,
            };
            let LocalSolution { coefficients: new, violation, predicted_decrease, solved } =
                match &ridge {
                    Some(system) => model.minimise_ridge(system),
                    None => {
                        let rounds = if is_rough { ROUGH_ROUNDS } else { MOST_ROUNDS };
                        model.minimise(penalty, Effort::rough(rounds))
                    }
                };
            self.report.violation =
                if self.null_gradient > 0.0 { violation / self.null_gradient } else { violation };
            if violation > KEEP_CURVATURE * self.last_violation && !is_fresh {
                // Solve again under the curvature here.
                self.last_violation = f64::INFINITY;
                return Ended::CurvatureOutdated;
            }
            // Under a kept curvature a step leaves this share, and the estimate is short by its
            // square.
            let left = if is_fresh || is_rough {
                0.0
            } else {
                (violation / self.last_violation).max(KEPT_AT_LEAST)
            };
            self.last_violation = violation;
            let eta = problem.predict(&new);
            let new_penalty = penalty_of(penalty, &new);
            let mut decrease = new_penalty - self.penalty_value;
            let (mut bend, mut farthest) = (0.0, 0.0_f64);
            let rows = problem.fitted().zip(&slope.residual).zip(&slope.curvature);
            for ((row, residual), curvature) in rows {
                let change = eta[row] - point.eta[row];
                decrease -= residual * change;
                bend += curvature * change * change;
                farthest = farthest.max(change.abs());
            }
            if decrease.is_nan() {
                // Beyond the range of numbers; the point is the last one that is not.
                self.report.gap = f64::INFINITY;
                self.report.converged = false;
                return Ended::Finished;
            }
            self.report.gap = (-0.5 * decrease / ((1.0 - left) * (1.0 - left)))
                .max(predicted_decrease)
                / self.null_loss;
            self.report.converged = (solved || is_rough) && self.report.gap <= self.tolerance;
            if self.report.iterations >= self.max_iterations || decrease >= 0.0 {
                // A step of plain sweeps that promises nothing: the point is optimal to rounding.
                self.report.converged |= decrease >= 0.0;
                return Ended::Finished;
            }
            let share = if decrease + largest_rise(bend, farthest) <= ENOUGH_DECREASE * decrease {
                (point.at, point.eta) = (new, eta);
                (self.loss, self.penalty_value) = (None, new_penalty);
                Some(1.0)
            } else {
                self.search_line(point, new, eta, decrease)
            };
            self.report.iterations += 1;
            match share {
                None if is_fresh => return Ended::Finished,
                None => return Ended::CurvatureOutdated,
                Some(_) if self.report.converged => return Ended::Finished,
                Some(share) if share < 1.0 => return Ended::CurvatureOutdated,
                Some(_) => {}
            }
            is_fresh = false;
            (slope, _) = problem.differentiate(&point.eta, false);
        }
    }

    /// Moves the point towards coefficients with these linear predictors, by the largest share of
    /// the way that lowers the objective enough; returns it, or `None` where there is none.
    fn search_line(
        &mut self,
        point: &mut NewtonPoint<'p>,
        new: Coefficients,
        eta: Vec<f64>,
        decrease: f64,
    ) -> Option<f64> {
        let loss = self.loss.unwrap_or_else(|| self.problem.loss(&point.eta));
        let objective = loss + self.penalty_value;
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            let (candidate, candidate_eta) = if share == 1.0 {
                (new.clone(), eta.clone())
            } else {
                (between(&point.at, &new, share), mix(&point.eta, &eta, share))
            };
            let loss = self.problem.loss(&candidate_eta);
            let penalty_value = penalty_of(self.penalty, &candidate);
            let bound = objective + ENOUGH_DECREASE * share * decrease + 1e-15 * objective.abs();
            if loss + penalty_value <= bound {
                point.at = candidate;
                point.eta = candidate_eta;
                (self.loss, self.penalty_value) = (Some(loss), penalty_value);
                return Some(share);
            }
            share *= 0.5;
        }
        None
    }
}

/// By how much, at most, a step raises the loss above its tangent, given the sum of
/// `curvature * change^2` over rows and the largest change of a linear predictor. In every family the
/// third derivative of the loss is at most the second, so the curvature grows at most by a factor of
/// e per unit of change: a short step needs no look at the loss itself.
fn largest_rise(bend: f64, farthest: f64) -> f64 {
    if farthest < SHORT {
        0.5 * bend * (1.0 + farthest)
    } else if farthest < LONG {
        bend * (libm::exp(farthest) - farthest - 1.0) / (farthest * farthest)
    } else {
        f64::INFINITY
    }
}

/// Largest absolute gradient over all columns, from the residual sums of the leaves and the gradient
/// along raw columns.
pub(super) fn largest_gradient(basis: &Basis, leaf_residual: &[f64], raw_gradient: &[f64]) -> f64 {
    let stumps = &basis.stumps;
    let mut node = vec![0.0; stumps.n_splits()];
    node.extend_from_slice(leaf_residual);
    stumps.sum_upwards(&mut node);
    let mut largest = raw_gradient.iter().fold(0.0_f64, |l, g| l.max(g.abs()));
    for split in 0..stumps.n_splits() {
        let gradient = stumps.left_value[split] * node[stumps.left[split] as usize]
            + stumps.right_value[split] * node[stumps.right[split] as usize];
        largest = largest.max(gradient.abs());
    }
    largest
}

pub(super) fn penalty_of(penalty: Penalty, at: &Coefficients) -> f64 {
    penalty.of(&at.stump) + penalty.of(&at.raw)
}

fn mix(from: &[f64], to: &[f64], share: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + share * (to - from)).collect()
}

fn between(from: &Coefficients, to: &Coefficients, share: f64) -> Coefficients {
    Coefficients {
        intercept: from.intercept + share * (to.intercept - from.intercept),
        stump: mix(&from.stump, &to.stump, share),
        raw: mix(&from.raw, &to.raw, share),
    }
}

/// Rows that are added while a sum is at hand, in their order.
const TOGETHER: usize = 4;

/// `sum += sum_i factor_i * row_i`, by position.
struct AddRows<'s, 'b> {
    sum: &'s mut [f64],
    n_dense: usize,
    factor: &'s [f64],
    block: &'s SparseBlock<'b>,
}

impl Vectorised for AddRows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { sum, n_dense, factor, block } = self;
        let (dense, sparse) = sum.split_at_mut(n_dense);
        let row = |line: usize| &block.dense[line * n_dense..][..n_dense];
        let (fours, last) = factor.as_chunks::<TOGETHER>();
        for (four, by) in fours.iter().enumerate() {
            let [a, b, c, d] = std::array::from_fn(|at| row(four * TOGETHER + at));
            for ((((sum, a), b), c), d) in dense.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *sum = *sum + by[0] * a + by[1] * b + by[2] * c + by[3] * d;
            }
        }
        for (line, &factor) in (factor.len() - last.len()..).zip(last) {
            add_scaled(dense, factor, row(line));
        }
        for (line, &factor) in factor.iter().enumerate() {
            for entry in block.entries(line) {
                sparse[entry.position as usize - n_dense] += factor * entry.deviation;
            }
        }
    }
}

/// `out_i += row_i' slope`, by position.
struct AddDots<'s, 'b> {
    out: &'s mut [f64],
    n_dense: usize,
    block: &'s SparseBlock<'b>,
    slope: &'s [f64],
}

impl Vectorised for AddDots<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { out, n_dense, block, slope } = self;
        for (line, out) in out.iter_mut().enumerate() {
            let mut sum = dot(&block.dense[line * n_dense..][..n_dense], &slope[..n_dense]);
            for entry in block.entries(line) {
                sum += entry.deviation * slope[entry.position as usize];
            }
            *out += sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{generator, unit};

    #[test]
    fn no_step_raises_the_loss_above_the_bound() {
        let mut random = generator(7, 0);
        for family in [Family::Gaussian, Family::Binomial, Family::Poisson] {
            for _ in 0..20_000 {
                let eta = 12.0 * unit(&mut random) - 6.0;
                let change =
                    libm::pow(10.0, 5.5 * unit(&mut random) - 5.0) * (unit(&mut random) - 0.5);
                let y = if family == Family::Binomial { 1.0 } else { 3.0 };
                let (mean, curvature) = family.mean_and_variance(eta);
                let tangent = family.loss(y, eta) - (y - mean) * change;
                let rise = family.loss(y, eta + change) - tangent;
                let bound = largest_rise(curvature * change * change, change.abs());
                let rounding = 1e-14 * (1.0 + tangent.abs());
                assert!(rise <= bound + rounding, "{family:?} {eta} {change}: {rise} > {bound}");
            }
        }
    }
}
