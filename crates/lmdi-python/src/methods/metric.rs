//! Metrics of the global methods: by name, or any Python function.
//!
//! A function is called on the threads that do the work, which take the interpreter's lock for it. What
//! it raises ends the work and reaches the caller.

use crate::boundary::errors::exception;
use crate::boundary::run::Run;
use lmdi::importance::Metric;
use lmdi::monitor::Monitor;
use lmdi::named::Named;
use lmdi::table::Response;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The metric that a user asked for.
#[derive(FromPyObject)]
pub enum ChosenMetric {
    /// A built-in one.
    #[pyo3(transparent)]
    Name(String),
    /// `(responses or class indices, predictions, weights or None) -> number`, more is better.
    #[pyo3(transparent)]
    Function(Option<Py<PyAny>>),
}

/// A function at work: the first exception it raised stops everything.
struct Called<'a> {
    function: &'a Py<PyAny>,
    raised: Mutex<Option<PyErr>>,
    failed: AtomicBool,
}

/// Stops as well when the metric failed.
struct UntilFailure<'a> {
    monitor: &'a dyn Monitor,
    failed: &'a AtomicBool,
}

impl Monitor for UntilFailure<'_> {
    fn advance(&self, units: u64) {
        self.monitor.advance(units);
    }

    fn cancelled(&self) -> bool {
        self.monitor.cancelled() || self.failed.load(Ordering::Relaxed)
    }
}

impl ChosenMetric {
    /// Does work that needs the metric; `default` is taken where none was chosen.
    pub fn with<T: Send>(
        &self,
        py: Python<'_>,
        run: &Run,
        default: Metric<'static>,
        work: impl FnOnce(Metric<'_>, &dyn Monitor) -> lmdi::Result<T> + Send,
    ) -> PyResult<T> {
        let function = match self {
            Self::Name(name) => {
                let metric = Metric::from_name(name).map_err(exception)?;
                return run.call(py, |monitor| work(metric, monitor));
            }
            Self::Function(None) => return run.call(py, |monitor| work(default, monitor)),
            Self::Function(Some(function)) => function,
        };
        let called = Called { function, raised: Mutex::new(None), failed: AtomicBool::new(false) };
        let outcome = run.call(py, |monitor| {
            let measure = |response: &Response<'_>, prediction: &[f64], weights: Option<&[f64]>| {
                called.measure(response, prediction, weights)
            };
            work(Metric::Custom(&measure), &UntilFailure { monitor, failed: &called.failed })
        });
        match called.raised.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => outcome,
        }
    }
}

impl Called<'_> {
    fn measure(&self, response: &Response<'_>, prediction: &[f64], weights: Option<&[f64]>) -> f64 {
        if self.failed.load(Ordering::Relaxed) {
            return f64::NAN;
        }
        let measured = Python::attach(|py| -> PyResult<f64> {
            let weights = weights.map(|weights| PyArray1::from_slice(py, weights));
            let number = match response {
                Response::Numeric(y) => {
                    let prediction = PyArray1::from_slice(py, prediction);
                    self.function.call1(py, (PyArray1::from_slice(py, y), prediction, weights))
                }
                Response::Classes { codes, n_classes } => {
                    let shape = (codes.len(), *n_classes);
                    let prediction = Array2::from_shape_vec(shape, prediction.to_vec())
                        .map_err(|error| {
                            pyo3::exceptions::PyRuntimeError::new_err(error.to_string())
                        })?
                        .into_pyarray(py);
                    self.function.call1(py, (PyArray1::from_slice(py, codes), prediction, weights))
                }
            }?;
            number.extract(py)
        });
        measured.unwrap_or_else(|error| {
            self.failed.store(true, Ordering::Relaxed);
            if let Ok(mut raised) = self.raised.lock() {
                raised.get_or_insert(error);
            }
            f64::NAN
        })
    }
}
