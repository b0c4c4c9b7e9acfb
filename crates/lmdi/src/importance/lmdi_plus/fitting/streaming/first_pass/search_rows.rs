//! The rows that penalties of fits other than least squares are searched on.
//!
//! Every class keeps the rows with the smallest hashes, so that a rare class is not missed. The rows of a
//! class together weigh as much as all rows of that class.

use super::super::super::target::independent_response;
use super::summary::{ClassSummary, Summary};
use crate::Result;
use crate::forest::{Ensemble, Outcome};
use crate::table::{Matrix, Response, hashed_folds};

/// Rows of the sample, over all classes, unless trees are so large that they need more.
pub(in super::super) const ROWS_FOR_A_SEARCH: usize = 1 << 15;

/// Rows of the sample per leaf of the largest tree.
const ROWS_PER_LEAF: usize = 16;

/// Rows that every class may have at least.
const ROWS_PER_CLASS: usize = 1 << 10;

/// Rows of each class that are sampled for an ensemble, with sums that may take so many bytes.
pub(in super::super) fn rows_per_class(ensemble: &Ensemble, budget: usize) -> usize {
    let leaves = ensemble.trees.iter().map(|tree| tree.n_leaves()).max().unwrap_or(1);
    let fits = budget / (8 * (ensemble.n_features() + 3));
    let rows = (ROWS_PER_LEAF * leaves).min(fits).max(ROWS_FOR_A_SEARCH);
    let classes = match &ensemble.outcome {
        Outcome::Number => 1,
        Outcome::Classes(labels) => labels.len().max(1),
    };
    rows.div_ceil(classes).max(ROWS_PER_CLASS)
}

/// The sample as a table.
pub(in super::super) struct SearchRows {
    pub(in super::super) x: Matrix,
    /// Codes of classes; empty for numbers.
    codes: Vec<u32>,
    /// Numbers; empty for classes.
    values: Vec<f64>,
    /// What each row stands for.
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

/// How many rows of its class a sampled row stands for.
fn stands_for(class: &ClassSummary) -> f64 {
    if class.search.rows.len() < class.search.most {
        return 1.0;
    }
    let weight_of = |cells: &Vec<f64>| cells.last().copied().unwrap_or(0.0);
    class.weight / class.search.rows.iter().map(|(_, cells)| weight_of(cells)).sum::<f64>()
}
