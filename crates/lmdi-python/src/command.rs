//! The command `lmdi`, for the script that installing the package gives.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command and returns its exit code. It takes Ctrl-C over from Python, so it is for processes that
/// do nothing else.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| lmdi_cli::run(arguments))
}
