//! Records of a CSV text in batches, and the columns they are parsed into.

use super::TO_UTF8;
use crate::read::column::{ColumnReader, Problem, Settled};
use csv::ByteRecord;
use lmdi::table::LabelsBuilder;
use rayon::prelude::*;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A batch ends at whichever comes first; few long records must not fill the memory.
const BATCH_RECORDS: usize = 4096;
const BATCH_BYTES: usize = 1 << 20;
/// No record of a table is longer; a quote that is never closed, or a file without line ends, would
/// fill the memory.
pub(super) const LONGEST_RECORD: u64 = 1 << 25;

/// What is counted while a text is read.
#[derive(Default)]
pub(super) struct Counts {
    /// An odd number tells that one was never closed.
    pub(super) quotes: AtomicU64,
    /// Bytes since the last record was complete.
    unfinished: AtomicU64,
}

/// Counts on the way, and ends a record that never ends.
pub(super) struct Counter<R> {
    pub(super) inner: R,
    pub(super) counts: Arc<Counts>,
}

impl<R: Read> Read for Counter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let quotes = buffer[..n].iter().filter(|&&byte| byte == b'"').count();
        self.counts.quotes.fetch_add(quotes as u64, Ordering::Relaxed);
        let unfinished = self.counts.unfinished.fetch_add(n as u64, Ordering::Relaxed);
        if unfinished > LONGEST_RECORD {
            return Err(io::Error::other(RecordTooLong));
        }
        Ok(n)
    }
}

/// A record that does not end.
#[derive(Debug)]
struct RecordTooLong;

impl std::fmt::Display for RecordTooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a record is too long")
    }
}

impl std::error::Error for RecordTooLong {}

pub(super) fn is_too_long(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<RecordTooLong>())
}

/// A parser of text with this delimiter.
pub(super) fn parser<R: Read>(text: Counter<R>, delimiter: u8) -> csv::Reader<Counter<R>> {
    csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .buffer_capacity(1 << 17)
        .from_reader(text)
}

/// Consecutive records.
#[derive(Default)]
pub(super) struct Batch {
    records: Vec<ByteRecord>,
    pub(super) len: usize,
}

impl Batch {
    pub(super) fn records(&self) -> &[ByteRecord] {
        &self.records[..self.len]
    }

    /// Refills the batch; it stays empty at the end of the file.
    pub(super) fn fill<R: Read>(
        &mut self,
        reader: &mut csv::Reader<R>,
        counts: &Counts,
    ) -> csv::Result<()> {
        self.len = 0;
        let mut bytes = 0;
        while self.len < BATCH_RECORDS && bytes < BATCH_BYTES {
            if self.len == self.records.len() {
                self.records.push(ByteRecord::new());
            }
            if !reader.read_byte_record(&mut self.records[self.len])? {
                break;
            }
            counts.unfinished.store(0, Ordering::Relaxed);
            bytes += self.records[self.len].as_slice().len();
            self.len += 1;
        }
        Ok(())
    }
}

/// Where in the text a record begins.
pub(super) fn byte_of(record: &ByteRecord) -> u64 {
    record.position().map_or(0, csv::Position::byte)
}

/// What takes the cells of a column: the reader of its values, and its copy.
pub(super) struct Readers {
    pub(super) cells: Option<ColumnReader>,
    pub(super) copy: Option<LabelsBuilder>,
}

/// How a column ended, and its copy.
pub(super) type Finished = (Option<Settled>, Option<LabelsBuilder>);

/// Parses a batch into the columns; of several problems the first in the file is returned.
pub(super) fn parse(batch: &Batch, readers: &mut [Readers]) -> Option<(usize, Problem)> {
    let parse_column = |(column, readers): (usize, &mut Readers)| {
        let Readers { cells, copy } = readers;
        if cells.is_none() && copy.is_none() {
            return None;
        }
        for record in batch.records() {
            let at = byte_of(record);
            let outcome = match std::str::from_utf8(&record[column]) {
                Ok(text) => {
                    if let Some(copy) = copy {
                        copy.push(text);
                    }
                    cells.as_mut().map_or(Ok(()), |cells| cells.push(text, at))
                }
                Err(_) => Err(Problem {
                    at,
                    found: String::from_utf8_lossy(&record[column]).into_owned(),
                    expected: format!("text in UTF-8; {TO_UTF8}"),
                }),
            };
            if let Err(problem) = outcome {
                return Some((column, problem));
            }
        }
        None
    };
    readers
        .par_iter_mut()
        .enumerate()
        .with_min_len(readers_a_task(batch))
        .filter_map(parse_column)
        .min_by_key(|(column, problem)| (problem.at, *column))
}

/// Columns a task takes: enough cells that handing it out costs nothing beside the work.
fn readers_a_task(batch: &Batch) -> usize {
    (BATCH_RECORDS / batch.len.max(1)).max(1)
}
