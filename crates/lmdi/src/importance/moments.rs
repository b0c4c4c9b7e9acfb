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
    /// Slopes of the requested columns, in that order.
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
        let cross = self.cross_of(response);
        let mut slopes: Vec<f64> = columns.iter().map(|&c| cross[c]).collect();
        if let Some(factor) = self.ridge_factor(columns, alpha) {
            factor.solve_lower(&mut slopes);
            factor.solve_upper(&mut slopes);
        }
        let at_mean: f64 = columns.iter().zip(&slopes).map(|(&c, b)| self.mean[c] * b).sum();
        Linear { intercept: self.response_mean[response] - at_mean, slopes }
    }

    /// What the ridge regressions of one response on the first column, the first two, and so on predict for
    /// a row of cells.
    ///
    /// With G + alpha = L L', the prediction from the first q columns is the mean plus the first q terms of
    /// (L^-1 (cells - mean)) . (L^-1 cross), as the factor of the first q columns is a corner of L: all
    /// models together cost one factorisation.
    pub(super) fn nested_ridge_predictions(
        &self,
        response: usize,
        alpha: f64,
        cells: &[f64],
    ) -> Vec<f64> {
        let columns: Vec<usize> = (0..self.n_columns()).collect();
        let mut prediction = self.response_mean[response];
        let Some(factor) = self.ridge_factor(&columns, alpha) else {
            return vec![prediction; columns.len()];
        };
        let mut cross = self.cross_of(response).to_vec();
        let mut cells: Vec<f64> = cells.iter().zip(&self.mean).map(|(x, mean)| x - mean).collect();
        factor.solve_lower(&mut cross);
        factor.solve_lower(&mut cells);
        let term = |(c, x): (f64, f64)| {
            prediction += c * x;
            prediction
        };
        cross.into_iter().zip(cells).map(term).collect()
    }

    /// The factor of the penalised Gram matrix of some columns; `None` if the columns have no spread and
    /// there is no penalty, when every slope is zero.
    fn ridge_factor(&self, columns: &[usize], alpha: f64) -> Option<Cholesky> {
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
        (alpha > 0.0).then(|| Cholesky::new(lower, q, alpha))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_predictions_are_those_of_one_model_after_the_other() {
        let moments = Moments {
            mean: vec![0.5, -1.0, 2.0],
            gram: vec![4.0, 1.0, 0.5, 1.0, 3.0, -0.5, 0.5, -0.5, 2.0],
            response_mean: vec![10.0, -3.0],
            cross: vec![1.0, 2.0, -1.0, 0.5, 0.0, 4.0],
            response_square: vec![5.0, 9.0],
        };
        let cells = [1.0, 0.25, -2.0];
        for (response, alpha) in [(0, 0.1), (1, 0.0)] {
            let found = moments.nested_ridge_predictions(response, alpha, &cells);
            for (count, found) in found.into_iter().enumerate() {
                let columns: Vec<usize> = (0..=count).collect();
                let model = moments.ridge(&columns, response, alpha);
                let expected = model.intercept
                    + model.slopes.iter().zip(&cells).map(|(b, x)| b * x).sum::<f64>();
                assert!((found - expected).abs() < 1e-11, "{count}: {found}, {expected}");
            }
        }
    }
}
