//! The best split of one column, from its bins.
//!
//! With R and H the sums of residuals and curvatures of a side, splits of a node are compared by
//!
//! ```text
//! R_l^2 / (H_l + l2) + R_r^2 / (H_r + l2)
//! ```
//!
//! Running sums of bins are whole numbers and take one addition each. The worth of a split needs
//! only its own sums, so eight bins are computed at a time. The two fractions have a common
//! denominator, and a product tells whether their sum exceeds the best so far: few bins need a
//! division. The first of equal splits is taken; a split after an empty bin equals the one before it.

use super::sums::{Sums, Units, Words};
use super::{MIN_CURVATURE, WIDTH};
use crate::vectorised::Vectorised;

/// Bins that are worked out together.
const LANES: usize = 8;

/// What all splits of a tree have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) units: Units,
    pub(super) l2: f64,
    pub(super) min_rows: f64,
}

/// A split of one column.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnSplit {
    pub(super) gain: f64,
    /// The last bin that goes left.
    pub(super) last_left: u8,
    /// Where missing cells go, if the node has any.
    pub(super) missing_left: Option<bool>,
    pub(super) left: Sums,
}

/// Room for what is worked out per bin.
pub(super) struct Scratch<W> {
    running: [[W; LANES]; WIDTH / LANES],
}

impl<W: Words> Scratch<W> {
    pub(super) fn new() -> Self {
        Self { running: [[W::default(); LANES]; WIDTH / LANES] }
    }
}

/// The search for a split with a gain above `least`.
pub(super) struct SearchBins<'s, W> {
    pub(super) scratch: &'s mut Scratch<W>,
    /// The bins of the column, the missing cells' last.
    pub(super) bins: &'s [W],
    pub(super) node: Sums,
    pub(super) rules: &'s Rules,
    pub(super) least: f64,
}

impl<W: Words> Vectorised for SearchBins<'_, W> {
    type Output = Option<ColumnSplit>;

    #[inline(always)]
    fn run(mut self) -> Option<ColumnSplit> {
        let (missing, values) = self.bins.split_last()?;
        let has_missing = missing.sums(&self.rules.units).rows > 0.0;
        // The last bin goes left only when the missing cells are left for the right.
        let all_but_last = &values[..values.len().saturating_sub(1)];
        let end = if has_missing { values } else { all_but_last };
        let found = self.walk(end, W::default(), self.least, has_missing.then_some(false));
        if !has_missing {
            return found;
        }
        let least = found.map_or(self.least, |found| found.gain);
        self.walk(all_but_last, *missing, least, Some(true)).or(found)
    }
}

impl<W: Words> SearchBins<'_, W> {
    /// The best split after one of these bins, with `start` on the left before the first.
    #[inline(always)]
    fn walk(
        &mut self,
        bins: &[W],
        start: W,
        least: f64,
        missing_left: Option<bool>,
    ) -> Option<ColumnSplit> {
        // Copies: what is written below might be them, as far as the compiler knows.
        let (rules, node) = (*self.rules, self.node);
        let Rules { units, l2, .. } = &rules;
        let n_chunks = bins.len().div_ceil(LANES);
        let running = &mut self.scratch.running[..n_chunks];
        // Beyond the bins there is no row on the left, which no rule allows.
        if let Some(last) = running.last_mut() {
            *last = [W::default(); LANES];
        }
        let mut sum = start;
        for (running, &bin) in running.as_flattened_mut().iter_mut().zip(bins) {
            sum = sum.plus(bin);
            *running = sum;
        }
        let worth = node.worth(*l2);
        // Splits worth no more are out of the question: most of them, once a good one is known. Whether
        // a split is among them takes no division.
        let mut bar = (worth + least) * (1.0 - 2e-9);
        let (mut best, mut best_values, mut best_chunk) = (0, [0.0; LANES], 0);
        for (chunk, running) in self.scratch.running[..n_chunks].iter().enumerate() {
            let (mut above, mut below) = ([0.0; LANES], [0.0; LANES]);
            let mut promising = [false; LANES];
            for lane in 0..LANES {
                [above[lane], below[lane]] = fraction(rules, node, running[lane].sums(units));
                promising[lane] = above[lane] > bar * below[lane];
            }
            if promising == [false; LANES] {
                continue;
            }
            let values: [f64; LANES] = std::array::from_fn(|lane| above[lane] / below[lane]);
            // Numbers that are not negative are ordered as their bits are.
            let bits = values.map(|value| if value > 0.0 { value.to_bits() } else { 0 });
            let largest = bits.into_iter().fold(0, u64::max);
            if largest > best {
                (best, best_values, best_chunk) = (largest, values, chunk);
                bar = bar.max(f64::from_bits(best) * (1.0 - 1e-12));
            }
        }
        if best == 0 || f64::from_bits(best) - worth <= least - 1e-9 * worth.max(least) {
            return None;
        }
        let lane = best_values.iter().position(|value| value.to_bits() == best)?;
        let at = best_chunk * LANES + lane;
        let left = self.scratch.running.as_flattened()[at].sums(units);
        let gain = left.worth(*l2) + node.without(left).worth(*l2) - worth;
        let last_left = at as u8;
        (gain > least).then_some(ColumnSplit { gain, last_left, missing_left, left })
    }
}

/// What a split is worth, as numerator and denominator; the numerator is zero for a split that leaves
/// too little on a side.
#[inline(always)]
fn fraction(rules: Rules, node: Sums, left: Sums) -> [f64; 2] {
    let Rules { l2, min_rows, .. } = rules;
    let right = node.without(left);
    let (below, above) = (left.curvature + l2, right.curvature + l2);
    let numerator = left.residual * left.residual * above + right.residual * right.residual * below;
    let allowed = (left.rows >= min_rows)
        & (right.rows >= min_rows)
        & (left.curvature >= MIN_CURVATURE)
        & (right.curvature >= MIN_CURVATURE);
    [if allowed { numerator } else { 0.0 }, below * above]
}

#[cfg(test)]
mod tests {
    use super::super::sums::{Magnitudes, Paired};
    use super::*;
    use crate::vectorised::vectorised;
    use proptest::prelude::*;

    /// The largest gain of all splits, one after the other.
    fn by_hand(bins: &[Sums], node: Sums, l2: f64, min_rows: f64) -> Option<f64> {
        let (missing, values) = bins.split_last()?;
        let mut best: Option<f64> = None;
        for missing_left in [false, true] {
            let mut left = if missing_left { *missing } else { Sums::default() };
            for bin in values {
                left = left.without(Sums::default().without(*bin));
                let right = node.without(left);
                let allowed = |side: Sums| side.rows >= min_rows && side.curvature >= MIN_CURVATURE;
                let gain = left.worth(l2) + right.worth(l2) - node.worth(l2);
                if allowed(left) && allowed(right) && gain > 1e-9 {
                    best = Some(best.map_or(gain, |best| best.max(gain)));
                }
            }
        }
        best
    }

    proptest! {
        #[test]
        fn the_best_split_is_found(
            rows in prop::collection::vec((0usize..12, -8i32..9, 1u32..4), 2..80),
            missing in any::<bool>(),
            min_rows in 1usize..5,
            l2 in prop_oneof![Just(0.0), Just(0.5)],
        ) {
            // The last bin is that of missing cells. Whole numbers keep sums by hand exact.
            let n_bins = 12;
            let last = if missing { n_bins } else { n_bins - 1 };
            let derivatives = |&(_, r, h): &(usize, i32, u32)| [f64::from(r), f64::from(h)];
            let (units, _) = Magnitudes::of(&rows.iter().map(derivatives).collect::<Vec<_>>()).units::<Paired>();
            let mut bins = vec![Paired::default(); n_bins + 1];
            for row in &rows {
                let bin = &mut bins[row.0.min(last)];
                *bin = bin.plus(Paired::of_row(derivatives(row), &units));
            }
            if missing {
                bins[n_bins] = bins[n_bins].plus(bins[3]);
                bins[3] = Paired::default();
            }
            let node = bins.iter().fold(Paired::default(), |sum, &bin| sum.plus(bin)).sums(&units);
            let by_bin: Vec<Sums> = bins.iter().map(|bin| bin.sums(&units)).collect();
            let rules = Rules { units, l2, min_rows: min_rows as f64 };
            let found = vectorised(SearchBins {
                scratch: &mut Scratch::new(),
                bins: &bins,
                node,
                rules: &rules,
                least: 1e-9,
            });
            let expected = by_hand(&by_bin, node, l2, min_rows as f64);
            prop_assert_eq!(found.is_some(), expected.is_some());
            if let (Some(found), Some(gain)) = (found, expected) {
                prop_assert!((found.gain - gain).abs() <= 1e-9 * gain.max(1.0));
                let rows_of = |at: usize, with_missing: bool| {
                    let bins = by_bin[..=at].iter().chain(with_missing.then_some(&by_bin[n_bins]));
                    bins.map(|bin| bin.rows).sum::<f64>()
                };
                let left = found.missing_left == Some(true);
                prop_assert_eq!(found.left.rows, rows_of(found.last_left as usize, left));
            }
        }
    }
}
