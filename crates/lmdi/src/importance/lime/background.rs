//! What is learned from background rows: bins of numeric columns, and levels of categorical ones.
//!
//! A unit is a column, or columns that are drawn together. A drawn unit has a code (its bin or
//! level), and a neighbour matches a row in a unit if their codes are the same.

use super::LimeOptions;
use crate::table::MatrixView;
use std::collections::BTreeMap;

/// The code of a level that no background row has.
const UNSEEN: u32 = u32::MAX;

/// Added to the spread of a bin, as lime does, so that none is zero.
const LEAST_SPREAD: f64 = 1e-11;

/// How the cells of a unit are drawn.
#[derive(Debug)]
pub(super) enum Draw {
    /// A numeric column by bins; the last bin is that of missing cells.
    Bins {
        /// Upper ends of the bins but the last, rising; a cell equal to an end is in the bin below.
        ends: Vec<f64>,
        /// Per bin, the share of background rows in it and in the bins before.
        up_to: Vec<f64>,
        /// Per bin of present cells.
        bins: Vec<Bin>,
    },
    /// A categorical column, or columns drawn together, as in a background row.
    Levels {
        /// Cells, level by level.
        cells: Vec<f64>,
        /// The level of each background row, and how many have each level.
        of_rows: Vec<u32>,
        counts: Vec<u64>,
        /// Codes by what the cells are.
        codes: BTreeMap<Vec<u64>, u32>,
    },
}

impl Draw {
    /// The code of a unit's cells.
    pub(super) fn code(&self, cells: &[f64]) -> u32 {
        match self {
            Self::Bins { ends, .. } => bin_of(ends, cells[0]) as u32,
            Self::Levels { codes, .. } => codes.get(&identity(cells)).copied().unwrap_or(UNSEEN),
        }
    }
}

/// The identity of a level: all missing cells are equal, and so are zeros of either sign.
fn identity(cells: &[f64]) -> Vec<u64> {
    let bits = |cell: &f64| if cell.is_nan() { u64::MAX } else { (cell + 0.0).to_bits() };
    cells.iter().map(bits).collect()
}

/// Cells of one bin: a normal distribution, cut off.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bin {
    pub(super) mean: f64,
    pub(super) spread: f64,
    /// The ends of the bin, from the mean, in units of the spread.
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The columns that are drawn on their own or together, and how.
#[derive(Debug)]
pub(super) struct Background {
    pub(super) units: Vec<(Vec<usize>, Draw)>,
    n_features: usize,
}

impl Background {
    pub(super) fn learn(x: &MatrixView<'_>, options: &LimeOptions) -> Self {
        let mut members: Vec<Vec<usize>> = match &options.together {
            None => (0..x.cols()).map(|column| vec![column]).collect(),
            Some(groups) => {
                let mut members = vec![Vec::new(); groups.n_groups()];
                for (column, &group) in groups.of_features().iter().enumerate() {
                    members[group as usize].push(column);
                }
                members
            }
        };
        members.retain(|columns| !columns.is_empty());
        let units = members
            .into_iter()
            .map(|columns| {
                let numeric = columns.len() == 1 && !options.categorical.contains(&columns[0]);
                let draw =
                    if numeric { bins(x, columns[0], options.n_bins) } else { levels(x, &columns) };
                (columns, draw)
            })
            .collect();
        Self { units, n_features: x.cols() }
    }

    pub(super) fn n_features(&self) -> usize {
        self.n_features
    }

    pub(super) fn n_units(&self) -> usize {
        self.units.len()
    }

    pub(super) fn columns_of(&self, unit: usize) -> &[usize] {
        &self.units[unit].0
    }
}

/// The bin of a cell: the number of ends below it; one after the last for missing cells.
pub(super) fn bin_of(ends: &[f64], cell: f64) -> usize {
    if cell.is_nan() { ends.len() + 1 } else { ends.partition_point(|&end| end < cell) }
}

fn levels(x: &MatrixView<'_>, columns: &[usize]) -> Draw {
    let mut cells = Vec::new();
    let mut codes = BTreeMap::new();
    let mut of_rows = Vec::with_capacity(x.rows());
    for row in 0..x.rows() {
        let own: Vec<f64> = columns.iter().map(|&column| x.get(row, column)).collect();
        let next = codes.len() as u32;
        let code = *codes.entry(identity(&own)).or_insert(next);
        if code == next {
            cells.extend(own);
        }
        of_rows.push(code);
    }
    let mut counts = vec![0; codes.len()];
    of_rows.iter().for_each(|&level| counts[level as usize] += 1);
    Draw::Levels { cells, of_rows, counts, codes }
}

fn bins(x: &MatrixView<'_>, column: usize, n_bins: usize) -> Draw {
    let mut cells = Vec::new();
    x.column_into(column, &mut cells);
    let n = cells.len();
    cells.retain(|cell| !cell.is_nan());
    cells.sort_unstable_by(f64::total_cmp);
    let mut ends: Vec<f64> = Vec::new();
    if !cells.is_empty() {
        ends.extend((1..n_bins).map(|at| quantile(&cells, at as f64 / n_bins as f64)));
        // Equal ends are one; zeros of either sign are equal.
        ends.dedup_by(|a, b| a == b);
    }
    let mut up_to = Vec::with_capacity(ends.len() + 2);
    let mut bins = Vec::with_capacity(ends.len() + 1);
    let mut start = 0;
    for bin in 0..=ends.len() {
        let end = cells.partition_point(|&cell| bin_of(&ends, cell) <= bin);
        let inside = &cells[start..end];
        let low = if bin == 0 { cells.first() } else { ends.get(bin - 1) };
        let high = if bin == ends.len() { cells.last() } else { ends.get(bin) };
        let (low, high) = (low.copied().unwrap_or(0.0), high.copied().unwrap_or(0.0));
        bins.push(Bin::new(inside, low, high));
        up_to.push(end as f64 / n as f64);
        start = end;
    }
    up_to.push(1.0);
    Draw::Bins { ends, up_to, bins }
}

impl Bin {
    /// Whether all cells have the same value.
    pub(super) fn is_single(&self) -> bool {
        self.low == self.high
    }

    fn new(cells: &[f64], low: f64, high: f64) -> Self {
        let n = cells.len().max(1) as f64;
        let mean = cells.iter().sum::<f64>() / n;
        let square: f64 = cells.iter().map(|cell| (cell - mean) * (cell - mean)).sum();
        let spread = (square / n).sqrt() + LEAST_SPREAD;
        // The mean lies in the bin; rounding must not put it outside.
        let low = ((low - mean) / spread).min(0.0);
        let high = ((high - mean) / spread).max(0.0);
        Self { mean, spread, low, high }
    }
}

/// The quantile of sorted numbers by linear interpolation, with numpy's rounding.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let below = at.floor();
    let t = at - below;
    let a = sorted[below as usize];
    let b = sorted[(below as usize + 1).min(sorted.len() - 1)];
    if t < 0.5 { a + (b - a) * t } else { b - (b - a) * (1.0 - t) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Matrix;

    #[test]
    fn quartiles_and_missing_cells() {
        let cells = vec![4.0, f64::NAN, 1.0, 3.0, 2.0, 5.0];
        let x = Matrix::from_column_major(cells, 6, 1).expect("six cells");
        let Draw::Bins { ends, up_to, bins } = bins(&x.view(), 0, 4) else { panic!("bins") };
        assert_eq!(ends, [2.0, 3.0, 4.0]);
        assert_eq!(
            up_to.iter().map(|share| (share * 6.0).round()).collect::<Vec<_>>(),
            [2., 3., 4., 5., 6.]
        );
        assert_eq!(bins[0].mean, 1.5);
        assert_eq!((bin_of(&ends, 2.0), bin_of(&ends, 2.1), bin_of(&ends, f64::NAN)), (0, 1, 4));
    }
    #[test]
    fn levels_are_told_apart_by_value() {
        let cells = vec![0.0, 1.0, -0.0, f64::NAN, 1.0, -f64::NAN, 7.0, 8.0, 7.0, 8.0, 8.0, 8.0];
        let x = Matrix::from_column_major(cells, 6, 2).expect("twelve cells");
        let draw = levels(&x.view(), &[0, 1]);
        let Draw::Levels { cells, of_rows, .. } = &draw else { panic!("levels") };
        assert_eq!(of_rows, &[0, 1, 0, 2, 1, 2]);
        assert_eq!(cells[..4], [0.0, 7.0, 1.0, 8.0]);
        assert_eq!((draw.code(&[-0.0, 7.0]), draw.code(&[f64::NAN, 8.0])), (0, 2));
        assert_eq!(draw.code(&[0.0, 8.0]), UNSEEN);
    }
}
