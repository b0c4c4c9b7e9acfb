//! What a model would say about each row had it been fitted without that row.
//!
//! Near the fit b, the loss of row i is a parabola in the row's linear predictor with curvature c_i and
//! pull p_i (minus the derivative). Taking the row out moves the fit to
//!
//! ```text
//! b - (H + l2)^-1 x_i * p_i / (1 - c_i h_i),      h_i = x_i' (H + l2)^-1 x_i
//! ```
//!
//! with H the curvature of all rows. For least squares, where c = w and p = w * residual, this is exact;
//! for other losses it is one Newton step from the full fit, the approximate leave-one-out of
//! generalised linear models. With an l1 penalty the columns at zero are taken to stay there.
//!
//! A row of weight 3 is left out with all its weight. The solves follow each row's path
//! (`row_solution`), so no rows x columns matrix is ever formed. Cost for n rows and r raw columns:
//! one pass for H and one factorisation, then n (2 depth r + r^2).

use super::active::ActiveColumns;
use super::coefficients::Coefficients;
use super::conjugate::largest_curvature;
use super::elimination::Elimination;
use super::gaussian::GaussianProblem;
use super::penalty::Penalty;
use super::quadratic::Quadratic;
use super::row_solution::RowSolution;
use super::statistics::Statistics;
use super::vector::dot;
use crate::basis::{Basis, TreeRows};

/// Smallest l2 as a share of the largest curvature. Without a penalty, a row that alone decides a slope
/// has a leave-one-out answer only as the limit of small penalties; this one stands for the limit. It
/// balances the distance to the limit against rounding, which grows as the penalty falls.
const LEAST_SHARE: f64 = 1e-8;

/// Curvature and pull of the loss at every fitted row, at the fit.
#[derive(Debug, Clone, Copy)]
pub struct WorkingRows<'a> {
    /// Second derivative of the row's weighted loss in its linear predictor.
    pub curvature: &'a [f64],
    /// Minus the first derivative.
    pub pull: &'a [f64],
}

/// A row as seen by the model fitted without it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftOut<'a> {
    /// Position among the fitted rows.
    pub row: usize,
    /// `c_i h_i`: the row's weight in its own fit, from 0 to 1.
    pub leverage: f64,
    /// Linear predictor.
    pub predictor: f64,
    /// The part of each block of the basis in it, by [`Stumps::used_features`]. With the intercept of
    /// the model without the row they add up to `predictor`.
    ///
    /// [`Stumps::used_features`]: crate::basis::Stumps::used_features
    pub partial: &'a [f64],
}

/// Calls `visit` for every fitted row, in order.
///
/// `fit` must be optimal under `penalty` (on the scale of a sum over rows) for the loss described by
/// `working`.
///
/// # Panics
/// If the lengths of `working` differ from the number of fitted rows.
pub fn leave_one_out(
    basis: &Basis,
    rows: &TreeRows<'_>,
    working: WorkingRows<'_>,
    fit: &Coefficients,
    penalty: Penalty,
    visit: impl FnMut(LeftOut<'_>),
) {
    assert_eq!(working.curvature.len(), rows.len(), "one curvature a fitted row");
    let mut statistics = Statistics::new(basis);
    rows.for_blocks(0..rows.len(), |block| {
        let range = block.range;
        let leaf = &rows.leaf[range.clone()];
        statistics.update_curvature(leaf, &working.curvature[range], block.raw);
    });
    let quadratic = Quadratic::new(basis, &statistics);
    let active =
        if penalty.l1 > 0.0 { ActiveColumns::of(fit) } else { ActiveColumns::all(&quadratic) };
    let factor = Elimination::new(&quadratic, active, bearable(&quadratic, penalty.l2));
    visit_rows(basis, rows, working, fit, &factor, visit);
}

/// Least squares with ridge penalty `l2` on `response` (one number a fitted row): calls `visit` for
/// every fitted row, exactly as refitting without it would, and returns the fit to all rows.
///
/// With `l2` zero, or too small to be told from zero, 1e-8 of the largest curvature takes its place, in
/// the fit as well.
///
/// # Panics
/// If the length of `response` differs from the number of fitted rows.
pub fn leave_one_out_ridge(
    basis: &Basis,
    rows: &TreeRows<'_>,
    response: &[f64],
    l2: f64,
    visit: impl FnMut(LeftOut<'_>),
) -> Coefficients {
    assert_eq!(response.len(), rows.len(), "one response a fitted row");
    let total: f64 = rows.weight.iter().sum();
    let mean = if total > 0.0 { dot(&rows.weight, response) / total } else { 0.0 };
    let centred: Vec<f64> = response.iter().map(|y| y - mean).collect();
    let mut statistics = Statistics::new(basis);
    rows.for_blocks(0..rows.len(), |block| {
        let range = block.range;
        let leaf = &rows.leaf[range.clone()];
        let weight = &rows.weight[range.clone()];
        statistics.update(leaf, weight, &centred[range], block.raw);
    });
    let problem = GaussianProblem::new(basis, &statistics);
    let quadratic = &problem.quadratic;
    let l2 = bearable(quadratic, l2);
    let factor = Elimination::new(quadratic, ActiveColumns::all(quadratic), l2);
    let penalty = Penalty { l1: 0.0, l2 };
    let mut fit = Coefficients::zero(quadratic.stumps.n_splits(), quadratic.n_raw());
    // The second step takes back what rounding did to the first.
    for _ in 0..2 {
        fit.add(1.0, &factor.solve(&problem.gradient(&fit, penalty)));
    }
    let mut pull = vec![0.0; rows.len()];
    for_rows(basis, rows, &fit, |row, predictor, _| {
        pull[row] = rows.weight[row] * (centred[row] - predictor);
    });
    fit.intercept += mean;
    let working = WorkingRows { curvature: &rows.weight, pull: &pull };
    visit_rows(basis, rows, working, &fit, &factor, visit);
    fit
}

fn bearable(quadratic: &Quadratic<'_>, l2: f64) -> f64 {
    let bearable = l2.max(LEAST_SHARE * largest_curvature(quadratic));
    if bearable > 0.0 { bearable } else { 1.0 }
}

/// Calls `visit` with every fitted row, its linear predictor and its raw cells.
fn for_rows(
    basis: &Basis,
    rows: &TreeRows<'_>,
    fit: &Coefficients,
    mut visit: impl FnMut(usize, f64, &[f64]),
) {
    let r = basis.raw.len();
    let mut constant = Vec::new();
    basis.stumps.leaf_offsets(&fit.stump, &mut constant);
    rows.for_blocks(0..rows.len(), |block| {
        for (line, row) in block.range.enumerate() {
            let cells = &block.raw[line * r..(line + 1) * r];
            let leaf = rows.leaf[row] as usize;
            visit(row, fit.intercept + constant[leaf] + dot(cells, &fit.raw), cells);
        }
    });
}

fn visit_rows(
    basis: &Basis,
    rows: &TreeRows<'_>,
    working: WorkingRows<'_>,
    fit: &Coefficients,
    factor: &Elimination<'_, '_>,
    mut visit: impl FnMut(LeftOut<'_>),
) {
    let WorkingRows { curvature, pull } = working;
    assert_eq!(pull.len(), rows.len(), "one pull a fitted row");
    let blocks = basis.stumps.used_features();
    let block_of = |feature: &u32| blocks.partition_point(|block| block < feature);
    let of_split: Vec<usize> = basis.stumps.feature.iter().map(block_of).collect();
    let of_raw: Vec<usize> = basis.raw.iter().map(|raw| block_of(&raw.feature)).collect();
    let mut solution = RowSolution::new(factor);
    let mut partial = vec![0.0; blocks.len()];
    for_rows(basis, rows, fit, |row, predictor, cells| {
        solution.solve(rows.leaf[row] as usize, cells);
        let leverage = curvature[row] * solution.leverage;
        // The penalty keeps the leverage below one; rounding must not take it beyond.
        let factor_of_row = pull[row] / (1.0 - leverage).max(f64::EPSILON);
        partial.fill(0.0);
        for step in &solution.path {
            let slope = fit.stump[step.split] - factor_of_row * step.slope;
            partial[of_split[step.split]] += slope * step.value;
        }
        for (k, (cell, slope)) in cells.iter().zip(&fit.raw).enumerate() {
            partial[of_raw[k]] += cell * slope;
        }
        for (&k, slope) in factor.active.raw.iter().zip(&solution.raw) {
            partial[of_raw[k]] -= factor_of_row * slope * cells[k];
        }
        visit(LeftOut {
            row,
            leverage,
            predictor: predictor - factor_of_row * solution.leverage,
            partial: &partial,
        });
    });
}
