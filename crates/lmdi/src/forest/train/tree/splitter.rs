//! One node: whether to split it, where, and the rows of its two children.
//!
//! A tree owns one list of its in-bag rows; a node is a range of it, and splitting a node moves the
//! rows of its left child before those of the right, keeping their order. Sums therefore always run
//! over ascending row numbers.
//!
//! Rows of a small node lie far apart in the columns, and reading them again at every level below
//! would wait for memory most of the time. The ranks of a node that is small enough are therefore
//! copied next to each other, and its whole subtree reads the copy.

use super::criterion::{EPSILON, NodeStats, NodeTarget, Scorer};
use super::draw::{FeatureDraw, Visit};
use super::limits::{Limits, Ties};
use super::partition::separates;
use super::search::{NodeColumn, Scratch, SplitCandidate, best_split, random_split};
use crate::forest::train::columns::{CopiedRanks, PackedColumns, Ranks};
use crate::random::Generator;
use std::ops::Range;

/// A split that was made: rows up to `middle` went left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Split {
    pub(crate) feature: u32,
    pub(crate) threshold: f64,
    pub(crate) missing_left: bool,
    pub(crate) middle: usize,
    pub(crate) left: NodeStats,
    pub(crate) right: NodeStats,
    /// Decrease of the impurity times the node's share of the tree's weight.
    pub(crate) decrease: f64,
}

/// Splits the nodes of one tree.
pub(crate) struct Splitter<'a, T: NodeTarget> {
    columns: &'a PackedColumns,
    target: &'a T,
    limits: &'a Limits,
    random: Generator,
    scratch: &'a mut TreeScratch<T::Scorer>,
    root_weight: f64,
    pure: f64,
    /// Whether ranks are read from the copy.
    copied: bool,
}

/// Bytes in a copy: few enough for the second-level cache.
const COPIED_BYTES: usize = 1 << 18;

/// Buffers of a tree, reused from tree to tree by one thread.
pub(crate) struct TreeScratch<S: Scorer> {
    /// The in-bag rows, in ascending order when a tree begins.
    pub(crate) rows: Vec<u32>,
    /// Where the ranks of each of `rows` are: the row itself, or its place in the copy.
    places: Vec<u32>,
    /// Ranks of a subtree, column by column.
    copy: CopiedRanks,
    spare_rows: Vec<u32>,
    spare_places: Vec<u32>,
    draw: FeatureDraw,
    scorer: S,
    search: Scratch<S>,
}

impl<S: Scorer> TreeScratch<S> {
    pub(crate) fn new() -> Self {
        Self {
            rows: Vec::new(),
            places: Vec::new(),
            copy: CopiedRanks::default(),
            spare_rows: Vec::new(),
            spare_places: Vec::new(),
            draw: FeatureDraw::new(0, 0),
            scorer: S::default(),
            search: Scratch::new(),
        }
    }
}

impl<'a, T: NodeTarget> Splitter<'a, T> {
    /// Begins a tree on the rows in `scratch.rows`.
    pub(crate) fn new(
        columns: &'a PackedColumns,
        target: &'a T,
        limits: &'a Limits,
        random: Generator,
        scratch: &'a mut TreeScratch<T::Scorer>,
    ) -> (Self, NodeStats) {
        scratch.draw = FeatureDraw::new(columns.len(), limits.max_features);
        scratch.places.clone_from(&scratch.rows);
        let root = target.stats(&scratch.rows);
        // Impurities at rounding level: relative to the root for responses of small size.
        let pure = EPSILON * root.impurity.min(1.0);
        let splitter = Self {
            columns,
            target,
            limits,
            random,
            scratch,
            root_weight: root.weight,
            pure,
            copied: false,
        };
        (splitter, root)
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.scratch.rows.len()
    }

    pub(crate) fn push_value(&self, node: Range<usize>, stats: &NodeStats, out: &mut Vec<f64>) {
        self.target.push_value(&self.scratch.rows[node], stats, out);
    }

    /// See [`FeatureDraw::known`].
    pub(crate) fn known_constants(&self) -> usize {
        self.scratch.draw.known()
    }

    /// See [`FeatureDraw::forget`].
    pub(crate) fn forget_constants(&mut self, known: usize) {
        self.scratch.draw.forget(known);
    }

    /// Splits the node if it should and can be split.
    pub(crate) fn split(
        &mut self,
        node: Range<usize>,
        depth: usize,
        stats: &NodeStats,
    ) -> Option<Split> {
        let limits = self.limits;
        if depth >= limits.max_depth
            || node.len() < limits.min_samples_split
            || node.len() < 2 * limits.min_samples_leaf
            || stats.impurity <= self.pure
        {
            return None;
        }
        let candidate = self.find(node.clone(), stats)?;
        let middle = self.partition(node.clone(), &candidate);
        if !separates(middle - node.start, node.end - middle) {
            return None;
        }
        let rows = &self.scratch.rows;
        let left = self.target.stats(&rows[node.start..middle]);
        let right = self.target.stats(&rows[middle..node.end]);
        let decrease = (stats.weight * stats.impurity
            - left.weight * left.impurity
            - right.weight * right.impurity)
            / self.root_weight;
        if decrease + EPSILON < limits.min_impurity_decrease {
            return None;
        }
        let missing_left =
            candidate.missing_left.unwrap_or(middle - node.start > node.end - middle);
        let SplitCandidate { feature, threshold, .. } = candidate;
        Some(Split { feature, threshold, missing_left, middle, left, right, decrease })
    }

    fn find(&mut self, node: Range<usize>, stats: &NodeStats) -> Option<SplitCandidate> {
        let TreeScratch { rows, places, copy, draw, scorer, search, .. } = &mut *self.scratch;
        let (rows, places) = (&rows[node.clone()], &places[node]);
        self.target.prepare(scorer, rows, stats);
        let limits = self.limits;
        let mut best = None;
        draw.for_each(&mut self.random, |feature, random| {
            let column = self.columns.column(feature as usize);
            let ranks = ranks_of(self.columns, feature, copy, self.copied);
            let node = NodeColumn { feature, column, ranks, places };
            let varies = if limits.random_thresholds {
                random_split(&node, scorer, limits, random, search, &mut best)
            } else {
                best_split(&node, scorer, limits, search, &mut best)
            };
            match varies {
                false => Visit::Constant,
                // Two rows can be told apart in one way only. How many rows there are must not
                // matter where ties are resolved to rounding.
                true if limits.ties == Ties::Exact && rows.len() == 2 && best.is_some() => {
                    Visit::Stop
                }
                true if best.is_some_and(|best| {
                    limits.ties.settled(best.score, scorer.of_pure_sides())
                }) =>
                {
                    Visit::Stop
                }
                true => Visit::Varies,
            }
        });
        best
    }

    /// Copies the ranks of a node for its subtree, if they are not copied yet and few enough;
    /// whether it did. [`drop_copy`](Self::drop_copy) must follow the last node of the subtree.
    pub(crate) fn copy_ranks(&mut self, node: Range<usize>) -> bool {
        let fits = node.len() >= self.limits.min_samples_split
            && node.len() * CopiedRanks::bytes_per_row(self.columns) <= COPIED_BYTES;
        if self.copied || !fits {
            return false;
        }
        let TreeScratch { rows, places, copy, .. } = &mut *self.scratch;
        copy.copy(self.columns, &rows[node.clone()]);
        self.copied = true;
        for (place, at) in places[node].iter_mut().zip(0..) {
            *place = at;
        }
        true
    }

    /// Ends the use of the copy made for this node.
    pub(crate) fn drop_copy(&mut self, node: Range<usize>) {
        self.copied = false;
        let TreeScratch { rows, places, .. } = &mut *self.scratch;
        places[node.clone()].copy_from_slice(&rows[node]);
    }

    /// Moves the rows that go left to the front of the node; gives where the others start.
    fn partition(&mut self, node: Range<usize>, split: &SplitCandidate) -> usize {
        let missing = self.columns.column(split.feature as usize).missing_code();
        let missing_left = split.missing_left == Some(true);
        let goes_left = |rank: u32| (rank <= split.last_left) | ((rank == missing) & missing_left);
        let TreeScratch { rows, places, copy, spare_rows, spare_places, .. } = &mut *self.scratch;
        let (rows, places) = (&mut rows[node.clone()], &mut places[node.clone()]);
        let spare = (spare_rows, spare_places);
        let n_left = match ranks_of(self.columns, split.feature, copy, self.copied) {
            Ranks::Words(ranks) => divide(rows, places, spare, |place| goes_left(ranks[place])),
            Ranks::Bytes(ranks) => {
                divide(rows, places, spare, |place| goes_left(u32::from(ranks[place])))
            }
            Ranks::Level(levels, own) => divide(rows, places, spare, |place| levels[place] != own),
        };
        node.start + n_left
    }
}

/// Moves rows, and their places, that go left before the others, and counts them.
fn divide(
    rows: &mut [u32],
    places: &mut [u32],
    (spare_rows, spare_places): (&mut Vec<u32>, &mut Vec<u32>),
    goes_left: impl Fn(usize) -> bool,
) -> usize {
    spare_rows.resize(rows.len().max(spare_rows.len()), 0);
    spare_places.resize(rows.len().max(spare_places.len()), 0);
    let (mut n_left, mut n_right) = (0, 0);
    for at in 0..rows.len() {
        let (row, place) = (rows[at], places[at]);
        let left = goes_left(place as usize);
        // Both are written and one is kept: the side is too random to be predicted.
        rows[n_left] = row;
        places[n_left] = place;
        spare_rows[n_right] = row;
        spare_places[n_right] = place;
        n_left += usize::from(left);
        n_right += usize::from(!left);
    }
    rows[n_left..].copy_from_slice(&spare_rows[..n_right]);
    places[n_left..].copy_from_slice(&spare_places[..n_right]);
    n_left
}

/// The ranks of a column: in the copy, or those of the whole table.
#[inline]
fn ranks_of<'b>(
    columns: &'b PackedColumns,
    feature: u32,
    copy: &'b CopiedRanks,
    copied: bool,
) -> Ranks<'b> {
    if copied { copy.ranks(columns, feature as usize) } else { columns.ranks(feature as usize) }
}
