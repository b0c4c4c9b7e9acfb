//! Sums of raw columns per leaf, of several problems over the same columns.
//!
//! A dense column has one number per leaf. A sparse column is its mode m (see
//! [`SparseColumns`](crate::basis::SparseColumns)) and its deviations e:
//!
//! ```text
//! (w x)_l = m w_l + (w e)_l,   (w e)_l = 0 in most leaves
//! ```
//!
//! so that products with all leaves cost as much as the leaves with entries, and all 0/1 columns of
//! a category take as much memory as one column. A reduced tree has only dense columns.

use crate::glm::linalg::vector::{
    COLUMNS, Lanes, add_scaled, dot, of_lane, subtract_block, subtract_columns, subtract_products,
    sum,
};
use crate::glm::quadratic::statistics::Statistics;
use std::ops::Range;
use std::sync::Arc;

/// Leaves whose sums are turned into columns together, so that a column's memory is written in whole
/// cache lines.
const LEAVES: usize = 8;

/// Sums of w x_k per leaf, raw column by raw column.
#[derive(Debug, Clone, Default)]
pub struct LeafSums<const N: usize> {
    n_leaves: usize,
    /// What each raw column is.
    columns: Vec<Column>,
    /// The sums of dense columns, one column after the other, leaf by leaf, lane by lane. A batch of
    /// one problem shares them with it: on a fully grown tree they are most of the memory.
    dense: Arc<Vec<f64>>,
    /// The leaves of sparse columns in which rows deviate, rising within a column, and what these
    /// rows add.
    entry_leaf: Vec<u32>,
    entry: Vec<Lanes<N>>,
}

/// Where the sums of a raw column are.
#[derive(Debug, Clone, PartialEq)]
enum Column {
    /// Which of the dense columns it is.
    Dense(usize),
    /// Its mode, and its entries.
    Sparse(f64, Range<usize>),
}

impl LeafSums<1> {
    /// The sums of rows with these statistics.
    pub(super) fn of(statistics: &Statistics) -> Self {
        let n_leaves = statistics.leaf_weight.len();
        let n_dense = statistics.n_dense();
        let mut dense = vec![0.0; n_dense * n_leaves];
        for first in (0..n_leaves).step_by(LEAVES) {
            let leaves = first..n_leaves.min(first + LEAVES);
            for k in 0..n_dense {
                for leaf in leaves.clone() {
                    dense[k * n_leaves + leaf] = statistics.leaf_raw[leaf * n_dense + k];
                }
            }
        }
        let dense = Arc::new(dense);
        let Some(sparse) = &statistics.sparse else {
            let columns = (0..n_dense).map(Column::Dense).collect();
            return Self { n_leaves, columns, dense, ..Self::default() };
        };
        let mut columns = vec![Column::Dense(0); sparse.order.len()];
        for (position, &k) in sparse.order.iter().enumerate() {
            columns[k] = match position.checked_sub(n_dense) {
                None => Column::Dense(position),
                Some(at) => {
                    Column::Sparse(sparse.mode[position], sparse.start[at]..sparse.start[at + 1])
                }
            };
        }
        let entry = sparse.deviation.iter().map(|&deviation| [deviation]).collect();
        Self { n_leaves, columns, dense, entry_leaf: sparse.leaf.clone(), entry }
    }

    /// The sum of each column, given those of the leaves' weights.
    pub(super) fn totals(&self, total_weight: f64) -> Vec<f64> {
        let of_column = |column: &Column| match column {
            Column::Dense(at) => sum(self.dense_column(*at).as_flattened()),
            Column::Sparse(mode, entries) => {
                mode * total_weight + self.entry[entries.clone()].as_flattened().iter().sum::<f64>()
            }
        };
        self.columns.iter().map(of_column).collect()
    }

    /// Sum of `constant[l] * (w x_k)_l` over leaves. `along_weight` is that of `constant[l] * w_l`.
    pub(crate) fn product(&self, k: usize, constant: &[f64], along_weight: f64) -> f64 {
        match &self.columns[k] {
            Column::Dense(at) => dot(constant, self.dense_column(*at).as_flattened()),
            Column::Sparse(mode, entries) => {
                let of_entry =
                    |at: usize| constant[self.entry_leaf[at] as usize] * self.entry[at][0];
                mode * along_weight + entries.clone().map(of_entry).sum::<f64>()
            }
        }
    }

    /// Takes what slopes explain off sums per leaf, whose weights are given.
    pub(crate) fn take_off(&self, leaf: &mut [f64], slopes: &[f64], weight: &[f64]) {
        let (mut everywhere, mut any) = (0.0, false);
        for (column, &slope) in self.columns.iter().zip(slopes).filter(|(_, slope)| **slope != 0.0)
        {
            match column {
                Column::Dense(at) => {
                    add_scaled(leaf, -slope, self.dense_column(*at).as_flattened());
                }
                Column::Sparse(mode, entries) => {
                    any = true;
                    everywhere += slope * mode;
                    for at in entries.clone() {
                        leaf[self.entry_leaf[at] as usize] -= slope * self.entry[at][0];
                    }
                }
            }
        }
        if any {
            add_scaled(leaf, -everywhere, weight);
        }
    }

    /// The sums of one column, leaf by leaf.
    pub(crate) fn column(&self, k: usize, leaf_weight: &[f64]) -> Vec<f64> {
        match &self.columns[k] {
            Column::Dense(at) => self.dense_column(*at).as_flattened().to_vec(),
            Column::Sparse(mode, entries) => {
                let mut sums: Vec<f64> = leaf_weight.iter().map(|weight| mode * weight).collect();
                for at in entries.clone() {
                    sums[self.entry_leaf[at] as usize] += self.entry[at][0];
                }
                sums
            }
        }
    }
}

impl<const N: usize> LeafSums<N> {
    /// The sums of several problems over the same basis.
    pub(super) fn gather(each: [&LeafSums<1>; N]) -> Self {
        let first = each[0];
        let dense = match N {
            1 => Arc::clone(&first.dense),
            _ => {
                let dense = each.map(|sums| &sums.dense[..first.dense.len()]);
                let of_lanes = |i: usize| dense.map(|sums| sums[i]);
                let lanes: Vec<Lanes<N>> = (0..first.dense.len()).map(of_lanes).collect();
                Arc::new(lanes.into_flattened())
            }
        };
        let (mut entry_leaf, mut entry) = (Vec::new(), Vec::new());
        let columns = (0..first.columns.len())
            .map(|k| {
                let Column::Sparse(mode, _) = first.columns[k] else {
                    return first.columns[k].clone();
                };
                let begin = entry.len();
                let mut waiting = each.map(|sums| sums.entries(k));
                // Leaf by leaf, where any of the problems has an entry.
                while let Some(&leaf) = waiting.iter().filter_map(|(leaf, _)| leaf.first()).min() {
                    entry_leaf.push(leaf);
                    let take = |(leaves, sums): &mut (&[u32], &[Lanes<1>])| {
                        if leaves.first() != Some(&leaf) {
                            return 0.0;
                        }
                        let sum = sums[0][0];
                        (*leaves, *sums) = (&leaves[1..], &sums[1..]);
                        sum
                    };
                    entry.push(waiting.each_mut().map(take));
                }
                Column::Sparse(mode, begin..entry.len())
            })
            .collect();
        Self { n_leaves: first.n_leaves, columns, dense, entry_leaf, entry }
    }

    /// Zeros for dense columns, in the memory that is there; gives the sums.
    pub(super) fn refill(&mut self, n_columns: usize, n_leaves: usize) -> &mut [Lanes<N>] {
        self.n_leaves = n_leaves;
        self.columns.clear();
        self.columns.extend((0..n_columns).map(Column::Dense));
        self.entry_leaf.clear();
        self.entry.clear();
        let dense = Arc::make_mut(&mut self.dense);
        dense.clear();
        let len = n_columns * n_leaves * N;
        if dense.capacity() < len {
            // Growing would copy what was there.
            *dense = Vec::with_capacity(len);
        }
        dense.resize(len, 0.0);
        dense.as_chunks_mut().0
    }

    /// The sums of all columns, which are dense, column by column.
    pub(crate) fn all_dense(&self) -> &[Lanes<N>] {
        debug_assert_eq!(self.dense().len(), self.columns.len() * self.n_leaves);
        self.dense()
    }

    /// The sums of one of the columns, which is dense.
    pub(crate) fn of_dense(&self, k: usize) -> &[Lanes<N>] {
        &self.all_dense()[k * self.n_leaves..(k + 1) * self.n_leaves]
    }

    /// The sums of one column: all of them, or the mode with leaves and what is added there.
    pub(super) fn parts(&self, k: usize) -> Parts<'_, N> {
        match &self.columns[k] {
            Column::Dense(at) => Parts::Dense(self.dense_column(*at)),
            Column::Sparse(mode, entries) => {
                let (leaves, sums) =
                    (&self.entry_leaf[entries.clone()], &self.entry[entries.clone()]);
                Parts::Sparse { mode: *mode, leaves, sums }
            }
        }
    }

    /// `leaf[l] -= sum_k steps[k] * (w x)_l` over some columns. `weight` are the leaves' weights.
    #[inline(always)]
    pub(crate) fn subtract_columns<const M: usize>(
        &self,
        leaf: &mut [Lanes<M>],
        index: &[usize],
        steps: &[Lanes<M>],
        weight: &[Lanes<N>],
    ) {
        let (mut dense, mut dense_steps) = (Vec::new(), Vec::new());
        let (mut everywhere, mut any) = ([0.0; M], false);
        for (&k, step) in index.iter().zip(steps) {
            match &self.columns[k] {
                Column::Dense(at) => {
                    dense.push(*at);
                    dense_steps.push(*step);
                }
                Column::Sparse(mode, entries) => {
                    any = true;
                    for lane in 0..M {
                        everywhere[lane] += step[lane] * mode;
                    }
                    for at in entries.clone() {
                        let into = &mut leaf[self.entry_leaf[at] as usize];
                        for lane in 0..M {
                            into[lane] -= step[lane] * of_lane(&self.entry[at], lane);
                        }
                    }
                }
            }
        }
        subtract_columns(leaf, &dense, &dense_steps, self.dense());
        if any {
            for (into, weight) in leaf.iter_mut().zip(weight) {
                for lane in 0..M {
                    into[lane] -= everywhere[lane] * of_lane(weight, lane);
                }
            }
        }
    }

    /// `out[k] -= sum_l constant[l] * (w x_k)_l` for all columns. `along_weight` is the sum of
    /// `constant[l] * w_l`.
    #[inline(always)]
    pub(crate) fn subtract_products<const M: usize>(
        &self,
        out: &mut [Lanes<M>],
        constant: &[Lanes<M>],
        along_weight: Lanes<M>,
    ) {
        if self.dense().len() == self.columns.len() * self.n_leaves {
            return subtract_products(out, constant, self.dense());
        }
        for (k, out) in out.iter_mut().enumerate() {
            self.subtract_product(k, out, constant, along_weight);
        }
    }

    /// The same for some columns, a few at a time; `out` has one entry for each of them.
    #[inline(always)]
    pub(crate) fn subtract_products_of<const M: usize>(
        &self,
        index: &[usize],
        out: &mut [Lanes<M>],
        constant: &[Lanes<M>],
        along_weight: Lanes<M>,
    ) {
        let (blocks, rest) = out.as_chunks_mut::<COLUMNS>();
        let (index_of_block, index_of_rest) = index.as_chunks::<COLUMNS>();
        let dense = |&k: &usize| match self.columns[k] {
            Column::Dense(at) => Some(self.dense_column(at)),
            Column::Sparse(..) => None,
        };
        for (index, out) in index_of_block.iter().zip(blocks) {
            if let [Some(a), Some(b), Some(c), Some(d)] = index.each_ref().map(dense) {
                subtract_block(out, constant, [a, b, c, d]);
                continue;
            }
            for (&k, out) in index.iter().zip(out) {
                self.subtract_product(k, out, constant, along_weight);
            }
        }
        for (&k, out) in index_of_rest.iter().zip(rest) {
            self.subtract_product(k, out, constant, along_weight);
        }
    }

    /// The same for one column.
    #[inline(always)]
    pub(crate) fn subtract_product<const M: usize>(
        &self,
        k: usize,
        out: &mut Lanes<M>,
        constant: &[Lanes<M>],
        along_weight: Lanes<M>,
    ) {
        match &self.columns[k] {
            Column::Dense(at) => {
                subtract_block(std::array::from_mut(out), constant, [self.dense_column(*at)]);
            }
            Column::Sparse(mode, entries) => {
                let mut sum = [0.0; M];
                for at in entries.clone() {
                    let constant = &constant[self.entry_leaf[at] as usize];
                    for lane in 0..M {
                        sum[lane] += constant[lane] * of_lane(&self.entry[at], lane);
                    }
                }
                for lane in 0..M {
                    out[lane] -= mode * along_weight[lane] + sum[lane];
                }
            }
        }
    }

    #[inline(always)]
    fn dense(&self) -> &[Lanes<N>] {
        self.dense.as_chunks().0
    }

    fn dense_column(&self, at: usize) -> &[Lanes<N>] {
        &self.dense()[at * self.n_leaves..(at + 1) * self.n_leaves]
    }

    fn entries(&self, k: usize) -> (&[u32], &[Lanes<N>]) {
        match &self.columns[k] {
            Column::Dense(_) => (&[], &[]),
            Column::Sparse(_, entries) => {
                (&self.entry_leaf[entries.clone()], &self.entry[entries.clone()])
            }
        }
    }
}

/// The sums of one column.
pub(super) enum Parts<'s, const N: usize> {
    /// Leaf by leaf.
    Dense(&'s [Lanes<N>]),
    /// What the mode gives each leaf by its weight, and what is added in some leaves.
    Sparse {
        /// The mode.
        mode: f64,
        /// The leaves, rising.
        leaves: &'s [u32],
        /// What is added in each.
        sums: &'s [Lanes<N>],
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEIGHT: [f64; 3] = [2.0, 0.5, 3.0];

    /// Two dense columns and two sparse ones between them, with modes of their own.
    fn mixed(by: f64) -> LeafSums<1> {
        LeafSums {
            n_leaves: 3,
            columns: vec![
                Column::Dense(1),
                Column::Sparse(0.5, 0..2),
                Column::Dense(0),
                Column::Sparse(-2.0, 2..3),
            ],
            dense: Arc::new([1.0, 2.0, -4.0, 0.25, 3.0, 7.0].map(|sum| by * sum).to_vec()),
            entry_leaf: vec![0, 2, 1],
            entry: [5.0, -1.5, 0.75].map(|sum| [by * sum]).to_vec(),
        }
    }

    /// The same sums by their definition, `m w + e` in every leaf.
    fn by_definition(by: f64) -> [[f64; 3]; 4] {
        let sparse = |mode: f64, added: [f64; 3]| {
            std::array::from_fn(|leaf| mode * WEIGHT[leaf] + by * added[leaf])
        };
        [
            [0.25, 3.0, 7.0].map(|sum| by * sum),
            sparse(0.5, [5.0, 0.0, -1.5]),
            [1.0, 2.0, -4.0].map(|sum| by * sum),
            sparse(-2.0, [0.0, 0.75, 0.0]),
        ]
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
        }
    }

    #[test]
    fn sparse_columns_stand_for_their_sums_in_every_leaf() {
        let (sums, expected) = (mixed(1.0), by_definition(1.0));
        let constant = [1.5, -0.5, 0.25];
        let along: f64 = constant.iter().zip(WEIGHT).map(|(c, w)| c * w).sum();
        let total: f64 = WEIGHT.iter().sum();
        assert_close(&sums.totals(total), &expected.map(|column| column.iter().sum()));
        for (k, column) in expected.iter().enumerate() {
            assert_close(&sums.column(k, &WEIGHT), column);
            let product: f64 = constant.iter().zip(column).map(|(c, sum)| c * sum).sum();
            assert_close(&[sums.product(k, &constant, along)], &[product]);
        }
        // A tree that is cut down has dense columns only.
        let columns = vec![Column::Dense(0), Column::Dense(1)];
        let dense = LeafSums { columns, entry_leaf: vec![], entry: vec![], ..mixed(1.0) };
        assert_close(dense.of_dense(0).as_flattened(), &expected[2]);
        assert_close(dense.of_dense(1).as_flattened(), &expected[0]);
        let slopes = [0.5, -1.25, 0.0, 3.0];
        let mut leaf = [10.0, 20.0, 30.0];
        sums.take_off(&mut leaf, &slopes, &WEIGHT);
        let left = |at: usize| {
            let taken = slopes.iter().zip(&expected).map(|(slope, column)| slope * column[at]);
            [10.0, 20.0, 30.0][at] - taken.sum::<f64>()
        };
        assert_close(&leaf, &[left(0), left(1), left(2)]);
    }

    /// More columns than are handled together, some of them sparse.
    #[test]
    fn products_of_some_columns_are_those_of_each() {
        let columns = [0, 1, 1, 0, 1, 0].map(Column::Dense).into_iter();
        let sums = LeafSums {
            columns: columns.chain([Column::Sparse(0.5, 0..2)]).collect(),
            ..mixed(1.0)
        };
        let (constant, along) = ([[1.5], [-0.5], [0.25]], [3.5]);
        for index in [vec![0, 2, 3, 4, 5], vec![5, 1, 6, 0], vec![6, 2], vec![4]] {
            let mut found = vec![[0.125]; index.len()];
            sums.subtract_products_of(&index, &mut found, &constant, along);
            let each = index.iter().map(|&k| {
                let mut out = [0.125];
                sums.subtract_product(k, &mut out, &constant, along);
                out
            });
            assert_eq!(found, each.collect::<Vec<_>>(), "{index:?}");
        }
    }

    /// Two problems whose sparse columns have entries in different leaves.
    #[test]
    fn lanes_are_the_problems_that_were_gathered() {
        let mut other = mixed(-3.0);
        (other.entry_leaf, other.entry) = (vec![1, 1], vec![[4.0], [8.0]]);
        other.columns[1] = Column::Sparse(0.5, 0..1);
        other.columns[3] = Column::Sparse(-2.0, 1..2);
        let both = LeafSums::gather([&mixed(1.0), &other]);
        let mut second = by_definition(-3.0);
        second[1] = std::array::from_fn(|leaf| 0.5 * WEIGHT[leaf] + [0.0, 4.0, 0.0][leaf]);
        second[3] = std::array::from_fn(|leaf| -2.0 * WEIGHT[leaf] + [0.0, 8.0, 0.0][leaf]);
        let expected = [by_definition(1.0), second];
        let weight = WEIGHT.map(|weight| [weight; 2]);
        let constant = [[1.5, 0.5], [-0.5, 2.0], [0.25, -1.0]];
        let along: Lanes<2> =
            std::array::from_fn(|lane| constant.iter().zip(WEIGHT).map(|(c, w)| c[lane] * w).sum());
        let mut out = [[1.0, 2.0]; 4];
        both.subtract_products(&mut out, &constant, along);
        for (k, out) in out.iter().enumerate() {
            for lane in 0..2 {
                let product = (0..3).map(|leaf| constant[leaf][lane] * expected[lane][k][leaf]);
                assert_close(&[out[lane]], &[[1.0, 2.0][lane] - product.sum::<f64>()]);
            }
        }
        let (index, steps) = ([3, 0, 1], [[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5]]);
        let mut leaf = [[0.0; 2]; 3];
        both.subtract_columns(&mut leaf, &index, &steps, &weight);
        for (at, leaf) in leaf.iter().enumerate() {
            for lane in 0..2 {
                let taken =
                    index.iter().zip(&steps).map(|(&k, step)| step[lane] * expected[lane][k][at]);
                assert_close(&[leaf[lane]], &[-taken.sum::<f64>()]);
            }
        }
    }
}
