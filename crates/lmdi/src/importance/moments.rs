//! Weighted means and products of a few columns and responses: all that a small linear model needs.
//!
//! Linear models that are fitted row by row (LIME, MAPLE) see the data only through these sums, so that
//! penalties and choices of columns can be tried without going over the rows again.

use crate::glm::Cholesky;

/// Weighted moments, centred at the weighted means.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moments {
    /// Mean of each column.
    pub mean: Vec<f64>,
    /// Sum of w (x_a - mean_a)(x_b - mean_b), row-major, both triangles.
    pub gram: Vec<f64>,
    /// Mean of each response.
    pub response_mean: Vec<f64>,
    /// Sum of w (x_a - mean_a)(y - mean), response by response.
    pub cross: Vec<f64>,
    /// Sum of w (y - mean)^2 of each response.
    pub response_square: Vec<f64>,
}

/// A linear model over some of the columns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Linear {
    pub intercept: f64,
    /// Slopes of the columns that were asked for, in that order.
    pub slopes: Vec<f64>,
}

impl Moments {
    /// Number of columns.
    pub(super) fn n_columns(&self) -> usize {
        self.mean.len()
    }

    /// Entry of the Gram matrix.
    #[inline]
    pub(super) fn product(&self, a: usize, b: usize) -> f64 {
        self.gram[a * self.mean.len() + b]
    }

    /// Products of the columns with one response.
    pub(super) fn cross_of(&self, response: usize) -> &[f64] {
        let p = self.n_columns();
        &self.cross[response * p..(response + 1) * p]
    }

    /// Ridge regression of one response on some columns; the intercept is not penalised.
    ///
    /// Without a penalty, 1e-12 of the largest curvature takes its place.
    pub(super) fn ridge(&self, columns: &[usize], response: usize, alpha: f64) -> Linear {
        let q = columns.len();
        let largest = columns.iter().map(|&c| self.product(c, c)).fold(0.0, f64::max);
        let alpha = alpha.max(1e-12 * largest);
        let mut lower = vec![0.0; q * q];
        for (i, &a) in columns.iter().enumerate() {
            for (j, &b) in columns[..=i].iter().enumerate() {
                lower[i * q + j] = self.product(a, b);
            }
            lower[i * q + i] += alpha;
        }
        let cross = self.cross_of(response);
        let mut slopes: Vec<f64> = columns.iter().map(|&c| cross[c]).collect();
        // Only columns without any spread, and no penalty: every slope is zero.
        if alpha > 0.0 {
            let factor = Cholesky::new(lower, q, alpha);
            factor.solve_lower(&mut slopes);
            factor.solve_upper(&mut slopes);
        }
        let at_mean: f64 = columns.iter().zip(&slopes).map(|(&c, b)| self.mean[c] * b).sum();
        Linear { intercept: self.response_mean[response] - at_mean, slopes }
    }

    /// Share of the weighted variance of a response that a model explains; NaN if it does not vary.
    pub(super) fn r2(&self, columns: &[usize], response: usize, slopes: &[f64]) -> f64 {
        let cross = self.cross_of(response);
        let mut explained = 0.0;
        for (&a, slope) in columns.iter().zip(slopes) {
            let line: f64 = columns.iter().zip(slopes).map(|(&b, s)| self.product(a, b) * s).sum();
            explained += slope * (2.0 * cross[a] - line);
        }
        explained / self.response_square[response]
    }
}
