//! Binned columns as bytes, eight columns beside each other.
//!
//! The codes of a row in eight columns are one word: it is read once, and with it the derivatives
//! of the row, for eight sums. The bins of eight columns fit the first-level cache, and neighbouring
//! sums never wait for one another, which they would where a column has few values.

use crate::forest::train::columns::RankedColumn;
use rayon::prelude::*;

/// Columns whose codes lie beside each other.
pub(super) const GROUP: usize = 8;

/// The columns of a table with at most [`MAX_BINS`](crate::forest::train::params::MAX_BINS) bins.
#[derive(Default)]
pub(in crate::forest::train::boosting) struct BinnedColumns {
    /// Their values; the codes are in the groups.
    columns: Vec<RankedColumn>,
    /// Group by group, row by row; zeros after the last column.
    groups: Vec<Vec<[u8; GROUP]>>,
}

impl BinnedColumns {
    /// Takes ranked columns and gives back the memory of their ranks.
    pub(in crate::forest::train::boosting) fn new(mut columns: Vec<RankedColumn>) -> Self {
        let groups = columns
            .par_chunks_mut(GROUP)
            .map(|columns| {
                let mut codes = vec![[0; GROUP]; columns[0].codes.len()];
                for (at, column) in columns.iter_mut().enumerate() {
                    for (codes, code) in codes.iter_mut().zip(std::mem::take(&mut column.codes)) {
                        codes[at] = code as u8;
                    }
                }
                codes
            })
            .collect();
        Self { columns, groups }
    }

    /// Number of columns.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// One column's values.
    pub(super) fn column(&self, column: usize) -> &RankedColumn {
        &self.columns[column]
    }

    /// Bins of a column that have values; the next one is that of missing cells.
    pub(super) fn n_bins(&self, column: usize) -> usize {
        self.columns[column].missing_code() as usize
    }

    /// The codes of a group of columns, row by row.
    pub(super) fn group(&self, group: usize) -> &[[u8; GROUP]] {
        &self.groups[group]
    }
}
