//! Raw columns that are sparse once their most frequent value is subtracted.
//!
//! The 0/1 columns of a category, and counts that are mostly zero, have one value, the mode, in
//! most rows. With `x = mode + e` and e = 0 in most rows, sums over rows visit only the entries e
//! that are not zero. What the modes add follows from sums over all rows:
//!
//! ```text
//! sum w x_j x_k = sum w e_j e_k + m_j sum w e_k + m_k sum w e_j + m_j m_k sum w
//! ```
//!
//! Dense columns are yielded cell by cell, before the sparse ones.

use super::RawColumn;
use super::rare_cells::RareCells;

/// A column is sparse if at most this share of the rows deviates from its mode.
pub(super) const RARE: f64 = 0.25;

/// Which raw columns are sparse, and their entries row by row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SparseColumns {
    /// The raw columns by position: the dense ones, then the sparse ones.
    pub order: Vec<usize>,
    /// How many are dense.
    pub n_dense: usize,
    /// The mode by position; zero for dense columns.
    pub mode: Vec<f64>,
    /// Where the entries of each row begin; one more number than rows. Empty if no column is
    /// sparse.
    start: Vec<usize>,
    entries: Vec<SparseEntry>,
}

/// A cell that is not its column's mode.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SparseEntry {
    /// The column's position.
    pub position: u32,
    /// The cell less the mode.
    pub deviation: f64,
}

impl SparseColumns {
    /// All columns are dense.
    pub(super) fn all_dense(n_columns: usize) -> Self {
        Self {
            order: (0..n_columns).collect(),
            n_dense: n_columns,
            mode: vec![0.0; n_columns],
            start: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Finds sparse columns; `column_into` gives the cells of a column, one per row. Columns that
    /// would make more than `most` entries in all stay dense.
    pub(super) fn find(
        n_rows: usize,
        n_columns: usize,
        most: usize,
        mut column_into: impl FnMut(usize, &mut Vec<f64>),
    ) -> Self {
        let mut cells = Vec::new();
        let (mut dense, mut sparse, mut total) = (Vec::new(), Vec::new(), 0);
        for column in 0..n_columns {
            column_into(column, &mut cells);
            let mode = majority(&cells);
            let n_deviating = cells.iter().filter(|&&cell| cell != mode).count();
            if n_deviating as f64 <= RARE * n_rows as f64 && total + n_deviating <= most {
                sparse.push((column, mode));
                total += n_deviating;
            } else {
                dense.push(column);
            }
        }
        if sparse.is_empty() {
            return Self::all_dense(n_columns);
        }
        let mut counts = vec![0_usize; n_rows + 1];
        for &(column, mode) in &sparse {
            column_into(column, &mut cells);
            for (count, &cell) in counts[1..].iter_mut().zip(&cells) {
                *count += usize::from(cell != mode);
            }
        }
        for row in 0..n_rows {
            counts[row + 1] += counts[row];
        }
        let start = counts.clone();
        let mut entries = vec![SparseEntry { position: 0, deviation: 0.0 }; total];
        for (at, &(column, mode)) in sparse.iter().enumerate() {
            column_into(column, &mut cells);
            let position = (dense.len() + at) as u32;
            for (next, &cell) in counts.iter_mut().zip(&cells) {
                if cell != mode {
                    entries[*next] = SparseEntry { position, deviation: cell - mode };
                    *next += 1;
                }
            }
        }
        let n_dense = dense.len();
        let mut mode = vec![0.0; n_dense];
        mode.extend(sparse.iter().map(|(_, mode)| mode));
        dense.extend(sparse.iter().map(|(column, _)| column));
        Self { order: dense, n_dense, mode, start, entries }
    }

    /// The sparse columns of a table as the raw columns of a tree, for these rows of the table.
    pub(super) fn of_table(columns: &[RawColumn], rare: &RareCells, rows: &[u32]) -> Self {
        let mode_of = |column: &RawColumn| rare.mode(column.feature).map(|mode| column.value(mode));
        let is_sparse = |&k: &usize| mode_of(&columns[k]).is_some();
        let (mut order, sparse): (Vec<usize>, Vec<usize>) =
            (0..columns.len()).partition(|k| !is_sparse(k));
        if sparse.is_empty() {
            return Self::all_dense(columns.len());
        }
        let n_dense = order.len();
        order.extend(sparse);
        let mode: Vec<f64> = order.iter().map(|&k| mode_of(&columns[k]).unwrap_or(0.0)).collect();
        let last = columns.iter().map(|column| column.feature as usize).max().unwrap_or(0);
        let mut position_of = vec![None; last + 1];
        for (position, &k) in order.iter().enumerate().skip(n_dense) {
            position_of[columns[k].feature as usize] = Some(position);
        }
        let mut start = Vec::with_capacity(rows.len() + 1);
        // At once: a list that grows holds up to twice what it needs, and its copy for a while.
        let most = rows.iter().map(|&row| rare.of_row(row as usize).len()).sum();
        let mut entries = Vec::with_capacity(most);
        start.push(0);
        for &row in rows {
            for rare in rare.of_row(row as usize) {
                let position = position_of.get(rare.feature as usize).copied().flatten();
                let Some(position) = position else { continue };
                let deviation = columns[order[position]].value(rare.cell) - mode[position];
                if deviation != 0.0 {
                    entries.push(SparseEntry { position: position as u32, deviation });
                }
            }
            start.push(entries.len());
        }
        Self { order, n_dense, mode, start, entries }
    }

    /// The entries of a row, by ascending position.
    #[inline]
    pub fn of_row(&self, row: usize) -> &[SparseEntry] {
        if self.start.is_empty() {
            return &[];
        }
        &self.entries[self.start[row]..self.start[row + 1]]
    }
}

/// The value of more than half of the cells, if there is one; any value otherwise.
pub(super) fn majority(cells: &[f64]) -> f64 {
    let (mut value, mut lead) = (0.0, 0_usize);
    for &cell in cells {
        if lead == 0 {
            // A missing cell does not equal itself, and leads all the same.
            (value, lead) = (cell, 1);
        } else if cell == value {
            lead += 1;
        } else {
            lead -= 1;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows() -> impl Strategy<Value = Vec<Vec<f64>>> {
        let cell = prop_oneof![4 => Just(1.5), 1 => -2.0..2.0f64, 1 => Just(0.0)];
        (1usize..30, 1usize..8).prop_flat_map(move |(n, columns)| {
            prop::collection::vec(prop::collection::vec(cell.clone(), n), columns)
        })
    }

    proptest! {
        #[test]
        fn cells_are_modes_and_entries(columns in rows(), most in 0usize..200) {
            let n_rows = columns[0].len();
            let into = |column: usize, out: &mut Vec<f64>| out.clone_from(&columns[column]);
            let found = SparseColumns::find(n_rows, columns.len(), most, into);
            let mut seen = found.order.clone();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..columns.len()).collect::<Vec<_>>());
            let mut total = 0;
            for row in 0..n_rows {
                let mut cells = found.mode.clone();
                let entries = found.of_row(row);
                total += entries.len();
                prop_assert!(entries.is_sorted_by(|a, b| a.position < b.position));
                for entry in entries {
                    prop_assert!(entry.position as usize >= found.n_dense && entry.deviation != 0.0);
                    cells[entry.position as usize] += entry.deviation;
                }
                for position in found.n_dense..columns.len() {
                    let expected = columns[found.order[position]][row];
                    prop_assert!((cells[position] - expected).abs() <= 1e-15 * expected.abs().max(4.0));
                }
            }
            prop_assert!(total <= most);
            for position in found.n_dense..columns.len() {
                let column = &columns[found.order[position]];
                let deviating = column.iter().filter(|&&cell| cell != found.mode[position]).count();
                prop_assert!(deviating as f64 <= RARE * n_rows as f64);
            }
        }
    }
}
