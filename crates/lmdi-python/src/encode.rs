//! Tables of a model that was trained on a table with text: columns in, its matrix out.

use crate::arrays::{Cube, shaped};
use crate::errors::exception;
use crate::model::Model;
use crate::run::apart;
use crate::schema::frame_of;
use lmdi::Error;
use lmdi::table::{Frame, Values};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// The cells of a column.
#[derive(FromPyObject)]
pub enum ColumnCells<'py> {
    /// Numbers; NaN is missing.
    #[pyo3(transparent)]
    Numbers(PyReadonlyArray1<'py, f64>),
    /// Text.
    #[pyo3(transparent)]
    Text(Vec<Option<String>>),
}

impl ColumnCells<'_> {
    /// The cells as the library holds them.
    pub fn values(&self) -> PyResult<Values> {
        Ok(match self {
            ColumnCells::Numbers(cells) => Values::Numbers(cells.as_slice()?.to_vec()),
            ColumnCells::Text(cells) => {
                Values::Labels(cells.iter().map(|cell| cell.as_deref()).collect())
            }
        })
    }
}

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
    let columns = frame_of(&columns)?;
    let encoded = apart(py, || schema.encode(&Frame::new(columns)?))?;
    let (rows, cols) = (encoded.matrix.rows(), encoded.matrix.cols());
    let cells = (0..cols).flat_map(|col| encoded.matrix.column(col).iter().copied()).collect();
    let unseen = encoded.unseen.into_iter().map(|new| (new.column, new.example)).collect();
    Ok((shaped(py, cells, &[cols, rows])?, unseen))
}
