//! The rows that a tree's linear model is fitted on: leaf, weight, response and raw cells.
//!
//! Rows are grouped by cross-validation fold, so that any union of folds is a few ranges. Raw cells
//! are yielded in blocks: standardised from the table at every pass or, if there are many passes,
//! from a copy if it is small, so that memory stays proportional to the table for any number of
//! rows.

use super::sparse_columns::{SparseColumns, SparseEntry};
use super::{Basis, RareCells, RawColumn};
use crate::forest::NONE;
use crate::forest::routing::Router;
use crate::table::MatrixView;
use std::ops::Range;

/// Rows in one block handed to a visitor.
const BLOCK_ROWS: usize = 256;

/// Rows that are standardised before the next ones are looked at.
const TILE_ROWS: usize = 32;

/// Copies of the raw cells up to this many numbers are kept.
const KEPT_CELLS: usize = 4 << 20;

/// The rows of one tree's fit, grouped by fold.
pub struct TreeRows<'a> {
    x: MatrixView<'a>,
    columns: Vec<RawColumn>,
    /// Row of the table, per fitted row.
    row: Vec<u32>,
    /// Leaf of each fitted row.
    pub leaf: Vec<u32>,
    /// Weight of each fitted row; positive.
    pub weight: Vec<f64>,
    /// Where each fold begins, and where the rows of no fold do; one more entry than folds.
    fold_start: Vec<usize>,
    sparse: SparseColumns,
    /// Row-major raw cells of the dense columns, when small enough to keep.
    kept: Option<Vec<f64>>,
    one_thread: bool,
}

/// Consecutive fitted rows with their raw cells.
pub struct RowBlock<'b> {
    /// Their positions among the fitted rows.
    pub range: Range<usize>,
    /// Their raw cells, row-major.
    pub raw: &'b [f64],
}

/// Consecutive fitted rows with the raw cells of dense columns and the entries of sparse ones.
pub(crate) struct SparseBlock<'b> {
    /// Their positions among the fitted rows.
    pub range: Range<usize>,
    /// Cells of the dense columns, row-major.
    pub dense: &'b [f64],
    sparse: &'b SparseColumns,
}

impl SparseBlock<'_> {
    /// Entries of the block's row `line`.
    #[inline]
    pub fn entries(&self, line: usize) -> &[SparseEntry] {
        self.sparse.of_row(self.range.start + line)
    }
}

impl<'a> TreeRows<'a> {
    /// Takes the rows with positive weight. `leaf_node[row]` is the tree node each row falls in;
    /// `fold[row]` is below `n_folds`, or `n_folds` for a row that belongs to no fold and is never
    /// held out.
    pub fn new(
        x: &MatrixView<'a>,
        basis: &Basis,
        leaf_node: &[u32],
        weight: &[f64],
        fold: &[u32],
        n_folds: usize,
    ) -> Self {
        let mut fold_start = vec![0_usize; n_folds + 2];
        for (&w, &fold) in weight.iter().zip(fold) {
            if w > 0.0 {
                fold_start[fold as usize + 1] += 1;
            }
        }
        for fold in 0..=n_folds {
            fold_start[fold + 1] += fold_start[fold];
        }
        let n = fold_start.pop().unwrap_or(0);
        let mut next = fold_start.clone();
        let mut row = vec![0_u32; n];
        let mut leaf = vec![0_u32; n];
        let mut fitted_weight = vec![0.0; n];
        for (table_row, (&w, &fold)) in weight.iter().zip(fold).enumerate() {
            if w > 0.0 {
                let at = next[fold as usize];
                next[fold as usize] += 1;
                row[at] = table_row as u32;
                leaf[at] = basis.stumps.leaf_of_tree_node[leaf_node[table_row] as usize];
                debug_assert_ne!(leaf[at], NONE);
                fitted_weight[at] = w;
            }
        }
        Self {
            x: *x,
            columns: basis.raw.clone(),
            sparse: SparseColumns::all_dense(basis.raw.len()),
            row,
            leaf,
            weight: fitted_weight,
            fold_start,
            kept: None,
            one_thread: false,
        }
    }

    /// Leaves other threads alone, which are busy with trees of their own. A thread that waits for others
    /// would begin another tree, and hold two.
    pub fn on_one_thread(mut self, one_thread: bool) -> Self {
        self.one_thread = one_thread;
        self
    }

    /// Whether a fit of these rows leaves other threads alone.
    pub(crate) fn stay_on_one_thread(&self) -> bool {
        self.one_thread
    }

    /// Keeps a copy of the raw cells if it is small, for solvers that pass over them repeatedly.
    pub fn keep_raw(mut self) -> Self {
        let cells = self.len() * self.sparse.n_dense;
        if cells <= KEPT_CELLS {
            let mut kept = vec![0.0; cells];
            self.standardise(0..self.len(), self.dense_columns(), &mut kept);
            self.kept = Some(kept);
        }
        self
    }

    /// Keeps sparse columns as entries, and a copy of the other cells if it is small: for solvers
    /// that pass over them repeatedly.
    pub fn keep_sparse(mut self) -> Self {
        let column_into = |k: usize, out: &mut Vec<f64>| {
            let column = &self.columns[k];
            let cell = |&row: &u32| self.x.get(row as usize, column.feature as usize);
            out.clear();
            out.extend(self.row.iter().map(|row| column.value(cell(row))));
        };
        self.sparse = SparseColumns::find(self.len(), self.columns.len(), KEPT_CELLS, column_into);
        self.keep_raw()
    }

    /// Takes the columns that are sparse in the table as entries, for solvers that pass over them
    /// once.
    pub(crate) fn with_sparse(mut self, rare: &RareCells) -> Self {
        self.sparse = SparseColumns::of_table(&self.columns, rare, &self.row);
        self
    }

    /// Which raw columns are sparse.
    pub(crate) fn sparse_columns(&self) -> &SparseColumns {
        &self.sparse
    }

    fn dense_columns(&self) -> impl Iterator<Item = &RawColumn> + Clone {
        self.sparse.order[..self.sparse.n_dense].iter().map(|&k| &self.columns[k])
    }

    /// Number of fitted rows.
    pub fn len(&self) -> usize {
        self.row.len()
    }

    /// The row of the table that each fitted row is.
    pub fn table_rows(&self) -> &[u32] {
        &self.row
    }

    /// Whether no row has a positive weight.
    pub fn is_empty(&self) -> bool {
        self.row.is_empty()
    }

    /// Number of folds.
    pub fn n_folds(&self) -> usize {
        self.fold_start.len() - 1
    }

    /// The fitted rows of one fold.
    pub fn fold(&self, fold: usize) -> Range<usize> {
        self.fold_start[fold]..self.fold_start[fold + 1]
    }

    /// The fitted rows that belong to no fold.
    pub fn without_any_fold(&self) -> Range<usize> {
        self.fold_start[self.n_folds()]..self.len()
    }

    /// The fitted rows of all folds but one, as at most two ranges; `None` leaves out nothing.
    pub fn without_fold(&self, fold: Option<usize>) -> [Range<usize>; 2] {
        match fold {
            Some(fold) => [0..self.fold_start[fold], self.fold_start[fold + 1]..self.len()],
            None => [0..self.len(), self.len()..self.len()],
        }
    }

    /// Picks, for every fitted row, an entry of a per-table-row array.
    pub fn gather(&self, of_table: &[f64]) -> Vec<f64> {
        self.row.iter().map(|&row| of_table[row as usize]).collect()
    }

    /// Calls `visit` for the rows of `range`, block after block in order.
    pub fn for_blocks(&self, range: Range<usize>, mut visit: impl FnMut(RowBlock<'_>)) {
        let width = self.columns.len();
        let all_dense = self.sparse.n_dense == width;
        let mut buffer = Vec::new();
        for block in blocks(range) {
            let raw = match &self.kept {
                Some(kept) if all_dense => &kept[block.start * width..block.end * width],
                _ => {
                    buffer.resize(block.len() * width, 0.0);
                    self.standardise(block.clone(), self.columns.iter(), &mut buffer);
                    &buffer[..]
                }
            };
            visit(RowBlock { range: block, raw });
        }
    }

    /// Calls `visit` for the rows of `range`, block after block in order, with columns in the order
    /// of [`sparse_columns`](Self::sparse_columns).
    pub(crate) fn for_sparse_blocks(
        &self,
        range: Range<usize>,
        mut visit: impl FnMut(SparseBlock<'_>),
    ) {
        let width = self.sparse.n_dense;
        let mut buffer = Vec::new();
        for block in blocks(range) {
            let dense = match &self.kept {
                Some(kept) => &kept[block.start * width..block.end * width],
                None => {
                    buffer.resize(block.len() * width, 0.0);
                    self.standardise(block.clone(), self.dense_columns(), &mut buffer);
                    &buffer[..]
                }
            };
            visit(SparseBlock { range: block, dense, sparse: &self.sparse });
        }
    }

    fn standardise<'c>(
        &'c self,
        range: Range<usize>,
        columns: impl Iterator<Item = &'c RawColumn> + Clone,
        out: &mut [f64],
    ) {
        let width = out.len() / range.len().max(1);
        // Few rows at a time, so that the lines being written stay in the first-level cache.
        let tiles =
            self.row[range].chunks(TILE_ROWS).zip(out.chunks_mut((TILE_ROWS * width).max(1)));
        for (rows, lines) in tiles {
            for (k, column) in columns.clone().enumerate() {
                for (line, &row) in lines.chunks_exact_mut(width).zip(rows) {
                    line[k] = column.value(self.x.get(row as usize, column.feature as usize));
                }
            }
        }
    }
}

/// The blocks of a range, in order.
fn blocks(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(BLOCK_ROWS).map(move |start| start..(start + BLOCK_ROWS).min(range.end))
}

/// The node of tree `tree` in which each row of `x` falls.
pub fn leaf_nodes(router: &Router, tree: usize, x: &MatrixView<'_>) -> Vec<u32> {
    let mut leaves = vec![0; x.rows()];
    let rows = router.rows_per_block();
    let mut block = router.block();
    for (index, out) in leaves.chunks_mut(rows).enumerate() {
        block.read(x, index * rows..index * rows + out.len());
        router.leaves(tree, &block, out);
    }
    leaves
}
