//! What is asked: rows, and what to tell about each.

use serde::Deserialize;
use serde_json::Value;

/// The body of a request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The names of cells, where rows are arrays.
    #[serde(default)]
    pub columns: Option<Vec<String>>,
    /// One object or one array per row.
    pub rows: Vec<Value>,
    /// How many scores per row, the largest first; all without it.
    #[serde(default)]
    pub top: Option<usize>,
    /// Whether to give standard errors over the trees.
    #[serde(default)]
    pub standard_error: bool,
}
