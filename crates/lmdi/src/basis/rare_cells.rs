//! Cells of a table that differ from the most frequent value of their column.
//!
//! The 0/1 columns of a category, and counts that are mostly zero, have one value, the mode, in
//! most rows. The cells that differ from it are the same for all trees, so they are found once.
//! Trees then read their sparse columns in time proportional to the cells that differ.
//!
//! Cost: two passes over the table, and 16 bytes per cell that differs.

use super::sparse_columns::{RARE, majority};
use crate::table::MatrixView;
use rayon::prelude::*;

/// The cells that differ from their column's mode, in columns where few do.
pub(crate) struct RareCells {
    /// The mode of every column; `None` for columns that are not sparse.
    mode: Vec<Option<f64>>,
    /// Where the cells of each row begin; one more number than rows.
    start: Vec<usize>,
    cells: Vec<RareCell>,
}

/// A cell that differs from its column's mode.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RareCell {
    /// The column.
    pub(crate) feature: u32,
    /// What stands there; may be missing.
    pub(crate) cell: f64,
}

impl RareCells {
    /// Finds the sparse columns of a table.
    pub(crate) fn of(x: &MatrixView<'_>) -> Self {
        let mode: Vec<Option<f64>> = (0..x.cols())
            .into_par_iter()
            .map_init(Vec::new, |buffer, column| {
                let cells = x.column_cells(column, buffer);
                let mode = majority(cells);
                let differing = cells.iter().filter(|&&cell| cell != mode).count();
                (differing as f64 <= RARE * cells.len() as f64).then_some(mode)
            })
            .collect();
        let sparse: Vec<(usize, f64)> = (mode.iter().enumerate())
            .filter_map(|(column, mode)| mode.map(|mode| (column, mode)))
            .collect();
        let mut buffer = Vec::new();
        let mut start = vec![0_usize; x.rows() + 1];
        for &(column, mode) in &sparse {
            let cells = x.column_cells(column, &mut buffer);
            for (count, &cell) in start[1..].iter_mut().zip(cells) {
                *count += usize::from(cell != mode);
            }
        }
        for row in 0..x.rows() {
            start[row + 1] += start[row];
        }
        let mut next = start.clone();
        let mut cells = vec![RareCell { feature: 0, cell: 0.0 }; start[x.rows()]];
        for &(column, mode) in &sparse {
            let column_cells = x.column_cells(column, &mut buffer);
            for (next, &cell) in next.iter_mut().zip(column_cells) {
                if cell != mode {
                    cells[*next] = RareCell { feature: column as u32, cell };
                    *next += 1;
                }
            }
        }
        Self { mode, start, cells }
    }

    /// The mode of a column that is sparse.
    pub(super) fn mode(&self, feature: u32) -> Option<f64> {
        self.mode[feature as usize]
    }

    /// The cells of a row that differ, by rising column.
    pub(super) fn of_row(&self, row: usize) -> &[RareCell] {
        &self.cells[self.start[row]..self.start[row + 1]]
    }
}
