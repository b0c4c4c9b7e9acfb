//! The table of a result: columns that were computed, and columns copied from the input.

use crate::copies::CopiedColumn;
use lmdi::table::{Column, Frame};
use lmdi::{Error, Result};
use std::collections::HashMap;

/// A column of a result.
#[derive(Debug, Clone, PartialEq)]
pub enum OutputColumn {
    /// Numbers or text that were computed.
    Computed(Column),
    /// Cells exactly as in the input.
    Copied(CopiedColumn),
}

impl OutputColumn {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Computed(column) => &column.name,
            Self::Copied(column) => &column.name,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Computed(column) => column.values.len(),
            Self::Copied(column) => column.len(),
        }
    }
}

/// Columns of equal length with different names.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputTable {
    columns: Vec<OutputColumn>,
    rows: usize,
    guards_formulas: bool,
}

impl OutputTable {
    /// Takes the columns; fails if lengths differ or a name occurs twice.
    pub fn new(columns: Vec<OutputColumn>) -> Result<Self> {
        let rows = columns.first().map_or(0, OutputColumn::len);
        let mut first_at: HashMap<&str, usize> = HashMap::with_capacity(columns.len());
        for (at, column) in columns.iter().enumerate() {
            if column.len() != rows {
                return Err(Error::Shape {
                    what: format!("cells of column {:?}", column.name()),
                    found: column.len(),
                    expected: rows,
                });
            }
            if let Some(first) = first_at.insert(column.name(), at) {
                return Err(Error::Data(format!(
                    "columns {} and {} are both named {:?}",
                    first + 1,
                    at + 1,
                    column.name()
                )));
            }
        }
        Ok(Self { columns, rows, guards_formulas: false })
    }

    /// In CSV, puts an apostrophe before text that a spreadsheet would run as a formula.
    pub fn guarding_formulas(self, guards_formulas: bool) -> Self {
        Self { guards_formulas, ..self }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns, in their order.
    pub fn columns(&self) -> &[OutputColumn] {
        &self.columns
    }

    pub(super) fn guards(&self, text: &str) -> bool {
        self.guards_formulas && starts_formula(text)
    }
}

/// Whether a spreadsheet may take a text for a formula. A number is none, also with a sign.
fn starts_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err()
}

impl From<Frame> for OutputTable {
    fn from(frame: Frame) -> Self {
        let rows = frame.rows();
        let columns = frame.into_columns().into_iter().map(OutputColumn::Computed).collect();
        Self { columns, rows, guards_formulas: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_told_from_numbers() {
        for formula in ["=1+1", "+SUM(A1)", "-cmd", "@x", "\t=1", "+49 30 1"] {
            assert!(starts_formula(formula), "{formula}");
        }
        for plain in ["-1.5", "+7", "a=b", "", "1-2", "-1e5"] {
            assert!(!starts_formula(plain), "{plain}");
        }
    }
}
