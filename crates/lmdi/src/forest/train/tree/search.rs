//! The search for a node's best split, one column at a time.
//!
//! [`best_split`] tries every boundary between two different values that the node holds, with
//! missing cells on the right, then on the left; [`random_split`] tries one random threshold. A
//! later candidate replaces an earlier one only if its score is larger: strictly, or by more than
//! rounding ([`Ties`]).
//!
//! Cost of a column for a node of m rows: O(m) by buckets when the node's ranks span little more
//! than m, else a sort of m small whole numbers. A column with two values in the node, such as a 0/1
//! column, has one boundary, and takes the sum over its lower side.

use super::criterion::Scorer;
use super::limits::{Limits, Ties};
use crate::forest::train::columns::sort::sort_keys;
use crate::forest::train::columns::{RankedColumn, Ranks};
use crate::random::{Generator, below, unit};

/// The best split found so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SplitCandidate {
    /// RankedColumn.
    pub(crate) feature: u32,
    /// Ranks up to this one go left, missing cells apart.
    pub(crate) last_left: u32,
    /// Threshold on the value.
    pub(crate) threshold: f64,
    /// Missing cells go left; `None` when the node has none in this column.
    pub(crate) missing_left: Option<bool>,
    /// Score, comparable within the node only.
    pub(crate) score: f64,
}

/// Buffers of the search, reused from node to node.
pub(crate) struct Scratch<S: Scorer> {
    ranks: Vec<u32>,
    keys: Vec<u64>,
    spare: Vec<u64>,
    buckets: Vec<S::Bucket>,
    side: S::Side,
}

impl<S: Scorer> Scratch<S> {
    pub(crate) fn new() -> Self {
        Self {
            ranks: Vec::new(),
            keys: Vec::new(),
            spare: Vec::new(),
            buckets: Vec::new(),
            side: S::Side::default(),
        }
    }
}

/// Ranks of a node in one column.
struct Span {
    /// Smallest and largest rank, missing cells apart.
    lo: u32,
    hi: u32,
    n_missing: usize,
}

/// One column of a node: where its ranks are, and which of them belong to the node.
#[derive(Clone, Copy)]
pub(crate) struct NodeColumn<'a> {
    pub(crate) feature: u32,
    pub(crate) column: &'a RankedColumn,
    /// The ranks of the node's rows, and of others.
    pub(crate) ranks: Ranks<'a>,
    /// The place of each of the node's rows among them.
    pub(crate) places: &'a [u32],
}

/// Reads the node's ranks; `None` if no split is possible: all cells missing, or all equal.
fn read_ranks(node: &NodeColumn, ranks: &mut Vec<u32>) -> Option<Span> {
    let column = node.column;
    node.ranks.gather(node.places, ranks);
    let (mut lo, mut hi) = (u32::MAX, 0);
    if let Ranks::Level(..) = node.ranks {
        // Zeros and ones: adding them takes fewer instructions than comparing.
        let ones: u32 = ranks.iter().sum();
        lo = u32::from(ones == ranks.len() as u32);
        hi = u32::from(ones > 0);
    } else {
        for &rank in ranks.iter() {
            lo = lo.min(rank);
            hi = hi.max(rank);
        }
    }
    let missing = column.missing_code();
    let mut n_missing = 0;
    if column.has_missing && hi == missing {
        if lo == missing {
            return None;
        }
        hi = 0;
        for &rank in ranks.iter() {
            if rank == missing {
                n_missing += 1;
            } else {
                hi = hi.max(rank);
            }
        }
    }
    if n_missing == 0 && (lo == hi || !column.separable(lo, hi)) {
        return None;
    }
    Some(Span { lo, hi, n_missing })
}

/// Tries every boundary of a column; `false` if the column is constant in the node.
#[inline(never)]
pub(crate) fn best_split<S: Scorer>(
    node: &NodeColumn,
    scorer: &S,
    limits: &Limits,
    scratch: &mut Scratch<S>,
    best: &mut Option<SplitCandidate>,
) -> bool {
    let Some(span) = read_ranks(node, &mut scratch.ranks) else {
        return false;
    };
    let mut search = Search {
        feature: node.feature,
        column: node.column,
        scorer,
        n_rows: node.places.len(),
        min_samples_leaf: limits.min_samples_leaf,
        ties: limits.ties,
        n_missing: span.n_missing,
        best,
    };
    let width = (span.hi - span.lo) as usize + 1;
    if S::BUCKETS && width == 2 && span.n_missing == 0 {
        search.between_two(&span, scratch);
    } else if S::BUCKETS && width <= 2 * node.places.len() {
        search.by_buckets(&span, width, scratch);
    } else {
        search.by_order(&span, scratch);
    }
    true
}

struct Search<'a, S: Scorer> {
    feature: u32,
    column: &'a RankedColumn,
    scorer: &'a S,
    n_rows: usize,
    min_samples_leaf: usize,
    ties: Ties,
    n_missing: usize,
    best: &'a mut Option<SplitCandidate>,
}

impl<S: Scorer> Search<'_, S> {
    /// What a score must exceed.
    fn bar(&self) -> f64 {
        self.best.map_or(f64::NEG_INFINITY, |best| self.ties.bar(best.score))
    }

    /// Whether a split may fall between two ranks of the node.
    fn allowed(&self, below: u32, above: u32) -> bool {
        above == self.column.missing_code() || self.column.separable(below, above)
    }

    fn take(&mut self, below: u32, above: u32, missing_left: bool, score: f64) {
        *self.best = Some(SplitCandidate {
            feature: self.feature,
            last_left: below,
            threshold: self.column.threshold(below, above),
            missing_left: (self.n_missing > 0).then_some(missing_left),
            score,
        });
    }

    /// Tries the only boundary between two ranks.
    #[inline(never)]
    fn between_two(&mut self, span: &Span, scratch: &mut Scratch<S>) {
        let Scratch { ranks, side, .. } = scratch;
        let bucket = self.scorer.sum_where(|position| ranks[position] == span.lo, ranks.len());
        self.scorer.clear(side);
        self.scorer.add_bucket(side, &bucket);
        let n_left = S::rows_in(&bucket);
        let enough = n_left.min(self.n_rows - n_left) >= self.min_samples_leaf;
        let bar = self.bar();
        if enough && self.scorer.may_beat(side, bar) {
            let score = self.scorer.score(side);
            if score > bar && self.allowed(span.lo, span.hi) {
                self.take(span.lo, span.hi, false, score);
            }
        }
    }

    /// Sums the rows of each rank, then walks over the ranks.
    fn by_buckets(&mut self, span: &Span, width: usize, scratch: &mut Scratch<S>) {
        let Scratch { ranks, buckets, side, .. } = scratch;
        buckets.clear();
        // The last bucket holds the missing cells.
        buckets.resize(width + 1, S::Bucket::default());
        let missing = self.column.missing_code();
        if self.n_missing == 0 {
            for (position, &rank) in ranks.iter().enumerate() {
                self.scorer.fill(&mut buckets[(rank - span.lo) as usize], position);
            }
        } else {
            for (position, &rank) in ranks.iter().enumerate() {
                let at = if rank == missing { width } else { (rank - span.lo) as usize };
                self.scorer.fill(&mut buckets[at], position);
            }
        }
        self.walk_buckets(span.lo, buckets, side, false);
        if self.n_missing > 0 {
            self.walk_buckets(span.lo, buckets, side, true);
        }
    }

    fn walk_buckets(
        &mut self,
        lo: u32,
        buckets: &[S::Bucket],
        side: &mut S::Side,
        missing_left: bool,
    ) {
        let width = buckets.len() - 1;
        let mut n_left = 0;
        self.scorer.clear(side);
        if missing_left {
            self.scorer.add_bucket(side, &buckets[width]);
            n_left = self.n_missing;
        }
        // Behind the last bucket the right side is empty, or holds the missing cells.
        let walked = if missing_left || self.n_missing == 0 { width - 1 } else { width };
        let enough = self.min_samples_leaf..=self.n_rows.saturating_sub(self.min_samples_leaf);
        let mut bar = self.bar();
        let mut found = None;
        for (at, bucket) in buckets[..walked].iter().enumerate() {
            self.scorer.add_bucket(side, bucket);
            let rows_here = S::rows_in(bucket);
            n_left += rows_here;
            if self.scorer.may_beat(side, bar) && rows_here > 0 && enough.contains(&n_left) {
                let gap = buckets[at + 1..width].iter().position(|b| S::rows_in(b) > 0);
                let below = lo + at as u32;
                let above = gap.map_or(self.column.missing_code(), |gap| below + 1 + gap as u32);
                let score = self.scorer.score(side);
                if score > bar && self.allowed(below, above) {
                    bar = self.ties.bar(score);
                    found = Some((below, above, score));
                }
            }
        }
        if let Some((below, above, score)) = found {
            self.take(below, above, missing_left, score);
        }
    }

    /// Sorts the rows by rank, then walks over the rows.
    fn by_order(&mut self, span: &Span, scratch: &mut Scratch<S>) {
        let Scratch { ranks, keys, spare, side, .. } = scratch;
        keys.clear();
        keys.extend(
            ranks
                .iter()
                .enumerate()
                .map(|(position, &rank)| u64::from(rank - span.lo) << 32 | position as u64),
        );
        let largest = if self.n_missing == 0 { span.hi } else { self.column.missing_code() };
        sort_keys(keys, spare, u32::BITS - (largest - span.lo).leading_zeros());
        self.walk_order(span.lo, keys, side, false);
        if self.n_missing > 0 {
            self.walk_order(span.lo, keys, side, true);
        }
    }

    fn walk_order(&mut self, lo: u32, keys: &[u64], side: &mut S::Side, missing_left: bool) {
        let n_present = keys.len() - self.n_missing;
        let mut n_before = 0;
        self.scorer.clear(side);
        if missing_left {
            n_before = self.n_missing;
            for &key in &keys[n_present..] {
                self.scorer.add(side, key as u32 as usize);
            }
        }
        // With `at + 1` present rows on the left, both sides hold enough rows for `at` in
        // first..end.
        let first = (self.min_samples_leaf - 1).saturating_sub(n_before);
        let end = (self.n_rows + 1)
            .saturating_sub(n_before + self.min_samples_leaf + 1)
            .min(if missing_left { n_present - 1 } else { n_present });
        if first >= end {
            return;
        }
        for &key in &keys[..first] {
            self.scorer.add(side, key as u32 as usize);
        }
        let mut bar = self.bar();
        let mut found = None;
        for pair in keys[first..=end].windows(2) {
            let (this, next) = (pair[0], pair[1]);
            self.scorer.add(side, this as u32 as usize);
            if (this >> 32 != next >> 32) & self.scorer.may_beat(side, bar) {
                let (below, above) = ((this >> 32) as u32 + lo, (next >> 32) as u32 + lo);
                let score = self.scorer.score(side);
                if score > bar && self.allowed(below, above) {
                    bar = self.ties.bar(score);
                    found = Some((below, above, score));
                }
            }
        }
        if let Some((below, above, score)) = found {
            self.take(below, above, missing_left, score);
        }
    }
}

/// Tries one random threshold of a column; `false` if the column is constant in the node.
pub(crate) fn random_split<S: Scorer>(
    node: &NodeColumn,
    scorer: &S,
    limits: &Limits,
    random: &mut Generator,
    scratch: &mut Scratch<S>,
    best: &mut Option<SplitCandidate>,
) -> bool {
    let Scratch { ranks, side, .. } = scratch;
    let Some(span) = read_ranks(node, ranks) else {
        return false;
    };
    let NodeColumn { feature, column, .. } = *node;
    let (low, high) = (f64::from(column.value(span.lo)), f64::from(column.value(span.hi)));
    let mut threshold = low + (high - low) * unit(random);
    if threshold >= high {
        threshold = low;
    }
    let missing_left = (span.n_missing > 0).then(|| below(random, 2) == 1);
    let ranks_left = column.ranks_up_to(threshold);
    let missing = column.missing_code();
    let mut n_left = 0;
    scorer.clear(side);
    for (position, &rank) in ranks.iter().enumerate() {
        if rank < ranks_left || (rank == missing && missing_left == Some(true)) {
            n_left += 1;
            scorer.add(side, position);
        }
    }
    let least = limits.min_samples_leaf;
    if n_left < least || ranks.len() - n_left < least {
        return true;
    }
    let score = scorer.score(side);
    if score > best.map_or(f64::NEG_INFINITY, |best| limits.ties.bar(best.score)) {
        let last_left = ranks_left - 1;
        *best = Some(SplitCandidate { feature, last_left, threshold, missing_left, score });
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::train::columns::{PackedColumns, rank_columns};
    use crate::forest::train::tree::criterion::{NodeTarget, PairRule, PairScorer, PairTarget};
    use crate::table::Matrix;
    use proptest::prelude::*;

    proptest! {
        /// The boundary between two ranks, by the sums of both and by those of one.
        #[test]
        fn two_ranks_give_what_buckets_give(
            rows in prop::collection::vec((any::<bool>(), -3.0..3.0f64, 1u32..4), 2..60),
            classes in any::<bool>(),
            rule in prop_oneof![Just(PairRule::Squares), Just(PairRule::Entropy)],
            min_samples_leaf in 1usize..4,
            bar in prop_oneof![Just(None), (0.0..0.3f64).prop_map(Some)],
        ) {
            let classes = classes || rule == PairRule::Entropy;
            let cells: Vec<f64> = rows.iter().map(|row| f64::from(u8::from(row.0))).collect();
            let y: Vec<f64> =
                rows.iter().map(|row| if classes { f64::from(row.1 > 0.0) } else { row.1 }).collect();
            let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.2)).collect();
            let x = Matrix::from_column_major(cells, rows.len(), 1).expect("one column");
            let ranked = rank_columns(&x.view(), None, &["x".into()], None).expect("finite cells");
            let columns = PackedColumns::new(ranked);
            let target = PairTarget { y: &y, weights: &weights, rule, classes };
            let places: Vec<u32> = (0..rows.len() as u32).collect();
            let mut scorer = PairScorer::default();
            target.prepare(&mut scorer, &places, &target.stats(&places));
            let known = bar.map(|score| SplitCandidate {
                feature: 7, last_left: 0, threshold: 0.0, missing_left: None, score,
            });
            let node = NodeColumn {
                feature: 0, column: columns.column(0), ranks: columns.ranks(0), places: &places,
            };
            let mut scratch = Scratch::new();
            let Some(span) = read_ranks(&node, &mut scratch.ranks) else { return Ok(()) };
            let mut found = [known; 2];
            for (at, best) in found.iter_mut().enumerate() {
                let mut search = Search {
                    feature: 0,
                    column: node.column,
                    scorer: &scorer,
                    n_rows: rows.len(),
                    min_samples_leaf,
                    ties: Ties::Exact,
                    n_missing: 0,
                    best,
                };
                if at == 0 {
                    search.between_two(&span, &mut scratch);
                } else {
                    search.by_buckets(&span, 2, &mut scratch);
                }
            }
            let bits = |found: Option<SplitCandidate>| {
                found.map(|it| (it.feature, it.last_left, it.threshold, it.missing_left, it.score.to_bits()))
            };
            prop_assert_eq!(bits(found[0]), bits(found[1]));
        }
    }
}
