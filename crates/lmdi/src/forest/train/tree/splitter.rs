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
use crate::forest::train::columns::RankedColumn;
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
    columns: &'a [RankedColumn],
    target: &'a T,
    limits: &'a Limits,
    random: Generator,
    scratch: &'a mut TreeScratch<T::Scorer>,
    root_weight: f64,
    pure: f64,
    /// Rows of the copy in use, if any.
    copied: Option<usize>,
}

/// Ranks in a copy: few enough for the second-level cache.
const COPIED_RANKS: usize = 1 << 16;

/// Buffers of a tree, reused from tree to tree by one thread.
pub(crate) struct TreeScratch<S: Scorer> {
    /// The in-bag rows, in ascending order when a tree begins.
    pub(crate) rows: Vec<u32>,
    /// Where the ranks of each of `rows` are: the row itself, or its place in the copy.
    places: Vec<u32>,
    /// Ranks of a subtree, column by column.
    copy: Vec<u32>,
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
            copy: Vec::new(),
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
        columns: &'a [RankedColumn],
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
            copied: None,
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
            let column = &self.columns[feature as usize];
            let codes = ranks_of(column, feature, copy, self.copied);
            let node = NodeColumn { feature, column, codes, places };
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
            && node.len() * self.columns.len() <= COPIED_RANKS;
        if self.copied.is_some() || !fits {
            return false;
        }
        let TreeScratch { rows, places, copy, .. } = &mut *self.scratch;
        copy.clear();
        for column in self.columns {
            copy.extend(rows[node.clone()].iter().map(|&row| column.codes[row as usize]));
        }
        self.copied = Some(node.len());
        for (place, at) in places[node].iter_mut().zip(0..) {
            *place = at;
        }
        true
    }

    /// Ends the use of the copy made for this node.
    pub(crate) fn drop_copy(&mut self, node: Range<usize>) {
        self.copied = None;
        let TreeScratch { rows, places, .. } = &mut *self.scratch;
        places[node.clone()].copy_from_slice(&rows[node]);
    }

    /// Moves the rows that go left to the front of the node; gives where the others start.
    fn partition(&mut self, node: Range<usize>, split: &SplitCandidate) -> usize {
        let column = &self.columns[split.feature as usize];
        let missing = column.missing_code();
        let missing_left = split.missing_left == Some(true);
        let TreeScratch { rows, places, copy, spare_rows, spare_places, .. } = &mut *self.scratch;
        let codes = ranks_of(column, split.feature, copy, self.copied);
        let (rows, places) = (&mut rows[node.clone()], &mut places[node.clone()]);
        spare_rows.resize(rows.len().max(spare_rows.len()), 0);
        spare_places.resize(rows.len().max(spare_places.len()), 0);
        let (mut n_left, mut n_right) = (0, 0);
        for at in 0..rows.len() {
            let (row, place) = (rows[at], places[at]);
            let code = codes[place as usize];
            let left = code <= split.last_left || (code == missing && missing_left);
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
        node.start + n_left
    }
}

/// The ranks of a column: in the copy of `copied` rows, or in the column itself.
fn ranks_of<'b>(
    column: &'b RankedColumn,
    feature: u32,
    copy: &'b [u32],
    copied: Option<usize>,
) -> &'b [u32] {
    match copied {
        None => &column.codes,
        Some(n_rows) => &copy[feature as usize * n_rows..(feature as usize + 1) * n_rows],
    }
}
