//! Neighbours sorted by the number of columns in which they differ from the row, which alone decides their weight.
//!
//! Of the 0/1 columns a regression needs, for every pair of them, the weight of the neighbours that are 1 in
//! both. With neighbours of the same weight side by side, 64 of them in the bits of a word, that is
//!
//! ```text
//! sum over d of  weight(d) * (number of ones in the words of d where both columns are 1)
//! ```
//!
//! Counts are exact. Cost: n steps per column, and n / 64 + (number of different d) words per pair of columns.

use std::ops::Range;

const BITS: usize = u64::BITS as usize;

/// The order of the neighbours, and where those begin that differ in 0, 1, 2... columns.
pub(super) struct Levels {
    /// In how many columns each neighbour differs.
    apart: Vec<u32>,
    /// Neighbours by that number.
    order: Vec<u32>,
    /// Those that differ in `d` columns: which part of `order`, and which words.
    levels: Vec<Level>,
}

struct Level {
    apart: usize,
    neighbours: Range<usize>,
    words: Range<usize>,
}

impl Levels {
    /// Sorts `n` neighbours. Each column says which of them are as the row is.
    pub(super) fn new<'a>(columns: impl Iterator<Item = &'a [bool]>, n: usize) -> Self {
        let mut apart = vec![0u32; n];
        let mut n_columns = 0;
        for same in columns {
            n_columns += 1;
            for (apart, &same) in apart.iter_mut().zip(same) {
                *apart += u32::from(!same);
            }
        }
        let mut starts = vec![0; n_columns + 2];
        apart.iter().for_each(|&apart| starts[apart as usize + 1] += 1);
        for at in 0..=n_columns {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut order = vec![0; n];
        for (neighbour, &apart) in apart.iter().enumerate() {
            order[next[apart as usize]] = neighbour as u32;
            next[apart as usize] += 1;
        }
        let mut levels = Vec::new();
        let mut word = 0;
        for apart in 0..=n_columns {
            let neighbours = starts[apart]..starts[apart + 1];
            if !neighbours.is_empty() {
                let words = word..word + neighbours.len().div_ceil(BITS);
                word = words.end;
                levels.push(Level { apart, neighbours, words });
            }
        }
        Self { apart, order, levels }
    }

    /// The weight of each neighbour, from that of each number of differing columns.
    pub(super) fn weights_of(&self, weight_at: &[f64]) -> Vec<f64> {
        self.apart.iter().map(|&apart| weight_at[apart as usize]).collect()
    }

    /// A column as bits in the order of the levels, each of which begins a word.
    pub(super) fn bits(&self, same: &[bool]) -> Vec<u64> {
        let mut words = Vec::with_capacity(self.levels.last().map_or(0, |level| level.words.end));
        for level in &self.levels {
            for neighbours in self.order[level.neighbours.clone()].chunks(BITS) {
                let mut word = 0;
                for (at, &neighbour) in neighbours.iter().enumerate() {
                    word |= u64::from(same[neighbour as usize]) << at;
                }
                words.push(word);
            }
        }
        words
    }

    /// The weight of the neighbours that are 1 in both columns.
    pub(super) fn weight_of_both(&self, a: &[u64], b: &[u64], weight_at: &[f64]) -> f64 {
        let of_level = |level: &Level| {
            let (a, b) = (&a[level.words.clone()], &b[level.words.clone()]);
            let count: u32 = a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum();
            weight_at[level.apart] * f64::from(count)
        };
        self.levels.iter().map(of_level).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below, generator};

    #[test]
    fn weights_are_those_added_up_neighbour_by_neighbour() {
        let mut random = generator(1, 1);
        for (n, n_columns) in [(1, 1), (64, 2), (65, 5), (300, 3), (1000, 40)] {
            let columns: Vec<Vec<bool>> = (0..n_columns)
                .map(|_| (0..n).map(|_| below(&mut random, 3) == 0).collect())
                .collect();
            let levels = Levels::new(columns.iter().map(Vec::as_slice), n);
            let weight_at: Vec<f64> =
                (0..=n_columns).map(|apart| 1.0 / (1.0 + apart as f64)).collect();
            let weights = levels.weights_of(&weight_at);
            for a in &columns {
                for b in &columns {
                    let found = levels.weight_of_both(&levels.bits(a), &levels.bits(b), &weight_at);
                    let mut expected = 0.0;
                    for (i, weight) in weights.iter().enumerate() {
                        let apart = columns.iter().filter(|column| !column[i]).count();
                        assert_eq!(*weight, weight_at[apart]);
                        expected += if a[i] && b[i] { weight_at[apart] } else { 0.0 };
                    }
                    assert!((found - expected).abs() < 1e-12 * n as f64, "{found} {expected}");
                }
            }
        }
    }
}
