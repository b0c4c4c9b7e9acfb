//! Robust regression: ridge with Huber's loss, whose scale is estimated with the slopes.
//!
//! ```text
//! minimise  sum_i w_i (s + H(r_i / s) s) + l2 / 2 |b|^2,   r = residuals,
//! H(z) = z^2 if |z| <= epsilon, else 2 epsilon |z| - epsilon^2
//! ```
//!
//! as scikit-learn's `HuberRegressor` (whose alpha is l2 / 2). The loss is bounded by parabolas
//! that touch it, so each step is a ridge regression with weights
//! `2 w / s min(1, epsilon s / |r|)`, followed by the best scale for its residuals. Cost: one pass
//! over the rows and one factorisation per step.

use crate::basis::{Basis, TreeRows};
use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::gaussian::GaussianProblem;
use crate::glm::quadratic::predictors::for_predictors;
use crate::glm::quadratic::statistics::Statistics;
use crate::glm::solvers::direct::active_columns::ActiveColumns;
use crate::glm::solvers::direct::conjugate_gradients::stable_l2;
use crate::glm::solvers::direct::elimination::Elimination;

/// A fit by Huber's loss.
#[derive(Debug, Clone, PartialEq)]
pub struct HuberFit {
    /// The model.
    pub coefficients: Coefficients,
    /// The scale of the residuals.
    pub scale: f64,
    /// Curvature of the loss at every fitted row: zero beyond the corner.
    pub curvature: Vec<f64>,
    /// Minus the derivative of the loss at every fitted row.
    pub pull: Vec<f64>,
}

/// Fits `response` (one number per fitted row); `epsilon` is above 1.
pub fn fit_huber(
    basis: &Basis,
    rows: &TreeRows<'_>,
    response: &[f64],
    l2: f64,
    epsilon: f64,
    tolerance: f64,
    max_iterations: usize,
) -> HuberFit {
    let n = rows.len();
    let total: f64 = rows.weight.iter().sum();
    let mean: f64 =
        rows.weight.iter().zip(response).map(|(w, y)| w * y).sum::<f64>() / total.max(1e-300);
    let centred: Vec<f64> = response.iter().map(|y| y - mean).collect();
    let mut residual = centred.clone();
    // Below this the residuals are rounding.
    let largest = centred.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    let least = 1e-10 * largest.max(f64::MIN_POSITIVE);
    let mut scale = best_scale(&rows.weight, &residual, epsilon, largest.max(least), least);
    let mut fit = Coefficients::zero(basis.stumps.n_splits(), basis.raw.len());
    let mut weight = vec![0.0; n];
    for _ in 0..max_iterations.max(1) {
        for ((v, r), w) in weight.iter_mut().zip(&residual).zip(&rows.weight) {
            *v = 2.0 * w / scale * (epsilon * scale / r.abs().max(1e-300)).min(1.0);
        }
        let mut statistics = Statistics::new(basis);
        rows.for_blocks(0..n, |block| {
            let range = block.range;
            let leaf = &rows.leaf[range.clone()];
            statistics.update(leaf, &weight[range.clone()], &centred[range], block.raw);
        });
        let problem = GaussianProblem::new(basis, &statistics);
        let penalty = Penalty { l1: 0.0, l2: stable_l2(&problem.hessian, l2) };
        let active = ActiveColumns::all(&problem.hessian);
        let factor = Elimination::new(&problem.hessian, active, penalty.l2);
        let step = factor.solve(&problem.gradient(&fit, penalty));
        fit.add(1.0, &step);
        let mut moved = 0.0_f64;
        for_predictors(basis, rows, 0..rows.len(), &fit, |row, predictor, _| {
            let now = centred[row] - predictor;
            moved = moved.max((now - residual[row]).abs());
            residual[row] = now;
        });
        let before = scale;
        scale = best_scale(&rows.weight, &residual, epsilon, scale, least);
        if moved <= tolerance * largest && (scale - before).abs() <= tolerance * largest {
            break;
        }
    }
    fit.intercept += mean;
    let inside = |r: f64| r.abs() <= epsilon * scale;
    let curvature = residual.iter().zip(&rows.weight);
    let curvature =
        curvature.map(|(&r, w)| if inside(r) { 2.0 * w / scale } else { 0.0 }).collect();
    let pull = residual.iter().zip(&rows.weight);
    let pull = pull
        .map(|(&r, w)| w * if inside(r) { 2.0 * r / scale } else { 2.0 * epsilon * r.signum() })
        .collect();
    HuberFit { coefficients: fit, scale, curvature, pull }
}

/// The scale at which the derivative of the loss is zero: the squares inside the corner, divided by
/// the weight inside less (epsilon^2 - 1) times that outside.
fn best_scale(weight: &[f64], residual: &[f64], epsilon: f64, start: f64, least: f64) -> f64 {
    let mut scale = start;
    for _ in 0..100 {
        let (mut squares, mut inside, mut outside) = (0.0, 0.0, 0.0);
        for (w, r) in weight.iter().zip(residual) {
            if r.abs() <= epsilon * scale {
                squares += w * r * r;
                inside += w;
            } else {
                outside += w;
            }
        }
        let divisor = inside + outside * (1.0 - epsilon * epsilon);
        let next = if divisor > 0.0 { (squares / divisor).sqrt().max(least) } else { 2.0 * scale };
        if (next - scale).abs() <= 1e-12 * scale {
            return next;
        }
        scale = next;
    }
    scale
}
