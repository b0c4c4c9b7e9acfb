//! Linear predictors row by row, and the squared error of a model where its quadratic form has lost
//! its digits.

use crate::basis::{Basis, TreeRows};
use crate::glm::linalg::vector::dot;
use crate::glm::model::coefficients::Coefficients;
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
