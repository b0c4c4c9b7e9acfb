//! The library's errors as Python exceptions.

use lmdi::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};

/// Wrong values are `ValueError`, as in scikit-learn; Python raises its own exception for wrong types.
pub fn exception(error: Error) -> PyErr {
    match error {
        Error::Interrupted => PyKeyboardInterrupt::new_err(()),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// A keyword with a value that it cannot have.
pub fn invalid(name: &'static str, found: impl ToString, expected: &str) -> PyErr {
    exception(Error::Parameter { name, found: found.to_string(), expected: expected.into() })
}
