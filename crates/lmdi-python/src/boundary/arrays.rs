//! Arrays of Python as the library's types, and back.
//!
//! A matrix arrives as the flat memory between its first and last cell with strides in cells, so
//! that any numpy array of 32- or 64-bit cells is read in place, whatever its order.

use crate::boundary::errors::exception;
use lmdi::importance::Scores;
use lmdi::table::{Cells, MatrixView, Response};
use numpy::ndarray::Array;
use numpy::{IntoPyArray, PyArrayDyn, PyReadonlyArray1};
use pyo3::prelude::*;

/// Cells of either width.
#[derive(FromPyObject)]
pub enum Flat<'py> {
    /// 32 bits.
    #[pyo3(transparent)]
    Single(PyReadonlyArray1<'py, f32>),
    /// 64 bits.
    #[pyo3(transparent)]
    Double(PyReadonlyArray1<'py, f64>),
}

/// `(flat cells, rows, columns, row stride, column stride)`.
#[derive(FromPyObject)]
pub struct Table<'py>(Flat<'py>, usize, usize, usize, usize);

impl Table<'_> {
    /// The cells, borrowed.
    pub fn view(&self) -> PyResult<MatrixView<'_>> {
        let cells = match &self.0 {
            Flat::Single(cells) => Cells::F32(cells.as_slice()?),
            Flat::Double(cells) => Cells::F64(cells.as_slice()?),
        };
        MatrixView::strided(cells, self.1, self.2, self.3, self.4).map_err(exception)
    }
}

/// Numbers, or class indices with the number of classes.
#[derive(FromPyObject)]
pub enum Responses<'py> {
    /// One number per row.
    #[pyo3(transparent)]
    Numbers(PyReadonlyArray1<'py, f64>),
    /// A class index a row, and how many classes there are.
    Classes(PyReadonlyArray1<'py, u32>, usize),
}

impl Responses<'_> {
    /// The responses, borrowed.
    pub fn response(&self) -> PyResult<Response<'_>> {
        Ok(match self {
            Responses::Numbers(values) => Response::Numeric(values.as_slice()?),
            Responses::Classes(codes, n_classes) => {
                Response::Classes { codes: codes.as_slice()?, n_classes: *n_classes }
            }
        })
    }
}

/// The weights, borrowed.
pub fn weight_slice<'a>(
    weights: &'a Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Option<&'a [f64]>> {
    Ok(weights.as_ref().map(|weights| weights.as_slice()).transpose()?)
}

/// An array of any number of dimensions.
pub type Cube<'py> = Bound<'py, PyArrayDyn<f64>>;

/// Numbers in row-major order as an array that owns them.
pub fn shaped<'py>(py: Python<'py>, values: Vec<f64>, shape: &[usize]) -> PyResult<Cube<'py>> {
    let array = Array::from_shape_vec(shape, values)
        .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))?;
    Ok(array.into_pyarray(py))
}

/// Values, base values and standard errors: `(rows, features, outputs)` and `(rows, outputs)`, without the
/// last axis where there is one output.
pub fn score_arrays<'py>(
    py: Python<'py>,
    scores: Scores,
) -> PyResult<(Cube<'py>, Cube<'py>, Option<Cube<'py>>)> {
    let outputs: &[usize] = if scores.n_outputs == 1 { &[] } else { &[scores.n_outputs] };
    let cube = [&[scores.n_rows, scores.n_features], outputs].concat();
    let base = [&[scores.n_rows], outputs].concat();
    Ok((
        shaped(py, scores.values, &cube)?,
        shaped(py, scores.base, &base)?,
        scores.standard_error.map(|errors| shaped(py, errors, &cube)).transpose()?,
    ))
}
