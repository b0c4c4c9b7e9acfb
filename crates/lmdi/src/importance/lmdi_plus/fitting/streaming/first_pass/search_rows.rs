//! The rows that penalties of fits other than least squares are searched on.
//!
//! They are the rows with the smallest hashes, and at least some of every class, so that a rare one is not
//! missed. Classes have the shares that they have among all rows.

use super::super::super::target::independent_response;
use super::sample::RowSample;
use super::summary::{ClassSummary, Summary};
use crate::Result;
use crate::forest::{Ensemble, Outcome};
use crate::table::{Matrix, Response, hashed_folds};

/// Rows of the sample unless trees are so large that they need more.
const ROWS_FOR_A_SEARCH: usize = 1 << 16;

/// Rows of the sample per leaf of the largest tree.
const ROWS_PER_LEAF: usize = 16;

/// Rows that every class has at least, if there are as many.
const ROWS_PER_CLASS: usize = 1 << 10;

/// Where there are more classes, a class may keep fewer rows than the whole sample has.
const CLASSES_IN_FULL: usize = 4;

/// The sample takes at most this share of what sums may take, but for the fewest rows of a class.
const SHARE: usize = 4;

/// Weights that differ by this share are the same but for the order in which they were added.
const ROUNDING: f64 = 1e-9;

/// How many rows are sampled.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct SearchSize {
    /// In all.
    pub(in super::super) rows: usize,
    /// Of each class, until it is known how many rows each has.
    pub(in super::super) per_class: usize,
}

impl SearchSize {
    /// The sample for an ensemble, with sums that may take this many bytes.
    pub(in super::super) fn of(ensemble: &Ensemble, budget: usize) -> Self {
        let leaves = ensemble.trees.iter().map(|tree| tree.n_leaves()).max().unwrap_or(1);
        let fits = budget / SHARE / (8 * (ensemble.n_features() + 3));
        let rows = (ROWS_PER_LEAF * leaves).max(ROWS_FOR_A_SEARCH).min(fits).max(ROWS_PER_CLASS);
        let classes = match &ensemble.outcome {
            Outcome::Number => 1,
            Outcome::Classes(labels) => labels.len().max(1),
        };
        let per_class = (CLASSES_IN_FULL * rows).div_ceil(classes).clamp(ROWS_PER_CLASS, rows);
        Self { rows, per_class }
    }
}

impl Summary {
    /// Keeps the rows with the smallest hashes over all classes, and some of every class.
    pub(in super::super) fn trim_search(&mut self, rows: usize) {
        let sampled = self.classes.iter().flat_map(|class| &class.search.rows);
        let mut hashes: Vec<u64> = sampled.map(|(hash, _)| *hash).collect();
        if hashes.len() <= rows {
            return;
        }
        hashes.sort_unstable();
        let limit = hashes[rows.max(1) - 1];
        for class in &mut self.classes {
            let within = class.search.rows.partition_point(|(hash, _)| *hash <= limit);
            class.search.rows.truncate(within.max(ROWS_PER_CLASS));
        }
    }
}

/// The sample as a table.
pub(in super::super) struct SearchRows {
    pub(in super::super) x: Matrix,
    /// Codes of classes; empty for numbers.
    codes: Vec<u32>,
    /// Numbers; empty for classes.
    values: Vec<f64>,
    /// What each row weighs.
    pub(in super::super) weight: Vec<f64>,
    pub(in super::super) fold: Vec<u32>,
}

impl SearchRows {
    /// The rows that the first pass kept, if it kept some.
    pub(in super::super) fn of(
        summary: &Summary,
        factors: Option<&[f64]>,
        n_folds: usize,
    ) -> Result<Option<Self>> {
        let n_features = summary.classes.first().map_or(0, |class| class.columns.len());
        let sampled = || summary.classes.iter().flat_map(|class| &class.search.rows);
        let n_rows = sampled().count();
        if n_rows == 0 {
            return Ok(None);
        }
        let mut cells = Vec::with_capacity(n_features * n_rows);
        for column in 0..n_features {
            cells.extend(sampled().map(|(_, cells)| cells[column]));
        }
        let (mut codes, mut values, mut weight) = (Vec::new(), Vec::new(), Vec::new());
        let of_classes = summary.classes.len() > 1;
        for (code, class) in summary.classes.iter().enumerate() {
            let factor = factors.map_or(1.0, |factors| factors[code]) * stands_for(class);
            for (_, cells) in &class.search.rows {
                weight.push(factor * cells[n_features + 1]);
                match of_classes {
                    true => codes.push(code as u32),
                    false => values.push(cells[n_features]),
                }
            }
        }
        // The sample weighs what its rows do.
        let own = |code: usize| factors.map_or(1.0, |factors| factors[code]);
        let natural = (summary.classes.iter().enumerate())
            .map(|(code, class)| own(code) * weight_of(&class.search));
        let share = natural.sum::<f64>() / weight.iter().sum::<f64>();
        if (share - 1.0).abs() > ROUNDING {
            weight.iter_mut().for_each(|weight| *weight *= share);
        }
        let hashes: Vec<u64> = sampled().map(|(hash, _)| *hash).collect();
        Ok(Some(Self {
            x: Matrix::from_column_major(cells, n_rows, n_features)?,
            codes,
            values,
            weight,
            fold: hashed_folds(&hashes, n_folds),
        }))
    }

    /// The response of one of `n_outputs` outputs.
    pub(in super::super) fn response_of(&self, n_outputs: usize, output: usize) -> Vec<f64> {
        let response = match self.values.is_empty() {
            true => Response::Classes { codes: &self.codes, n_classes: n_outputs.max(2) },
            false => Response::Numeric(&self.values),
        };
        independent_response(&response, n_outputs, output)
    }
}

/// What sampled rows weigh.
fn weight_of(sample: &RowSample) -> f64 {
    sample.rows.iter().filter_map(|(_, cells)| cells.last()).sum()
}

/// How many rows of its class a sampled row stands for.
fn stands_for(class: &ClassSummary) -> f64 {
    let times = class.weight / weight_of(&class.search);
    if (times - 1.0).abs() <= ROUNDING { 1.0 } else { times }
}
