//! Rows with what is known about them: cells, scores, predictions and, where there is one, the
//! truth.

use super::Columns;
use crate::forest::decision::class_of;
use crate::importance::Scores;
use crate::table::{MatrixView, Response};
use crate::{Error, Result};

/// Explained rows.
#[derive(Debug, Clone, Copy)]
pub struct ExplainedRows<'a> {
    /// The cells that the trees read.
    pub x: MatrixView<'a>,
    /// Scores of the columns (not of their 0/1 parts; see [`sum_groups`](super::sum_groups)).
    pub scores: &'a Scores,
    /// Per row a number, or the probability of every class.
    pub predictions: &'a [f64],
    /// The actual outcomes, if known.
    pub truth: Option<Response<'a>>,
    /// With two classes, the probability from which the second is predicted; without it, the most
    /// probable class is predicted.
    pub threshold: Option<f64>,
}

impl ExplainedRows<'_> {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.x.rows()
    }

    /// How many numbers a row's prediction has: one, or one per class.
    pub fn prediction_width(&self) -> usize {
        if self.n_rows() == 0 { 1 } else { self.predictions.len() / self.n_rows() }
    }

    /// The prediction of one row.
    pub fn prediction(&self, row: usize) -> &[f64] {
        let width = self.prediction_width();
        &self.predictions[row * width..(row + 1) * width]
    }

    /// Whether all scores and predictions of a row are numbers. Rows that no tree could score have
    /// none.
    pub fn is_known(&self, row: usize) -> bool {
        let known = |cells: &[f64]| cells.iter().all(|cell| cell.is_finite());
        known(self.scores.row(row)) && known(self.prediction(row))
    }

    /// The predicted class of a row.
    pub fn class(&self, row: usize) -> usize {
        class_of(self.prediction(row), self.threshold).unwrap_or(0)
    }

    /// Fails unless everything has a place for every row and column.
    pub fn check(&self, columns: &Columns) -> Result<()> {
        let rows = self.n_rows();
        let size = |what: &str, found: usize, expected: usize| {
            if found == expected {
                return Ok(());
            }
            Err(Error::Shape { what: what.into(), found, expected })
        };
        size("matrix columns", self.x.cols(), columns.n_features())?;
        size("rows with scores", self.scores.n_rows, rows)?;
        size("columns with scores", self.scores.n_features, columns.len())?;
        size("predictions", self.predictions.len(), rows * self.prediction_width())?;
        match self.truth {
            Some(truth) => truth.check(rows),
            None => Ok(()),
        }
    }
}
