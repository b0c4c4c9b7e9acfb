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
//! -D/2, or what the best single column would gain if that is more, estimates how far the objective
//! is above its minimum; a fit stops when it is below a share of the null model's loss. The
//! curvature is kept from one step to the next while steps shrink the violation of the optimality
//! conditions fast, because building it costs r^2/2 per row and a gradient only r.

use crate::basis::{Basis, SparseBlock, TreeRows};
use crate::glm::linalg::vector::{add_scaled, dot};
use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::family::Family;
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::hessian::Hessian;
use crate::glm::quadratic::statistics::Statistics;
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

struct Slope {
    leaf_residual: Vec<f64>,
    raw_gradient: Vec<f64>,
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
        self.fitted()
            .map(|row| self.rows.weight[row] * self.family.loss(self.response[row], eta[row]))
            .sum()
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

    /// Gradient sums at some linear predictors and, if requested, the Hessian.
    fn differentiate(&self, eta: &[f64], with_hessian: bool) -> (Slope, Option<Hessian<'p>>) {
        let (n_leaves, r) = (self.basis.stumps.n_leaves(), self.basis.raw.len());
        let mut slope = Slope { leaf_residual: vec![0.0; n_leaves], raw_gradient: vec![0.0; r] };
        let mut statistics = with_hessian.then(|| Statistics::new(self.basis));
        let (mut residual, mut curvature) = (Vec::new(), Vec::new());
        let sparse = self.rows.sparse_columns();
        // By position, and without what the modes add.
        let mut by_position = vec![0.0; r];
        for range in self.ranges.clone() {
            self.rows.for_sparse_blocks(range, |block| {
                residual.clear();
                curvature.clear();
                for row in block.range.clone() {
                    let w = self.rows.weight[row];
                    let (mean, variance) = self.family.mean_and_variance(eta[row]);
                    residual.push(w * (self.response[row] - mean));
                    curvature.push(w * variance);
                }
                let leaf = &self.rows.leaf[block.range.clone()];
                for (&leaf, residual) in leaf.iter().zip(&residual) {
                    slope.leaf_residual[leaf as usize] += residual;
                }
                vectorised(AddRows {
                    sum: &mut by_position,
                    n_dense: sparse.n_dense,
                    factor: &residual,
                    block: &block,
                });
                if let Some(statistics) = &mut statistics {
                    statistics.update_sparse(leaf, &curvature, &block);
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
        let mut penalty_value = penalty_of(penalty, &point.at);
        let mut loss = self.loss(&point.eta);
        // Where the null model leaves nothing to gain, what is left of its loss is rounding.
        let null_loss = null_loss.max(f64::EPSILON * loss.abs()).max(f64::MIN_POSITIVE);
        let rough = tolerance > ROUGH;
        let mut last_violation = f64::INFINITY;
        let mut fresh = false;
        let mut report = NewtonReport {
            iterations: 0,
            gap: f64::INFINITY,
            violation: f64::INFINITY,
            converged: false,
        };
        loop {
            let rebuild = point.hessian.is_none();
            let (slope, hessian) = self.differentiate(&point.eta, rebuild);
            if let Some(hessian) = hessian {
                point.hessian = Some(hessian);
                fresh = true;
            }
            let Some(hessian) = &point.hessian else {
                return report;
            };
            let model = LocalModel {
                hessian,
                at: &point.at,
                leaf_residual: &slope.leaf_residual,
                raw_gradient: &slope.raw_gradient,
            };
            let LocalSolution { coefficients: new, violation, predicted_decrease, solved } =
                if penalty.l1 > 0.0 {
                    let rounds = if rough { ROUGH_ROUNDS } else { MOST_ROUNDS };
                    model.minimise(penalty, Effort::rough(rounds))
                } else {
                    model.minimise_ridge(penalty.l2)
                };
            report.violation =
                if null_gradient > 0.0 { violation / null_gradient } else { violation };
            if violation > KEEP_CURVATURE * last_violation && !fresh {
                // The kept curvature no longer serves: build it here and solve again.
                point.hessian = None;
                last_violation = f64::INFINITY;
                continue;
            }
            // Under a kept curvature a step leaves this share, and the estimate is short by its
            // square.
            let left =
                if fresh || rough { 0.0 } else { (violation / last_violation).max(KEPT_AT_LEAST) };
            last_violation = violation;
            let eta = self.predict(&new);
            let new_penalty = penalty_of(penalty, &new);
            let mut decrease = new_penalty - penalty_value;
            for row in self.fitted() {
                let mean = self.family.mean(point.eta[row]);
                let residual = self.rows.weight[row] * (self.response[row] - mean);
                decrease -= residual * (eta[row] - point.eta[row]);
            }
            if decrease.is_nan() {
                // Beyond the range of numbers; the point is the last one that is not.
                report.gap = f64::INFINITY;
                report.converged = false;
                return report;
            }
            report.gap = (-0.5 * decrease / ((1.0 - left) * (1.0 - left))).max(predicted_decrease)
                / null_loss;
            report.converged = (solved || rough) && report.gap <= tolerance;
            if report.iterations >= max_iterations || decrease >= 0.0 {
                // A step of plain sweeps that promises nothing: the point is optimal to rounding.
                report.converged |= decrease >= 0.0;
                return report;
            }
            let objective = loss + penalty_value;
            let mut share = 1.0;
            let mut accepted = false;
            for _ in 0..HALVINGS {
                let (candidate, candidate_eta) = if share == 1.0 {
                    (new.clone(), eta.clone())
                } else {
                    (between(&point.at, &new, share), mix(&point.eta, &eta, share))
                };
                let candidate_loss = self.loss(&candidate_eta);
                let candidate_penalty = penalty_of(penalty, &candidate);
                let bound = objective + 1e-4 * share * decrease + 1e-15 * objective.abs();
                if candidate_loss + candidate_penalty <= bound {
                    point.at = candidate;
                    point.eta = candidate_eta;
                    loss = candidate_loss;
                    penalty_value = candidate_penalty;
                    accepted = true;
                    break;
                }
                share *= 0.5;
            }
            report.iterations += 1;
            if !accepted {
                if fresh {
                    return report;
                }
                point.hessian = None;
                continue;
            }
            if report.converged {
                return report;
            }
            if share < 1.0 {
                point.hessian = None;
            }
            fresh = false;
        }
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
        for (line, &factor) in factor.iter().enumerate() {
            add_scaled(&mut sum[..n_dense], factor, &block.dense[line * n_dense..][..n_dense]);
            for entry in block.entries(line) {
                sum[entry.position as usize] += factor * entry.deviation;
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
