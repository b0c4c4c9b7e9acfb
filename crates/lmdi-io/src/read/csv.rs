//! CSV: plain or gzipped, UTF-8, with a header line.
//!
//! Records are read in batches; while one batch is read, the columns of the one before are parsed
//! in parallel. Memory is the finished columns plus two batches. Quoted fields may hold delimiters,
//! quotes (doubled) and line ends; empty lines are skipped.

use super::column::{ColumnReader, Problem, Settled};
use super::digest::{Hasher, Hashing};
use super::input::Opened;
use super::{CellType, Format, ReadOptions, Table, delimiter, names, recognise};
use crate::copies::{Cells, CopiedColumn};
use crate::error::excerpt;
use crate::{Error, Place, Result};
use csv::ByteRecord;
use flate2::read::MultiGzDecoder;
use lmdi::monitor::Monitor;
use lmdi::table::{Column, ColumnFormat, Frame, LabelsBuilder, NumberHints, Values};
use rayon::prelude::*;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};

/// A batch ends at whichever comes first; few long records must not fill the memory.
const BATCH_RECORDS: usize = 4096;
const BATCH_BYTES: usize = 1 << 20;
/// No record of a table is longer; a quote that is never closed, or a file without line ends, would
/// fill the memory.
const LONGEST_RECORD: u64 = 1 << 25;
/// No table has more columns.
const MOST_COLUMNS: usize = 1 << 20;
/// How much of the file the search for the delimiter reads.
const SAMPLE_BYTES: u64 = 1 << 16;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) fn read(
    opened: &Opened,
    gzip: bool,
    options: &ReadOptions,
    monitor: &dyn Monitor,
) -> Result<Table> {
    let delimiter = match options.delimiter {
        Some(delimiter) => delimiter,
        None => find_delimiter(opened, gzip)?,
    };
    let file = CsvFile { opened, gzip, delimiter };
    let names = file.header()?;
    options.check_copied(&names, opened)?;
    let stated = |name: &String| {
        options.wants(name).then(|| {
            let cells = options.cells.get(name).copied();
            ColumnReader::new(cells, options.rules(name), options.recognise)
        })
    };
    let hasher = options.sha256.then(Hasher::default);
    let readers = names.iter().map(|name| Readers {
        cells: stated(name),
        copy: options.copies(name).then(LabelsBuilder::default),
    });
    let first = file.columns(&names, readers.collect(), hasher.as_ref(), Some(monitor))?;
    let (first, copied): (Vec<_>, Vec<_>) = first.into_iter().unzip();
    let sha256 = hasher.map(|hasher| hasher.finish(opened)).transpose()?;
    let is_again = |s: &Option<Settled>| matches!(s, Some(Settled::ReadAgain(_)));
    let again: Vec<bool> = first.iter().map(is_again).collect();
    let mut second = Vec::new();
    if again.contains(&true) {
        let as_text = |(at, &again): (usize, &bool)| {
            let rules = options.rules(&names[at]);
            let cells = again.then(|| ColumnReader::new(Some(CellType::Text), rules, false));
            Readers { cells, copy: None }
        };
        let read =
            file.columns(&names, again.iter().enumerate().map(as_text).collect(), None, None)?;
        second = read.into_iter().map(|(settled, _)| settled).collect();
    }
    let copies = names.iter().zip(copied).filter_map(|(name, copy)| {
        let cells = Cells::Text(copy?.finish());
        Some(CopiedColumn { name: name.clone(), cells })
    });
    let copies: Vec<CopiedColumn> = copies.collect();
    let mut columns: Vec<Column> = Vec::with_capacity(names.len());
    let mut reading = options.reading();
    let mut notices = Vec::new();
    let hints = NumberHints { comma_rather: delimiter != b',', ..options.numbers };
    for (at, (name, settled)) in names.into_iter().zip(first).enumerate() {
        let (settled, problem) = match settled {
            Some(Settled::ReadAgain(problem)) => (second[at].take(), problem),
            Some(Settled::Values(values, problem)) => {
                (Some(Settled::Values(values, None)), problem)
            }
            None => (None, None),
        };
        let Some(Settled::Values(mut values, _)) = settled else { continue };
        if let (Values::Labels(labels), true) = (&values, options.recognises(&name)) {
            let found = recognise::look_at(&name, labels, &hints);
            match found.values {
                Some(numbers) => values = numbers,
                None => problem.map_or(Ok(()), |problem| Err(file.cell_error(&name, problem)))?,
            }
            reading.formats.extend(found.format);
            notices.extend(found.notice);
        } else if let (Values::Numbers(_), Some(format)) = (&values, options.numbers.stated())
            && reading.format_of(&name).is_none()
        {
            reading.formats.push(ColumnFormat { name: name.clone(), format, missing: vec![] });
        }
        columns.push(Column { name, values });
    }
    let mut lengths = columns.iter().map(|column| column.values.len());
    let rows = lengths.next();
    if lengths.any(|length| Some(length) != rows) {
        return Err(opened.unusable("the file changed while it was read"));
    }
    let frame = Frame::new(columns).map_err(|error| opened.unusable(error.to_string()))?;
    let format = Format::Csv { delimiter, gzip };
    Ok(Table { frame, copies, format, sha256, reading, notices })
}

fn text_reader<'a>(
    opened: &'a Opened,
    gzip: bool,
    hasher: Option<&'a Hasher>,
) -> Result<Box<dyn Read + Send + 'a>> {
    let inner = opened.reader()?;
    let raw = match hasher {
        Some(hasher) => Box::new(Hashing { inner, hasher }),
        None => inner,
    };
    let text: Box<dyn Read + Send> = if gzip {
        Box::new(MultiGzDecoder::new(io::BufReader::with_capacity(1 << 16, raw)))
    } else {
        raw
    };
    Ok(text)
}

fn find_delimiter(opened: &Opened, gzip: bool) -> Result<u8> {
    let mut sample = Vec::new();
    let text = text_reader(opened, gzip, None)?;
    text.take(SAMPLE_BYTES)
        .read_to_end(&mut sample)
        .map_err(|error| stream_error(opened, gzip, error))?;
    if gzip && sample.starts_with(b"PAR1") {
        return Err(opened.unusable("this is a gzipped Parquet file; unpack it first (gunzip)"));
    }
    let start = sample.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&sample);
    Ok(delimiter::find(start, sample.len() as u64 == SAMPLE_BYTES))
}

fn stream_error(opened: &Opened, gzip: bool, error: io::Error) -> Error {
    if !gzip {
        return opened.read_error(error);
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => opened.unusable(
            "the gzip data ends too early: the file is truncated; fetch or write it again",
        ),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            opened.unusable(format!("the gzip data is damaged ({error}); fetch or write it again"))
        }
        _ => opened.read_error(error),
    }
}

/// What is counted while a file is read.
#[derive(Default)]
struct Counts {
    /// An odd number tells that one was never closed.
    quotes: AtomicU64,
    /// Bytes since the last record was complete.
    unfinished: AtomicU64,
}

/// Counts on the way, and ends a record that never ends.
struct Counter<'a, R> {
    inner: R,
    counts: &'a Counts,
}

impl<R: Read> Read for Counter<'_, R> {
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

#[derive(Default)]
struct Batch {
    records: Vec<ByteRecord>,
    len: usize,
}

impl Batch {
    fn records(&self) -> &[ByteRecord] {
        &self.records[..self.len]
    }

    /// Refills the batch; it stays empty at the end of the file.
    fn fill<R: Read>(&mut self, reader: &mut csv::Reader<R>, counts: &Counts) -> csv::Result<()> {
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
fn byte_of(record: &ByteRecord) -> u64 {
    record.position().map_or(0, csv::Position::byte)
}

/// What takes the cells of a column: the reader of its values, and its copy.
struct Readers {
    cells: Option<ColumnReader>,
    copy: Option<LabelsBuilder>,
}

/// How a column ended, and its copy.
type Finished = (Option<Settled>, Option<LabelsBuilder>);

struct CsvFile<'a> {
    opened: &'a Opened,
    gzip: bool,
    delimiter: u8,
}

impl<'a> CsvFile<'a> {
    fn reader<'q>(
        &self,
        counts: &'q Counts,
        hasher: Option<&'q Hasher>,
    ) -> Result<csv::Reader<Counter<'q, Box<dyn Read + Send + 'q>>>>
    where
        'a: 'q,
    {
        let inner = text_reader(self.opened, self.gzip, hasher)?;
        Ok(csv::ReaderBuilder::new()
            .delimiter(self.delimiter)
            .has_headers(false)
            .buffer_capacity(1 << 17)
            .from_reader(Counter { inner, counts }))
    }

    fn header(&self) -> Result<Vec<String>> {
        let counts = Counts::default();
        let mut header = ByteRecord::new();
        let found = self.reader(&counts, None)?.read_byte_record(&mut header);
        if !found.map_err(|error| self.csv_error(error))? {
            return Err(self
                .opened
                .unusable("the file holds no text; expected a line of column names first"));
        }
        if header.len() > MOST_COLUMNS {
            return Err(self.opened.unusable(format!(
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
                self.opened.unusable(format!(
                    "line {}: the name of column {} ({}) is not UTF-8; {TO_UTF8}",
                    self.line_at(byte_of(&header)),
                    at + 1,
                    excerpt(&String::from_utf8_lossy(field))
                ))
            })?);
        }
        names::column_names(names.into_iter()).map_err(|what| self.opened.unusable(what))
    }

    /// Reads all records and shows the hasher every byte; columns without a reader are skipped.
    fn columns(
        &self,
        names: &[String],
        mut readers: Vec<Readers>,
        hasher: Option<&Hasher>,
        monitor: Option<&dyn Monitor>,
    ) -> Result<Vec<Finished>> {
        let counts = Counts::default();
        let mut reader = self.reader(&counts, hasher)?;
        let mut current = Batch::default();
        let mut next = Batch::default();
        reader.read_byte_record(&mut ByteRecord::new()).map_err(|error| self.csv_error(error))?;
        current.fill(&mut reader, &counts).map_err(|error| self.csv_error(error))?;
        while current.len > 0 {
            let (problem, filled) =
                rayon::join(|| parse(&current, &mut readers), || next.fill(&mut reader, &counts));
            if let Some((at, problem)) = problem {
                return Err(self.cell_error(&names[at], problem));
            }
            filled.map_err(|error| self.csv_error(error))?;
            if next.len == 0 {
                self.check_last_quote(&current, counts.quotes.load(Ordering::Relaxed))?;
            }
            if let Some(monitor) = monitor {
                monitor.advance(current.len as u64);
                monitor.check().map_err(|_| Error::Interrupted)?;
            }
            std::mem::swap(&mut current, &mut next);
        }
        let settle = |(at, readers): (usize, Readers)| {
            let settled = readers.cells.map(ColumnReader::finish).transpose();
            let settled = settled.map_err(|problem| self.cell_error(&names[at], problem))?;
            Ok((settled, readers.copy))
        };
        readers.into_iter().enumerate().map(settle).collect()
    }

    /// A quote that is never closed swallows the rest of the file into one cell.
    fn check_last_quote(&self, last: &Batch, quotes: u64) -> Result<()> {
        let Some(record) = last.records().last() else { return Ok(()) };
        let swallowed = record.iter().next_back().is_some_and(|field| field.contains(&b'\n'));
        if quotes % 2 == 1 && swallowed {
            return Err(self.opened.unusable(format!(
                "line {}: a quote that opens in this record is never closed",
                self.line_at(byte_of(record))
            )));
        }
        Ok(())
    }

    /// The line of the record that begins at or after this byte.
    ///
    /// The parser's own count is off where line ends have two characters or empty lines were
    /// skipped. Counting again costs a pass, but only when there is an error to report.
    fn line_at(&self, byte: u64) -> u64 {
        let mut lines = 1;
        let Ok(text) = text_reader(self.opened, self.gzip, None) else { return lines };
        let mut before = byte;
        let mut last = 0;
        for next in io::BufReader::with_capacity(1 << 16, text).bytes() {
            let Ok(next) = next else { break };
            if before == 0 && !matches!(next, b'\r' | b'\n') {
                break;
            }
            before = before.saturating_sub(1);
            lines += u64::from(next == b'\r' || (next == b'\n' && last != b'\r'));
            last = next;
        }
        lines
    }

    fn cell_error(&self, column: &str, problem: Problem) -> Error {
        Error::Cell {
            input: self.opened.name().into(),
            place: Place::Line(self.line_at(problem.at)),
            column: column.into(),
            found: problem.found,
            expected: problem.expected,
        }
    }

    fn csv_error(&self, error: csv::Error) -> Error {
        let text = error.to_string();
        match error.into_kind() {
            csv::ErrorKind::Io(error) if is_too_long(&error) => self.opened.unusable(format!(
                "a record is longer than {} MB: either a quote is never closed, or this is no table",
                LONGEST_RECORD / 1_000_000
            )),
            csv::ErrorKind::Io(error) => stream_error(self.opened, self.gzip, error),
            csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
                self.opened.unusable(format!(
                    "line {}: found {len} fields; expected {expected_len} as in the header (delimiter {:?})",
                    self.line_at(pos.map_or(0, |position| position.byte())),
                    self.delimiter as char
                ))
            }
            _ => self.opened.unusable(text),
        }
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

fn is_too_long(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<RecordTooLong>())
}

const TO_UTF8: &str = "save the file as UTF-8 (for example: iconv -f LATIN1 -t UTF-8)";

/// Parses a batch into the columns; of several problems the first in the file is returned.
fn parse(batch: &Batch, readers: &mut [Readers]) -> Option<(usize, Problem)> {
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
