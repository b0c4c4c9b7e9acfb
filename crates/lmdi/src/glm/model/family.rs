//! Response families: the link from the linear predictor to the mean, and the loss.
//!
//! | family   | link  | mean            | loss of one row                    |
//! |----------|-------|-----------------|------------------------------------|
//! | gaussian | same  | eta             | (y - eta)^2 / 2                    |
//! | binomial | logit | 1/(1+exp(-eta)) | log(1 + exp(eta)) - y eta          |
//! | poisson  | log   | exp(eta)        | exp(eta) - y eta                   |
//!
//! All links are canonical, so minus the derivative of the loss is `y - mean` and its second
//! derivative is the variance of the family at the mean.

use crate::elementary::{exp_of_all, log1p_of_all};
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
        let e = match self {
            Family::Gaussian => eta,
            Family::Binomial | Family::Poisson => libm::exp(self.exponent(eta)),
        };
        self.mean_and_variance_of(eta, e)
    }

    /// What the exponential is taken of.
    #[inline(always)]
    fn exponent(self, eta: f64) -> f64 {
        match self {
            Family::Gaussian => eta,
            Family::Binomial => -eta.abs(),
            Family::Poisson => eta.min(LARGEST_EXPONENT),
        }
    }

    /// The mean and the second derivative of the loss, given the exponential.
    #[inline(always)]
    fn mean_and_variance_of(self, eta: f64, e: f64) -> (f64, f64) {
        match self {
            Family::Gaussian => (eta, 1.0),
            Family::Binomial => {
                let larger = 1.0 / (1.0 + e);
                let smaller = e * larger;
                (if eta >= 0.0 { larger } else { smaller }, larger * smaller)
            }
            Family::Poisson => (e, e),
        }
    }

    /// Means and second derivatives of the loss at many linear predictors, after what is there.
    pub(crate) fn add_means_and_variances(
        self,
        eta: &[f64],
        mean: &mut Vec<f64>,
        variance: &mut Vec<f64>,
    ) {
        let start = mean.len();
        mean.extend(eta.iter().map(|&eta| self.exponent(eta)));
        let mean = &mut mean[start..];
        if self != Family::Gaussian {
            exp_of_all(mean);
        }
        variance.extend(mean.iter_mut().zip(eta).map(|(mean, &eta)| {
            let variance;
            (*mean, variance) = self.mean_and_variance_of(eta, *mean);
            variance
        }));
    }

    /// The losses of many rows, in the place of what is there.
    pub(crate) fn losses(self, y: &[f64], eta: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(eta.iter().map(|&eta| self.exponent(eta)));
        match self {
            Family::Gaussian => {}
            Family::Binomial => {
                exp_of_all(out);
                log1p_of_all(out);
            }
            Family::Poisson => exp_of_all(out),
        }
        for ((out, &y), &eta) in out.iter_mut().zip(y).zip(eta) {
            *out = self.loss_of(y, eta, *out);
        }
    }

    /// The loss of one row.
    #[inline]
    pub fn loss(self, y: f64, eta: f64) -> f64 {
        let bent = match self {
            Family::Gaussian => eta,
            Family::Binomial => libm::log1p(libm::exp(self.exponent(eta))),
            Family::Poisson => libm::exp(self.exponent(eta)),
        };
        self.loss_of(y, eta, bent)
    }

    /// The loss of one row, given the part of it that is not linear.
    #[inline(always)]
    fn loss_of(self, y: f64, eta: f64, bent: f64) -> f64 {
        match self {
            Family::Gaussian => 0.5 * (y - eta) * (y - eta),
            Family::Binomial => eta.max(0.0) - y * eta + bent,
            Family::Poisson => bent - y * eta,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_known_by_name() {
        let names: Vec<&str> = Family::ALL.iter().map(|family| family.name()).collect();
        assert_eq!(names, ["gaussian", "binomial", "poisson"]);
    }

    #[test]
    fn the_link_undoes_the_mean() {
        for family in Family::ALL {
            for mean in [0.001, 0.2, 0.5, 0.999] {
                let back = family.mean(family.link(mean));
                assert!((back - mean).abs() < 1e-12, "{family:?}: {back}, expected {mean}");
            }
        }
        for mean in [0.0, 1.0] {
            assert!(Family::Binomial.link(mean).is_finite());
        }
        assert!(Family::Poisson.link(0.0).is_finite());
    }

    /// By its definition: no linear predictor has a smaller loss than that of the response.
    #[test]
    fn the_smallest_loss_is_that_of_the_response_itself() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-10;
        for y in [0.5, 1.0, 3.0, 17.0] {
            let smallest = Family::Poisson.smallest_loss(y);
            assert!(close(Family::Poisson.loss(y, libm::log(y)), smallest), "{y}");
        }
        assert!(close(Family::Poisson.loss(0.0, -700.0), Family::Poisson.smallest_loss(0.0)));
        for y in [0.0, 1.0] {
            let eta = if y > 0.0 { 50.0 } else { -50.0 };
            assert!(close(Family::Binomial.loss(y, eta), Family::Binomial.smallest_loss(y)));
        }
        assert_eq!(Family::Gaussian.smallest_loss(2.0), Family::Gaussian.loss(2.0, 2.0));
    }

    /// The mean less the response is the loss's slope, and the variance its curvature.
    #[test]
    fn mean_and_variance_are_derivatives_of_the_loss() {
        for family in Family::ALL {
            for (y, eta) in [(1.0, -1.5), (0.0, 0.3), (1.0, 2.0)] {
                let (mean, variance) = family.mean_and_variance(eta);
                let h = 1e-4;
                let [below, at, above] = [eta - h, eta, eta + h].map(|eta| family.loss(y, eta));
                assert!(((above - below) / (2.0 * h) - (mean - y)).abs() < 1e-6, "{family:?}");
                assert!(
                    ((above - 2.0 * at + below) / (h * h) - variance).abs() < 1e-5,
                    "{family:?}"
                );
            }
        }
    }

    #[test]
    fn many_rows_are_as_one_to_the_bit() {
        let eta: Vec<f64> = (-40..=40).map(|at| f64::from(at) * 0.731).chain([720.0]).collect();
        let y: Vec<f64> = (0..eta.len()).map(|at| f64::from(at as u32 % 2)).collect();
        for family in Family::ALL.iter().copied() {
            let (mut mean, mut variance, mut loss) = (vec![9.0], vec![9.0], vec![9.0]);
            family.add_means_and_variances(&eta, &mut mean, &mut variance);
            family.losses(&y, &eta, &mut loss);
            assert_eq!(loss.len(), eta.len());
            for (at, (&y, &eta)) in y.iter().zip(&eta).enumerate() {
                assert_eq!((mean[at + 1], variance[at + 1]), family.mean_and_variance(eta));
                assert_eq!(loss[at], family.loss(y, eta));
            }
        }
    }
}
