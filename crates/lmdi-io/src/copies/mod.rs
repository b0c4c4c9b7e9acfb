//! Columns that a result copies from a table unchanged: keys, names, notes.
//!
//! A cell of a CSV file is copied byte for byte, even if it reads as a number or as missing:
//! `00001`, `+49`, `NA` and spaces at the ends stay. A column of a Parquet file keeps its type;
//! written as CSV, integers have all their digits and times are those of ISO 8601.

#[cfg(feature = "parquet")]
mod arrow_text;

#[cfg(feature = "parquet")]
use arrow_array::ArrayRef;
#[cfg(feature = "parquet")]
use arrow_schema::FieldRef;
use lmdi::table::Labels;
use std::borrow::Cow;

/// A column exactly as it is in a table.
#[derive(Debug, Clone, PartialEq)]
pub struct CopiedColumn {
    /// Its name.
    pub name: String,
    pub(crate) cells: Cells,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cells {
    /// The text of every cell; none is missing.
    Text(Labels),
    #[cfg(feature = "parquet")]
    Arrow(FieldRef, ArrayRef),
}

impl CopiedColumn {
    /// Number of cells.
    pub fn len(&self) -> usize {
        match &self.cells {
            Cells::Text(labels) => labels.len(),
            #[cfg(feature = "parquet")]
            Cells::Arrow(_, array) => array.len(),
        }
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The chosen cells, in the order given.
    pub fn take(&self, rows: &[usize]) -> Self {
        let cells = match &self.cells {
            Cells::Text(labels) => Cells::Text(labels.take(rows)),
            #[cfg(feature = "parquet")]
            Cells::Arrow(field, array) => {
                Cells::Arrow(field.clone(), arrow_text::taken(array, rows))
            }
        };
        Self { name: self.name.clone(), cells }
    }

    /// The cell as text; `None` if a Parquet column has no value.
    pub fn text(&self, row: usize) -> Option<Cow<'_, str>> {
        match &self.cells {
            Cells::Text(labels) => labels.get(row).map(Cow::Borrowed),
            #[cfg(feature = "parquet")]
            Cells::Arrow(_, array) => arrow_text::text(array, row).map(Cow::Owned),
        }
    }

    /// Why the column cannot be written as text: its type, if that is nested or of bytes.
    pub fn type_without_text(&self) -> Option<String> {
        match &self.cells {
            Cells::Text(_) => None,
            #[cfg(feature = "parquet")]
            Cells::Arrow(field, _) => {
                (!arrow_text::has_text(field.data_type())).then(|| field.data_type().to_string())
            }
        }
    }
}
