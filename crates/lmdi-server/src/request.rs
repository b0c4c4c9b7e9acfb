//! Requests: rows, and what to return for each.

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::fmt;

/// The body of a request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The names of cells, if rows are arrays.
    #[serde(default)]
    pub columns: Option<Vec<String>>,
    /// One object or one array per row.
    #[serde(deserialize_with = "rows")]
    pub rows: Vec<Value>,
    /// How many scores per row, the largest first; all without it.
    #[serde(default)]
    pub top: Option<usize>,
    /// Whether to return standard errors over the trees.
    #[serde(default)]
    pub standard_error: bool,
}

/// Rows, none of which names a column twice: which of the two values is meant, nobody knows.
fn rows<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Value>, D::Error> {
    let rows: Vec<Row> = Vec::deserialize(from)?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

struct Row(Value);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(RowVisitor).map(Row)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with one value per column, or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut cells = Map::new();
        while let Some((name, cell)) = from.next_entry::<String, Value>()? {
            if cells.contains_key(&name) {
                return Err(A::Error::custom(format!("a row has {name:?} twice")));
            }
            cells.insert(name, cell);
        }
        Ok(Value::Object(cells))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut cells = Vec::new();
        while let Some(cell) = from.next_element()? {
            cells.push(cell);
        }
        Ok(Value::Array(cells))
    }
}
