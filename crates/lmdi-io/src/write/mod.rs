//! Writing tables: CSV or Parquet by the ending of the file's name, whole or not at all.

mod csv;
mod output_table;
#[cfg(feature = "parquet")]
mod parquet;

pub use output_table::{OutputColumn, OutputTable};

use crate::atomic::AtomicFile;
use crate::copies::CopiedColumn;
use crate::{Error, Result};
use lmdi::monitor::Monitor;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where a table goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Standard output, as CSV.
    Stdout,
    /// A CSV file.
    Csv(PathBuf),
    /// A Parquet file; refused by a build without the feature `parquet`.
    Parquet(PathBuf),
}

impl Output {
    /// The output a user names: `-` is standard output, a file ends in `.csv` or `.parquet`.
    pub fn from_argument(argument: &Path) -> Result<Self> {
        if argument == Path::new("-") {
            return Ok(Output::Stdout);
        }
        let ending = argument.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match ending.as_str() {
            "csv" => Ok(Output::Csv(argument.to_owned())),
            #[cfg(not(feature = "parquet"))]
            "parquet" => Err(Error::Table {
                input: argument.display().to_string(),
                what: crate::error::NO_PARQUET.into(),
            }),
            #[cfg(feature = "parquet")]
            "parquet" => Ok(Output::Parquet(argument.to_owned())),
            _ => Err(Error::Table {
                input: argument.display().to_string(),
                what: "a name that ends in .csv or .parquet (or - for standard output)".into(),
            }),
        }
    }
}

impl Output {
    /// Fails if the output cannot hold a copied column: CSV has no nested cells and no bytes.
    pub fn check_holds(&self, column: &CopiedColumn) -> Result<()> {
        match column.type_without_text() {
            Some(found) if !matches!(self, Output::Parquet(_)) => Err(Error::Table {
                input: format!("column {:?}", column.name),
                what: format!("has type {found}, which CSV cannot hold; expected a Parquet output"),
            }),
            _ => Ok(()),
        }
    }
}

/// Writes a table. Missing cells are empty in CSV and null in Parquet; numbers read back as the
/// same bits, and copied columns are unchanged. The number of rows written so far is reported to
/// `monitor`.
///
/// ```
/// use lmdi::table::{Column, Frame, Values};
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("result.csv");
/// let score = Column { name: "score".into(), values: Values::Numbers(vec![0.5, f64::NAN]) };
/// let output = lmdi_io::write::Output::from_argument(&path)?;
/// lmdi_io::write::write_table(&Frame::new(vec![score])?.into(), &output, &lmdi::monitor::Silent)?;
/// assert_eq!(std::fs::read_to_string(&path)?, "score\n0.5\n\"\"\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_table(table: &OutputTable, output: &Output, monitor: &dyn Monitor) -> Result<()> {
    let mut writer = TableWriter::create(output)?;
    writer.write(table, monitor)?;
    writer.finish()
}

/// A table that is written in batches. A file appears under its name when it is finished; dropped
/// before, it leaves an existing file unchanged.
pub struct TableWriter {
    output: Output,
    sink: Sink,
}

enum Sink {
    Stdout(csv::CsvWriter<Stdout>),
    Csv(csv::CsvWriter<BufWriter<AtomicFile>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::ParquetWriter<BufWriter<AtomicFile>>>),
}

impl TableWriter {
    /// Starts a table.
    pub fn create(output: &Output) -> Result<Self> {
        let sink = match output {
            Output::Stdout => Sink::Stdout(csv::CsvWriter::new(Stdout)),
            Output::Csv(path) => Sink::Csv(csv::CsvWriter::new(buffered(path)?)),
            #[cfg(feature = "parquet")]
            Output::Parquet(path) => {
                Sink::Parquet(Box::new(parquet::ParquetWriter::new(buffered(path)?)))
            }
            #[cfg(not(feature = "parquet"))]
            Output::Parquet(path) => {
                let name = path.display().to_string();
                let name = crate::printable::printable(&name);
                let what = format!("cannot write {name}: {}", crate::error::NO_PARQUET);
                return Err(Error::Write(io::Error::new(io::ErrorKind::Unsupported, what)));
            }
        };
        Ok(Self { output: output.clone(), sink })
    }

    /// Adds rows; all batches must have the same columns. The number of rows written so far is reported to
    /// `monitor`.
    pub fn write(&mut self, table: &OutputTable, monitor: &dyn Monitor) -> Result<()> {
        for column in table.columns() {
            if let OutputColumn::Copied(column) = column {
                self.output.check_holds(column)?;
            }
        }
        let written = match &mut self.sink {
            Sink::Stdout(writer) => writer.write(table, monitor).and_then(|()| writer.flush()),
            Sink::Csv(writer) => writer.write(table, monitor),
            #[cfg(feature = "parquet")]
            Sink::Parquet(writer) => writer.write(table, monitor),
        };
        written.map_err(|error| match monitor.cancelled() {
            true => Error::Interrupted,
            false => Error::Write(error),
        })
    }

    /// Puts the table in its place.
    pub fn finish(self) -> Result<()> {
        let commit = |file: BufWriter<AtomicFile>| {
            file.into_inner().map_err(io::IntoInnerError::into_error)?.commit()
        };
        let finished = match self.sink {
            Sink::Stdout(mut writer) => writer.flush(),
            Sink::Csv(writer) => writer.finish().and_then(commit),
            #[cfg(feature = "parquet")]
            Sink::Parquet(writer) => writer.finish().and_then(commit),
        };
        finished.map_err(Error::Write)
    }
}

fn buffered(path: &Path) -> Result<BufWriter<AtomicFile>> {
    let file = AtomicFile::create(path).map_err(Error::Write)?;
    Ok(BufWriter::with_capacity(1 << 16, file))
}

/// Standard output, which errors name. A closed pipe must still be known as one.
struct Stdout;

impl Stdout {
    fn naming(error: io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("cannot write to standard output: {error}"))
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stdout().lock().write(bytes).map_err(Self::naming)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().lock().flush().map_err(Self::naming)
    }
}

/// Fails unless a further batch has the columns of the first.
fn check_names<'a>(
    first: &[String],
    found: impl ExactSizeIterator<Item = &'a str>,
) -> io::Result<()> {
    if first.len() == found.len() && first.iter().zip(found).all(|(first, found)| first == found) {
        return Ok(());
    }
    Err(io::Error::other("the rows of one table have different columns"))
}

/// Tells that rows were written, and fails if the work should end.
fn passed(rows: usize, monitor: &dyn Monitor) -> io::Result<()> {
    monitor.advance(rows as u64);
    monitor.check().map_err(io::Error::other)
}

/// Rows between two looks at the monitor, of a table this wide.
fn rows_at_once(table: &OutputTable, cells: usize) -> usize {
    (cells / table.columns().len().max(1)).max(1)
}
