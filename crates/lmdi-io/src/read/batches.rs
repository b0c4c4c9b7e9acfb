//! Tables of any length, in batches.
//!
//! Memory depends on the rows of a batch and not on those of the table. CSV is read once from its
//! start, so that it can come from a pipe. Parquet is read in place; from a pipe it goes to a
//! temporary file first. A directory stands for the Parquet files in it.
//!
//! A column without a stated type may hold numbers in one batch and text in another: state the types
//! that matter ([`ReadOptions::for_schema`] does).

use super::ReadOptions;
use super::csv::CsvBatches;
use super::input::{Input, Magic, Stream};
#[cfg(feature = "parquet")]
use super::parquet::ParquetBatches;
use crate::copies::CopiedColumn;
use crate::{Error, Result};
#[cfg(feature = "parquet")]
use lmdi::monitor::Silent;
use lmdi::table::Frame;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Consecutive rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableBatch {
    /// The columns.
    pub frame: Frame,
    /// The copied columns.
    pub copies: Vec<CopiedColumn>,
    /// Number of rows.
    pub rows: usize,
    /// Whether no row follows.
    pub is_last: bool,
}

/// How much there is to read, if known beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Total {
    /// Rows of Parquet files.
    Rows(u64),
    /// Bytes of a text file.
    Bytes(u64),
}

/// Reads a table batch by batch.
///
/// ```
/// use lmdi_io::read::{BatchReader, Input, ReadOptions};
/// let input = Input::bytes("inline", b"age,city\n31,Bonn\n40,Ulm\n".to_vec());
/// let mut reader = BatchReader::open(&input, &ReadOptions::default())?;
/// let mut rows = 0;
/// while let Some(batch) = reader.next(1000)? {
///     rows += batch.rows;
/// }
/// assert_eq!(rows, 2);
/// # Ok::<(), lmdi_io::Error>(())
/// ```
pub struct BatchReader {
    name: String,
    source: Source,
    total: Option<Total>,
    rows_done: u64,
    bytes_done: Arc<AtomicU64>,
    /// A copy of what came through a pipe, which goes away with the reader.
    _spooled: Option<tempfile::NamedTempFile>,
}

enum Source {
    Csv(Box<CsvBatches>),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetBatches>),
}

impl BatchReader {
    /// Opens a table: reads the header, or the metadata of Parquet files.
    pub fn open(input: &Input, options: &ReadOptions) -> Result<Self> {
        let Stream { name, magic, length, content, spooled } = input.stream()?;
        let bytes_done = Arc::new(AtomicU64::new(0));
        let (source, total) = match magic {
            #[cfg(feature = "parquet")]
            Magic::Parquet => {
                let batches = ParquetBatches::open(&content.opened(name.clone()), options)?;
                let rows = batches.rows();
                (Source::Parquet(Box::new(batches)), Some(Total::Rows(rows)))
            }
            #[cfg(not(feature = "parquet"))]
            Magic::Parquet => {
                let what = crate::error::NO_PARQUET.into();
                return Err(Error::Table { input: name, what });
            }
            text => {
                let counted = Counted { inner: content.reader(&name)?, done: bytes_done.clone() };
                let gzip = text == Magic::Gzip;
                let batches = CsvBatches::open(name.clone(), Box::new(counted), gzip, options)?;
                (Source::Csv(Box::new(batches)), length.map(Total::Bytes))
            }
        };
        Ok(Self { name, source, total, rows_done: 0, bytes_done, _spooled: spooled })
    }

    /// The table's name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How much there is to read.
    pub fn total(&self) -> Option<Total> {
        self.total
    }

    /// How much of it is read, in the same unit; rows if the total is unknown.
    pub fn done(&self) -> u64 {
        match self.total {
            Some(Total::Bytes(_)) => self.bytes_done.load(Ordering::Relaxed),
            _ => self.rows_done,
        }
    }

    /// The next rows: `enough` and a few thousand more at most, or those that are left; `None` at the
    /// end. A table without any row is an error.
    pub fn next(&mut self, enough: usize) -> Result<Option<TableBatch>> {
        let batch = match &mut self.source {
            Source::Csv(batches) => batches.next(enough)?,
            #[cfg(feature = "parquet")]
            Source::Parquet(batches) => batches.next(enough, &Silent)?,
        };
        self.rows_done += batch.as_ref().map_or(0, |batch| batch.rows as u64);
        if batch.is_none() && self.rows_done == 0 {
            let what = "the table has column names but no data row".into();
            return Err(Error::Table { input: self.name.clone(), what });
        }
        Ok(batch)
    }
}

/// Counts the bytes that pass.
struct Counted<R> {
    inner: R,
    done: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.done.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}
