//! The histogram split finder of boosting: trees on binned columns, best split first.
//!
//! A node holds, for every column and bin, the sums of residuals and curvatures and the number of
//! rows ([`sums`]). What a split is worth follows from them ([`search`]).
//!
//! After a split only the histogram of the smaller child is filled from its rows; its sibling's is
//! the parent's minus it. Filling, subtracting and searching both children is one pass over the
//! columns, eight at a time ([`columns`]), in parallel. Sums are exact and the best column is chosen in
//! column order, so the number of threads changes nothing.

mod columns;
mod search;
mod sums;

pub(super) use columns::BinnedColumns;

use crate::forest::train::params::{BoostingParams, MAX_BINS};
use crate::forest::train::tree::grower::{empty_tree, push_leaf};
use crate::forest::train::tree::partition::{CHUNK, partition_rows, separates};
use crate::forest::{Missing, Tree};
use crate::random::{Generator, subset};
use crate::vectorised::{Vectorised, vectorised};
use columns::GROUP;
use rayon::prelude::*;
use search::{ColumnSplit, Rules, Scratch, SearchBins};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;
use sums::{Apart, Counted, Magnitudes, OfRows, Paired, Sums, Units, Words};

/// Both sides of a split need at least this much curvature.
const MIN_CURVATURE: f64 = 1e-3;

/// Cells and bins to go through below which a parallel pass costs more than it saves.
const PARALLEL_STEPS: usize = 1 << 14;

/// Bins of a column: the values' and the missing cells'.
const WIDTH: usize = MAX_BINS + 1;

/// The bins of one column; beyond the column's own the content is arbitrary.
type Bins<W> = [W; WIDTH];

/// The bins of every column.
type Histogram<W> = Vec<Bins<W>>;

/// The best split of a node.
#[derive(Debug, Clone, Copy)]
struct NodeSplit {
    feature: usize,
    split: ColumnSplit,
}

/// A node of the tree being grown.
#[derive(Debug, Clone)]
struct Node {
    id: usize,
    range: Range<usize>,
    depth: usize,
    sums: Sums,
}

/// A node that can be split, ordered by gain.
struct Open<W> {
    node: Node,
    split: NodeSplit,
    histogram: Histogram<W>,
}

impl<W> Ord for Open<W> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_gain = self.split.split.gain.total_cmp(&other.split.split.gain);
        by_gain.then(other.node.id.cmp(&self.node.id))
    }
}

impl<W> PartialOrd for Open<W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<W> PartialEq for Open<W> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<W> Eq for Open<W> {}

/// A tree being grown, and the range of rows of each node.
struct Growing {
    tree: Tree,
    ranges: Vec<Range<usize>>,
}

impl Growing {
    fn add(&mut self, range: Range<usize>, depth: usize, sums: Sums) -> Node {
        self.tree.value.push(0.0);
        self.ranges.push(range.clone());
        let id = push_leaf(&mut self.tree, 0.0, 0.0);
        Node { id, range, depth, sums }
    }
}

/// Buffers of trees with sums of one form.
struct Buffers<W> {
    /// What each row of the table adds to its bins.
    of_row: Vec<W>,
    /// The same for the rows of a node.
    of_node: Vec<W>,
    pool: Vec<Histogram<W>>,
}

impl<W> Default for Buffers<W> {
    fn default() -> Self {
        Self { of_row: Vec::new(), of_node: Vec::new(), pool: Vec::new() }
    }
}

/// Grows trees on the same columns, reusing its buffers.
pub(super) struct HistogramGrower<'a> {
    columns: &'a BinnedColumns,
    params: &'a BoostingParams,
    spare_rows: Vec<u32>,
    counted: Buffers<Counted>,
    paired: Buffers<Paired>,
    apart: Buffers<Apart>,
}

impl<'a> HistogramGrower<'a> {
    pub(super) fn new(columns: &'a BinnedColumns, params: &'a BoostingParams) -> Self {
        Self {
            columns,
            params,
            spare_rows: Vec::new(),
            counted: Buffers::default(),
            paired: Buffers::default(),
            apart: Buffers::default(),
        }
    }

    /// Grows a tree on `rows`, which it reorders; gives the tree and each node's range of rows.
    /// `derivatives` holds weighted residual and curvature by row. Node values, weights and
    /// impurities are left to the caller.
    pub(super) fn grow(
        &mut self,
        rows: &mut [u32],
        derivatives: &[[f64; 2]],
        random: &mut Generator,
    ) -> (Tree, Vec<Range<usize>>) {
        let Self { columns, params, spare_rows, .. } = self;
        let magnitudes = if rows.len() == derivatives.len() {
            Magnitudes::of(derivatives)
        } else {
            Magnitudes::of(&rows.iter().map(|&row| derivatives[row as usize]).collect::<Vec<_>>())
        };
        macro_rules! grow_in {
            ($buffers:expr, $units:expr) => {
                TreeGrower::new(columns, params, $units, $buffers, spare_rows).grow(
                    rows,
                    derivatives,
                    random,
                )
            };
        }
        if let (units, true) = magnitudes.units::<Counted>()
            && !magnitudes.weighted
        {
            return grow_in!(&mut self.counted, units);
        }
        match magnitudes.units::<Paired>() {
            (units, true) => grow_in!(&mut self.paired, units),
            (_, false) => grow_in!(&mut self.apart, magnitudes.units::<Apart>().0),
        }
    }
}

/// Grows one tree.
struct TreeGrower<'g, W> {
    columns: &'g BinnedColumns,
    params: &'g BoostingParams,
    rules: Rules,
    max_features: usize,
    /// Bins of all columns together.
    n_bins: usize,
    buffers: &'g mut Buffers<W>,
    spare_rows: &'g mut Vec<u32>,
}

impl<'g, W: Words> TreeGrower<'g, W> {
    fn new(
        columns: &'g BinnedColumns,
        params: &'g BoostingParams,
        units: Units,
        buffers: &'g mut Buffers<W>,
        spare_rows: &'g mut Vec<u32>,
    ) -> Self {
        Self {
            columns,
            params,
            rules: Rules { units, l2: params.l2, min_rows: params.min_samples_leaf as f64 },
            max_features: params.max_features.count(columns.len()),
            n_bins: (0..columns.len()).map(|column| columns.n_bins(column)).sum(),
            buffers,
            spare_rows,
        }
    }

    fn grow(
        &mut self,
        rows: &mut [u32],
        derivatives: &[[f64; 2]],
        random: &mut Generator,
    ) -> (Tree, Vec<Range<usize>>) {
        let units = &self.rules.units;
        self.buffers.of_row.resize(derivatives.len(), W::default());
        vectorised(OfRows { derivatives, units: *units, out: &mut self.buffers.of_row });
        let of_row = &self.buffers.of_row;
        let add = |sum: W, &row: &u32| sum.plus(of_row[row as usize]);
        let sums = rows.iter().fold(W::default(), add).sums(units);
        let mut growing = Growing { tree: empty_tree(1), ranges: Vec::new() };
        let mut open = BinaryHeap::new();
        let root = growing.add(0..rows.len(), 0, sums);
        if self.splittable(&root) {
            self.open_root(root, rows, random, &mut open);
        }
        let max_splits = self.params.max_leaf_nodes.map_or(usize::MAX, |leaves| leaves - 1);
        let mut n_splits = 0;
        while n_splits < max_splits
            && let Some(Open { node, split, histogram }) = open.pop()
        {
            let Some(children) = self.split(&node, &split, rows, &mut growing) else {
                self.buffers.pool.push(histogram);
                continue;
            };
            n_splits += 1;
            let wanted =
                children.each_ref().map(|child| n_splits < max_splits && self.splittable(child));
            if wanted == [false, false] {
                self.buffers.pool.push(histogram);
            } else {
                self.open_children(children, wanted, histogram, rows, random, &mut open);
            }
        }
        self.buffers.pool.extend(open.into_iter().map(|open| open.histogram));
        (growing.tree, growing.ranges)
    }

    fn splittable(&self, node: &Node) -> bool {
        let params = self.params;
        params.max_depth.is_none_or(|depth| node.depth < depth)
            && node.range.len() >= params.min_samples_split
            && node.range.len() >= 2 * params.min_samples_leaf
            && node.sums.curvature >= MIN_CURVATURE
    }

    fn open_root(
        &mut self,
        root: Node,
        rows: &[u32],
        random: &mut Generator,
        open: &mut BinaryHeap<Open<W>>,
    ) {
        let mut histogram = self.blank_histogram();
        self.gather(rows);
        let tried = self.draw_features(random);
        let pass = |(group, bins): (usize, &mut [Bins<W>])| {
            self.fill(group, bins, rows);
            self.search(group, bins, &root.sums, &tried)
        };
        let found: Vec<Option<NodeSplit>> = if self.is_long(rows) {
            histogram.par_chunks_mut(GROUP).enumerate().map(pass).collect()
        } else {
            histogram.chunks_mut(GROUP).enumerate().map(pass).collect()
        };
        match best_of(found.into_iter()) {
            Some(split) => open.push(Open { node: root, split, histogram }),
            None => self.buffers.pool.push(histogram),
        }
    }

    fn open_children(
        &mut self,
        children: [Node; 2],
        wanted: [bool; 2],
        mut histogram: Histogram<W>,
        rows: &[u32],
        random: &mut Generator,
        open: &mut BinaryHeap<Open<W>>,
    ) {
        let small = usize::from(children[1].range.len() < children[0].range.len());
        let small_rows = &rows[children[small].range.clone()];
        let mut small_histogram = self.blank_histogram();
        self.gather(small_rows);
        let tried = [self.draw_features(random), self.draw_features(random)];
        let pass = |(group, (large_bins, small_bins)): (usize, PairOfBins<'_, W>)| {
            self.fill(group, small_bins, small_rows);
            if wanted[1 - small] {
                self.subtract(group, large_bins, small_bins);
            }
            let mut found = [None, None];
            for (bins, child) in [(&*small_bins, small), (&*large_bins, 1 - small)] {
                if wanted[child] {
                    found[child] = self.search(group, bins, &children[child].sums, &tried[child]);
                }
            }
            found
        };
        let found: Vec<[Option<NodeSplit>; 2]> = if self.is_long(small_rows) {
            let bins = histogram.par_chunks_mut(GROUP).zip(small_histogram.par_chunks_mut(GROUP));
            bins.enumerate().map(pass).collect()
        } else {
            let bins = histogram.chunks_mut(GROUP).zip(small_histogram.chunks_mut(GROUP));
            bins.enumerate().map(pass).collect()
        };
        let mut histograms = [histogram, small_histogram];
        if small == 0 {
            histograms.reverse();
        }
        for (child, (node, histogram)) in children.into_iter().zip(histograms).enumerate() {
            match best_of(found.iter().map(|found| found[child])) {
                Some(split) => open.push(Open { node, split, histogram }),
                None => self.buffers.pool.push(histogram),
            }
        }
    }

    fn is_long(&self, rows: &[u32]) -> bool {
        rows.len() * self.columns.len() + 2 * self.n_bins >= PARALLEL_STEPS
    }

    fn blank_histogram(&mut self) -> Histogram<W> {
        let blank = || vec![[W::default(); WIDTH]; self.columns.len()];
        self.buffers.pool.pop().unwrap_or_else(blank)
    }

    /// Puts beside each other what the rows of a node add.
    fn gather(&mut self, rows: &[u32]) {
        let Buffers { of_row, of_node, .. } = &mut *self.buffers;
        of_node.resize(rows.len(), W::default());
        let gather = |(of_node, rows): (&mut [W], &[u32])| {
            for (words, &row) in of_node.iter_mut().zip(rows) {
                *words = of_row[row as usize];
            }
        };
        if rows.len() <= CHUNK {
            gather((of_node, rows));
        } else {
            of_node.par_chunks_mut(CHUNK).zip(rows.par_chunks(CHUNK)).for_each(gather);
        }
    }

    /// Which columns a node tries.
    fn draw_features(&self, random: &mut Generator) -> Vec<bool> {
        let n = self.columns.len();
        if self.max_features >= n {
            return vec![true; n];
        }
        let mut tried = vec![false; n];
        for feature in subset(random, n, self.max_features) {
            tried[feature as usize] = true;
        }
        tried
    }

    /// Sums the gathered rows of a node into the bins of a group of columns.
    fn fill(&self, group: usize, bins: &mut [Bins<W>], rows: &[u32]) {
        for (at, bins) in bins.iter_mut().enumerate() {
            bins[..=self.columns.n_bins(group * GROUP + at)].fill(W::default());
        }
        let codes = self.columns.group(group);
        match bins.len() {
            1 => self.add_rows::<1>(bins, codes, rows),
            2 => self.add_rows::<2>(bins, codes, rows),
            3 => self.add_rows::<3>(bins, codes, rows),
            4 => self.add_rows::<4>(bins, codes, rows),
            5 => self.add_rows::<5>(bins, codes, rows),
            6 => self.add_rows::<6>(bins, codes, rows),
            7 => self.add_rows::<7>(bins, codes, rows),
            _ => self.add_rows::<GROUP>(bins, codes, rows),
        }
    }

    /// The same for a group of so many columns.
    fn add_rows<const N: usize>(&self, bins: &mut [Bins<W>], codes: &[[u8; GROUP]], rows: &[u32]) {
        if let Some(bins) = bins.first_chunk_mut::<N>() {
            vectorised(AddRows { bins, codes, rows, of_node: &self.buffers.of_node });
        }
    }

    /// Takes one child's sums from its parent's, which leaves its sibling's.
    fn subtract(&self, group: usize, bins: &mut [Bins<W>], child: &[Bins<W>]) {
        for (at, (bins, child)) in bins.iter_mut().zip(child).enumerate() {
            let n_bins = self.columns.n_bins(group * GROUP + at);
            for (bin, child) in bins[..=n_bins].iter_mut().zip(child) {
                *bin = bin.minus(*child);
            }
        }
    }

    /// The best split of a group of columns, if any has a gain; ties go to the first.
    fn search(
        &self,
        group: usize,
        bins: &[Bins<W>],
        node: &Sums,
        tried: &[bool],
    ) -> Option<NodeSplit> {
        let mut best: Option<NodeSplit> = None;
        let scratch = &mut Scratch::new();
        for (feature, bins) in (group * GROUP..).zip(bins).filter(|(feature, _)| tried[*feature]) {
            let split = vectorised(SearchBins {
                scratch,
                bins: &bins[..=self.columns.n_bins(feature)],
                node: *node,
                rules: &self.rules,
                least: best.map_or(0.0, |best| best.split.gain),
            });
            best = split.map(|split| NodeSplit { feature, split }).or(best);
        }
        best
    }

    /// Carries out a split, if it parts rows: moves those of the left child first and adds two
    /// children.
    fn split(
        &mut self,
        parent: &Node,
        NodeSplit { feature, split }: &NodeSplit,
        rows: &mut [u32],
        growing: &mut Growing,
    ) -> Option<[Node; 2]> {
        let column = self.columns.column(*feature);
        let missing_code = column.missing_code() as u8;
        let missing_goes_left = split.missing_left == Some(true);
        let part = &mut rows[parent.range.clone()];
        let codes = self.columns.group(feature / GROUP);
        let at = feature % GROUP;
        let n_left = partition_rows(part, self.spare_rows, |row| {
            let code = codes[row as usize][at];
            (code <= split.last_left) | (missing_goes_left & (code == missing_code))
        });
        let n_right = part.len() - n_left;
        if !separates(n_left, n_right) {
            return None;
        }
        let middle = parent.range.start + n_left;
        let last_left = u32::from(split.last_left);
        let missing_left = split.missing_left.unwrap_or(n_left > n_right);
        let tree = &mut growing.tree;
        tree.feature[parent.id] = *feature as u32;
        tree.threshold[parent.id] = column.threshold(last_left, last_left + 1);
        tree.missing[parent.id] = if missing_left { Missing::Left } else { Missing::Right };
        let depth = parent.depth + 1;
        let left = growing.add(parent.range.start..middle, depth, split.left);
        let right = growing.add(middle..parent.range.end, depth, parent.sums.without(split.left));
        growing.tree.left[parent.id] = left.id as u32;
        growing.tree.right[parent.id] = right.id as u32;
        Some([left, right])
    }
}

/// The bins of a group of columns in two sibling nodes.
type PairOfBins<'b, W> = (&'b mut [Bins<W>], &'b mut [Bins<W>]);

/// Sums rows into the bins of some columns.
struct AddRows<'s, W, const N: usize> {
    bins: &'s mut [Bins<W>; N],
    codes: &'s [[u8; GROUP]],
    rows: &'s [u32],
    /// What each of these rows adds.
    of_node: &'s [W],
}

impl<W: Words, const N: usize> Vectorised for AddRows<'_, W, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (&row, &words) in self.rows.iter().zip(self.of_node) {
            let codes = self.codes[row as usize];
            for (bins, code) in self.bins.iter_mut().zip(codes) {
                let bin = &mut bins[code as usize];
                *bin = bin.plus(words);
            }
        }
    }
}

/// The split with the largest gain; ties go to the first.
fn best_of(found: impl Iterator<Item = Option<NodeSplit>>) -> Option<NodeSplit> {
    found.flatten().fold(None, |best: Option<NodeSplit>, next| match best {
        Some(best) if best.split.gain >= next.split.gain => Some(best),
        _ => Some(next),
    })
}
