//! The elastic-net penalty on the scale of a sum over rows.
//!
//! ```text
//! penalty(b) = l1 * sum |b_j| + l2 / 2 * sum b_j^2
//! ```
//!
//! The intercept is never penalised. The constructors convert from penalties relative to the mean
//! loss (`alpha`, `l1_ratio`) or from an inverse strength `C`.

/// Strengths of the two parts of the elastic net.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penalty {
    /// Strength on absolute values.
    pub l1: f64,
    /// Strength on squares.
    pub l2: f64,
}

impl Penalty {
    /// No penalty: ordinary least squares or maximum likelihood.
    pub const NONE: Self = Self { l1: 0.0, l2: 0.0 };

    /// `alpha * (l1_ratio |b|_1 + (1 - l1_ratio)/2 |b|^2)` beside a loss averaged over rows of
    /// total weight `total`.
    pub fn from_alpha(alpha: f64, l1_ratio: f64, total: f64) -> Self {
        Self { l1: total * alpha * l1_ratio, l2: total * alpha * (1.0 - l1_ratio) }
    }

    /// `(l1_ratio |b|_1 + (1 - l1_ratio)/2 |b|^2) / c` beside a loss summed over rows.
    pub fn from_inverse(c: f64, l1_ratio: f64) -> Self {
        Self { l1: l1_ratio / c, l2: (1.0 - l1_ratio) / c }
    }

    /// The penalty of some coefficients.
    pub fn of(&self, coefficients: &[f64]) -> f64 {
        let mut absolute = 0.0;
        let mut squares = 0.0;
        for b in coefficients {
            absolute += b.abs();
            squares += b * b;
        }
        self.l1 * absolute + 0.5 * self.l2 * squares
    }

    /// How far `gradient` (of minus the loss) is from the penalty's subdifferential at `b`: zero
    /// exactly when coordinate `b` is optimal.
    #[inline]
    pub fn violation(&self, gradient: f64, b: f64) -> f64 {
        let smooth = gradient - self.l2 * b;
        if b > 0.0 {
            (smooth - self.l1).abs()
        } else if b < 0.0 {
            (smooth + self.l1).abs()
        } else {
            (smooth.abs() - self.l1).max(0.0)
        }
    }
}
