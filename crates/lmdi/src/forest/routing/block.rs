//! Rows ready to be walked down the trees of a [`Router`](super::Router).
//!
//! [`LANES`] rows are interleaved: cells are stored group by group, column by column, lane by lane.
//! Rows that step together then find a column's cells on the same cache line, and the distance
//! between lanes is known to the compiler for any number of columns. After the last column of a
//! group comes a spare one of zeros, which rows in a leaf read.

use super::compiled::Cell;
use super::lanes::LANES;
use crate::table::MatrixView;
use std::ops::Range;

/// Rows copied out of a matrix in the widths in which the trees of a [`Router`](super::Router)
/// compare them.
#[derive(Debug, Clone)]
pub struct Block {
    pub(super) n_rows: usize,
    /// Columns of a group, the spare one included.
    pub(super) columns: usize,
    pub(super) has_missing: bool,
    keep_single: bool,
    keep_double: bool,
    pub(super) single: Vec<[f32; LANES]>,
    pub(super) double: Vec<[f64; LANES]>,
}

impl Block {
    pub(super) fn new(n_features: usize, keep_single: bool, keep_double: bool) -> Self {
        Self {
            n_rows: 0,
            columns: n_features + 1,
            has_missing: false,
            keep_single,
            keep_double,
            single: Vec::new(),
            double: Vec::new(),
        }
    }

    /// Replaces the rows of the block.
    ///
    /// # Panics
    /// If the range is outside the matrix, or the matrix has another number of columns.
    pub fn read(&mut self, x: &MatrixView, rows: Range<usize>) {
        assert_eq!(x.cols() + 1, self.columns, "another number of columns");
        self.n_rows = rows.len();
        self.has_missing = false;
        if self.keep_single {
            x.lanes_into(rows.clone(), |cell| cell as f32, self.columns, &mut self.single);
            self.has_missing = any_missing(&self.single);
        }
        if self.keep_double {
            x.lanes_into(rows, |cell| cell, self.columns, &mut self.double);
            self.has_missing = any_missing(&self.double);
        }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Where a row's cell of the first column is; that of the next column is [`LANES`] further.
    pub(super) fn start_of(&self, row: usize) -> usize {
        row / LANES * LANES * self.columns + row % LANES
    }

    pub(super) fn double_cell(&self, row: usize, column: usize) -> f64 {
        self.double.as_flattened()[self.start_of(row) + column * LANES]
    }
}

/// Looks at all cells: without a way out early, many are compared at a time.
fn any_missing<C: Cell>(cells: &[[C; LANES]]) -> bool {
    cells.as_flattened().iter().fold(false, |any, cell| any | cell.is_missing())
}
