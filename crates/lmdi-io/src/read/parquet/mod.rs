//! Parquet: numbers, booleans and text, plain or dictionary-encoded; nested columns are refused.
//! `arrow_cells` converts each type.
//!
//! A table may be spread over several files, its parts, which are read one after another. Row
//! groups are decoded one by one, so that memory depends on the rows of a batch and not on those of
//! a file.

mod arrow_cells;
mod part;

pub(crate) use arrow_cells::is_plain;

use super::batches::TableBatch;
use super::column::{ColumnReader, Problem, Settled};
use super::input::{Content, Opened};
use super::{CellType, Format, ReadOptions, Table, names};
use crate::copies::{Cells, CopiedColumn};
use crate::{Error, Place, Result};
use arrow_array::{Array, ArrayRef, new_empty_array};
use arrow_schema::FieldRef;
use arrow_select::concat::concat;
use lmdi::monitor::Monitor;
use lmdi::table::{Column, ColumnFormat, Frame, Values};
use part::{Part, PartSource};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Reads a whole table.
pub(super) fn read(opened: &Opened, options: &ReadOptions, monitor: &dyn Monitor) -> Result<Table> {
    let mut batches = ParquetBatches::open(opened, options)?;
    let batch = batches.next(usize::MAX, monitor)?;
    let (frame, copies) = match batch {
        Some(TableBatch { frame, copies, .. }) => (frame, copies),
        None => batches.empty()?,
    };
    let mut reading = options.reading();
    for column in batches.wanted.iter().filter(|_| options.recognise) {
        let held = arrow_cells::held(column.field.data_type());
        let is_number = column.cells.is_some_and(|stated| stated != Some(CellType::Text));
        let format = held.and_then(arrow_cells::Held::format).filter(|_| is_number);
        if let (Some(format), None) = (format, reading.format_of(&column.name)) {
            let (name, missing) = (column.name.clone(), vec![]);
            reading.formats.push(ColumnFormat { name, format, missing });
        }
    }
    Ok(Table { frame, copies, format: Format::Parquet, sha256: None, reading, notices: vec![] })
}

/// A column that is read.
struct Wanted {
    name: String,
    field: FieldRef,
    /// What its cells become; `None` if they are only copied, or left out.
    cells: Option<Option<CellType>>,
    /// Of a type that has no place in a table, and read as missing.
    is_left_out: bool,
    is_copied: bool,
}

/// A table in one or several files that is read batch by batch.
pub(super) struct ParquetBatches {
    name: String,
    parts: Vec<PartSource>,
    /// Rows before each part, and in all.
    starts: Vec<u64>,
    wanted: Vec<Wanted>,
    options: ReadOptions,
    /// The part that is being read.
    current: Option<Part>,
    next_part: usize,
    rows_done: u64,
}

impl ParquetBatches {
    /// Reads what all files say about themselves, so that a part that is missing, damaged or of another
    /// kind is known before any row is read.
    pub(super) fn open(opened: &Opened, options: &ReadOptions) -> Result<Self> {
        let sources = match opened.content() {
            Content::File(path) => vec![PartSource::File(opened.name().into(), path.clone())],
            Content::Memory(bytes) => {
                vec![PartSource::Memory(opened.name().into(), bytes.clone())]
            }
            Content::Parts(paths) => {
                let named = |path: &std::path::PathBuf| {
                    PartSource::File(path.display().to_string(), path.clone())
                };
                paths.iter().map(named).collect()
            }
        };
        let mut starts = vec![0];
        let mut wanted: Vec<Wanted> = Vec::new();
        let mut options = options.clone();
        for (at, source) in sources.iter().enumerate() {
            let fields = guarded(source.name(), || source.fields())?;
            if at == 0 {
                (wanted, options) = wanted_columns(source.name(), &fields.fields, &options)?;
            } else {
                let first = sources[0].name();
                wanted.iter().try_for_each(|column| {
                    same_column(source.name(), &fields.fields, column, first)
                })?;
            }
            starts.push(starts[at] + fields.rows);
        }
        Ok(Self {
            name: opened.name().into(),
            parts: sources,
            starts,
            wanted,
            options,
            current: None,
            next_part: 0,
            rows_done: 0,
        })
    }

    /// Number of rows, as the files say.
    pub(super) fn rows(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The next rows: `enough` and a few more, or those that are left; `None` at the end.
    pub(super) fn next(
        &mut self,
        enough: usize,
        monitor: &dyn Monitor,
    ) -> Result<Option<TableBatch>> {
        if self.wanted.is_empty() {
            // Without a column there is no row to count: whoever misses one says so by name.
            let frame = self.empty()?.0;
            let told = std::mem::replace(&mut self.next_part, self.parts.len()) > 0;
            let batch = TableBatch { frame, copies: vec![], rows: 0, is_last: true };
            return Ok((!told).then_some(batch));
        }
        let mut columns = self.readers();
        let mut copied: Vec<Vec<ArrayRef>> = vec![Vec::new(); self.wanted.len()];
        let mut rows = 0_usize;
        while rows < enough {
            let Some(batch) = self.decode()? else { break };
            for (at, column) in columns.iter_mut().enumerate() {
                if let Some(column) = column {
                    let format = self.options.rules(&self.wanted[at].name).format;
                    arrow_cells::append(&batch[at], column, format, self.rows_done)
                        .map_err(|problem| self.cell_error(at, problem))?;
                }
                if self.wanted[at].is_copied {
                    copied[at].push(batch[at].clone());
                }
            }
            let n = batch.first().map_or(0, |column| column.len());
            rows += n;
            self.rows_done += n as u64;
            monitor.advance(n as u64);
            monitor.check().map_err(|_| Error::Interrupted)?;
        }
        if rows == 0 {
            return Ok(None);
        }
        let (frame, copies) = self.finish(columns, copied, rows)?;
        let is_last = self.rows_done >= self.rows();
        Ok(Some(TableBatch { frame, copies, rows, is_last }))
    }

    /// The columns without any row.
    fn empty(&self) -> Result<(Frame, Vec<CopiedColumn>)> {
        self.finish(self.readers(), vec![Vec::new(); self.wanted.len()], 0)
    }

    fn readers(&self) -> Vec<Option<ColumnReader>> {
        let reader = |column: &Wanted| {
            let stated = column.cells?;
            Some(ColumnReader::new(stated, self.options.rules(&column.name), false))
        };
        self.wanted.iter().map(reader).collect()
    }

    /// Some more rows, column by column as wanted.
    fn decode(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        loop {
            let part = match &mut self.current {
                Some(part) => part,
                None => {
                    let Some(source) = self.parts.get(self.next_part) else { return Ok(None) };
                    self.next_part += 1;
                    let names: Vec<&str> =
                        self.wanted.iter().map(|column| column.name.as_str()).collect();
                    let part = guarded(source.name(), || source.open(&names))?;
                    self.current.insert(part)
                }
            };
            let source = &self.parts[self.next_part - 1];
            let decoded = catch_unwind(AssertUnwindSafe(|| part.next(source)));
            let inconsistent = || part::damaged_group(source, part.group, &INCONSISTENT);
            match decoded.unwrap_or_else(|_| Err(inconsistent()))? {
                Some(columns) => return Ok(Some(columns)),
                None => self.current = None,
            }
        }
    }

    fn finish(
        &self,
        columns: Vec<Option<ColumnReader>>,
        copied: Vec<Vec<ArrayRef>>,
        rows: usize,
    ) -> Result<(Frame, Vec<CopiedColumn>)> {
        let mut finished = Vec::with_capacity(columns.len());
        let mut copies = Vec::new();
        for (at, (column, copied)) in columns.into_iter().zip(copied).enumerate() {
            let Wanted { name, field, is_left_out, is_copied, .. } = &self.wanted[at];
            if *is_left_out {
                // There, so that whoever leaves it out finds it.
                let values = Values::Numbers(vec![f64::NAN; rows]);
                finished.push(Column { name: name.clone(), values });
            }
            let settled = column.map(ColumnReader::finish).transpose();
            let settled = settled.map_err(|problem| self.cell_error(at, problem))?;
            // Types are known beforehand, so that no column has to be read again.
            if let Some(Settled::Values(values, _)) = settled {
                finished.push(Column { name: name.clone(), values });
            }
            if *is_copied {
                let parts: Vec<&dyn Array> = copied.iter().map(AsRef::as_ref).collect();
                let array = match parts.as_slice() {
                    [] => new_empty_array(field.data_type()),
                    parts => concat(parts).map_err(|error| part::damaged(&self.name, &error))?,
                };
                let cells = Cells::Arrow(field.clone(), array);
                copies.push(CopiedColumn { name: name.clone(), cells });
            }
        }
        let unusable =
            |error: lmdi::Error| Error::Table { input: self.name.clone(), what: error.to_string() };
        Ok((Frame::new(finished).map_err(unusable)?, copies))
    }

    fn cell_error(&self, column: usize, problem: Problem) -> Error {
        // The part that holds the row, and its place there.
        let part = self.starts.partition_point(|&start| start <= problem.at).max(1) - 1;
        let part = part.min(self.parts.len() - 1);
        Error::Cell {
            input: self.parts[part].name().into(),
            place: Place::Row(problem.at - self.starts[part] + 1),
            column: self.wanted[column].name.clone(),
            found: problem.found,
            expected: problem.expected,
        }
    }
}

/// What is said of a file that trips the decoder.
const INCONSISTENT: &str = "its content is inconsistent";

/// The decoder is not ours: a hostile file that trips one of its assertions is still bad input.
fn guarded<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(part::damaged(name, &INCONSISTENT)))
}

/// The columns to read, by what the first part says, and the options for them.
fn wanted_columns(
    input: &str,
    fields: &[FieldRef],
    options: &ReadOptions,
) -> Result<(Vec<Wanted>, ReadOptions)> {
    let unusable = |what: String| Error::Table { input: input.into(), what };
    let all = names::column_names(fields.iter().map(|field| field.name().as_str()));
    let all = all.map_err(unusable)?;
    let options = options.for_columns(&all, input)?;
    let mut wanted = Vec::new();
    for (name, field) in all.into_iter().zip(fields) {
        let (is_wanted, is_copied) = (options.wants(&name), options.copies(&name));
        if !is_wanted && !is_copied {
            continue;
        }
        let is_left_out =
            is_wanted && options.dropped.contains(&name) && !is_plain(field.data_type());
        let cells = if is_wanted && !is_left_out {
            let held = arrow_cells::held(field.data_type()).ok_or_else(|| {
                unusable(format!(
                    "column {name:?} has type {}; expected numbers, truth values, dates or text: flatten it, or leave it out (--drop)",
                    field.data_type()
                ))
            })?;
            let stated = options.cells.get(&name).copied();
            Some(match held {
                arrow_cells::Held::Text => stated.or(Some(CellType::Text)),
                _ => stated,
            })
        } else {
            None
        };
        wanted.push(Wanted { name, field: field.clone(), cells, is_left_out, is_copied });
    }
    Ok((wanted, options))
}

/// Fails unless a further part has the column too, of the same type.
fn same_column(input: &str, fields: &[FieldRef], column: &Wanted, first: &str) -> Result<()> {
    let unusable = |what: String| Error::Table { input: input.into(), what };
    let all = names::column_names(fields.iter().map(|field| field.name().as_str()));
    let all = all.map_err(unusable)?;
    let Some(at) = all.iter().position(|name| *name == column.name) else {
        return Err(unusable(format!(
            "there is no column {:?}, which {first} has; expected the same columns in every part",
            column.name
        )));
    };
    let (found, expected) = (fields[at].data_type(), column.field.data_type());
    let is_same = if column.is_copied {
        found == expected
    } else {
        arrow_cells::held(found) == arrow_cells::held(expected)
    };
    if is_same {
        return Ok(());
    }
    Err(unusable(format!(
        "column {:?} has type {found}; expected {expected} as in {first}",
        column.name
    )))
}
