//! Sufficient statistics of rows for least squares over the stump basis.
//!
//! Stump columns are constant on leaves, so per leaf the sums of w, w y and w x_k suffice, with the
//! raw Gram matrix beside them. Statistics add: over blocks of one table ([`Statistics::update`]),
//! over cross-validation folds, files or machines ([`Statistics::merge`]). After one pass nothing
//! depends on the number of rows.
//!
//! Several responses of the same rows share the sums that do not depend on the response, and one
//! pass over the raw cells ([`Statistics::of_rows`]).
//!
//! Cost of `update`: per row (raw columns)^2 / 2 + (raw columns) multiplications. Memory:
//! leaves x raw columns + (raw columns)^2 numbers.

use crate::basis::{Basis, SparseBlock, SparseColumns, SparseEntry, TreeRows};
use crate::glm::linalg::vector::add_scaled;
use crate::glm::quadratic::sparse_sums::SparseSums;
use crate::vectorised::{Vectorised, vectorised};
use std::ops::Range;

/// Weighted sums over rows of one tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statistics {
    n_raw: usize,
    /// Number of rows seen.
    pub rows: u64,
    /// Sum of w per leaf.
    pub leaf_weight: Vec<f64>,
    /// Sum of w y per leaf.
    pub leaf_response: Vec<f64>,
    /// Sum of w x_k per leaf for the dense columns, leaf by leaf.
    pub leaf_raw: Vec<f64>,
    /// The same for sparse columns; `None` if all are dense.
    pub(crate) sparse: Option<SparseSums>,
    /// Sum of w y^2.
    pub response_square: f64,
    /// Sum of w x_k y.
    pub raw_response: Vec<f64>,
    /// Sum of w x_j x_k for k <= j, row-major; the upper triangle is zero.
    pub raw_gram: Vec<f64>,
}

/// The sums that depend on the response.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResponseSums {
    leaf_response: Vec<f64>,
    response_square: f64,
    raw_response: Vec<f64>,
}

impl Statistics {
    /// Statistics of no rows, for the columns of `basis`.
    pub fn new(basis: &Basis) -> Self {
        Self::with_dense(basis, basis.raw.len())
    }

    /// The same with sums per leaf for so many columns only.
    fn with_dense(basis: &Basis, n_dense: usize) -> Self {
        let (n_leaves, n_raw) = (basis.stumps.n_leaves(), basis.raw.len());
        Self {
            n_raw,
            rows: 0,
            leaf_weight: vec![0.0; n_leaves],
            leaf_response: vec![0.0; n_leaves],
            leaf_raw: vec![0.0; n_leaves * n_dense],
            sparse: None,
            response_square: 0.0,
            raw_response: vec![0.0; n_raw],
            raw_gram: vec![0.0; n_raw * n_raw],
        }
    }

    /// Statistics from sums that were kept: per leaf those of w, w y and w x_k, then those of w x_k
    /// y and of w x_j x_k.
    pub(crate) fn from_sums(
        n_raw: usize,
        rows: u64,
        [leaf_weight, leaf_response, leaf_raw, raw_response, raw_gram]: [Vec<f64>; 5],
        response_square: f64,
    ) -> Self {
        Self {
            n_raw,
            rows,
            leaf_weight,
            leaf_response,
            leaf_raw,
            sparse: None,
            response_square,
            raw_response,
            raw_gram,
        }
    }

    /// Statistics of some of a tree's rows without a response, and the sums of each response.
    /// Columns that are sparse among the rows stay so.
    ///
    /// Cost: per row the square of the number of cells and entries, halved, and that number for
    /// each response.
    pub(crate) fn of_rows(
        basis: &Basis,
        rows: &TreeRows<'_>,
        range: Range<usize>,
        responses: &[Vec<f64>],
    ) -> (Self, Vec<ResponseSums>) {
        let sparse = rows.sparse_columns();
        let mut all = Self::with_dense(basis, sparse.n_dense);
        let none = ResponseSums {
            leaf_response: vec![0.0; all.leaf_weight.len()],
            response_square: 0.0,
            raw_response: vec![0.0; all.n_raw],
        };
        let mut of_responses = vec![none; responses.len()];
        if sparse.n_dense == all.n_raw {
            rows.for_blocks(range, |block| {
                let range = block.range;
                let (leaf, weight) = (&rows.leaf[range.clone()], &rows.weight[range.clone()]);
                all.update_hessian(leaf, weight, block.raw);
                for (sums, response) in of_responses.iter_mut().zip(responses) {
                    sums.add(leaf, weight, &response[range.clone()], block.raw);
                }
            });
            return (all, of_responses);
        }
        all.rows = range.len() as u64;
        // By position, and without what the modes add.
        let mut sums = vec![0.0; all.n_raw];
        rows.for_sparse_blocks(range.clone(), |block| {
            let range = block.range.clone();
            let (leaf, weight) = (&rows.leaf[range.clone()], &rows.weight[range.clone()]);
            vectorised(AddSparseRows {
                statistics: &mut all,
                sums: &mut sums,
                leaf,
                weight,
                block: &block,
            });
            for (sums, response) in of_responses.iter_mut().zip(responses) {
                let response = &response[range.clone()];
                vectorised(AddResponses { sums, leaf, weight, response, block: &block });
            }
        });
        let total = all.leaf_weight.iter().sum();
        for of_response in &mut of_responses {
            let total_response: f64 = of_response.leaf_response.iter().sum();
            let by_position = &of_response.raw_response;
            let mut raw_response = vec![0.0; all.n_raw];
            for (position, &k) in sparse.order.iter().enumerate() {
                raw_response[k] = by_position[position] + sparse.mode[position] * total_response;
            }
            of_response.raw_response = raw_response;
        }
        all.raw_gram = gram_with_modes(&all.raw_gram, sparse, &sums, total);
        all.sparse = Some(SparseSums::of_rows(rows, range, all.leaf_weight.len()));
        (all, of_responses)
    }

    /// The same rows with a response.
    pub(crate) fn with_response(self, sums: ResponseSums) -> Self {
        let ResponseSums { leaf_response, response_square, raw_response } = sums;
        Self { leaf_response, response_square, raw_response, ..self }
    }

    /// Number of dense columns.
    pub(crate) fn n_dense(&self) -> usize {
        self.sparse.as_ref().map_or(self.n_raw, |sparse| sparse.n_dense)
    }

    /// Adds rows: their leaves, weights, responses and raw cells (row-major).
    pub fn update(&mut self, leaf: &[u32], weight: &[f64], response: &[f64], raw: &[f64]) {
        let width = self.n_raw;
        self.update_hessian(leaf, weight, raw);
        for (row, ((&leaf, &w), &y)) in leaf.iter().zip(weight).zip(response).enumerate() {
            let x = &raw[row * width..(row + 1) * width];
            self.leaf_response[leaf as usize] += w * y;
            self.response_square += w * y * y;
            add_scaled(&mut self.raw_response, w * y, x);
        }
    }

    /// Adds rows without a response: only what the curvature depends on.
    pub fn update_hessian(&mut self, leaf: &[u32], weight: &[f64], raw: &[f64]) {
        let width = self.n_raw;
        self.rows += leaf.len() as u64;
        for (row, (&leaf, &w)) in leaf.iter().zip(weight).enumerate() {
            let leaf = leaf as usize;
            self.leaf_weight[leaf] += w;
            let x = &raw[row * width..(row + 1) * width];
            add_scaled(&mut self.leaf_raw[leaf * width..(leaf + 1) * width], w, x);
        }
        add_gram(&mut self.raw_gram, width, weight, raw);
    }

    /// Adds rows by the derivatives of a loss: weights are its curvatures, and responses the Newton
    /// steps `residual / curvature`. A curvature may be zero, so squares of steps are left out.
    pub(crate) fn update_newton(
        &mut self,
        leaf: &[u32],
        curvature: &[f64],
        residual: &[f64],
        raw: &[f64],
    ) {
        let width = self.n_raw;
        self.update_hessian(leaf, curvature, raw);
        for (row, (&leaf, &residual)) in leaf.iter().zip(residual).enumerate() {
            self.leaf_response[leaf as usize] += residual;
            let x = &raw[row * width..(row + 1) * width];
            add_scaled(&mut self.raw_response, residual, x);
        }
    }

    /// As [`update_hessian`](Self::update_hessian), with raw columns in the order of the block and
    /// entries in the place of cells; [`with_modes`](Self::with_modes) turns the result into
    /// statistics of the cells.
    ///
    /// Cost: per row the square of the number of cells and entries, halved.
    pub(crate) fn update_sparse(&mut self, leaf: &[u32], weight: &[f64], block: &SparseBlock<'_>) {
        self.rows += leaf.len() as u64;
        vectorised(AddSplit { statistics: self, leaf, weight, block });
    }

    /// Statistics of cells, raw columns in the order of the basis, from those of
    /// [`update_sparse`](Self::update_sparse).
    pub(crate) fn with_modes(self, sparse: &SparseColumns) -> Self {
        let SparseColumns { order, n_dense, mode, .. } = sparse;
        let r = self.n_raw;
        if *n_dense == r {
            return self;
        }
        let mut total = 0.0;
        let mut sums = vec![0.0; r];
        let mut leaf_raw = vec![0.0; self.leaf_raw.len()];
        for (leaf, &weight) in self.leaf_weight.iter().enumerate() {
            total += weight;
            let from = &self.leaf_raw[leaf * r..(leaf + 1) * r];
            let into = &mut leaf_raw[leaf * r..(leaf + 1) * r];
            for position in 0..r {
                sums[position] += from[position];
                into[order[position]] = from[position] + mode[position] * weight;
            }
        }
        let raw_gram = gram_with_modes(&self.raw_gram, sparse, &sums, total);
        Self { leaf_raw, raw_gram, ..self }
    }

    /// Whether other statistics are of a basis of the same size.
    pub fn is_like(&self, other: &Self) -> bool {
        let lengths = |one: &Self| {
            (one.n_raw, one.leaf_weight.len(), one.leaf_response.len(), one.leaf_raw.len())
        };
        let raw = |one: &Self| (one.raw_response.len(), one.raw_gram.len());
        lengths(self) == lengths(other) && raw(self) == raw(other)
    }

    /// Number of raw columns.
    pub fn n_raw(&self) -> usize {
        self.n_raw
    }

    /// Adds the statistics of other rows under the same basis.
    ///
    /// # Panics
    /// If `other` belongs to a basis of another size.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.n_raw, other.n_raw, "statistics of different bases");
        assert_eq!(
            self.leaf_weight.len(),
            other.leaf_weight.len(),
            "statistics of different bases"
        );
        self.rows += other.rows;
        self.response_square += other.response_square;
        for (mine, theirs) in [
            (&mut self.leaf_weight, &other.leaf_weight),
            (&mut self.leaf_response, &other.leaf_response),
            (&mut self.leaf_raw, &other.leaf_raw),
            (&mut self.raw_response, &other.raw_response),
            (&mut self.raw_gram, &other.raw_gram),
        ] {
            add_scaled(mine, 1.0, theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.sparse, &other.sparse) {
            mine.merge(theirs);
        }
    }

    /// The sum of several statistics under one basis.
    pub fn sum<'s>(basis: &Basis, parts: impl IntoIterator<Item = &'s Self>) -> Self {
        let mut parts = parts.into_iter();
        let mut total = parts.next().map_or_else(|| Self::new(basis), Self::clone);
        for part in parts {
            total.merge(part);
        }
        total
    }
}

/// The raw Gram matrix in the order of the basis, from one by position and without what modes add.
/// `sums` are those of w e_k by position, `total` that of w.
fn gram_with_modes(gram: &[f64], sparse: &SparseColumns, sums: &[f64], total: f64) -> Vec<f64> {
    let SparseColumns { order, mode, .. } = sparse;
    let r = order.len();
    let mut raw_gram = vec![0.0; r * r];
    for p in 0..r {
        for q in 0..=p {
            let (j, k) = (order[p].max(order[q]), order[p].min(order[q]));
            raw_gram[j * r + k] = gram[p * r + q]
                + (mode[p] * sums[q] + mode[q] * sums[p])
                + mode[p] * mode[q] * total;
        }
    }
    raw_gram
}

/// Adds `sum_i w_i x_i x_i'` to the lower triangle of a `width` x `width` matrix.
pub(crate) fn add_gram(gram: &mut [f64], width: usize, weight: &[f64], raw: &[f64]) {
    vectorised(AddGram { gram, stride: width, width, weight, raw });
}

/// Adds what a row of weight `w` brings to the lines of sparse columns in a Gram matrix by
/// position, of `r` columns, and calls `add` with the position of each and its weighted deviation.
#[inline(always)]
fn add_entries(
    gram: &mut [f64],
    r: usize,
    w: f64,
    dense: &[f64],
    entries: &[SparseEntry],
    mut add: impl FnMut(usize, f64),
) {
    for (at, entry) in entries.iter().enumerate() {
        let (position, by) = (entry.position as usize, w * entry.deviation);
        add(position, by);
        let line = &mut gram[position * r..(position + 1) * r];
        add_scaled(&mut line[..dense.len()], by, dense);
        for other in &entries[..=at] {
            line[other.position as usize] += by * other.deviation;
        }
    }
}

/// The work of [`Statistics::update_sparse`].
struct AddSplit<'s, 'b> {
    statistics: &'s mut Statistics,
    leaf: &'s [u32],
    weight: &'s [f64],
    block: &'s SparseBlock<'b>,
}

impl Vectorised for AddSplit<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { statistics, leaf, weight, block } = self;
        let r = statistics.n_raw;
        let width = block.dense.len() / leaf.len().max(1);
        let gram = &mut statistics.raw_gram;
        for (line, (&leaf, &w)) in leaf.iter().zip(weight).enumerate() {
            let leaf = leaf as usize;
            let dense = &block.dense[line * width..(line + 1) * width];
            statistics.leaf_weight[leaf] += w;
            let sums = &mut statistics.leaf_raw[leaf * r..(leaf + 1) * r];
            add_scaled(&mut sums[..width], w, dense);
            add_entries(gram, r, w, dense, block.entries(line), |position, by| {
                sums[position] += by;
            });
        }
        AddGram { gram, stride: r, width, weight, raw: block.dense }.run();
    }
}

/// The work of [`Statistics::of_rows`] without responses: all but the sums per leaf of sparse
/// columns.
struct AddSparseRows<'s, 'b> {
    statistics: &'s mut Statistics,
    /// Sums of w e_k by position.
    sums: &'s mut [f64],
    leaf: &'s [u32],
    weight: &'s [f64],
    block: &'s SparseBlock<'b>,
}

impl Vectorised for AddSparseRows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { statistics, sums, leaf, weight, block } = self;
        let r = statistics.n_raw;
        let width = block.dense.len() / leaf.len().max(1);
        let gram = &mut statistics.raw_gram;
        for (line, (&leaf, &w)) in leaf.iter().zip(weight).enumerate() {
            let leaf = leaf as usize;
            let dense = &block.dense[line * width..(line + 1) * width];
            statistics.leaf_weight[leaf] += w;
            add_scaled(&mut statistics.leaf_raw[leaf * width..(leaf + 1) * width], w, dense);
            add_scaled(&mut sums[..width], w, dense);
            add_entries(gram, r, w, dense, block.entries(line), |position, by| {
                sums[position] += by;
            });
        }
        AddGram { gram, stride: r, width, weight, raw: block.dense }.run();
    }
}

/// What one response adds to the work of [`AddSparseRows`], raw columns by position.
struct AddResponses<'s, 'b> {
    sums: &'s mut ResponseSums,
    leaf: &'s [u32],
    weight: &'s [f64],
    response: &'s [f64],
    block: &'s SparseBlock<'b>,
}

impl Vectorised for AddResponses<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { sums, leaf, weight, response, block } = self;
        let width = block.dense.len() / leaf.len().max(1);
        for (line, ((&leaf, &w), &y)) in leaf.iter().zip(weight).zip(response).enumerate() {
            let dense = &block.dense[line * width..(line + 1) * width];
            sums.leaf_response[leaf as usize] += w * y;
            sums.response_square += w * y * y;
            add_scaled(&mut sums.raw_response[..width], w * y, dense);
            for entry in block.entries(line) {
                sums.raw_response[entry.position as usize] += w * entry.deviation * y;
            }
        }
    }
}

impl ResponseSums {
    /// Adds rows with all columns dense: their leaves, weights, responses and raw cells
    /// (row-major).
    fn add(&mut self, leaf: &[u32], weight: &[f64], response: &[f64], raw: &[f64]) {
        let width = self.raw_response.len();
        for (row, ((&leaf, &w), &y)) in leaf.iter().zip(weight).zip(response).enumerate() {
            let x = &raw[row * width..(row + 1) * width];
            self.leaf_response[leaf as usize] += w * y;
            self.response_square += w * y * y;
            add_scaled(&mut self.raw_response, w * y, x);
        }
    }
}

/// Rows that are taken together, so that each entry is loaded and stored once for four products.
const FOUR: usize = 4;

/// Entries that are one vector.
const CHUNK: usize = 8;
type Chunk = [f64; CHUNK];

/// Rows whose cells stay in the first-level cache.
const GRAM_ROWS: usize = 64;

/// The work of [`add_gram`]. Lines are filled up to whole chunks in a copy, because most are shorter
/// than what a loop over vectors takes at a time. Every entry gets the products of four rows at a
/// time, in their order.
struct AddGram<'s> {
    gram: &'s mut [f64],
    /// Entries from one row of the matrix to the next.
    stride: usize,
    width: usize,
    weight: &'s [f64],
    raw: &'s [f64],
}

impl Vectorised for AddGram<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { gram, stride, width, weight, raw } = self;
        if width == 0 {
            return;
        }
        let chunks = width.div_ceil(CHUNK);
        let mut lines = vec![[0.0; CHUNK]; width * chunks];
        for (j, line) in lines.chunks_exact_mut(chunks).enumerate() {
            line.as_flattened_mut()[..=j].copy_from_slice(&gram[j * stride..=j * stride + j]);
        }
        let mut cells = vec![[0.0; CHUNK]; GRAM_ROWS.min(weight.len()) * chunks];
        for (raw, weight) in raw.chunks(GRAM_ROWS * width).zip(weight.chunks(GRAM_ROWS)) {
            for (into, x) in cells.chunks_exact_mut(chunks).zip(raw.chunks_exact(width)) {
                into.as_flattened_mut()[..width].copy_from_slice(x);
            }
            let cells = &cells[..weight.len() * chunks];
            let (fours, rest) = weight.as_chunks::<FOUR>();
            for (w, rows) in fours.iter().zip(cells.chunks_exact(FOUR * chunks)) {
                add_four(&mut lines, chunks, w, rows);
            }
            let done = fours.len() * FOUR * chunks;
            for (w, x) in rest.iter().zip(cells[done..].chunks_exact(chunks)) {
                for (j, line) in lines.chunks_exact_mut(chunks).enumerate() {
                    let factor = w * x.as_flattened()[j];
                    add_scaled(line.as_flattened_mut(), factor, x.as_flattened());
                }
            }
        }
        for (j, line) in lines.chunks_exact(chunks).enumerate() {
            gram[j * stride..=j * stride + j].copy_from_slice(&line.as_flattened()[..=j]);
        }
    }
}

/// Adds four rows to the lines of a Gram matrix, as far as the chunk of the diagonal.
#[inline(always)]
fn add_four(lines: &mut [Chunk], chunks: usize, weight: &[f64; FOUR], rows: &[Chunk]) {
    let (first, rows) = rows.split_at(chunks);
    let (second, rows) = rows.split_at(chunks);
    let (third, fourth) = rows.split_at(chunks);
    let factors = |j: usize| {
        let (chunk, at) = (j / CHUNK, j % CHUNK);
        let cells = [first[chunk][at], second[chunk][at], third[chunk][at], fourth[chunk][at]];
        std::array::from_fn(|row| weight[row] * cells[row])
    };
    let cells = first.iter().zip(second).zip(third.iter().zip(fourth));
    let mut pairs = lines.chunks_exact_mut(2 * chunks);
    let mut j = 0;
    // Lines two at a time, so that cells are loaded once for both; a chunk has an even number.
    for pair in &mut pairs {
        let (one, other) = pair.split_at_mut(chunks);
        let (by_one, by_other) = (factors(j), factors(j + 1));
        for ((one, other), cells) in
            one.iter_mut().zip(other).zip(cells.clone()).take(j / CHUNK + 1)
        {
            add_products(one, &by_one, cells);
            add_products(other, &by_other, cells);
        }
        j += 2;
    }
    let last = pairs.into_remainder();
    if !last.is_empty() {
        let by = factors(j);
        for (line, cells) in last.iter_mut().zip(cells) {
            add_products(line, &by, cells);
        }
    }
}

/// Cells of four rows, in two pairs.
type Cells<'s> = ((&'s Chunk, &'s Chunk), (&'s Chunk, &'s Chunk));

/// Adds the cells of four rows, each by its factor.
#[inline(always)]
fn add_products(line: &mut Chunk, by: &[f64; FOUR], ((p, q), (r, s)): Cells<'_>) {
    // Nothing is stored before all is loaded, so this becomes a few vector instructions.
    let mut sum = *line;
    for k in 0..CHUNK {
        sum[k] += (by[0] * p[k] + by[1] * q[k]) + (by[2] * r[k] + by[3] * s[k]);
    }
    *line = sum;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{generator, unit};

    /// Against products added four rows at a time, entry by entry, in matrices of any width and of
    /// lines that are longer than they are read.
    #[test]
    fn a_gram_matrix_has_its_sums_to_the_bit_at_any_width() {
        let mut random = generator(3, 0);
        for width in 0..20 {
            for rows in [0, 1, 3, 4, 11, 66, 131] {
                let raw: Vec<f64> = (0..rows * width).map(|_| unit(&mut random) - 0.5).collect();
                let weight: Vec<f64> = (0..rows).map(|_| 3.0 * unit(&mut random)).collect();
                let stride = width + 2;
                let start: Vec<f64> = (0..stride * width).map(|at| at as f64).collect();
                let mut found = start.clone();
                vectorised(AddGram { gram: &mut found, stride, width, weight: &weight, raw: &raw });
                let mut expected = start;
                for j in 0..width {
                    for k in 0..=j {
                        let product =
                            |i: usize| weight[i] * raw[i * width + j] * raw[i * width + k];
                        let sum = &mut expected[j * stride + k];
                        for i in (0..rows / 4 * 4).step_by(4) {
                            *sum +=
                                (product(i) + product(i + 1)) + (product(i + 2) + product(i + 3));
                        }
                        (rows / 4 * 4..rows).for_each(|i| *sum += product(i));
                    }
                }
                assert_eq!(found, expected, "{rows} rows of {width}");
            }
        }
    }
}
