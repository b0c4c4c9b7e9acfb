//! How a table with text becomes the matrix of our learners, learned from a training table.

use crate::arrays::{Cube, shaped};
use crate::encode::ColumnCells;
use crate::run::apart;
use lmdi::table::{Column, Frame, Schema, SchemaOptions};
use pyo3::prelude::*;

/// A learned schema.
#[pyclass(frozen, module = "lmdi._lmdi")]
pub struct LearnedSchema(Schema);

impl LearnedSchema {
    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.0
    }
}

#[pymethods]
impl LearnedSchema {
    /// Names of the matrix columns.
    #[getter]
    fn encoded_names(&self) -> Vec<String> {
        self.0.encoded_names()
    }
}

/// Columns as a table of the library.
pub fn frame_of(columns: &[(String, ColumnCells<'_>)]) -> PyResult<Vec<Column>> {
    let column = |(name, cells): &(String, ColumnCells<'_>)| {
        Ok(Column { name: name.clone(), values: cells.values()? })
    };
    columns.iter().map(column).collect()
}

/// Learns from a table, and what is to be predicted, which columns are used and how they become numbers:
/// the schema, and the matrix column by column.
#[pyfunction]
pub fn learn_schema<'py>(
    py: Python<'py>,
    columns: Vec<(String, ColumnCells<'py>)>,
    target: (String, ColumnCells<'py>),
) -> PyResult<(LearnedSchema, Cube<'py>)> {
    let name = target.0.clone();
    let mut columns = frame_of(&columns)?;
    columns.extend(frame_of(&[target])?);
    let (schema, matrix) = apart(py, || {
        let frame = Frame::new(columns)?;
        let (schema, _) = Schema::learn(&frame, &SchemaOptions::new(name.as_str()))?;
        let matrix = schema.encode(&frame)?.matrix;
        Ok((schema, matrix))
    })?;
    let (rows, cols) = (matrix.rows(), matrix.cols());
    let cells = (0..cols).flat_map(|col| matrix.column(col).iter().copied()).collect();
    Ok((LearnedSchema(schema), shaped(py, cells, &[cols, rows])?))
}
