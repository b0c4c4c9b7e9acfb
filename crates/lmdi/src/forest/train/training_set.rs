//! The table that a model is trained on, checked as a whole.

use crate::forest::Outcome;
use crate::table::{MatrixView, Response};
use crate::{Error, Result};

/// Rows with their responses and weights, and the names of columns and classes: what a model is
/// trained on, and what an explainer is fitted to.
#[derive(Debug, Clone, Copy)]
pub struct TrainingSet<'a> {
    /// The cells; NaN is missing.
    pub x: MatrixView<'a>,
    /// The responses.
    pub y: Response<'a>,
    /// One weight per row, not negative; `None` weights all rows equally.
    pub weights: Option<&'a [f64]>,
    /// One name per column. An explainer takes the names of the model.
    pub feature_names: &'a [String],
    /// One label per class; empty for a numeric response.
    pub labels: &'a [String],
}

impl<'a> TrainingSet<'a> {
    /// Rows and responses without names, for an explainer of a model that was trained elsewhere.
    pub fn new(x: MatrixView<'a>, y: Response<'a>) -> Self {
        Self { x, y, weights: None, feature_names: &[], labels: &[] }
    }

    /// Rows with one number each to predict.
    pub fn regression(x: MatrixView<'a>, y: &'a [f64], feature_names: &'a [String]) -> Self {
        Self { x, y: Response::Numeric(y), weights: None, feature_names, labels: &[] }
    }

    /// Rows with one class each to predict: `codes` are indices into `labels`.
    pub fn classification(
        x: MatrixView<'a>,
        codes: &'a [u32],
        labels: &'a [String],
        feature_names: &'a [String],
    ) -> Self {
        let y = Response::Classes { codes, n_classes: labels.len() };
        Self { x, y, weights: None, feature_names, labels }
    }

    /// The same rows with one weight each.
    pub fn weighted(self, weights: &'a [f64]) -> Self {
        Self { weights: Some(weights), ..self }
    }
}

impl TrainingSet<'_> {
    /// Checks sizes and values, except for the cells.
    pub fn check(&self) -> Result<()> {
        let (rows, cols) = (self.x.rows(), self.x.cols());
        if rows == 0 || cols == 0 {
            return Err(Error::Data(format!(
                "the table has {rows} rows and {cols} columns; training needs at least one of each"
            )));
        }
        if rows >= u32::MAX as usize || cols >= u32::MAX as usize {
            return Err(Error::Data(format!(
                "the table has {rows} rows and {cols} columns; expected fewer than {} of each",
                u32::MAX
            )));
        }
        self.y.check(rows)?;
        check_len("column names", self.feature_names.len(), cols)?;
        let n_labels = match self.y {
            Response::Numeric(_) => 0,
            Response::Classes { n_classes, .. } => n_classes,
        };
        check_len("class labels", self.labels.len(), n_labels)?;
        if let Some(weights) = self.weights {
            check_len("weights", weights.len(), rows)?;
            if let Some(row) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
                return Err(Error::Data(format!(
                    "the weight of row {row} is {}; every weight must be a finite number not \
                     below 0",
                    weights[row]
                )));
            }
            let total: f64 = weights.iter().sum();
            if !(total > 0.0 && total.is_finite()) {
                return Err(Error::Data(format!(
                    "the weights add up to {total}; at least one row needs a weight above 0"
                )));
            }
        }
        Ok(())
    }

    /// What a model of this table predicts.
    pub fn outcome(&self) -> Outcome {
        match self.y {
            Response::Numeric(_) => Outcome::Number,
            Response::Classes { .. } => Outcome::Classes(self.labels.to_vec()),
        }
    }

    /// The weight of each row.
    pub(super) fn row_weights(&self) -> Vec<f64> {
        self.weights.map_or_else(|| vec![1.0; self.x.rows()], <[f64]>::to_vec)
    }
}

fn check_len(what: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::Shape { what: what.into(), found, expected })
}
