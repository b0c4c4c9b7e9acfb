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
    bins: Vec<PlacedBin>,
    /// The share of cells that are not missing.
    present: f64,
    /// Whether any bin has a single value.
    any_single: bool,
}

/// A bin, and its interval between 0 and 1.
struct PlacedBin {
    bin: Bin,
    start: f64,
    share: f64,
    /// The distribution function at the lower end, and one over its rise to the upper one.
    at_low: f64,
    inverse: f64,
    /// One over the bin's spread.
    inverse_spread: f64,
}

/// Where a threshold lies: in which bin, and how far from its mean in spreads.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Threshold {
    bin: u32,
    z: f64,
}

impl Threshold {
    /// The argument of the error function that [`BinShares::cut`] needs.
    pub(super) fn argument(self) -> f64 {
        self.z * FRAC_1_SQRT_2
    }
}

impl<'b> BinShares<'b> {
    pub(super) fn new(ends: &'b [f64], up_to: &'b [f64], bins: &[Bin]) -> Self {
        let error_function = |z: f64| libm::erf(z * FRAC_1_SQRT_2);
        let prepare = |(at, bin): (usize, &Bin)| {
            let start = if at == 0 { 0.0 } else { up_to[at - 1] };
            let at_low = error_function(bin.low);
            PlacedBin {
                bin: *bin,
                start,
                share: up_to[at] - start,
                at_low,
                inverse: 1.0 / (error_function(bin.high) - at_low),
                inverse_spread: 1.0 / bin.spread,
            }
        };
        let any_single = bins.iter().any(Bin::is_single);
        let present = up_to[bins.len() - 1];
        Self { ends, bins: bins.iter().enumerate().map(prepare).collect(), present, any_single }
    }

    /// The share of cells that are not missing.
    pub(super) fn present(&self) -> f64 {
        self.present
    }

    /// The threshold of a split; `None` for a split by categories, or one that tells zeros apart.
    pub(super) fn threshold(&self, tree: &Tree, node: usize) -> Option<Threshold> {
        let tells_zeros = matches!(tree.missing[node], Missing::ZeroLeft | Missing::ZeroRight);
        if tells_zeros || tree.categories(node).is_some() {
            return None;
        }
        let threshold = tree.threshold[node];
        // Ends rise: those below the threshold are the first ones.
        let at: usize = self.ends.iter().map(|&end| usize::from(end < threshold)).sum();
        let PlacedBin { bin, inverse_spread, .. } = &self.bins[at];
        Some(Threshold { bin: at as u32, z: (threshold - bin.mean) * inverse_spread })
    }

    /// The share of cells that are present and go left at a split, given the error function of its
    /// threshold's [argument](Threshold::argument).
    pub(super) fn cut(
        &self,
        tree: &Tree,
        node: usize,
        threshold: Threshold,
        error_function: f64,
    ) -> f64 {
        let Threshold { bin: at, z } = threshold;
        let at = at as usize;
        let PlacedBin { bin, start, share, at_low, inverse, .. } = &self.bins[at];
        let inside = if z <= bin.low {
            0.0
        } else if z >= bin.high {
            1.0
        } else {
            (error_function - at_low) * inverse
        };
        let inside = if bin.is_single() { 0.0 } else { inside };
        let mut below = start + share * inside;
        // Bins of a single value are compared as the tree does it: rounding can put one on the
        // other side of a threshold beside it.
        if self.any_single {
            let first = at.saturating_sub(1);
            for near in first..=(at + 1).min(self.bins.len() - 1) {
                let PlacedBin { bin, share, .. } = &self.bins[near];
                let counted = near < at;
                let goes_left = tree.goes_left(node, bin.mean);
                if bin.is_single() && goes_left != counted {
                    below += if goes_left { *share } else { -share };
                }
            }
        }
        below
    }

    /// Whether missing cells go left at a split, if the column has any.
    pub(super) fn missing_left(&self, tree: &Tree, node: usize) -> bool {
        self.present < 1.0 && tree.goes_left(node, f64::NAN)
    }
}
