//! Bootstrap samples: how often each tree of a forest draws each row.
//!
//! | weights | a tree draws |
//! |---|---|
//! | none | as many times as there are rows, all rows with equal probability |
//! | integers, at most [`COPIES_PER_ROW`] on average | as if each row were repeated that many times |
//! | others, all equal | as without weights |
//! | others | as many times as there are rows, with probability proportional to weight |
//!
//! Rows of weight zero are ignored. Small integer weights mean repetition: a weight of three is the
//! same as three equal rows. A weight of 20,000 more likely says how many cases a row stands for. That
//! many draws would leave no row out of bag, because a row of weight w is left out with probability
//! `exp(-w)`.
//!
//! If rows are repeated, or weighted as if they were, trees are grown on copies of rows. Copies are
//! sorted by the hash of their row, so neither the order of the table nor the choice between weights and
//! repetition changes a bit of any tree. A table of distinct rows that count once keeps its own order.
//! Cost: one pass over the cells and one sort of the hashes per forest.

use super::params::{ForestParams, MaxSamples};
use super::training_set::TrainingSet;
use crate::random::{Generator, below, unit};
use crate::table::hash_training_rows;
use rayon::prelude::*;

/// Integer weights are numbers of copies up to this average: rows of that weight are still out of bag for
/// 2 % of the trees.
const COPIES_PER_ROW: f64 = 4.0;

/// How trees draw their rows.
pub(super) struct Bagging {
    n_rows: usize,
    n_draws: usize,
    /// The row of each copy; `None` if every row has one copy, in the order of the table.
    rows: Option<Vec<u32>>,
    /// Cumulative weights of the copies; `None` if all weights are equal.
    ends: Option<Vec<f64>>,
}

/// What one tree drew.
pub(super) struct Bag {
    /// How often each row was drawn.
    pub(super) counts: Vec<u32>,
    /// How often each copy was drawn.
    pub(super) weights: Vec<f64>,
}

impl Bagging {
    /// The draws of a forest; `None` without bootstrap.
    pub(super) fn new(set: &TrainingSet, params: &ForestParams) -> Option<Self> {
        if !params.bootstrap {
            return None;
        }
        let n_rows = set.x.rows();
        let (rows, ends) = match (copies(n_rows, set.weights), set.weights) {
            (None, Some(weights)) => {
                let rows = rows_with(|row| weights[row] > 0.0, n_rows);
                let ends = rows.iter().scan(0.0, |end, &row| {
                    *end += weights[row as usize];
                    Some(*end)
                });
                let ends = ends.collect();
                ((rows.len() < n_rows).then_some(rows), Some(ends))
            }
            (copies, _) => (places(set, &copies.unwrap_or_default()), None),
        };
        let n_places = rows.as_ref().map_or(n_rows, Vec::len);
        let n_draws = match params.max_samples {
            None => n_places,
            Some(MaxSamples::Count(count)) => count,
            Some(MaxSamples::Fraction(share)) => ((share * n_places as f64) as usize).max(1),
        };
        Some(Self { n_rows, n_draws, rows, ends })
    }

    /// The rows that trees are grown on, in their order; `None` if it is the table as it is.
    pub(super) fn rows(&self) -> Option<&[u32]> {
        self.rows.as_deref()
    }

    /// Draws the rows of one tree.
    pub(super) fn draw(&self, random: &mut Generator) -> Bag {
        let n_places = self.rows.as_ref().map_or(self.n_rows, Vec::len);
        let mut counts = vec![0u32; n_places];
        for _ in 0..self.n_draws {
            let place = match &self.ends {
                None => below(random, n_places),
                Some(ends) => {
                    let at = unit(random) * ends[n_places - 1];
                    ends.partition_point(|&end| end <= at).min(n_places - 1)
                }
            };
            counts[place] += 1;
        }
        let weights = counts.iter().map(|&count| f64::from(count)).collect();
        if let Some(rows) = &self.rows {
            let mut of_rows = vec![0; self.n_rows];
            rows.iter().zip(counts).for_each(|(&row, count)| of_rows[row as usize] += count);
            counts = of_rows;
        }
        Bag { counts, weights }
    }
}

/// How often each row counts as being in the table; `None` if weights are no numbers of copies.
fn copies(n_rows: usize, weights: Option<&[f64]>) -> Option<Vec<u32>> {
    let Some(weights) = weights else { return Some(vec![1; n_rows]) };
    let with_weight = weights.iter().filter(|&&weight| weight > 0.0).count() as f64;
    let whole = weights.iter().all(|weight| weight.fract() == 0.0);
    if whole && weights.iter().sum::<f64>() <= COPIES_PER_ROW * with_weight {
        return Some(weights.iter().map(|&weight| weight as u32).collect());
    }
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let equal = weights.iter().all(|&weight| weight == 0.0 || weight == largest);
    equal.then(|| weights.iter().map(|&weight| u32::from(weight > 0.0)).collect())
}

/// The row at the place of every copy; `None` if these are the rows of the table in their order.
fn places(set: &TrainingSet, copies: &[u32]) -> Option<Vec<u32>> {
    let rows = rows_with(|row| copies[row] > 0, copies.len());
    let hashes = hash_training_rows(&set.x, &set.y);
    let mut by_hash = rows.clone();
    by_hash.par_sort_unstable_by_key(|&row| (hashes[row as usize], row));
    let is_equal = |pair: &[u32]| hashes[pair[0] as usize] == hashes[pair[1] as usize];
    let repeats = copies.iter().any(|&copies| copies > 1) || by_hash.windows(2).any(is_equal);
    if repeats {
        let copies = |row: u32| std::iter::repeat_n(row, copies[row as usize] as usize);
        return Some(by_hash.into_iter().flat_map(copies).collect());
    }
    (rows.len() < copies.len()).then_some(rows)
}

fn rows_with(counts: impl Fn(usize) -> bool, n_rows: usize) -> Vec<u32> {
    (0..n_rows as u32).filter(|&row| counts(row as usize)).collect()
}
