//! The distribution function of a numeric column that is drawn by bins.
//!
//! Cells are laid out on the interval from 0 to 1 in rising order, bin by bin, missing ones last. A
//! bin takes as much of it as it has background rows, and a threshold cuts it at the share of cells
//! that go left:
//!
//! ```text
//! bins below + share of the bin (e(z) - e(low)) / (e(high) - e(low)),   e(z) = erf(z / sqrt 2)
//! ```
//!
//! The own code of a row is then an interval too, and so are the cells between two thresholds.

use crate::forest::{Missing, Tree};
use crate::importance::lime::background::Bin;
use std::f64::consts::FRAC_1_SQRT_2;

/// A column's bins.
pub(super) struct BinShares<'b> {
    ends: &'b [f64],
    up_to: &'b [f64],
    bins: Vec<(Bin, Normal)>,
    /// Whether any bin has a single value.
    any_single: bool,
}

/// The distribution function of a bin at its lower end, and one over its rise to the upper one.
struct Normal {
    at_low: f64,
    inverse: f64,
    /// One over the bin's spread.
    inverse_spread: f64,
}

impl<'b> BinShares<'b> {
    pub(super) fn new(ends: &'b [f64], up_to: &'b [f64], bins: &[Bin]) -> Self {
        let prepare = |bin: &Bin| {
            let at_low = error_function(bin.low);
            let inverse = 1.0 / (error_function(bin.high) - at_low);
            (*bin, Normal { at_low, inverse, inverse_spread: 1.0 / bin.spread })
        };
        let any_single = bins.iter().any(Bin::is_single);
        Self { ends, up_to, bins: bins.iter().map(prepare).collect(), any_single }
    }

    /// The share of cells that are not missing.
    pub(super) fn present(&self) -> f64 {
        self.up_to[self.bins.len() - 1]
    }

    /// The share of present cells that go left at a split, and whether missing ones do. `None` for
    /// a split by categories, or one that tells zeros apart.
    pub(super) fn cut(&self, tree: &Tree, node: usize) -> Option<(f64, bool)> {
        let tells_zeros = matches!(tree.missing[node], Missing::ZeroLeft | Missing::ZeroRight);
        if tells_zeros || tree.categories(node).is_some() {
            return None;
        }
        let threshold = tree.threshold[node];
        // Ends rise: those below the threshold are the first ones.
        let at: usize = self.ends.iter().map(|&end| usize::from(end < threshold)).sum();
        let start = if at == 0 { 0.0 } else { self.up_to[at - 1] };
        let (bin, normal) = &self.bins[at];
        let mut below = start;
        if !bin.is_single() {
            below += (self.up_to[at] - start) * normal.up_to(bin, threshold);
        }
        // Bins of a single value are compared as the tree does it: rounding can put one on the
        // other side of a threshold beside it.
        if self.any_single {
            let first = at.saturating_sub(1);
            for near in first..=(at + 1).min(self.bins.len() - 1) {
                let bin = &self.bins[near].0;
                let counted = near < at;
                let goes_left = tree.goes_left(node, bin.mean);
                if bin.is_single() && goes_left != counted {
                    let share =
                        self.up_to[near] - if near == 0 { 0.0 } else { self.up_to[near - 1] };
                    below += if goes_left { share } else { -share };
                }
            }
        }
        Some((below, self.present() < 1.0 && tree.goes_left(node, f64::NAN)))
    }
}

impl Normal {
    /// The share of the bin's cells up to a threshold.
    fn up_to(&self, bin: &Bin, threshold: f64) -> f64 {
        let z = (threshold - bin.mean) * self.inverse_spread;
        if z <= bin.low {
            0.0
        } else if z >= bin.high {
            1.0
        } else {
            (error_function(z) - self.at_low) * self.inverse
        }
    }
}

/// Twice the standard normal distribution function, less one.
fn error_function(z: f64) -> f64 {
    libm::erf(z * FRAC_1_SQRT_2)
}
