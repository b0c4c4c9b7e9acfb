//! Response families: how the linear predictor becomes a mean, and what a miss costs.
//!
//! | family   | link  | mean            | loss of one row                    |
//! |----------|-------|-----------------|------------------------------------|
//! | gaussian | same  | eta             | (y - eta)^2 / 2                    |
//! | binomial | logit | 1/(1+exp(-eta)) | log(1 + exp(eta)) - y eta          |
//! | poisson  | log   | exp(eta)        | exp(eta) - y eta                   |
//!
//! All links are canonical, so minus the derivative of the loss is `y - mean` and its second
//! derivative is the variance of the family at the mean.

use crate::named::Named;

/// A response family with its canonical link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Numbers with constant variance.
    Gaussian,
    /// Zero or one.
    Binomial,
    /// Counts, or other numbers that are not negative.
    Poisson,
}

impl Named for Family {
    const PARAMETER: &'static str = "family";
    const ALL: &'static [Self] = &[Family::Gaussian, Family::Binomial, Family::Poisson];

    fn name(self) -> &'static str {
        match self {
            Family::Gaussian => "gaussian",
            Family::Binomial => "binomial",
            Family::Poisson => "poisson",
        }
    }
}

/// Linear predictors beyond this are as good as infinite to `exp`.
const LARGEST_EXPONENT: f64 = 700.0;

impl Family {
    /// The mean at a linear predictor.
    #[inline]
    pub fn mean(self, eta: f64) -> f64 {
        self.mean_and_variance(eta).0
    }

    /// The mean and the second derivative of the loss at a linear predictor.
    #[inline]
    pub fn mean_and_variance(self, eta: f64) -> (f64, f64) {
        match self {
            Family::Gaussian => (eta, 1.0),
            Family::Binomial => {
                let e = libm::exp(-eta.abs());
                let larger = 1.0 / (1.0 + e);
                let smaller = e * larger;
                (if eta >= 0.0 { larger } else { smaller }, larger * smaller)
            }
            Family::Poisson => {
                let mean = libm::exp(eta.min(LARGEST_EXPONENT));
                (mean, mean)
            }
        }
    }

    /// The loss of one row.
    #[inline]
    pub fn loss(self, y: f64, eta: f64) -> f64 {
        match self {
            Family::Gaussian => 0.5 * (y - eta) * (y - eta),
            Family::Binomial => eta.max(0.0) - y * eta + libm::log1p(libm::exp(-eta.abs())),
            Family::Poisson => libm::exp(eta.min(LARGEST_EXPONENT)) - y * eta,
        }
    }

    /// The smallest possible loss of a row, at a mean equal to its response.
    pub fn smallest_loss(self, y: f64) -> f64 {
        match self {
            Family::Poisson if y > 0.0 => y - y * libm::log(y),
            Family::Gaussian | Family::Binomial | Family::Poisson => 0.0,
        }
    }

    /// The linear predictor at which the mean is `mean`, kept finite.
    pub fn link(self, mean: f64) -> f64 {
        match self {
            Family::Gaussian => mean,
            Family::Binomial => {
                let p = mean.clamp(1e-12, 1.0 - 1e-12);
                libm::log(p / (1.0 - p))
            }
            Family::Poisson => libm::log(mean.max(1e-300)),
        }
    }
}
