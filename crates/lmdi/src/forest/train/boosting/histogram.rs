//! The histogram split finder of boosting: trees on binned columns, best split first.
//!
//! A node holds, for every column and bin, the sums of residuals r and curvatures h and the number
//! of rows. With R and H the sums over a side, a split is worth
//! `R_l² / (H_l + l2) + R_r² / (H_r + l2) - R² / (H + l2)`, and a node's value is `R / (H + l2)`.
//!
//! Where every row's curvature is 1, as for squared error without weights, it counts the rows and
//! nothing else needs to.
//!
//! After a split only the histogram of the smaller child is filled from its rows; its sibling's is
//! the parent's minus it. Filling, subtracting and searching both children is one pass over the
//! columns, in parallel; each column is summed in row order by one thread and the best column is
//! chosen in column order, so the number of threads changes nothing.

use crate::forest::train::columns::RankedColumn;
use crate::forest::train::params::{BoostingParams, MAX_BINS};
use crate::forest::train::tree::grower::{empty_tree, push_leaf};
use crate::forest::train::tree::partition::{CHUNK, partition_rows, separates};
use crate::forest::{Missing, Tree};
use crate::random::{Generator, subset};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Both sides of a split need at least this much curvature.
const MIN_CURVATURE: f64 = 1e-3;

/// Cells and bins to go through below which a parallel pass costs more than it saves.
const PARALLEL_STEPS: usize = 1 << 14;

/// Bins of a column: the values' and the missing cells'.
const WIDTH: usize = MAX_BINS + 1;

/// The bins of one column; beyond the column's own the content is arbitrary.
#[derive(Debug, Clone)]
struct Bins {
    /// Sums of residual and curvature, side by side so that one instruction adds both.
    sums: [[f64; 2]; WIDTH],
    /// Numbers of rows; left alone where curvatures count them.
    rows: [u32; WIDTH],
}

impl Bins {
    const BLANK: Bins = Bins { sums: [[0.0; 2]; WIDTH], rows: [0; WIDTH] };
}

/// The bins of every column.
type Histogram = Vec<Bins>;

/// One column, a byte per row.
pub(super) struct BinnedColumn<'a> {
    column: &'a RankedColumn,
    codes: Vec<u8>,
}

impl BinnedColumn<'_> {
    /// Bins with values.
    fn n_bins(&self) -> usize {
        self.column.missing_code() as usize
    }
}

/// Narrows the ranks of columns with at most [`MAX_BINS`] bins to bytes.
pub(super) fn narrow(columns: &[RankedColumn]) -> Vec<BinnedColumn<'_>> {
    columns
        .par_iter()
        .map(|column| BinnedColumn {
            column,
            codes: column.codes.iter().map(|&code| code as u8).collect(),
        })
        .collect()
}

/// Sums over the rows of a node.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    residual: f64,
    curvature: f64,
    rows: f64,
}

impl Sums {
    fn add(&mut self, [residual, curvature]: [f64; 2], rows: f64) {
        self.residual += residual;
        self.curvature += curvature;
        self.rows += rows;
    }

    fn without(&self, part: &Sums) -> Sums {
        Sums {
            residual: self.residual - part.residual,
            curvature: self.curvature - part.curvature,
            rows: self.rows - part.rows,
        }
    }

    fn worth(&self, l2: f64) -> f64 {
        self.residual * self.residual / (self.curvature + l2)
    }

    fn value(&self, l2: f64) -> f64 {
        let denominator = self.curvature + l2;
        if denominator > 0.0 { self.residual / denominator } else { 0.0 }
    }
}

#[derive(Debug, Clone, Copy)]
struct SplitCandidate {
    gain: f64,
    feature: u32,
    last_left: u8,
    missing_left: Option<bool>,
    left: Sums,
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
struct Open {
    node: Node,
    split: SplitCandidate,
    histogram: Histogram,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        self.split.gain.total_cmp(&other.split.gain).then(other.node.id.cmp(&self.node.id))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

/// A tree being grown, and the range of rows of each node.
struct Growing {
    tree: Tree,
    ranges: Vec<Range<usize>>,
    l2: f64,
}

impl Growing {
    fn add(&mut self, range: Range<usize>, depth: usize, sums: Sums) -> Node {
        self.tree.value.push(sums.value(self.l2));
        self.ranges.push(range.clone());
        let id = push_leaf(&mut self.tree, 0.0, 0.0);
        Node { id, range, depth, sums }
    }
}

/// Grows trees on the same columns, reusing its buffers.
pub(super) struct HistogramGrower<'a> {
    columns: &'a [BinnedColumn<'a>],
    params: &'a BoostingParams,
    max_features: usize,
    /// Bins of all columns together.
    n_bins: usize,
    spare_rows: Vec<u32>,
    gathered: Vec<[f64; 2]>,
    pool: Vec<Histogram>,
    /// Whether the curvature of every row of the tree is 1.
    curvature_counts: bool,
}

impl<'a> HistogramGrower<'a> {
    pub(super) fn new(columns: &'a [BinnedColumn<'a>], params: &'a BoostingParams) -> Self {
        Self {
            columns,
            params,
            max_features: params.max_features.count(columns.len()),
            n_bins: columns.iter().map(BinnedColumn::n_bins).sum(),
            spare_rows: Vec::new(),
            gathered: Vec::new(),
            pool: Vec::new(),
            curvature_counts: false,
        }
    }

    /// Grows a tree on `rows`, which it reorders; gives the tree and each node's range of rows.
    /// `derivatives` holds weighted residual and curvature by row. Node weights and impurities are
    /// left to the caller.
    pub(super) fn grow(
        &mut self,
        rows: &mut [u32],
        derivatives: &[[f64; 2]],
        random: &mut Generator,
    ) -> (Tree, Vec<Range<usize>>) {
        let mut growing = Growing { tree: empty_tree(1), ranges: Vec::new(), l2: self.params.l2 };
        let mut sums = Sums::default();
        self.curvature_counts = true;
        for &row in rows.iter() {
            let slopes = derivatives[row as usize];
            sums.add(slopes, 1.0);
            self.curvature_counts &= slopes[1] == 1.0;
        }
        let mut open = BinaryHeap::new();
        let root = growing.add(0..rows.len(), 0, sums);
        if self.splittable(&root) {
            self.open_root(root, rows, derivatives, random, &mut open);
        }
        let max_splits = self.params.max_leaf_nodes.map_or(usize::MAX, |leaves| leaves - 1);
        let mut n_splits = 0;
        while n_splits < max_splits
            && let Some(Open { node, split, histogram }) = open.pop()
        {
            let Some(children) = self.split(&node, &split, rows, &mut growing) else {
                self.pool.push(histogram);
                continue;
            };
            n_splits += 1;
            let wanted =
                children.each_ref().map(|child| n_splits < max_splits && self.splittable(child));
            if wanted == [false, false] {
                self.pool.push(histogram);
            } else {
                self.open_children(
                    children,
                    wanted,
                    histogram,
                    rows,
                    derivatives,
                    random,
                    &mut open,
                );
            }
        }
        self.pool.extend(open.into_iter().map(|open| open.histogram));
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
        derivatives: &[[f64; 2]],
        random: &mut Generator,
        open: &mut BinaryHeap<Open>,
    ) {
        let mut histogram = self.blank_histogram();
        self.gather(rows, derivatives);
        let tried = self.draw_features(random);
        let pass = |(feature, (bins, column)): (usize, (&mut Bins, &BinnedColumn))| {
            self.fill(bins, column, rows);
            self.search(feature, bins, &root.sums, &tried)
        };
        let found: Vec<Option<SplitCandidate>> = if self.is_long(rows) {
            histogram.par_iter_mut().zip(self.columns).enumerate().map(pass).collect()
        } else {
            histogram.iter_mut().zip(self.columns).enumerate().map(pass).collect()
        };
        match best_of(found.into_iter()) {
            Some(split) => open.push(Open { node: root, split, histogram }),
            None => self.pool.push(histogram),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn open_children(
        &mut self,
        children: [Node; 2],
        wanted: [bool; 2],
        mut histogram: Histogram,
        rows: &[u32],
        derivatives: &[[f64; 2]],
        random: &mut Generator,
        open: &mut BinaryHeap<Open>,
    ) {
        let small = usize::from(children[1].range.len() < children[0].range.len());
        let small_rows = &rows[children[small].range.clone()];
        let mut small_histogram = self.blank_histogram();
        self.gather(small_rows, derivatives);
        let tried = [self.draw_features(random), self.draw_features(random)];
        let pass = |(feature, ((large_bins, small_bins), column)): (
            usize,
            ((&mut Bins, &mut Bins), &BinnedColumn),
        )| {
            self.fill(small_bins, column, small_rows);
            self.subtract(large_bins, small_bins, column);
            let mut found = [None, None];
            for (bins, child) in [(&*small_bins, small), (&*large_bins, 1 - small)] {
                if wanted[child] {
                    found[child] = self.search(feature, bins, &children[child].sums, &tried[child]);
                }
            }
            found
        };
        let found: Vec<[Option<SplitCandidate>; 2]> = if self.is_long(small_rows) {
            let bins = histogram.par_iter_mut().zip(small_histogram.par_iter_mut());
            bins.zip(self.columns).enumerate().map(pass).collect()
        } else {
            let bins = histogram.iter_mut().zip(small_histogram.iter_mut());
            bins.zip(self.columns).enumerate().map(pass).collect()
        };
        let mut histograms = [histogram, small_histogram];
        if small == 0 {
            histograms.reverse();
        }
        for (child, (node, histogram)) in children.into_iter().zip(histograms).enumerate() {
            match best_of(found.iter().map(|found| found[child])) {
                Some(split) => open.push(Open { node, split, histogram }),
                None => self.pool.push(histogram),
            }
        }
    }

    fn is_long(&self, rows: &[u32]) -> bool {
        rows.len() * self.columns.len() + 2 * self.n_bins >= PARALLEL_STEPS
    }

    fn blank_histogram(&mut self) -> Histogram {
        self.pool.pop().unwrap_or_else(|| vec![Bins::BLANK; self.columns.len()])
    }

    fn gather(&mut self, rows: &[u32], derivatives: &[[f64; 2]]) {
        self.gathered.resize(rows.len(), [0.0; 2]);
        let gather = |(gathered, rows): (&mut [[f64; 2]], &[u32])| {
            for (slopes, &row) in gathered.iter_mut().zip(rows) {
                *slopes = derivatives[row as usize];
            }
        };
        if rows.len() <= CHUNK {
            gather((&mut self.gathered, rows));
        } else {
            self.gathered.par_chunks_mut(CHUNK).zip(rows.par_chunks(CHUNK)).for_each(gather);
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

    /// Sums the rows of a node into the bins of one column.
    fn fill(&self, bins: &mut Bins, column: &BinnedColumn, rows: &[u32]) {
        let (codes, n) = (&column.codes, column.n_bins() + 1);
        bins.sums[..n].fill([0.0; 2]);
        let add = |sum: &mut [f64; 2], slopes: &[f64; 2]| {
            *sum = [sum[0] + slopes[0], sum[1] + slopes[1]];
        };
        if self.curvature_counts {
            for (&row, slopes) in rows.iter().zip(&self.gathered) {
                add(&mut bins.sums[codes[row as usize] as usize], slopes);
            }
        } else {
            bins.rows[..n].fill(0);
            for (&row, slopes) in rows.iter().zip(&self.gathered) {
                let code = codes[row as usize] as usize;
                add(&mut bins.sums[code], slopes);
                bins.rows[code] += 1;
            }
        }
    }

    /// Takes one child's sums from its parent's, which leaves its sibling's.
    fn subtract(&self, bins: &mut Bins, child: &Bins, column: &BinnedColumn) {
        let n = column.n_bins() + 1;
        for (sum, child) in bins.sums[..n].iter_mut().zip(&child.sums[..n]) {
            *sum = [sum[0] - child[0], sum[1] - child[1]];
        }
        if !self.curvature_counts {
            bins.rows[..n]
                .iter_mut()
                .zip(&child.rows[..n])
                .for_each(|(rows, child)| *rows -= child);
        }
    }

    /// The best split of one column, if any has a gain.
    fn search(
        &self,
        feature: usize,
        bins: &Bins,
        node: &Sums,
        tried: &[bool],
    ) -> Option<SplitCandidate> {
        if !tried[feature] {
            return None;
        }
        if self.curvature_counts {
            self.search_bins(feature, bins, node, |bin| bins.sums[bin][1])
        } else {
            self.search_bins(feature, bins, node, |bin| f64::from(bins.rows[bin]))
        }
    }

    fn search_bins(
        &self,
        feature: usize,
        bins: &Bins,
        node: &Sums,
        rows_of: impl Fn(usize) -> f64,
    ) -> Option<SplitCandidate> {
        let column = &self.columns[feature];
        let n_bins = column.n_bins();
        let has_missing = column.column.has_missing && rows_of(n_bins) > 0.0;
        let mut best: Option<SplitCandidate> = None;
        for missing_left in [false, true] {
            if missing_left && !has_missing {
                break;
            }
            let mut left = Sums::default();
            if missing_left {
                left.add(bins.sums[n_bins], rows_of(n_bins));
            }
            // The last bin goes left only when the missing cells are left for the right.
            let end = if has_missing && !missing_left { n_bins } else { n_bins.saturating_sub(1) };
            let least = best.map_or(0.0, |best| best.gain);
            let found = self.walk(&bins.sums[..end], &rows_of, left, node, least);
            if let Some((at, left, gain)) = found {
                let missing_left = has_missing.then_some(missing_left);
                let (feature, last_left) = (feature as u32, at as u8);
                best = Some(SplitCandidate { gain, feature, last_left, missing_left, left });
            }
        }
        best
    }

    /// The bin after which to split for a gain above `best`.
    fn walk(
        &self,
        sums: &[[f64; 2]],
        rows_of: impl Fn(usize) -> f64,
        mut left: Sums,
        node: &Sums,
        mut best: f64,
    ) -> Option<(usize, Sums, f64)> {
        let l2 = self.params.l2;
        let min_rows = self.params.min_samples_leaf as f64;
        let worth = node.worth(l2);
        let mut found = None;
        for (at, &slopes) in sums.iter().enumerate() {
            let rows = rows_of(at);
            if rows == 0.0 {
                // A split after an empty bin is the split before it.
                continue;
            }
            left.add(slopes, rows);
            let right = node.without(&left);
            if left.rows < min_rows || left.curvature < MIN_CURVATURE {
                continue;
            }
            if right.rows < min_rows || right.curvature < MIN_CURVATURE {
                break;
            }
            // Most bins are out of the question without a division.
            let (below, above) = (left.curvature + l2, right.curvature + l2);
            let products =
                left.residual * left.residual * above + right.residual * right.residual * below;
            if products > (best + worth) * (below * above) {
                let gain = left.worth(l2) + right.worth(l2) - worth;
                if gain > best {
                    best = gain;
                    found = Some((at, left, gain));
                }
            }
        }
        found
    }

    /// Carries out a split, if it parts rows: moves those of the left child first and adds two
    /// children.
    fn split(
        &mut self,
        parent: &Node,
        split: &SplitCandidate,
        rows: &mut [u32],
        growing: &mut Growing,
    ) -> Option<[Node; 2]> {
        let BinnedColumn { column, codes } = &self.columns[split.feature as usize];
        let missing_code = column.missing_code() as u8;
        let missing_goes_left = split.missing_left == Some(true);
        let part = &mut rows[parent.range.clone()];
        let n_left = partition_rows(part, &mut self.spare_rows, |row| {
            let code = codes[row as usize];
            code <= split.last_left || (missing_goes_left && code == missing_code)
        });
        let n_right = part.len() - n_left;
        if !separates(n_left, n_right) {
            return None;
        }
        let middle = parent.range.start + n_left;
        let last_left = u32::from(split.last_left);
        let missing_left = split.missing_left.unwrap_or(n_left > n_right);
        let tree = &mut growing.tree;
        tree.feature[parent.id] = split.feature;
        tree.threshold[parent.id] = column.threshold(last_left, last_left + 1);
        tree.missing[parent.id] = if missing_left { Missing::Left } else { Missing::Right };
        let depth = parent.depth + 1;
        let left = growing.add(parent.range.start..middle, depth, split.left);
        let right = growing.add(middle..parent.range.end, depth, parent.sums.without(&split.left));
        growing.tree.left[parent.id] = left.id as u32;
        growing.tree.right[parent.id] = right.id as u32;
        Some([left, right])
    }
}

/// The candidate with the largest gain; ties go to the first.
fn best_of(found: impl Iterator<Item = Option<SplitCandidate>>) -> Option<SplitCandidate> {
    found.flatten().fold(None, |best: Option<SplitCandidate>, next| match best {
        Some(best) if best.gain >= next.gain => Some(best),
        _ => Some(next),
    })
}
