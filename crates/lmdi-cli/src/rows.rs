//! Rows that a model reads: found by column name, encoded, and what the model does not know counted.

use crate::options::ReadFlags;
use crate::terminal::{counted, shortened};
use anyhow::{Context, Result};
use lmdi::file::Model;
use lmdi::table::{Column, Frame, Matrix, Schema, Unseen};
use lmdi_io::printable::printable;
use lmdi_io::read::{CellType, Input, ReadOptions};
use std::path::Path;

/// The columns a model reads; numbers by name where it says nothing else.
pub fn schema_of(model: &Model) -> Schema {
    let numeric = || Schema::numeric(model.ensemble.feature_names.iter().cloned());
    model.schema.clone().unwrap_or_else(numeric)
}

/// A table with what a model needs of it and some columns more.
pub struct ModelRows {
    /// The name of the table, safe to print.
    pub name: String,
    pub frame: Frame,
    pub x: Matrix,
}

/// Reads a table. Columns `kept` are read as well, as text; so are those that `more` names.
pub fn read(
    data: &Path,
    schema: &Schema,
    kept: &[String],
    more: &[(&str, Option<CellType>)],
    reading: &ReadFlags,
) -> Result<ModelRows> {
    let mut options = ReadOptions::for_schema(schema);
    for (column, cells) in more {
        options = options.also(column);
        if let Some(cells) = cells {
            options.cells.entry((*column).to_owned()).or_insert(*cells);
        }
    }
    for column in kept {
        let known = more.iter().any(|(name, _)| name == column);
        options = options.also(column);
        if !known {
            // Kept as it is written, unless the model needs it as numbers.
            options.cells.entry(column.clone()).or_insert(CellType::Text);
        }
    }
    let input = Input::from_argument(data);
    let name = printable(&input.name()).into_owned();
    let frame = reading.read(&input, options)?.frame;
    let encoded = schema.encode(&frame).with_context(|| name.clone())?;
    encoded.unseen.iter().for_each(|unseen| eprintln!("{}", unseen_text(unseen)));
    Ok(ModelRows { name, frame, x: encoded.matrix })
}

/// Copies of columns of a table.
pub fn kept_columns(frame: &Frame, kept: &[String], table: &str) -> Result<Vec<Column>> {
    kept.iter()
        .map(|name| Ok(frame.require(name).with_context(|| table.to_owned())?.clone()))
        .collect()
}

fn unseen_text(unseen: &Unseen) -> String {
    let column = printable(&unseen.column);
    let cells = counted(unseen.cells, "cell");
    match &unseen.example {
        Some(level) => format!(
            "note: column {column}: {cells} with a level that training did not know, such as {}",
            shortened(level)
        ),
        None => format!("note: column {column}: {cells} missing, where training had none missing"),
    }
}
