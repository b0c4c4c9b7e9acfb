//! Whether a table can be the one that the trees of a forest were grown on, row by row.

use crate::boundary::arrays::Table;
use crate::boundary::run::Run;
use crate::model::Model;
use pyo3::prelude::*;

/// Whether the rows that the first trees drew fall into their leaves as they did in training; `None` where
/// that cannot be told.
#[pyfunction]
pub fn drew_from(py: Python<'_>, model: &Model, x: Table<'_>, run: Run) -> PyResult<Option<bool>> {
    let (content, view) = (model.content(), x.view()?);
    run.call(py, |monitor| lmdi::forest::drew_from(&content.ensemble, &view, monitor))
}
