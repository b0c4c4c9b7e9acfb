//! Parquet: numbers, truth values and text, plain or dictionary-encoded; nested columns are
//! refused. How each type is taken over is in `arrow_cells`.

use super::column::{ColumnReader, Problem, Settled};
use super::input::{Content, Opened};
use super::{CellType, Format, ReadOptions, Table, arrow_cells, names};
use crate::{Error, Place, Result};
use arrow_array::RecordBatch;
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
        let held = arrow_cells::held(fields[at].data_type()).ok_or_else(|| {
            opened.unusable(format!(
                "column {:?} has type {}; expected numbers, truth values, dates or text: flatten it, or drop it before writing the file",
                all[at],
                fields[at].data_type()
            ))
        })?;
        let stated = options.cells.get(&all[at]).copied();
        let stated = match held {
            arrow_cells::Held::Text => stated.or(Some(CellType::Text)),
            arrow_cells::Held::Numbers => stated,
        };
        columns.push(ColumnReader::new(stated));
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
        for (at, column) in columns.iter_mut().enumerate() {
            arrow_cells::append(batch.column(at), column, rows)
                .map_err(|problem| fail(at, problem))?;
        }
        rows += batch.num_rows() as u64;
        monitor.advance(batch.num_rows() as u64);
        monitor.check().map_err(|_| Error::Interrupted)?;
    }
    let mut finished = Vec::with_capacity(columns.len());
    for (at, column) in columns.into_iter().enumerate() {
        // Types are known beforehand, so that no column has to be read again.
        if let Settled::Values(values) = column.finish().map_err(|problem| fail(at, problem))? {
            finished.push(Column { name: all[wanted[at]].clone(), values });
        }
    }
    let frame = Frame::new(finished).map_err(|error| opened.unusable(error.to_string()))?;
    Ok(Table { frame, format: Format::Parquet, sha256: None })
}
