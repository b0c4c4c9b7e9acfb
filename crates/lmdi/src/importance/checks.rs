//! Checks that several methods share: responses and weights that do not belong to the model.

use crate::forest::{Ensemble, Outcome};
use crate::table::Response;
use crate::{Error, Result};

/// Fails unless there are `rows` responses of the kind that the ensemble predicts.
pub(super) fn check_response(
    ensemble: &Ensemble,
    response: &Response<'_>,
    rows: usize,
) -> Result<()> {
    match (&ensemble.outcome, response) {
        (Outcome::Number, Response::Numeric(_)) => {}
        (Outcome::Classes(labels), Response::Classes { n_classes, .. })
            if labels.len() == *n_classes => {}
        _ => {
            return Err(Error::Data(
                "the response does not fit the model: a model of numbers needs numbers, a model of classes \
                 needs its own classes"
                    .into(),
            ));
        }
    }
    response.check(rows)
}

/// Fails unless there are `rows` weights, finite, not negative and not all zero.
pub(super) fn check_weights(weights: Option<&[f64]>, rows: usize) -> Result<()> {
    let Some(weights) = weights else { return Ok(()) };
    if weights.len() != rows {
        return Err(Error::Shape {
            what: "sample weights".into(),
            found: weights.len(),
            expected: rows,
        });
    }
    if let Some(row) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(Error::Data(format!(
            "the weight of row {row} is {}; weights must be finite and not negative",
            weights[row]
        )));
    }
    if weights.iter().all(|&w| w == 0.0) {
        return Err(Error::Data("every sample weight is zero; at least one row must count".into()));
    }
    Ok(())
}

/// Fails if a cell is infinite.
pub(super) fn check_cells(x: &crate::table::MatrixView<'_>, names: &[String]) -> Result<()> {
    let mut column = Vec::new();
    for (index, name) in names.iter().enumerate() {
        x.column_into(index, &mut column);
        if let Some(row) = column.iter().position(|cell| cell.is_infinite()) {
            return Err(Error::Data(format!(
                "column `{name}` is infinite in row {row}; replace it by a number or leave it missing"
            )));
        }
    }
    Ok(())
}
