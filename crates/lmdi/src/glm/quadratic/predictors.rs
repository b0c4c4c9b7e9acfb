//! Squared error of a linear model, row by row: for when the quadratic form of
//! [`SideBySide::squared_error`](super::SideBySide::squared_error) has lost its digits.

use super::coefficients::Coefficients;
use super::vector::dot;
use crate::basis::{Basis, TreeRows};
use std::ops::Range;

/// Weighted sum of squared errors over fitted rows, row by row.
pub fn squared_error_of_rows(
    basis: &Basis,
    rows: &TreeRows<'_>,
    range: Range<usize>,
    response: &[f64],
    model: &Coefficients,
) -> f64 {
    let mut offset = Vec::new();
    basis.stumps.leaf_offsets(&model.stump, &mut offset);
    let r = basis.raw.len();
    let mut error = 0.0;
    rows.for_blocks(range, |block| {
        for (line, row) in block.range.enumerate() {
            let raw = dot(&block.raw[line * r..(line + 1) * r], &model.raw);
            let predicted = model.intercept + offset[rows.leaf[row] as usize] + raw;
            let residual = response[row] - predicted;
            error += rows.weight[row] * residual * residual;
        }
    });
    error
}
