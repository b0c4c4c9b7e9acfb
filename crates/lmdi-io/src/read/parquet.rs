//! Parquet: numbers, truth values and text, plain or dictionary-encoded; nested columns are refused.
//!
//! | in the file | in the frame |
//! |---|---|
//! | integers, floats, decimals | numbers |
//! | date | days since 1970-01-01 |
//! | timestamp, time, duration | seconds (since 1970-01-01, midnight, zero) |
//! | boolean | text `false` and `true` |
//! | strings, dictionaries of strings | text |

use super::column::{ColumnReader, Problem, Settled};
use super::input::{Content, Opened};
use super::{CellType, Format, ReadOptions, Table, names};
use crate::{Error, Place, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use lmdi::monitor::Monitor;
use lmdi::table::{Column, Frame};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(super) fn read(opened: &Opened, options: &ReadOptions, monitor: &dyn Monitor) -> Result<Table> {
    // The decoder is not ours: a hostile file that trips one of its assertions is still bad input.
    let read = AssertUnwindSafe(|| match opened.content() {
        Content::File(path) => {
            let file = File::open(path).map_err(|error| opened.read_error(error))?;
            read_from(opened, ParquetRecordBatchReaderBuilder::try_new(file), options, monitor)
        }
        Content::Memory(bytes) => {
            let builder = ParquetRecordBatchReaderBuilder::try_new(bytes.clone());
            read_from(opened, builder, options, monitor)
        }
    });
    catch_unwind(read).unwrap_or_else(|_| Err(damaged(opened, &"its content is inconsistent")))
}

fn damaged(opened: &Opened, why: &dyn std::fmt::Display) -> Error {
    opened.unusable(format!(
        "the Parquet file is truncated or damaged ({why}); fetch or write it again"
    ))
}

fn read_from<T: parquet::file::reader::ChunkReader + 'static>(
    opened: &Opened,
    builder: parquet::errors::Result<ParquetRecordBatchReaderBuilder<T>>,
    options: &ReadOptions,
    monitor: &dyn Monitor,
) -> Result<Table> {
    let builder = builder.map_err(|error| damaged(opened, &error))?;
    let fields = builder.schema().fields().clone();
    let all = names::column_names(fields.iter().map(|field| field.name().as_str()))
        .map_err(|what| opened.unusable(what))?;
    let wanted: Vec<usize> = (0..all.len()).filter(|&at| options.wants(&all[at])).collect();
    let mut columns = Vec::with_capacity(wanted.len());
    for &at in &wanted {
        let held = held(fields[at].data_type()).ok_or_else(|| {
            opened.unusable(format!(
                "column {:?} has type {}; expected numbers, truth values, dates or text: flatten it, or drop it before writing the file",
                all[at],
                fields[at].data_type()
            ))
        })?;
        let stated = options.cells.get(&all[at]).copied();
        let stated = if held.is_text() { stated.or(Some(CellType::Text)) } else { stated };
        columns.push((held, ColumnReader::new(stated)));
    }
    let mask = ProjectionMask::roots(builder.parquet_schema(), wanted.iter().copied());
    let batches: ParquetRecordBatchReader =
        builder.with_projection(mask).build().map_err(|error| damaged(opened, &error))?;
    let fail = |at: usize, problem: Problem| Error::Cell {
        input: opened.name().into(),
        place: Place::Row(problem.at + 1),
        column: all[wanted[at]].clone(),
        found: problem.found,
        expected: problem.expected,
    };
    let mut rows = 0;
    for batch in batches {
        let batch: RecordBatch = batch.map_err(|error| damaged(opened, &error))?;
        for (at, (held, column)) in columns.iter_mut().enumerate() {
            append(*held, batch.column(at), column, rows)
                .map_err(|failure| failure.into_error(opened, |problem| fail(at, problem)))?;
        }
        rows += batch.num_rows() as u64;
        monitor.advance(batch.num_rows() as u64);
        monitor.check().map_err(|_| Error::Interrupted)?;
    }
    let mut finished = Vec::with_capacity(columns.len());
    for (at, (_, column)) in columns.into_iter().enumerate() {
        // Types are known beforehand, so that no column has to be read again.
        if let Settled::Values(values) = column.finish().map_err(|problem| fail(at, problem))? {
            finished.push(Column { name: all[wanted[at]].clone(), values });
        }
    }
    let frame = Frame::new(finished).map_err(|error| opened.unusable(error.to_string()))?;
    Ok(Table { frame, format: Format::Parquet })
}

/// How the cells of an Arrow type are taken over.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Held {
    /// A number; the stored one is divided by this (the units of a second).
    Number(f64),
    Truth,
    Text,
    Nothing,
}

impl Held {
    fn is_text(self) -> bool {
        matches!(self, Held::Truth | Held::Text)
    }
}

fn held(data_type: &DataType) -> Option<Held> {
    Some(match data_type {
        DataType::Timestamp(unit, _)
        | DataType::Time32(unit)
        | DataType::Time64(unit)
        | DataType::Duration(unit) => Held::Number(match unit {
            TimeUnit::Second => 1.0,
            TimeUnit::Millisecond => 1e3,
            TimeUnit::Microsecond => 1e6,
            TimeUnit::Nanosecond => 1e9,
        }),
        DataType::Date64 => Held::Number(86_400_000.0),
        DataType::Date32 => Held::Number(1.0),
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => Held::Number(1.0),
        other if other.is_numeric() => Held::Number(1.0),
        DataType::Boolean => Held::Truth,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Held::Text,
        DataType::Dictionary(_, values) => return held(values),
        DataType::Null => Held::Nothing,
        _ => return None,
    })
}

enum Failure {
    Cell(Problem),
    Arrow(arrow_schema::ArrowError),
}

impl Failure {
    fn into_error(self, opened: &Opened, cell: impl FnOnce(Problem) -> Error) -> Error {
        match self {
            Failure::Cell(problem) => cell(problem),
            Failure::Arrow(error) => damaged(opened, &error),
        }
    }
}

fn append(
    held: Held,
    array: &ArrayRef,
    column: &mut ColumnReader,
    rows_before: u64,
) -> std::result::Result<(), Failure> {
    let at = |row: usize| rows_before + row as u64;
    match held {
        Held::Nothing => (0..array.len()).for_each(|_| column.push_missing()),
        Held::Number(divisor) => {
            let numbers = as_numbers(array).map_err(Failure::Arrow)?;
            let numbers = numbers.as_primitive::<Float64Type>();
            for (row, x) in numbers.iter().enumerate() {
                let x = x.map(|x| if divisor == 1.0 { x } else { x / divisor });
                column.push_number(x, at(row));
            }
        }
        Held::Truth | Held::Text => {
            let text = arrow_cast::cast(array, &DataType::LargeUtf8).map_err(Failure::Arrow)?;
            for (row, cell) in text.as_string::<i64>().iter().enumerate() {
                match cell {
                    Some(cell) => column.push(cell, at(row)).map_err(Failure::Cell)?,
                    None => column.push_missing(),
                }
            }
        }
    }
    Ok(())
}

/// Any numeric or time array as 64-bit floats. Times go by way of their integers, which is the only
/// route that casts offer.
fn as_numbers(array: &ArrayRef) -> std::result::Result<ArrayRef, arrow_schema::ArrowError> {
    let integers = match array.data_type() {
        DataType::Dictionary(_, values) => {
            return as_numbers(&arrow_cast::cast(array, values)?);
        }
        DataType::Timestamp(..)
        | DataType::Time64(_)
        | DataType::Duration(_)
        | DataType::Date64 => arrow_cast::cast(array, &DataType::Int64)?,
        DataType::Time32(_) | DataType::Date32 => arrow_cast::cast(array, &DataType::Int32)?,
        _ => array.clone(),
    };
    arrow_cast::cast(&integers, &DataType::Float64)
}
