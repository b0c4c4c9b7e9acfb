//! Parquet: numbers, truth values and text, plain or dictionary-encoded; nested columns are
//! refused. How each type is taken over is in `arrow_cells`.

use super::column::{ColumnReader, Problem, Settled};
use super::input::{Content, Opened};
use super::{CellType, Format, ReadOptions, Table, arrow_cells, names};
use crate::copies::{Cells, CopiedColumn};
use crate::{Error, Place, Result};
use arrow_array::{Array, ArrayRef, RecordBatch, new_empty_array};
use arrow_select::concat::concat;
use lmdi::monitor::Monitor;
use lmdi::table::{Column, Frame, Values};
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
    options.check_copied(&all, opened)?;
    let read: Vec<usize> =
        (0..all.len()).filter(|&at| options.wants(&all[at]) || options.copies(&all[at])).collect();
    let mut columns = Vec::with_capacity(read.len());
    let is_left_out = |at: usize| {
        options.dropped.contains(&all[at]) && !arrow_cells::is_plain(fields[at].data_type())
    };
    for &at in &read {
        if !options.wants(&all[at]) || is_left_out(at) {
            columns.push(None);
            continue;
        }
        let held = arrow_cells::held(fields[at].data_type()).ok_or_else(|| {
            opened.unusable(format!(
                "column {:?} has type {}; expected numbers, truth values, dates or text: flatten it, or leave it out (--drop)",
                all[at],
                fields[at].data_type()
            ))
        })?;
        let stated = options.cells.get(&all[at]).copied();
        let stated = match held {
            arrow_cells::Held::Text => stated.or(Some(CellType::Text)),
            arrow_cells::Held::Numbers => stated,
        };
        columns.push(Some(ColumnReader::new(stated, options.rules(&all[at]), false)));
    }
    let mask = ProjectionMask::roots(builder.parquet_schema(), read.iter().copied());
    let batches: ParquetRecordBatchReader =
        builder.with_projection(mask).build().map_err(|error| damaged(opened, &error))?;
    let fail = |at: usize, problem: Problem| Error::Cell {
        input: opened.name().into(),
        place: Place::Row(problem.at + 1),
        column: all[read[at]].clone(),
        found: problem.found,
        expected: problem.expected,
    };
    let mut rows = 0;
    let mut copied: Vec<Vec<ArrayRef>> = vec![Vec::new(); read.len()];
    for batch in batches {
        let batch: RecordBatch = batch.map_err(|error| damaged(opened, &error))?;
        for (at, column) in columns.iter_mut().enumerate() {
            if let Some(column) = column {
                arrow_cells::append(batch.column(at), column, rows)
                    .map_err(|problem| fail(at, problem))?;
            }
            if options.copies(&all[read[at]]) {
                copied[at].push(batch.column(at).clone());
            }
        }
        rows += batch.num_rows() as u64;
        monitor.advance(batch.num_rows() as u64);
        monitor.check().map_err(|_| Error::Interrupted)?;
    }
    let mut finished = Vec::with_capacity(columns.len());
    let mut copies = Vec::new();
    for (at, column) in columns.into_iter().enumerate() {
        let name = &all[read[at]];
        if is_left_out(read[at]) {
            // There, so that whoever leaves it out finds it.
            let values = Values::Numbers(vec![f64::NAN; rows as usize]);
            finished.push(Column { name: name.clone(), values });
        }
        let settled = column.map(ColumnReader::finish).transpose();
        // Types are known beforehand, so that no column has to be read again.
        if let Some(Settled::Values(values, _)) = settled.map_err(|problem| fail(at, problem))? {
            finished.push(Column { name: name.clone(), values });
        }
        if options.copies(name) {
            let field = &fields[read[at]];
            let parts: Vec<&dyn Array> = copied[at].iter().map(AsRef::as_ref).collect();
            let array = match parts.as_slice() {
                [] => new_empty_array(field.data_type()),
                parts => concat(parts).map_err(|error| damaged(opened, &error))?,
            };
            copies.push(CopiedColumn {
                name: name.clone(),
                cells: Cells::Arrow(field.clone(), array),
            });
        }
    }
    let frame = Frame::new(finished).map_err(|error| opened.unusable(error.to_string()))?;
    let reading = options.reading();
    Ok(Table { frame, copies, format: Format::Parquet, sha256: None, reading, notices: vec![] })
}
