//! Squared error of a linear model on held-out rows, from their statistics alone.
//!
//! With c_l the predictor's constant on leaf l and s the raw slopes,
//!
//! ```text
//! sum w (y - c - x s)^2 = y'y - 2 (sum_l c_l (w y)_l + s' X'y)
//!                         + sum_l c_l^2 w_l + 2 sum_l c_l (w x)_l s + s' G s
//! ```
//!
//! Cost: leaves x active raw columns, whatever the number of rows. The sum cancels when the error is
//! tiny beside y'y; [`HeldOut::squared_error`] says so, and the caller goes through the rows.

use super::coefficients::Coefficients;
use super::statistics::Statistics;
use super::vector::dot;
use crate::basis::{Basis, TreeRows};
use std::ops::Range;

/// Below this share of y'y the quadratic form has lost too many digits to be compared.
const CANCELLED: f64 = 1e-7;

/// Held-out rows, ready for many evaluations.
#[derive(Debug)]
pub struct HeldOut<'b> {
    basis: &'b Basis,
    statistics: &'b Statistics,
    raw_leaf: Vec<f64>,
    leaf_offset: Vec<f64>,
}

impl<'b> HeldOut<'b> {
    /// Prepares the rows with these statistics.
    pub fn new(basis: &'b Basis, statistics: &'b Statistics) -> Self {
        let (n_leaves, r) = (basis.stumps.n_leaves(), basis.raw.len());
        let mut raw_leaf = vec![0.0; n_leaves * r];
        for leaf in 0..n_leaves {
            for k in 0..r {
                raw_leaf[k * n_leaves + leaf] = statistics.leaf_raw[leaf * r + k];
            }
        }
        Self { basis, statistics, raw_leaf, leaf_offset: Vec::new() }
    }

    /// Weighted sum of squared errors; `None` when too many digits cancelled.
    pub fn squared_error(&mut self, model: &Coefficients) -> Option<f64> {
        let statistics = self.statistics;
        let (n_leaves, r) = (self.basis.stumps.n_leaves(), self.basis.raw.len());
        self.basis.stumps.leaf_offsets(&model.stump, &mut self.leaf_offset);
        let offset = &mut self.leaf_offset;
        for c in offset.iter_mut() {
            *c += model.intercept;
        }
        let mut linear = dot(offset, &statistics.leaf_response);
        let mut quadratic = 0.0;
        for (c, w) in offset.iter().zip(&statistics.leaf_weight) {
            quadratic += c * c * w;
        }
        for k in 0..r {
            let slope = model.raw[k];
            if slope != 0.0 {
                linear += slope * statistics.raw_response[k];
                let crossed = dot(offset, &self.raw_leaf[k * n_leaves..(k + 1) * n_leaves]);
                let line = &statistics.raw_gram[k * r..k * r + k];
                let below = dot(line, &model.raw[..k]);
                let square = statistics.raw_gram[k * r + k] * slope;
                quadratic += slope * (2.0 * crossed + 2.0 * below + square);
            }
        }
        let error = statistics.response_square - 2.0 * linear + quadratic;
        (error > CANCELLED * statistics.response_square).then_some(error)
    }
}

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
