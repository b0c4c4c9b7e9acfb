//! Columns as ranks: the form in which the split search reads a table.
//!
//! Every cell is rounded to 32 bits and replaced by the rank of its value among the column's
//! distinct values, so that nodes sort and count small integers. A missing cell has the rank after
//! the last value and so sorts last. With bins, a rank stands for a run of neighbouring values.
//! Invariant: `highest[r] < lowest[r + 1]`. Cost: one sort per column, once per training run.

mod packed;
pub(crate) mod sort;

pub(crate) use packed::{CopiedRanks, PackedColumns, Ranks};

use crate::table::MatrixView;
use crate::{Error, Result};
use rayon::prelude::*;
use sort::sort_keys;

/// Values no farther apart than this count as equal, as in scikit-learn.
const SAME_VALUE: f32 = 1e-7;

/// One column as ranks.
#[derive(Debug)]
pub(crate) struct RankedColumn {
    /// Smallest value of each rank.
    lowest: Vec<f32>,
    /// Largest value of each rank; the same as `lowest` without bins.
    highest: Vec<f32>,
    /// Rank of each row.
    pub(crate) codes: Vec<u32>,
    /// Whether a cell is missing.
    pub(crate) has_missing: bool,
    /// Whether a split may fall between any two ranks, so that no value needs to be looked up.
    all_separable: bool,
}

impl RankedColumn {
    /// The rank of missing cells; also the number of ranks with a value.
    pub(crate) fn missing_code(&self) -> u32 {
        self.lowest.len() as u32
    }

    /// Whether a split may fall between two ranks, the first below the second.
    pub(crate) fn separable(&self, below: u32, above: u32) -> bool {
        self.all_separable || apart(self.highest[below as usize], self.lowest[above as usize])
    }

    /// The threshold between two neighbouring ranks of a node: halfway, exact in 64 bits, so that
    /// it never equals the upper value. Above the last value only missing cells go right.
    pub(crate) fn threshold(&self, below: u32, above: u32) -> f64 {
        if above == self.missing_code() {
            return f64::INFINITY;
        }
        f64::from(self.highest[below as usize]) / 2.0 + f64::from(self.lowest[above as usize]) / 2.0
    }

    /// Smallest value of a rank.
    pub(crate) fn value(&self, code: u32) -> f32 {
        self.lowest[code as usize]
    }

    /// Number of ranks whose values are at most `threshold`.
    pub(crate) fn ranks_up_to(&self, threshold: f64) -> u32 {
        self.lowest.partition_point(|&value| f64::from(value) <= threshold) as u32
    }
}

/// Ranks every column; `max_bins` limits the number of ranks of each. With `places`, the rows are those
/// at the places, in their order.
pub(crate) fn rank_columns(
    x: &MatrixView,
    places: Option<&[u32]>,
    feature_names: &[String],
    max_bins: Option<usize>,
) -> Result<Vec<RankedColumn>> {
    (0..x.cols())
        .into_par_iter()
        .map_init(Default::default, |(cells, placed): &mut (Vec<f64>, Vec<f64>), col| {
            x.column_into(col, cells);
            let refused = |row: usize, cell: f64| {
                Error::Data(format!(
                    "column `{}`, row {row} is {cell}; cells must be missing or below 3.4e38 in size \
                     (trees compare 32-bit numbers): replace or drop it",
                    feature_names[col].escape_debug(),
                ))
            };
            let Some(places) = places else {
                return rank(cells, max_bins).map_err(|row| refused(row, cells[row]));
            };
            placed.clear();
            placed.extend(places.iter().map(|&row| cells[row as usize]));
            rank(placed, max_bins).map_err(|place| refused(places[place] as usize, placed[place]))
        })
        .collect()
}

/// Ranks one column, or gives the row of a cell that is infinite in 32 bits.
fn rank(cells: &[f64], max_bins: Option<usize>) -> std::result::Result<RankedColumn, usize> {
    let mut keys = Vec::with_capacity(cells.len());
    for (row, &cell) in cells.iter().enumerate() {
        // Adding zero turns -0 into 0, which compares equal to it.
        let single = cell as f32 + 0.0;
        if single.is_infinite() {
            return Err(row);
        }
        if !single.is_nan() {
            keys.push(u64::from(ordered_bits(single)) << 32 | row as u64);
        }
    }
    sort_keys(&mut keys, &mut Vec::new(), 32);
    let has_missing = keys.len() < cells.len();
    let value_at = |row: usize| cells[row] as f32 + 0.0;

    let mut lowest: Vec<f32> = Vec::new();
    let mut highest: Vec<f32> = Vec::new();
    let mut codes = vec![u32::MAX; cells.len()];
    let fewer_values_than_bins = max_bins
        .is_none_or(|bins| keys.chunk_by(|a, b| a >> 32 == b >> 32).take(bins + 1).count() <= bins);
    let mut done = 0;
    for run in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
        let value = value_at(run[0] as u32 as usize);
        // A new bin starts once the rows before it have filled theirs.
        let opens = fewer_values_than_bins
            || lowest.is_empty()
            || done * max_bins.unwrap_or(1) >= lowest.len() * keys.len();
        if opens {
            lowest.push(value);
            highest.push(value);
        }
        let last = highest.len() - 1;
        highest[last] = value;
        for &key in run {
            codes[key as u32 as usize] = last as u32;
        }
        done += run.len();
    }
    if has_missing {
        let missing = lowest.len() as u32;
        codes.iter_mut().filter(|code| **code == u32::MAX).for_each(|code| *code = missing);
    }
    let all_separable =
        highest.iter().zip(lowest.iter().skip(1)).all(|(&below, &above)| apart(below, above));
    Ok(RankedColumn { lowest, highest, codes, has_missing, all_separable })
}

/// Whether two values, the first below the second, count as different.
fn apart(below: f32, above: f32) -> bool {
    above > below + SAME_VALUE
}

/// Bits whose order as whole numbers is the order of the numbers themselves.
fn ordered_bits(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_and_missing_cells_share_a_rank() {
        let column = rank(&[2.0, f64::NAN, -1.0, 2.0, 0.0, -0.0], None).expect("finite cells");
        assert_eq!(column.codes, [2, 3, 0, 2, 1, 1]);
        assert_eq!(column.missing_code(), 3);
        assert_eq!(column.threshold(0, 1), -0.5);
        assert_eq!(column.threshold(2, 3), f64::INFINITY);
    }

    #[test]
    fn infinite_cells_are_refused() {
        assert_eq!(rank(&[1.0, 1e39], None).err(), Some(1));
    }

    #[test]
    fn bins_hold_about_the_same_number_of_rows() {
        let cells: Vec<f64> = (0..1000).map(|i| f64::from(i % 500)).collect();
        let column = rank(&cells, Some(10)).expect("finite cells");
        assert_eq!(column.missing_code(), 10);
        for bin in 0..10 {
            assert_eq!(column.codes.iter().filter(|&&code| code == bin).count(), 100);
        }
    }
}
