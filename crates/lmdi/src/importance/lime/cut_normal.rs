//! Truncated normal distributions: the cells of a bin, one at a time.

use super::background::Bin;
use crate::random::{Generator, normal, unit};

/// Bins narrower than this many spreads are drawn from uniformly and thinned out, wider ones from the
/// whole normal distribution; either way about half of the draws are kept, or more.
pub(super) const NARROW: f64 = 4.0;

impl Bin {
    /// Draws a cell.
    pub(super) fn draw(&self, random: &mut Generator) -> f64 {
        self.mean + self.spread * normal_between(random, self.low, self.high)
    }
}

/// A standard normal number between `low <= 0` and `high >= 0`.
fn normal_between(random: &mut Generator, low: f64, high: f64) -> f64 {
    let width = high - low;
    if width == 0.0 {
        return 0.0;
    }
    loop {
        if width < NARROW {
            let z = low + width * unit(random);
            if is_below_density(unit(random), 0.5 * z * z) {
                return z;
            }
        } else {
            let z = normal(random);
            if z >= low && z <= high {
                return z;
            }
        }
    }
}

/// Whether u < exp(-h). As 1 - h <= exp(-h) <= 1 - h + h^2 / 2, the exponential is seldom needed.
pub(super) fn is_below_density(u: f64, h: f64) -> bool {
    let least = 1.0 - h;
    u < least || (u < least + 0.5 * h * h && u < libm::exp(-h))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::generator;

    /// Mean and variance of the cut normal distribution, by the textbook integrals taken numerically.
    #[test]
    fn draws_follow_the_cut_normal_distribution() {
        for (low, high) in [(-0.5, 1.2), (-3.0, 3.0), (0.0, 6.0), (-1e9, 0.0), (-2.0, 0.0)] {
            let (from, to) = (f64::max(low, -9.0), f64::min(high, 9.0));
            let steps = 100_000;
            let mut sums = [0.0; 3];
            for step in 0..steps {
                let z = from + (to - from) * (step as f64 + 0.5) / steps as f64;
                let density = libm::exp(-0.5 * z * z);
                for (power, sum) in sums.iter_mut().enumerate() {
                    *sum += density * z.powi(power as i32);
                }
            }
            let mean = sums[1] / sums[0];
            let variance = sums[2] / sums[0] - mean * mean;
            let mut random = generator(1, 2);
            let n = 40_000;
            let draws: Vec<f64> = (0..n).map(|_| normal_between(&mut random, low, high)).collect();
            assert!(draws.iter().all(|&z| z >= low && z <= high));
            let found = draws.iter().sum::<f64>() / n as f64;
            let spread = draws.iter().map(|z| (z - found) * (z - found)).sum::<f64>() / n as f64;
            assert!(
                (found - mean).abs() < 5.0 * (variance / n as f64).sqrt(),
                "{low} {high}: {found} {mean}"
            );
            assert!(
                (spread - variance).abs() < 0.05 * variance,
                "{low} {high}: {spread} {variance}"
            );
        }
    }
}
