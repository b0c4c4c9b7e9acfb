//! The numeric matrix: an owned column-major [`Matrix`] and a borrowed strided [`MatrixView`].
//!
//! Missing cells are NaN. A view may hold 32- or 64-bit cells in any order, so that a caller's
//! array is read in place; algorithms copy a block of rows (or one column) at a time into a small
//! `f64` buffer and never the whole matrix.

use crate::{Error, Result};
use std::ops::Range;

/// Borrowed cells of a [`MatrixView`].
#[derive(Debug, Clone, Copy)]
pub enum Cells<'a> {
    /// 32-bit cells.
    F32(&'a [f32]),
    /// 64-bit cells.
    F64(&'a [f64]),
}

impl Cells<'_> {
    fn len(&self) -> usize {
        match self {
            Cells::F32(cells) => cells.len(),
            Cells::F64(cells) => cells.len(),
        }
    }
}

/// A borrowed matrix: cell (r, c) is at `r * row_stride + c * col_stride`.
#[derive(Debug, Clone, Copy)]
pub struct MatrixView<'a> {
    cells: Cells<'a>,
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

impl<'a> MatrixView<'a> {
    /// A view with explicit strides, counted in cells. Fails if any cell would lie outside `cells`.
    pub fn strided(
        cells: Cells<'a>,
        rows: usize,
        cols: usize,
        row_stride: usize,
        col_stride: usize,
    ) -> Result<Self> {
        if rows > 0 && cols > 0 {
            let last = (rows - 1)
                .checked_mul(row_stride)
                .zip((cols - 1).checked_mul(col_stride))
                .and_then(|(r, c)| r.checked_add(c))
                .and_then(|last| last.checked_add(1));
            match last {
                Some(needed) if needed <= cells.len() => {}
                _ => {
                    return Err(Error::Shape {
                        what: format!("cells of a {rows} x {cols} matrix"),
                        found: cells.len(),
                        expected: last.unwrap_or(usize::MAX),
                    });
                }
            }
        }
        Ok(Self { cells, rows, cols, row_stride, col_stride })
    }

    /// A matrix without rows and columns.
    pub fn empty() -> Self {
        Self { cells: Cells::F64(&[]), rows: 0, cols: 0, row_stride: 0, col_stride: 1 }
    }

    /// A row-major (C order) view of 64-bit cells.
    pub fn from_rows(cells: &'a [f64], rows: usize, cols: usize) -> Result<Self> {
        Self::strided(Cells::F64(cells), rows, cols, cols, 1)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// One cell.
    ///
    /// # Panics
    /// If `row` or `col` is out of range.
    #[inline]
    pub fn get(&self, row: usize, col: usize) -> f64 {
        assert!(row < self.rows && col < self.cols, "cell outside the matrix");
        let at = row * self.row_stride + col * self.col_stride;
        match self.cells {
            Cells::F32(cells) => f64::from(cells[at]),
            Cells::F64(cells) => cells[at],
        }
    }

    /// A view of some consecutive rows.
    ///
    /// # Panics
    /// If `range` reaches beyond the last row.
    pub fn slice_rows(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.rows, "rows outside the matrix");
        let start = (range.start * self.row_stride).min(self.cells.len());
        let cells = match self.cells {
            Cells::F32(cells) => Cells::F32(&cells[start..]),
            Cells::F64(cells) => Cells::F64(&cells[start..]),
        };
        Self { cells, rows: range.len(), ..*self }
    }

    /// The cells of one column: in place if they are 64-bit and contiguous, else a copy in
    /// `buffer`.
    pub fn column_cells<'c>(&'c self, col: usize, buffer: &'c mut Vec<f64>) -> &'c [f64] {
        if let Cells::F64(cells) = self.cells
            && self.row_stride == 1
            && col < self.cols
            && self.rows > 0
        {
            let start = col * self.col_stride;
            return &cells[start..start + self.rows];
        }
        self.column_into(col, buffer);
        buffer
    }

    /// Copies one column into `out`, replacing its contents.
    pub fn column_into(&self, col: usize, out: &mut Vec<f64>) {
        assert!(col < self.cols, "column outside the matrix");
        out.clear();
        let start = col * self.col_stride;
        let step = self.row_stride.max(1);
        match self.cells {
            _ if self.rows == 0 => {}
            Cells::F32(cells) => {
                out.extend(
                    cells[start..].iter().step_by(step).take(self.rows).map(|&x| f64::from(x)),
                );
            }
            Cells::F64(cells) => {
                out.extend(cells[start..].iter().step_by(step).take(self.rows).copied());
            }
        }
    }

    /// Copies the rows of `range` into `out` in row-major order; `out` must hold
    /// `range.len() * cols` cells.
    pub fn rows_into(&self, range: Range<usize>, out: &mut [f64]) {
        assert!(range.end <= self.rows, "rows outside the matrix");
        assert_eq!(out.len(), range.len() * self.cols, "buffer of the wrong size");
        if self.cols == 0 {
            return;
        }
        if let (Cells::F64(cells), 1) = (self.cells, self.col_stride) {
            for (row, line) in range.zip(out.chunks_exact_mut(self.cols)) {
                let start = row * self.row_stride;
                line.copy_from_slice(&cells[start..start + self.cols]);
            }
            return;
        }
        match self.cells {
            Cells::F32(cells) => self.gather_rows(cells, f64::from, range, out),
            Cells::F64(cells) => self.gather_rows(cells, |x| x, range, out),
        }
    }

    /// Copies the rows of `range`, groups of `L` rows side by side: the cell of column c in the
    /// r-th row of the range goes to `out[r / L * columns + c][r % L]`. Columns beyond those of the
    /// matrix and rows that the last group lacks are zeros.
    pub(crate) fn lanes_into<T: Copy + Default, const L: usize>(
        &self,
        range: Range<usize>,
        convert: impl Fn(f64) -> T,
        columns: usize,
        out: &mut Vec<[T; L]>,
    ) {
        assert!(range.start <= range.end && range.end <= self.rows, "rows outside the matrix");
        assert!(self.cols <= columns, "more columns than there is space for");
        out.resize(range.len().div_ceil(L) * columns, [T::default(); L]);
        match self.cells {
            Cells::F32(cells) => {
                self.fill_lanes(cells, |x| convert(f64::from(x)), range, columns, out)
            }
            Cells::F64(cells) => self.fill_lanes(cells, convert, range, columns, out),
        }
    }

    fn fill_lanes<S: Copy, T: Copy + Default, const L: usize>(
        &self,
        cells: &[S],
        convert: impl Fn(S) -> T,
        range: Range<usize>,
        columns: usize,
        out: &mut [[T; L]],
    ) {
        // Columns that lie side by side are read some lines at a time: with many columns, a step
        // from one to the next costs more than a line.
        let groups = if self.row_stride == 1 { 8 } else { 1 };
        for (batch, batched) in out.chunks_mut((groups * columns).max(1)).enumerate() {
            for col in 0..self.cols {
                for (group, lines) in batched.chunks_exact_mut(columns).enumerate() {
                    let first_row = range.start + (batch * groups + group) * L;
                    let n_rows = L.min(range.end - first_row);
                    let start = first_row * self.row_stride + col * self.col_stride;
                    if let (true, Some(run)) =
                        (self.row_stride == 1 && n_rows == L, cells[start..].first_chunk::<L>())
                    {
                        lines[col] = run.map(&convert);
                        continue;
                    }
                    for (lane, to) in lines[col].iter_mut().enumerate() {
                        *to = if lane < n_rows {
                            convert(cells[start + lane * self.row_stride])
                        } else {
                            T::default()
                        };
                    }
                }
            }
        }
    }

    /// A few rows at a time, column by column: with column-major cells the reads are then runs of
    /// neighbours, and the rows being written stay in the first-level cache.
    fn gather_rows<T: Copy>(
        &self,
        cells: &[T],
        widen: impl Fn(T) -> f64,
        range: Range<usize>,
        out: &mut [f64],
    ) {
        const ROWS: usize = 16;
        for (tile, lines) in out.chunks_mut(ROWS * self.cols).enumerate() {
            let first = (range.start + tile * ROWS) * self.row_stride;
            for col in 0..self.cols {
                let mut at = first + col * self.col_stride;
                for line in lines.chunks_exact_mut(self.cols) {
                    line[col] = widen(cells[at]);
                    at += self.row_stride;
                }
            }
        }
    }
}

/// An owned column-major matrix of `f64`; NaN is missing.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    cells: Vec<f64>,
    rows: usize,
    cols: usize,
}

impl Matrix {
    /// Takes cells in column-major order.
    pub fn from_column_major(cells: Vec<f64>, rows: usize, cols: usize) -> Result<Self> {
        if rows.checked_mul(cols) != Some(cells.len()) {
            return Err(Error::Shape {
                what: format!("cells of a {rows} x {cols} matrix"),
                found: cells.len(),
                expected: rows.saturating_mul(cols),
            });
        }
        Ok(Self { cells, rows, cols })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// One column.
    pub fn column(&self, col: usize) -> &[f64] {
        &self.cells[col * self.rows..(col + 1) * self.rows]
    }

    /// The chosen rows, in the order given, as a new matrix.
    pub fn take_rows(&self, rows: &[usize]) -> Self {
        let mut cells = Vec::with_capacity(rows.len() * self.cols);
        for col in 0..self.cols {
            let column = self.column(col);
            cells.extend(rows.iter().map(|&row| column[row]));
        }
        Self { cells, rows: rows.len(), cols: self.cols }
    }

    /// The whole matrix as a view.
    pub fn view(&self) -> MatrixView<'_> {
        MatrixView {
            cells: Cells::F64(&self.cells),
            rows: self.rows,
            cols: self.cols,
            row_stride: 1,
            col_stride: self.rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_of_rows_shows_the_same_cells() {
        let matrix = Matrix::from_column_major((0..12).map(f64::from).collect(), 4, 3)
            .expect("twelve cells");
        let slice = matrix.view().slice_rows(1..3);
        assert_eq!((slice.rows(), slice.cols()), (2, 3));
        for row in 0..2 {
            for col in 0..3 {
                assert_eq!(slice.get(row, col), matrix.column(col)[row + 1]);
            }
        }
        assert_eq!(matrix.view().slice_rows(4..4).rows(), 0);
    }
}
