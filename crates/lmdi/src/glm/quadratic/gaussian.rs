//! The least-squares problem of some rows, from sufficient statistics.

use crate::basis::Basis;
use crate::glm::quadratic::gradient::Gradient;
use crate::glm::quadratic::hessian::Hessian;
use crate::glm::quadratic::statistics::Statistics;

/// The least-squares problem of some rows: curvature and the gradient at zero slopes.
#[derive(Debug)]
pub struct GaussianProblem<'b> {
    /// Curvature.
    pub hessian: Hessian<'b>,
    /// Weighted mean response.
    pub response_mean: f64,
    /// Centred sum of squared responses.
    pub response_square: f64,
    /// Weighted sums of the centred response per leaf.
    pub leaf_response: Vec<f64>,
    /// Gradient at zero slopes along each stump.
    pub stump_gradient: Vec<f64>,
    /// Gradient at zero slopes along each raw column.
    pub raw_gradient: Vec<f64>,
}

impl<'b> GaussianProblem<'b> {
    /// The problem of rows with these statistics.
    pub fn new(basis: &'b Basis, statistics: &Statistics) -> Self {
        let hessian = Hessian::new(basis, statistics);
        let total = hessian.total;
        let sum: f64 = statistics.leaf_response.iter().sum();
        let response_mean = if total > 0.0 { sum / total } else { 0.0 };
        let response_square =
            (statistics.response_square - total * response_mean * response_mean).max(0.0);
        let leaf_response: Vec<f64> = statistics
            .leaf_response
            .iter()
            .zip(&statistics.leaf_weight)
            .map(|(wy, w)| wy - response_mean * w)
            .collect();
        let raw_gradient: Vec<f64> = statistics
            .raw_response
            .iter()
            .zip(&hessian.raw_mean)
            .map(|(xy, mean)| xy - response_mean * mean * total)
            .collect();
        let stump_gradient =
            Gradient::of_residuals(&leaf_response, &raw_gradient).along_stumps(&hessian);
        Self {
            hessian,
            response_mean,
            response_square,
            leaf_response,
            stump_gradient,
            raw_gradient,
        }
    }

    /// The largest absolute gradient at zero slopes: with an l1 penalty of at least this, all
    /// slopes are zero.
    pub fn largest_gradient(&self) -> f64 {
        self.stump_gradient
            .iter()
            .chain(&self.raw_gradient)
            .fold(0.0_f64, |largest, gradient| largest.max(gradient.abs()))
    }
}
