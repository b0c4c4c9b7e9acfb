//! Tables with text: columns of Python as the library's, and the matrix they become.

use super::arrays::{Cube, shaped};
use lmdi::table::{Column, Matrix, Values};
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

/// Columns as the library holds them.
pub fn frame_columns(columns: &[(String, ColumnCells<'_>)]) -> PyResult<Vec<Column>> {
    let column = |(name, cells): &(String, ColumnCells<'_>)| {
        Ok(Column { name: name.clone(), values: cells.values()? })
    };
    columns.iter().map(column).collect()
}

/// A matrix as an array, one column after the other.
pub fn matrix_array<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Cube<'py>> {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    let cells = (0..cols).flat_map(|col| matrix.column(col).iter().copied()).collect();
    shaped(py, cells, &[cols, rows])
}
