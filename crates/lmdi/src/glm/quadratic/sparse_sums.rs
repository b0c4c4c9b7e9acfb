//! Sums per leaf of sparse raw columns: their modes, and the deviations from them.
//!
//! Sums of the same columns over other rows can be added: their leaves are merged.

use crate::basis::TreeRows;
use std::ops::Range;

/// Sums of w e_k per leaf of the sparse columns k, where e_k is the cell less the mode.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SparseSums {
    /// The raw columns by position: the dense ones, then the sparse ones.
    pub(crate) order: Vec<usize>,
    /// How many are dense.
    pub(crate) n_dense: usize,
    /// The mode by position; zero for dense columns.
    pub(crate) mode: Vec<f64>,
    /// Where the entries of each sparse column begin; one more number than there are.
    pub(crate) start: Vec<usize>,
    /// The leaves in which rows deviate, rising within a column, and what these rows add.
    pub(crate) leaf: Vec<u32>,
    pub(crate) deviation: Vec<f64>,
}

impl SparseSums {
    /// The sums of some of a tree's rows. Rows of a leaf are added in their order.
    ///
    /// Cost: linear in rows, leaves and entries.
    pub(super) fn of_rows(rows: &TreeRows<'_>, range: Range<usize>, n_leaves: usize) -> Self {
        let sparse = rows.sparse_columns();
        let n_sparse = sparse.order.len() - sparse.n_dense;
        let mut most = vec![0; n_sparse];
        for entry in range.clone().flat_map(|row| sparse.of_row(row)) {
            most[entry.position as usize - sparse.n_dense] += 1;
        }
        let mut lists: Vec<Vec<(u32, f64)>> = most.into_iter().map(Vec::with_capacity).collect();
        // Leaf by leaf, so that every column meets its leaves in rising order.
        for &row in &by_leaf(&rows.leaf[range.clone()], n_leaves) {
            let row = range.start + row as usize;
            let (leaf, weight) = (rows.leaf[row], rows.weight[row]);
            for entry in sparse.of_row(row) {
                let list = &mut lists[entry.position as usize - sparse.n_dense];
                let add = weight * entry.deviation;
                match list.last_mut() {
                    Some((last, sum)) if *last == leaf => *sum += add,
                    _ => list.push((leaf, add)),
                }
            }
        }
        let (order, mode) = (sparse.order.clone(), sparse.mode.clone());
        Self { order, n_dense: sparse.n_dense, mode, ..Self::of_lists(&lists) }
    }

    /// Adds the sums of other rows for the same columns.
    pub(super) fn merge(&mut self, other: &Self) {
        let lists: Vec<Vec<(u32, f64)>> = (0..self.start.len() - 1)
            .map(|column| {
                let (mut mine, mut theirs) = (self.of_column(column), other.of_column(column));
                let mut merged = Vec::new();
                while let (Some(&a), Some(&b)) = (mine.0.first(), theirs.0.first()) {
                    let leaf = a.min(b);
                    let mut sum = 0.0;
                    for part in [&mut mine, &mut theirs] {
                        if part.0[0] == leaf {
                            sum += part.1[0];
                            *part = (&part.0[1..], &part.1[1..]);
                        }
                    }
                    merged.push((leaf, sum));
                }
                for (leaves, sums) in [mine, theirs] {
                    merged.extend(leaves.iter().copied().zip(sums.iter().copied()));
                }
                merged
            })
            .collect();
        let Self { start, leaf, deviation, .. } = Self::of_lists(&lists);
        (self.start, self.leaf, self.deviation) = (start, leaf, deviation);
    }

    fn of_column(&self, column: usize) -> (&[u32], &[f64]) {
        let range = self.start[column]..self.start[column + 1];
        (&self.leaf[range.clone()], &self.deviation[range])
    }

    fn of_lists(lists: &[Vec<(u32, f64)>]) -> Self {
        let mut start = vec![0];
        for list in lists {
            start.push(start[start.len() - 1] + list.len());
        }
        let entries = || lists.iter().flatten();
        Self {
            order: Vec::new(),
            n_dense: 0,
            mode: Vec::new(),
            start,
            leaf: entries().map(|(leaf, _)| *leaf).collect(),
            deviation: entries().map(|(_, deviation)| *deviation).collect(),
        }
    }
}

/// Positions of the leaves in ascending order, equal ones in the order given.
fn by_leaf(leaf: &[u32], n_leaves: usize) -> Vec<u32> {
    let mut next = vec![0_u32; n_leaves + 1];
    for &leaf in leaf {
        next[leaf as usize + 1] += 1;
    }
    for leaf in 0..n_leaves {
        next[leaf + 1] += next[leaf];
    }
    let mut sorted = vec![0; leaf.len()];
    for (position, &leaf) in leaf.iter().enumerate() {
        let at = &mut next[leaf as usize];
        sorted[*at as usize] = position as u32;
        *at += 1;
    }
    sorted
}
