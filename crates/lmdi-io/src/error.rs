//! Errors about files, always with the file's name and the place in it.

use crate::printable::printable;
use std::fmt;

/// Where in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line of a text file, counted from 1; a record that spans lines is named by its first.
    Line(u64),
    /// A data row of a file without lines, counted from 1.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// An error about a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A cell is not what its column needs.
    #[error("{}, {place}, column {}: found {}; expected {expected}", printable(.input), excerpt(.column), excerpt(.found))]
    Cell {
        /// Name of the file.
        input: String,
        /// Where in the file.
        place: Place,
        /// Name of the column.
        column: String,
        /// The cell's text.
        found: String,
        /// What was expected, and what to do.
        expected: String,
    },
    /// The file cannot be read as a table, with the place and the reason.
    #[error("{}: {what}", printable(.input))]
    Table {
        /// Name of the file.
        input: String,
        /// Where and why, and what to do.
        what: String,
    },
    /// The operating system refused to read.
    #[error("cannot read {}: {error}", printable(.input))]
    Read {
        /// Name of the file.
        input: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The result could not be written; the message names the file.
    #[error("{0}")]
    Write(std::io::Error),
    /// The caller asked to stop.
    #[error("interrupted; no file was written")]
    Interrupted,
}

/// Why a build without the feature `parquet` refuses a Parquet file, and what to do.
#[cfg(not(feature = "parquet"))]
pub(crate) const NO_PARQUET: &str = "this build of lmdi has no Parquet; use CSV, or install lmdi \
    with its default features";

/// Result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// The cell or name in quotes, cut to a length that fits a message.
pub(crate) fn excerpt(cell: &str) -> String {
    const SHOWN: usize = 60;
    match cell.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}... ({} bytes)", &cell[..end], cell.len()),
        None => format!("{cell:?}"),
    }
}
