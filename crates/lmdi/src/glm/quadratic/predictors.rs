//! Linear predictors row by row, and the squared error of a model whose quadratic form has lost too
//! many digits.

use crate::basis::{Basis, TreeRows};
use crate::glm::linalg::vector::dot;
use crate::glm::model::coefficients::Coefficients;
use crate::glm::quadratic::statistics::Statistics;
use std::ops::Range;

/// Calls `visit` with every fitted row of `range`, its linear predictor and its raw cells.
pub(crate) fn for_predictors(
    basis: &Basis,
    rows: &TreeRows<'_>,
    range: Range<usize>,
    model: &Coefficients,
    mut visit: impl FnMut(usize, f64, &[f64]),
) {
    let r = basis.raw.len();
    let mut offset = Vec::new();
    basis.stumps.leaf_offsets(&model.stump, &mut offset);
    rows.for_blocks(range, |block| {
        for (line, row) in block.range.enumerate() {
            let cells = &block.raw[line * r..(line + 1) * r];
            let leaf = rows.leaf[row] as usize;
            visit(row, model.intercept + offset[leaf] + dot(cells, &model.raw), cells);
        }
    });
}

/// Weighted sum of squared errors over fitted rows, row by row.
pub(crate) fn squared_error_of_rows(
    basis: &Basis,
    rows: &TreeRows<'_>,
    range: Range<usize>,
    response: &[f64],
    model: &Coefficients,
) -> f64 {
    let mut error = 0.0;
    for_predictors(basis, rows, range, model, |row, predicted, _| {
        let residual = response[row] - predicted;
        error += rows.weight[row] * residual * residual;
    });
    error
}

/// What is left of the squares within leaves is rounding if it is a smaller share of all.
const ROUNDING: f64 = 1e-13;

/// The same from statistics, for rows that are not at hand. Sums are taken around the leaves' mean
/// responses, where a model that fits them well cancels nothing large.
pub(crate) fn squared_error_of_statistics(
    basis: &Basis,
    statistics: &Statistics,
    model: &Coefficients,
) -> f64 {
    let r = basis.raw.len();
    let mut offset = Vec::new();
    basis.stumps.leaf_offsets(&model.stump, &mut offset);
    let mut within = statistics.response_square;
    let mut along = statistics.raw_response.clone();
    let mut error = 0.0;
    for (leaf, &weight) in statistics.leaf_weight.iter().enumerate() {
        if weight <= 0.0 {
            continue;
        }
        let mean = statistics.leaf_response[leaf] / weight;
        let residual = mean - (model.intercept + offset[leaf]);
        let raw = &statistics.leaf_raw[leaf * r..(leaf + 1) * r];
        within -= statistics.leaf_response[leaf] * mean;
        error += residual * (weight * residual - 2.0 * dot(raw, &model.raw));
        along.iter_mut().zip(raw).for_each(|(along, raw)| *along -= mean * raw);
    }
    if within > ROUNDING * statistics.response_square {
        error += within - 2.0 * dot(&along, &model.raw);
    }
    for (j, slope) in model.raw.iter().enumerate() {
        let line = &statistics.raw_gram[j * r..j * r + j + 1];
        let twice = 2.0 * dot(line, &model.raw[..=j]) - line[j] * slope;
        error += slope * twice;
    }
    error.max(0.0)
}
