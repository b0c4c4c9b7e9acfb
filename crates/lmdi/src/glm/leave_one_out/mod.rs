//! Predictions of each row by the model fitted without that row.
//!
//! Near the fit b, the loss of row i is a parabola in the row's linear predictor with curvature c_i
//! and negative gradient p_i. Removing the row moves the fit to
//!
//! ```text
//! b - (H + l2)^-1 x_i * p_i / (1 - c_i h_i),      h_i = x_i' (H + l2)^-1 x_i
//! ```
//!
//! with H the Hessian of all rows. For least squares, where c = w and p = w * residual, this is
//! exact. For other losses it is one Newton step from the full fit, the approximate leave-one-out
//! of generalised linear models. With an l1 penalty, columns at zero are assumed to stay there.
//!
//! A row of weight 3 is left out with all its weight. The raw columns are solved for in batches of
//! rows (`leverage`) and the stumps along each row's path (`row_solution`), so no rows x columns
//! matrix is ever formed. Cost for n rows and r raw columns: one pass for H and one factorisation,
//! then n r^2 / 2 for leverages, and with the parts of b blocks n r (depth + r + b).

mod leverage;
mod newton_path;
mod row_solution;

pub(crate) use newton_path::NewtonPath;

use crate::basis::{Basis, TreeRows};
use crate::glm::leave_one_out::leverage::{RowBatch, SIDE_BY_SIDE, leverages};
use crate::glm::leave_one_out::row_solution::RowSolution;
use crate::glm::linalg::vector::{Lanes, add_scaled, dot};
use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::gaussian::GaussianProblem;
use crate::glm::quadratic::gradient::Gradient;
use crate::glm::quadratic::hessian::Hessian;
use crate::glm::quadratic::predictors::for_predictors;
use crate::glm::quadratic::statistics::Statistics;
use crate::glm::solvers::direct::active_columns::ActiveColumns;
use crate::glm::solvers::direct::conjugate_gradients::stable_l2;
use crate::glm::solvers::direct::elimination::Elimination;
use crate::vectorised::{Vectorised, vectorised};

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
    /// The part of each block of the basis in it, by [`Stumps::used_features`]. With the intercept
    /// of the model without the row they add up to `predictor`.
    ///
    /// [`Stumps::used_features`]: crate::basis::Stumps::used_features
    pub partial: &'a [f64],
    /// The mean of each block's part over all fitted rows, in the model without the row.
    pub mean_partial: &'a [f64],
}

/// Calls `visit` for every fitted row, in order.
///
/// `fit` must be optimal under `penalty` (on the scale of a sum over rows) for the loss described
/// by `working`.
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
        statistics.update_hessian(leaf, &working.curvature[range], block.raw);
    });
    let hessian = Hessian::new(basis, &statistics);
    let active =
        if penalty.l1 > 0.0 { ActiveColumns::of(fit) } else { ActiveColumns::all(&hessian) };
    let factor = Elimination::new(&hessian, active, stable_l2(&hessian, penalty.l2));
    visit_rows(basis, rows, working, fit, &factor, visit);
}

/// Least squares with ridge penalty `l2` on `response` (one number per fitted row): calls `visit`
/// for every fitted row, exactly as refitting without it would, and returns the fit to all rows.
///
/// With `l2` zero, or too small to be told from zero, 1e-8 of the largest curvature takes its
/// place, in the fit as well.
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
    let Centred { problem, mean, response } = Centred::new(basis, rows, response);
    let hessian = &problem.hessian;
    let l2 = stable_l2(hessian, l2);
    let factor = Elimination::new(hessian, ActiveColumns::all(hessian), l2);
    let penalty = Penalty { l1: 0.0, l2 };
    let mut fit = Coefficients::zero(hessian.stumps.n_splits(), hessian.n_raw());
    // The second step takes back what rounding did to the first.
    for _ in 0..2 {
        fit.add(1.0, &factor.solve(&problem.gradient(&fit, penalty)));
    }
    let mut pull = vec![0.0; rows.len()];
    for_predictors(basis, rows, 0..rows.len(), &fit, |row, predictor, _| {
        pull[row] = rows.weight[row] * (response[row] - predictor);
    });
    fit.intercept += mean;
    let working = WorkingRows { curvature: &rows.weight, pull: &pull };
    visit_rows(basis, rows, working, &fit, &factor, visit);
    fit
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
    let means = BlockMeans::new(basis, rows, &of_split, &of_raw, fit, factor);
    let mut predictors = Vec::with_capacity(rows.len());
    for_predictors(basis, rows, 0..rows.len(), fit, |_, predictor, _| predictors.push(predictor));
    let mut batch = RowBatch::new(factor);
    let mut row = RowParts {
        of_split: &of_split,
        of_raw: &of_raw,
        fit,
        factor,
        means: &means,
        solution: RowSolution::new(factor),
        slopes: vec![0.0; factor.active.raw.len()],
        partial: vec![0.0; blocks.len()],
        mean_partial: vec![0.0; blocks.len()],
    };
    let r = basis.raw.len();
    rows.for_blocks(0..rows.len(), |block| {
        batch.for_batches(rows, &block, |batch, first, leverages| {
            batch.solve_upper();
            for (lane, leverage) in leverages.iter().enumerate() {
                let line = first + lane;
                let at = block.range.start + line;
                // The penalty keeps the leverage below one; rounding must not take it beyond.
                let left = (1.0 - curvature[at] * leverage).max(f64::EPSILON);
                let factor_of_row = pull[at] / left;
                let (raw, leaf) = (&batch.raw, rows.leaf[at] as usize);
                let cells = &block.raw[line * r..(line + 1) * r];
                vectorised(Divide { row: &mut row, raw, lane, leaf, cells, factor_of_row });
                visit(LeftOut {
                    row: at,
                    leverage: curvature[at] * leverage,
                    predictor: predictors[at] - factor_of_row * leverage,
                    partial: &row.partial,
                    mean_partial: &row.mean_partial,
                });
            }
        });
    });
}

/// What the blocks add to the predictor of a row left out.
struct RowParts<'p, 'q, 'b> {
    of_split: &'p [usize],
    of_raw: &'p [usize],
    fit: &'p Coefficients,
    factor: &'p Elimination<'q, 'b>,
    means: &'p BlockMeans,
    solution: RowSolution<'p, 'q, 'b>,
    /// Raw slopes of the row's solution.
    slopes: Vec<f64>,
    partial: Vec<f64>,
    mean_partial: Vec<f64>,
}

/// Finds the parts of one row, a lane of a batch.
struct Divide<'d, 'p, 'q, 'b> {
    row: &'d mut RowParts<'p, 'q, 'b>,
    raw: &'d [Lanes<SIDE_BY_SIDE>],
    lane: usize,
    leaf: usize,
    cells: &'d [f64],
    factor_of_row: f64,
}

impl Vectorised for Divide<'_, '_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { row, raw, lane, leaf, cells, factor_of_row } = self;
        let RowParts { of_split, of_raw, fit, factor, .. } = *row;
        for (slope, raw) in row.slopes.iter_mut().zip(raw) {
            *slope = raw[lane];
        }
        row.solution.solve(leaf, &row.slopes);
        let partial = &mut row.partial;
        partial.fill(0.0);
        for step in &row.solution.path {
            let slope = fit.stump[step.split] - factor_of_row * step.slope;
            partial[of_split[step.split]] += slope * step.value;
        }
        for ((cell, slope), &block) in cells.iter().zip(&fit.raw).zip(of_raw) {
            partial[block] += cell * slope;
        }
        for (&k, slope) in factor.active.raw.iter().zip(&row.slopes) {
            partial[of_raw[k]] -= factor_of_row * slope * cells[k];
        }
        row.means.without(leaf, cells, factor_of_row, &mut row.mean_partial);
    }
}

/// The mean of each block's part over the fitted rows, and how it moves when a row is taken out.
///
/// With m_k the column means of block k (zero elsewhere), the mean part is `m_k' b`; taking row x
/// out moves b along `(H + l2)^-1 x`, so `(H + l2)^-1 m_k`, solved for once, tells the change for
/// all rows.
struct BlockMeans {
    whole: Vec<f64>,
    /// What the solution for each block's means has in each leaf, leaf by leaf, block by block.
    of_leaf: Vec<f64>,
    /// Its slopes, raw column by raw column, block by block.
    of_raw: Vec<f64>,
}

impl BlockMeans {
    fn new(
        basis: &Basis,
        rows: &TreeRows<'_>,
        of_split: &[usize],
        of_raw: &[usize],
        fit: &Coefficients,
        factor: &Elimination<'_, '_>,
    ) -> Self {
        let stumps = &basis.stumps;
        let r = basis.raw.len();
        let mut node = vec![0.0; stumps.n_splits() + stumps.n_leaves()];
        let mut raw_mean = vec![0.0; r];
        let mut total = 0.0;
        rows.for_blocks(0..rows.len(), |block| {
            for (line, row) in block.range.enumerate() {
                let w = rows.weight[row];
                node[stumps.n_splits() + rows.leaf[row] as usize] += w;
                total += w;
                add_scaled(&mut raw_mean, w, &block.raw[line * r..(line + 1) * r]);
            }
        });
        stumps.sum_upwards(&mut node);
        let share = if total > 0.0 { 1.0 / total } else { 0.0 };
        let mut right_side: Vec<Gradient> =
            vec![Gradient::zero(factor.hessian); stumps.used_features().len()];
        for split in 0..stumps.n_splits() {
            let (left, right) = (stumps.left[split] as usize, stumps.right[split] as usize);
            let sum =
                stumps.left_value[split] * node[left] + stumps.right_value[split] * node[right];
            right_side[of_split[split]].stump[split] = sum * share;
        }
        for (k, mean) in raw_mean.iter().enumerate() {
            right_side[of_raw[k]].raw[k] = mean * share;
        }
        let whole = right_side
            .iter()
            .map(|means| dot(&means.stump, &fit.stump) + dot(&means.raw, &fit.raw))
            .collect();
        let n_blocks = right_side.len();
        let mut of_leaf = vec![0.0; stumps.n_leaves() * n_blocks];
        let mut slopes = vec![0.0; r * n_blocks];
        let mut constant = Vec::new();
        for (block, means) in right_side.iter().enumerate() {
            let solved = factor.solve(means);
            stumps.leaf_offsets(&solved.stump, &mut constant);
            for (leaf, constant) in constant.iter().enumerate() {
                of_leaf[leaf * n_blocks + block] = constant + solved.intercept;
            }
            for (k, slope) in solved.raw.iter().enumerate() {
                slopes[k * n_blocks + block] = *slope;
            }
        }
        Self { whole, of_leaf, of_raw: slopes }
    }

    #[inline(always)]
    fn without(&self, leaf: usize, cells: &[f64], factor_of_row: f64, out: &mut [f64]) {
        let n_blocks = self.whole.len();
        out.copy_from_slice(&self.of_leaf[leaf * n_blocks..(leaf + 1) * n_blocks]);
        for (slopes, &cell) in self.of_raw.chunks_exact(n_blocks.max(1)).zip(cells) {
            add_scaled(out, cell, slopes);
        }
        for (out, whole) in out.iter_mut().zip(&self.whole) {
            *out = whole - factor_of_row * *out;
        }
    }
}

/// The linear predictor of every fitted row by the model fitted without it, as [`leave_one_out`]
/// has it; for searching penalties, without the parts of the blocks.
pub fn leave_one_out_predictors(
    basis: &Basis,
    rows: &TreeRows<'_>,
    working: WorkingRows<'_>,
    fit: &Coefficients,
    penalty: Penalty,
) -> Vec<f64> {
    let mut statistics = Statistics::new(basis);
    rows.for_blocks(0..rows.len(), |block| {
        let range = block.range;
        let leaf = &rows.leaf[range.clone()];
        statistics.update_hessian(leaf, &working.curvature[range], block.raw);
    });
    let hessian = Hessian::new(basis, &statistics);
    let active =
        if penalty.l1 > 0.0 { ActiveColumns::of(fit) } else { ActiveColumns::all(&hessian) };
    let factor = Elimination::new(&hessian, active, stable_l2(&hessian, penalty.l2));
    let mut predictors = leverages(&factor, rows);
    for_predictors(basis, rows, 0..rows.len(), fit, |row, predictor, _| {
        let leverage = predictors[row];
        let left = (1.0 - working.curvature[row] * leverage).max(f64::EPSILON);
        predictors[row] = predictor - working.pull[row] / left * leverage;
    });
    predictors
}

/// The least-squares problem of all fitted rows, their responses less the weighted mean: a common
/// offset would only cost digits.
struct Centred<'b> {
    problem: GaussianProblem<'b>,
    mean: f64,
    response: Vec<f64>,
}

impl<'b> Centred<'b> {
    fn new(basis: &'b Basis, rows: &TreeRows<'_>, response: &[f64]) -> Self {
        let total: f64 = rows.weight.iter().sum();
        let mean = if total > 0.0 { dot(&rows.weight, response) / total } else { 0.0 };
        let response: Vec<f64> = response.iter().map(|y| y - mean).collect();
        let mut statistics = Statistics::new(basis);
        rows.for_blocks(0..rows.len(), |block| {
            let range = block.range;
            let leaf = &rows.leaf[range.clone()];
            let weight = &rows.weight[range.clone()];
            statistics.update(leaf, weight, &response[range], block.raw);
        });
        Self { problem: GaussianProblem::new(basis, &statistics), mean, response }
    }
}

/// The mean squared error, by weight, of leaving each row out of a ridge regression.
///
/// One pass over the rows gives the statistics of all penalties; each penalty then costs a
/// factorisation and one triangular solve per row.
pub struct RidgeErrors<'b, 'r> {
    basis: &'b Basis,
    rows: &'b TreeRows<'r>,
    centred: Centred<'b>,
    total: f64,
}

impl<'b, 'r> RidgeErrors<'b, 'r> {
    /// Takes the rows and their responses.
    pub fn new(basis: &'b Basis, rows: &'b TreeRows<'r>, response: &[f64]) -> Self {
        let centred = Centred::new(basis, rows, response);
        Self { basis, rows, centred, total: rows.weight.iter().sum() }
    }

    /// The error with penalty `l2`.
    pub fn error(&self, l2: f64) -> f64 {
        let Centred { problem, response, .. } = &self.centred;
        let hessian = &problem.hessian;
        let zero = Coefficients::zero(hessian.stumps.n_splits(), hessian.n_raw());
        let l2 = stable_l2(hessian, l2);
        let factor = Elimination::new(hessian, ActiveColumns::all(hessian), l2);
        let fit = factor.solve(&problem.gradient(&zero, Penalty { l1: 0.0, l2 }));
        let leverage = leverages(&factor, self.rows);
        let mut sum = 0.0;
        for_predictors(self.basis, self.rows, 0..self.rows.len(), &fit, |row, predictor, _| {
            let weight = self.rows.weight[row];
            let left = (1.0 - weight * leverage[row]).max(f64::EPSILON);
            let error = (response[row] - predictor) / left;
            sum += weight * error * error;
        });
        sum / self.total
    }
}
