//! The names that Python has for the scales on which scores add up.

use super::errors::invalid;
use lmdi::importance::OutputScale;
use pyo3::prelude::*;

/// The name of a scale in Python.
pub fn scale_name(scale: OutputScale) -> &'static str {
    match scale {
        OutputScale::Identity => "identity",
        OutputScale::LogOdds => "log_odds",
        OutputScale::Softmax => "softmax",
        OutputScale::Log => "log",
    }
}

/// The scale of a name in Python.
pub fn scale_named(name: &str) -> PyResult<OutputScale> {
    match name {
        "identity" | "probability" => Ok(OutputScale::Identity),
        "log_odds" => Ok(OutputScale::LogOdds),
        "softmax" => Ok(OutputScale::Softmax),
        "log" => Ok(OutputScale::Log),
        other => Err(invalid("scale", other, "identity, probability, log_odds, softmax or log")),
    }
}
