//! CSV: plain or gzipped, UTF-8, with a header line.
//!
//! Records are read in batches; while one batch is read, the columns of the one before are parsed
//! in parallel. Memory is the finished columns plus two batches. Quoted fields may hold delimiters,
//! quotes (doubled) and line ends; empty lines are skipped.
//!
//! | file | what |
//! |---|---|
//! | here | a whole table, with types detected from the cells |
//! | `batches` | batches of rows, of columns whose type is known |
//! | `records` | batches of records, and the columns they are parsed into |
//! | `delimiter` | which character separates fields |
//! | `text`, `lines` | the header, and errors that name the line |

mod batches;
mod delimiter;
mod lines;
mod records;
mod text;

pub(super) use batches::CsvBatches;

use super::column::{ColumnReader, Settled};
use super::digest::{Hasher, Hashing};
use super::input::Opened;
use super::{CellType, Format, ReadOptions, Table, recognise};
use crate::copies::{Cells, CopiedColumn};
use crate::{Error, Result};
use csv::ByteRecord;
use flate2::read::MultiGzDecoder;
use lines::LineCount;
use lmdi::monitor::Monitor;
use lmdi::table::{Column, ColumnFormat, Frame, LabelsBuilder, NumberHints, Values};
use records::{Batch, Counter, Counts, Finished, Readers, byte_of, parse, parser};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use text::{CsvText, stream_error};

/// How much of the file the search for the delimiter reads.
const SAMPLE_BYTES: u64 = 1 << 16;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const TO_UTF8: &str = "save the file as UTF-8 (for example: iconv -f LATIN1 -t UTF-8)";

pub(super) fn read(
    opened: &Opened,
    gzip: bool,
    options: &ReadOptions,
    monitor: &dyn Monitor,
) -> Result<Table> {
    let delimiter = match options.delimiter {
        Some(delimiter) => delimiter,
        None => find_delimiter(&sample(opened.name(), gzip, text_reader(opened, gzip, None)?)?),
    };
    let file = CsvFile { opened, gzip, delimiter };
    let hasher = options.sha256.then(Hasher::default);
    let mut pass = file.pass(hasher.as_ref())?;
    let names = file.header(&mut pass)?;
    let options = options.for_columns(&names, opened.name())?;
    let stated = |name: &String| {
        options.wants(name).then(|| {
            let cells = options.cells.get(name).copied();
            ColumnReader::new(cells, options.rules(name), options.recognise)
        })
    };
    let readers = names.iter().map(|name| Readers {
        cells: stated(name),
        copy: options.copies(name).then(LabelsBuilder::default),
    });
    let first = file.columns(pass, &names, readers.collect(), Some(monitor))?;
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
        let mut pass = file.pass(None)?;
        file.header(&mut pass)?;
        let readers = again.iter().enumerate().map(as_text).collect();
        let read = file.columns(pass, &names, readers, None)?;
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
            let found = recognise::look_at(&name, labels, &hints, |row| file.line_of_row(row));
            match found.values {
                Some(numbers) => values = numbers,
                None => problem.map_or(Ok(()), |problem| {
                    Err(file.text(|text| text.cell_error(&name, problem)))
                })?,
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
    Ok(unpacked(raw, gzip))
}

/// The text of a file.
fn unpacked<'a>(raw: Box<dyn Read + Send + 'a>, gzip: bool) -> Box<dyn Read + Send + 'a> {
    if gzip {
        Box::new(MultiGzDecoder::new(io::BufReader::with_capacity(1 << 16, raw)))
    } else {
        raw
    }
}

/// The first part of a text, from which its delimiter is found.
fn sample(name: &str, gzip: bool, text: impl Read) -> Result<Vec<u8>> {
    let mut sample = Vec::new();
    let read = text.take(SAMPLE_BYTES).read_to_end(&mut sample);
    read.map_err(|error| stream_error(name, gzip, error))?;
    if gzip && sample.starts_with(&[0x1f, 0x8b]) {
        let what = "this file is gzipped twice; unpack it first (gunzip)".into();
        return Err(Error::Table { input: name.into(), what });
    }
    if gzip && sample.starts_with(b"PAR1") {
        let what = "this is a gzipped Parquet file; unpack it first (gunzip)".into();
        return Err(Error::Table { input: name.into(), what });
    }
    Ok(sample)
}

fn find_delimiter(sample: &[u8]) -> u8 {
    let start = sample.strip_prefix(BYTE_ORDER_MARK).unwrap_or(sample);
    delimiter::find(start, sample.len() as u64 == SAMPLE_BYTES)
}

struct CsvFile<'a> {
    opened: &'a Opened,
    gzip: bool,
    delimiter: u8,
}

/// One reading of a file, from its start to its end.
struct Pass<'q> {
    reader: csv::Reader<Counter<Box<dyn Read + Send + 'q>>>,
    counts: Arc<Counts>,
}

impl<'a> CsvFile<'a> {
    /// Opens the file; the hasher is shown every byte that is read.
    fn pass<'q>(&self, hasher: Option<&'q Hasher>) -> Result<Pass<'q>>
    where
        'a: 'q,
    {
        let counts = Arc::new(Counts::default());
        let inner = text_reader(self.opened, self.gzip, hasher)?;
        let reader = parser(Counter { inner, counts: counts.clone() }, self.delimiter);
        Ok(Pass { reader, counts })
    }

    fn header(&self, pass: &mut Pass<'_>) -> Result<Vec<String>> {
        let mut header = ByteRecord::new();
        let found = pass.reader.read_byte_record(&mut header);
        self.text(|text| match found {
            Ok(true) => text.column_names(&header),
            Ok(false) => Err(text.without_header()),
            Err(error) => Err(text.csv_error(error)),
        })
    }

    /// Reads all records after the header; columns without a reader are skipped.
    fn columns(
        &self,
        pass: Pass<'_>,
        names: &[String],
        mut readers: Vec<Readers>,
        monitor: Option<&dyn Monitor>,
    ) -> Result<Vec<Finished>> {
        let Pass { mut reader, counts } = pass;
        let mut current = Batch::default();
        let mut next = Batch::default();
        let csv_error = |error| self.text(|text| text.csv_error(error));
        current.fill(&mut reader, &counts).map_err(csv_error)?;
        while current.len > 0 {
            let (problem, filled) =
                rayon::join(|| parse(&current, &mut readers), || next.fill(&mut reader, &counts));
            if let Some((at, problem)) = problem {
                return Err(self.text(|text| text.cell_error(&names[at], problem)));
            }
            filled.map_err(csv_error)?;
            if next.len == 0 {
                let quotes = counts.quotes.load(Ordering::Relaxed);
                self.text(|text| text.check_last_quote(&current, quotes))?;
            }
            if let Some(monitor) = monitor {
                monitor.advance(current.len as u64);
                monitor.check().map_err(|_| Error::Interrupted)?;
            }
            std::mem::swap(&mut current, &mut next);
        }
        let settle = |(at, readers): (usize, Readers)| {
            let settled = readers.cells.map(ColumnReader::finish).transpose();
            let failed = |problem| self.text(|text| text.cell_error(&names[at], problem));
            Ok((settled.map_err(failed)?, readers.copy))
        };
        readers.into_iter().enumerate().map(settle).collect()
    }

    /// Works with the text as errors call it.
    fn text<T>(&self, work: impl FnOnce(&CsvText<'_>) -> T) -> T {
        let line_at = |byte| self.line_at(byte);
        let (name, gzip, delimiter) = (self.opened.name(), self.gzip, self.delimiter);
        work(&CsvText { name, gzip, delimiter, line_at: &line_at })
    }

    /// The line of a data row.
    fn line_of_row(&self, row: usize) -> u64 {
        let mut record = ByteRecord::new();
        if let Ok(mut pass) = self.pass(None) {
            // The header is the first record.
            for _ in 0..row + 2 {
                if !pass.reader.read_byte_record(&mut record).unwrap_or(false) {
                    break;
                }
            }
        }
        self.line_at(byte_of(&record))
    }

    /// The line of the record that begins at or after this byte.
    fn line_at(&self, byte: u64) -> u64 {
        let count = LineCount::default();
        let Ok(text) = text_reader(self.opened, self.gzip, None) else {
            return count.until(0, std::iter::empty());
        };
        let text = io::BufReader::with_capacity(1 << 16, text).bytes();
        count.until(byte, text.map_while(|byte| byte.ok()))
    }
}
