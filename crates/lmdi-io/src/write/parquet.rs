//! Parquet: 64-bit floats and dictionary-encoded strings, compressed with snappy; copied columns
//! keep their type.

use super::{OutputColumn, OutputTable, check_names, passed, rows_at_once};
use crate::copies::{Cells, CopiedColumn};
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{ArrowError, Field, Schema};
use lmdi::monitor::Monitor;
use lmdi::table::{Labels, MISSING, Values};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io::{self, Write};
use std::sync::Arc;

/// A row group ends when so much of it waits in memory.
const GROUP_BYTES: usize = 64 << 20;

/// The error of the file itself, where that is the cause.
fn plain(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        other => io::Error::other(other),
    }
}

/// A table that is written some rows at a time.
pub(super) struct ParquetWriter<W: Write + Send> {
    state: State<W>,
}

enum State<W: Write + Send> {
    /// The columns come with the first rows.
    Empty(W),
    Started(Box<ArrowWriter<W>>, Vec<String>),
    /// Of a table that could not be started.
    Failed,
}

impl<W: Write + Send> ParquetWriter<W> {
    pub(super) fn new(out: W) -> Self {
        Self { state: State::Empty(out) }
    }

    /// Adds rows.
    pub(super) fn write(&mut self, table: &OutputTable, monitor: &dyn Monitor) -> io::Result<()> {
        let batch = record_batch(table)?;
        let names = table.columns().iter().map(OutputColumn::name);
        if let State::Empty(_) = self.state
            && let State::Empty(out) = std::mem::replace(&mut self.state, State::Failed)
        {
            let properties =
                WriterProperties::builder().set_compression(Compression::SNAPPY).build();
            let writer = ArrowWriter::try_new(out, batch.schema(), Some(properties));
            let writer = Box::new(writer.map_err(plain)?);
            self.state = State::Started(writer, names.clone().map(str::to_owned).collect());
        }
        let State::Started(writer, first) = &mut self.state else {
            return Err(io::Error::other("the table could not be started"));
        };
        check_names(first, names)?;
        let at_once = rows_at_once(table, 1 << 20);
        for start in (0..batch.num_rows()).step_by(at_once) {
            let rows = at_once.min(batch.num_rows() - start);
            writer.write(&batch.slice(start, rows)).map_err(plain)?;
            if writer.in_progress_size() > GROUP_BYTES {
                writer.flush().map_err(plain)?;
            }
            passed(rows, monitor)?;
        }
        Ok(())
    }

    /// What was written to, with all rows.
    pub(super) fn finish(self) -> io::Result<W> {
        match self.state {
            State::Started(writer, _) => writer.into_inner().map_err(plain),
            State::Empty(_) | State::Failed => {
                Err(io::Error::other("a Parquet table needs columns before it is finished"))
            }
        }
    }
}

fn record_batch(table: &OutputTable) -> io::Result<RecordBatch> {
    let mut fields = Vec::with_capacity(table.columns().len());
    let mut arrays = Vec::with_capacity(table.columns().len());
    for column in table.columns() {
        let array = match column {
            OutputColumn::Computed(column) => match &column.values {
                Values::Numbers(cells) => numbers(cells),
                Values::Labels(labels) => strings(labels).map_err(io::Error::other)?,
            },
            OutputColumn::Copied(column) => match &column.cells {
                Cells::Text(labels) => strings(labels).map_err(io::Error::other)?,
                Cells::Arrow(_, array) => array.clone(),
            },
        };
        fields.push(match column {
            OutputColumn::Copied(CopiedColumn { name, cells: Cells::Arrow(field, _) }) => {
                field.as_ref().clone().with_name(name)
            }
            column => Field::new(column.name(), array.data_type().clone(), true),
        });
        arrays.push(array);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(io::Error::other)
}

fn numbers(cells: &[f64]) -> ArrayRef {
    let cells = cells.iter().map(|&x| (!x.is_nan()).then_some(x));
    Arc::new(cells.collect::<Float64Array>())
}

fn strings(labels: &Labels) -> Result<ArrayRef, ArrowError> {
    let codes: UInt32Array =
        labels.codes().iter().map(|&code| (code != MISSING).then_some(code)).collect();
    let levels = StringArray::from_iter_values(labels.levels());
    Ok(Arc::new(DictionaryArray::try_new(codes, Arc::new(levels))?))
}
