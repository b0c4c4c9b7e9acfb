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

/// Sums in which every fourth cell counts: a single one would wait for each of its additions.
const PARTIAL_SUMS: usize = 4;

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
    let mut ends = quantiles(&mut cells.clone(), n_bins);
    // Equal ends are one; zeros of either sign are equal.
    ends.dedup_by(|a, b| a == b);
    let mut sums = vec![BinSums::default(); ends.len() + 1];
    // Every end is compared: guesses at the outcome would often be wrong.
    let bin = |cell: f64| ends.iter().map(|&end| usize::from(end < cell)).sum::<usize>();
    let bin_of_cell: Vec<usize> = cells.iter().map(|&cell| bin(cell)).collect();
    for (at, (&cell, &bin)) in cells.iter().zip(&bin_of_cell).enumerate() {
        sums[bin].n[at % PARTIAL_SUMS] += 1;
        sums[bin].sum[at % PARTIAL_SUMS] += cell;
    }
    let means: Vec<f64> = sums.iter().map(BinSums::mean).collect();
    for (at, (&cell, &bin)) in cells.iter().zip(&bin_of_cell).enumerate() {
        let off = cell - means[bin];
        sums[bin].square[at % PARTIAL_SUMS] += off * off;
    }
    let least = cells.iter().copied().reduce(f64::min).unwrap_or(0.0);
    let largest = cells.iter().copied().reduce(f64::max).unwrap_or(0.0);
    let mut up_to = Vec::with_capacity(ends.len() + 2);
    let mut bins = Vec::with_capacity(ends.len() + 1);
    let mut below = 0;
    for (bin, sums) in sums.iter().enumerate() {
        let low = if bin == 0 { least } else { ends[bin - 1] };
        let high = ends.get(bin).copied().unwrap_or(largest);
        bins.push(Bin::new(sums, low, high));
        below += sums.count();
        up_to.push(below as f64 / n as f64);
    }
    up_to.push(1.0);
    Draw::Bins { ends, up_to, bins }
}

/// Cells of one bin, summed up.
#[derive(Debug, Clone, Copy, Default)]
struct BinSums {
    n: [usize; PARTIAL_SUMS],
    sum: [f64; PARTIAL_SUMS],
    /// Of distances from the mean.
    square: [f64; PARTIAL_SUMS],
}

impl BinSums {
    fn count(&self) -> usize {
        self.n.iter().sum()
    }

    /// The mean of all that is summed up.
    fn mean(&self) -> f64 {
        self.mean_of(&self.sum)
    }

    fn mean_of(&self, sum: &[f64; PARTIAL_SUMS]) -> f64 {
        sum.iter().sum::<f64>() / self.count().max(1) as f64
    }
}

impl Bin {
    /// Whether all cells have the same value.
    pub(super) fn is_single(&self) -> bool {
        self.low == self.high
    }

    fn new(sums: &BinSums, low: f64, high: f64) -> Self {
        let mean = sums.mean();
        let spread = sums.mean_of(&sums.square).sqrt() + LEAST_SPREAD;
        // The mean lies in the bin; rounding must not put it outside.
        let low = ((low - mean) / spread).min(0.0);
        let high = ((high - mean) / spread).max(0.0);
        Self { mean, spread, low, high }
    }
}

/// The ends of bins of equally many numbers: quantiles by linear interpolation, with numpy's
/// rounding. Changes the order of the numbers; selecting a few of them is faster than sorting all.
fn quantiles(numbers: &mut [f64], n_bins: usize) -> Vec<f64> {
    let mut ends = Vec::with_capacity(n_bins);
    if numbers.is_empty() {
        return ends;
    }
    let last = (numbers.len() - 1) as f64;
    // The numbers from here on are none of the smaller ones.
    let mut start = 0;
    for bin in 1..n_bins {
        let at = bin as f64 / n_bins as f64 * last;
        let below = at.floor();
        let t = at - below;
        let place = below as usize - start;
        let (_, &mut a, above) = numbers[start..].select_nth_unstable_by(place, f64::total_cmp);
        let b = above.iter().copied().min_by(f64::total_cmp).unwrap_or(a);
        ends.push(if t < 0.5 { a + (b - a) * t } else { b - (b - a) * (1.0 - t) });
        start += place;
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{generator, unit};
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

    /// By numpy's definition on sorted numbers, for any number of bins and with many ties.
    #[test]
    fn quantiles_are_those_of_sorted_numbers() {
        let mut random = generator(5, 0);
        for n in 1..60 {
            let few = [3.0, 1e9][n % 2];
            let cells: Vec<f64> = (0..n).map(|_| (few * unit(&mut random)).floor()).collect();
            let mut sorted = cells.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            for n_bins in 1..12 {
                let expected: Vec<f64> = (1..n_bins)
                    .map(|bin| {
                        let at = bin as f64 / n_bins as f64 * (n - 1) as f64;
                        let a = sorted[at.floor() as usize];
                        let (b, t) = (sorted[at.ceil() as usize], at - at.floor());
                        if t < 0.5 { a + (b - a) * t } else { b - (b - a) * (1.0 - t) }
                    })
                    .collect();
                assert_eq!(quantiles(&mut cells.clone(), n_bins), expected, "{n} in {n_bins}");
            }
        }
        assert!(quantiles(&mut [], 4).is_empty());
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
