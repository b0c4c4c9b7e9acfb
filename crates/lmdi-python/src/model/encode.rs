//! Tables of a model that was trained on a table with text: columns in, its matrix out.

use crate::boundary::arrays::Cube;
use crate::boundary::errors::exception;
use crate::boundary::frames::{ColumnCells, frame_columns, matrix_array};
use crate::boundary::run::apart;
use crate::model::Model;
use lmdi::Error;
use lmdi::table::Frame;
use pyo3::prelude::*;

/// The matrix of a table, column by column, and the columns with cells that training did not know: their
/// name and, if there is one, a new category.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "a tuple for Python")]
pub fn encode<'py>(
    py: Python<'py>,
    model: &Model,
    columns: Vec<(String, ColumnCells<'py>)>,
) -> PyResult<(Cube<'py>, Vec<(String, Option<String>)>)> {
    let content = model.content();
    let schema = content.schema.as_ref().ok_or_else(|| {
        exception(Error::Model("this model does not say how a table becomes its matrix".into()))
    })?;
    let columns = frame_columns(&columns)?;
    let encoded = apart(py, || schema.encode(&Frame::new(columns)?))?;
    let unseen = encoded.unseen.into_iter().map(|new| (new.column, new.example)).collect();
    Ok((matrix_array(py, &encoded.matrix)?, unseen))
}
