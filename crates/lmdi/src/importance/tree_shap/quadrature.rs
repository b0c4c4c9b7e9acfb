//! Gauss-Legendre points and weights on (0, 1).
//!
//! With q points the rule integrates every polynomial up to degree 2 q - 1 exactly. Points are the roots
//! of the Legendre polynomial, found by Newton's method from a close guess; a few steps reach the last bit.

/// A rule: points `t`, `1 - t` and weights, in ascending order of `t`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quadrature {
    pub(super) t: Vec<f64>,
    pub(super) s: Vec<f64>,
    pub(super) weight: Vec<f64>,
}

impl Quadrature {
    /// The rule with `q` points.
    pub(super) fn new(q: usize) -> Self {
        let mut rule = Self { t: vec![0.0; q], s: vec![0.0; q], weight: vec![0.0; q] };
        for i in 0..q.div_ceil(2) {
            let guess = libm::cos(std::f64::consts::PI * (i as f64 + 0.75) / (q as f64 + 0.5));
            let (x, slope) = root(q, guess);
            let weight = 1.0 / ((1.0 - x * x) * slope * slope);
            // The rule is symmetric: the i-th point from either end has the same weight.
            let (near, far) = (0.5 * (1.0 - x), 0.5 * (1.0 + x));
            let last = q - 1 - i;
            (rule.t[i], rule.s[i], rule.weight[i]) = (near, far, weight);
            (rule.t[last], rule.s[last], rule.weight[last]) = (far, near, weight);
        }
        rule
    }

    /// The smallest rule that is exact for a product of up to `n` linear factors with one left out.
    pub(super) fn for_factors(n: usize) -> Self {
        Self::new(n.div_ceil(2).max(1))
    }

    /// Number of points.
    pub(super) fn len(&self) -> usize {
        self.t.len()
    }
}

/// The root of the Legendre polynomial of degree `q` near `x`, and the slope there.
fn root(q: usize, mut x: f64) -> (f64, f64) {
    // Newton doubles the right digits at each step; the guess has at least two.
    for _ in 0..8 {
        let (value, slope) = legendre(q, x);
        x -= value / slope;
    }
    (x, legendre(q, x).1)
}

/// The Legendre polynomial of degree `q` and its derivative at |x| < 1.
fn legendre(q: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for degree in 2..=q {
        let n = degree as f64;
        (before, value) = (value, ((2.0 * n - 1.0) * x * value - (n - 1.0) * before) / n);
    }
    (value, q as f64 * (x * value - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_integrated_exactly_up_to_the_degree() {
        for q in 1..=40 {
            let rule = Quadrature::new(q);
            let integral = |power: i32| -> f64 {
                rule.t.iter().zip(&rule.weight).map(|(t, weight)| t.powi(power) * weight).sum()
            };
            for power in 0..2 * q as i32 {
                let expected = 1.0 / f64::from(power + 1);
                let found = integral(power);
                assert!(
                    (found / expected - 1.0).abs() < 1e-13,
                    "{q} points, power {power}: {found}"
                );
            }
            if q < 12 {
                // One degree more is too much; with more points the miss is below rounding.
                let power = 2 * q as i32;
                assert!((integral(power) * f64::from(power + 1) - 1.0).abs() > 1e-13);
            }
        }
    }
}
