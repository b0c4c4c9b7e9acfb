//! The response that a model is fitted to.

use crate::{Error, Result};

/// Responses of the training rows.
#[derive(Debug, Clone, Copy)]
pub enum Response<'a> {
    /// One number per row (regression).
    Numeric(&'a [f64]),
    /// One class index per row, in `0..n_classes` (classification).
    Classes {
        /// The class index of each row.
        codes: &'a [u32],
        /// How many classes there are; two for binary classification.
        n_classes: usize,
    },
}

impl Response<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Response::Numeric(values) => values.len(),
            Response::Classes { codes, .. } => codes.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Checks that there are `rows` responses, all finite or all a known class.
    pub fn check(&self, rows: usize) -> Result<()> {
        if self.len() != rows {
            return Err(Error::Shape {
                what: "responses".into(),
                found: self.len(),
                expected: rows,
            });
        }
        match self {
            Response::Numeric(values) => {
                if let Some(row) = values.iter().position(|y| !y.is_finite()) {
                    return Err(Error::Data(format!(
                        "the response of row {row} is {}; every response must be a finite number",
                        values[row]
                    )));
                }
            }
            Response::Classes { codes, n_classes } => {
                if *n_classes < 2 {
                    return Err(Error::Data(format!(
                        "the response has {n_classes} class(es); classification needs at least two"
                    )));
                }
                if let Some(row) = codes.iter().position(|&c| c as usize >= *n_classes) {
                    return Err(Error::Data(format!(
                        "the response of row {row} is class {}; there are {n_classes} classes",
                        codes[row]
                    )));
                }
            }
        }
        Ok(())
    }
}
