//! A CSV text: the names in its header, and errors that name the place.

use super::records::{Batch, LONGEST_RECORD, byte_of, is_too_long};
use super::{BYTE_ORDER_MARK, TO_UTF8};
use crate::error::excerpt;
use crate::read::column::Problem;
use crate::read::names;
use crate::{Error, Place, Result};
use csv::ByteRecord;
use std::io;

/// No table has more columns.
const MOST_COLUMNS: usize = 1 << 20;

/// What errors say about a text.
pub(super) struct CsvText<'a> {
    pub(super) name: &'a str,
    pub(super) gzip: bool,
    pub(super) delimiter: u8,
    /// The line of the record that begins at or after a byte.
    pub(super) line_at: &'a dyn Fn(u64) -> u64,
}

impl CsvText<'_> {
    pub(super) fn unusable(&self, what: impl Into<String>) -> Error {
        Error::Table { input: self.name.into(), what: what.into() }
    }

    /// The names of the columns.
    pub(super) fn column_names(&self, header: &ByteRecord) -> Result<Vec<String>> {
        if header.len() > MOST_COLUMNS {
            return Err(self.unusable(format!(
                "the first line has {} columns; expected at most {MOST_COLUMNS} (delimiter {:?})",
                header.len(),
                self.delimiter as char
            )));
        }
        let fields: Vec<&[u8]> = header.iter().collect();
        let mut names = Vec::with_capacity(fields.len());
        for (at, &field) in fields.iter().enumerate() {
            let field = match at {
                0 => field.strip_prefix(BYTE_ORDER_MARK).unwrap_or(field),
                _ => field,
            };
            names.push(std::str::from_utf8(field).map_err(|_| {
                self.unusable(format!(
                    "line {}: the name of column {} ({}) is not UTF-8; {TO_UTF8}",
                    (self.line_at)(byte_of(header)),
                    at + 1,
                    excerpt(&String::from_utf8_lossy(field))
                ))
            })?);
        }
        names::column_names(names.into_iter()).map_err(|what| self.unusable(what))
    }

    /// A text without a header.
    pub(super) fn without_header(&self) -> Error {
        self.unusable("the file holds no text; expected a line of column names first")
    }

    /// A quote that is never closed swallows the rest of the file into one cell.
    pub(super) fn check_last_quote(&self, last: &Batch, quotes: u64) -> Result<()> {
        let Some(record) = last.records().last() else { return Ok(()) };
        let swallowed = record.iter().next_back().is_some_and(|field| field.contains(&b'\n'));
        if quotes % 2 == 1 && swallowed {
            return Err(self.unusable(format!(
                "line {}: a quote that opens in this record is never closed",
                (self.line_at)(byte_of(record))
            )));
        }
        Ok(())
    }

    pub(super) fn cell_error(&self, column: &str, problem: Problem) -> Error {
        Error::Cell {
            input: self.name.into(),
            place: Place::Line((self.line_at)(problem.at)),
            column: column.into(),
            found: problem.found,
            expected: problem.expected,
        }
    }

    pub(super) fn csv_error(&self, error: csv::Error) -> Error {
        let text = error.to_string();
        match error.into_kind() {
            csv::ErrorKind::Io(error) if is_too_long(&error) => self.unusable(format!(
                "a record is longer than {} MB: either a quote is never closed, or this is no table",
                LONGEST_RECORD / 1_000_000
            )),
            csv::ErrorKind::Io(error) => stream_error(self.name, self.gzip, error),
            csv::ErrorKind::UnequalLengths { pos, expected_len, len } => self.unusable(format!(
                "line {}: found {len} fields; expected {expected_len} as in the header (delimiter {:?})",
                (self.line_at)(pos.map_or(0, |position| position.byte())),
                self.delimiter as char
            )),
            _ => self.unusable(text),
        }
    }
}

/// What went wrong while bytes were read.
pub(super) fn stream_error(name: &str, gzip: bool, error: io::Error) -> Error {
    let unusable = |what: String| Error::Table { input: name.into(), what };
    match error.kind() {
        io::ErrorKind::UnexpectedEof if gzip => unusable(
            "the gzip data ends too early: the file is truncated; fetch or write it again".into(),
        ),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData if gzip => {
            unusable(format!("the gzip data is damaged ({error}); fetch or write it again"))
        }
        _ => Error::Read { input: name.into(), error },
    }
}
