//! Coefficients of one linear model over a tree's basis.

use crate::glm::linalg::vector::add_scaled;

/// Intercept and slopes; columns are as in the basis (stumps on the tree's splits, raw columns
/// centred and scaled).
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficients {
    /// Linear predictor where every column is zero.
    pub intercept: f64,
    /// One slope per split.
    pub stump: Vec<f64>,
    /// One slope per raw column.
    pub raw: Vec<f64>,
}

impl Coefficients {
    /// All zero.
    pub fn zero(n_splits: usize, n_raw: usize) -> Self {
        Self { intercept: 0.0, stump: vec![0.0; n_splits], raw: vec![0.0; n_raw] }
    }

    /// Adds a multiple of other coefficients.
    pub fn add(&mut self, factor: f64, other: &Self) {
        self.intercept += factor * other.intercept;
        add_scaled(&mut self.stump, factor, &other.stump);
        add_scaled(&mut self.raw, factor, &other.raw);
    }

    /// Multiplies all of them.
    pub fn scale(&mut self, factor: f64) {
        self.intercept *= factor;
        self.stump.iter_mut().chain(&mut self.raw).for_each(|slope| *slope *= factor);
    }

    /// All slopes, stumps first.
    pub fn slopes(&self) -> impl Iterator<Item = f64> + '_ {
        self.stump.iter().chain(&self.raw).copied()
    }

    /// Number of slopes that are not zero.
    pub fn n_active(&self) -> usize {
        self.slopes().filter(|&b| b != 0.0).count()
    }
}
