//! How a table with text becomes the matrix of our learners, learned from a training table.

use crate::boundary::arrays::Cube;
use crate::boundary::frames::{ColumnCells, frame_columns, matrix_array};
use crate::boundary::run::apart;
use lmdi::table::{CellFormat, ColumnFormat, Frame, Reading, Schema, SchemaOptions};
use pyo3::exceptions::PyValueError;
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

/// Learns from a table, and what is to be predicted, which columns are used and how they become numbers:
/// the schema, and the matrix column by column. `formats` are those of columns with dates or times, which
/// are numbers here and may be text where the model is read again.
#[pyfunction]
pub fn learn_schema<'py>(
    py: Python<'py>,
    columns: Vec<(String, ColumnCells<'py>)>,
    target: (String, ColumnCells<'py>),
    formats: Vec<(String, String)>,
) -> PyResult<(LearnedSchema, Cube<'py>)> {
    let name = target.0.clone();
    let mut columns = frame_columns(&columns)?;
    columns.extend(frame_columns(&[target])?);
    let formats = formats.into_iter().map(|(name, format)| {
        let format = CellFormat::from_name(&format)
            .ok_or_else(|| PyValueError::new_err(format!("{format:?} is no format of cells")))?;
        Ok(ColumnFormat { name, format, missing: Vec::new() })
    });
    let reading = Reading { formats: formats.collect::<PyResult<_>>()?, ..Reading::default() };
    let (schema, matrix) = apart(py, || {
        let frame = Frame::new(columns)?;
        let options = SchemaOptions::new(name.as_str()).with_reading(reading);
        let (schema, _) = Schema::learn(&frame, &options)?;
        let matrix = schema.encode(&frame)?.matrix;
        Ok((schema, matrix))
    })?;
    let matrix = matrix_array(py, &matrix)?;
    Ok((LearnedSchema(schema), matrix))
}
