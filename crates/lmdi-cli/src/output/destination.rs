//! Where a result with a structure goes: a table (CSV or Parquet), or JSON by the ending of the
//! name.

use super::terminal::size;
use crate::process::progress::Progress;
use anyhow::Result;
use lmdi::table::Frame;
use lmdi::text::counted;
use lmdi_io::atomic::AtomicFile;
use lmdi_io::printable::printable;
use lmdi_io::write::{Output, write_table};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that does not exist yet, or standard output.
pub enum Destination {
    Table(Output),
    Json(PathBuf),
}

impl Destination {
    /// What a user names; fails if it cannot be written, before any work.
    pub fn from_argument(argument: Option<&Path>) -> Result<Option<Self>> {
        let Some(argument) = argument else { return Ok(None) };
        if argument.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
            check_writable(None, Some(argument))?;
            return Ok(Some(Self::Json(argument.to_owned())));
        }
        let output = Output::from_argument(argument)?;
        check_writable(Some(&output), None)?;
        Ok(Some(Self::Table(output)))
    }

    /// Where the report for people goes: not where the result goes.
    pub fn report(destination: Option<&Self>) -> Box<dyn Write> {
        match destination {
            Some(Self::Table(output)) => report_to(Some(output)),
            _ => report_to(None),
        }
    }

    /// Writes the result in the form that the name asks for, and says so.
    pub fn write(
        &self,
        table: impl FnOnce() -> Result<Frame>,
        json: impl FnOnce() -> serde_json::Value,
        out: &mut dyn Write,
    ) -> Result<()> {
        match self {
            Self::Json(path) => {
                let mut bytes = serde_json::to_vec_pretty(&json())?;
                bytes.push(b'\n');
                lmdi_io::atomic::write(path, &bytes)?;
                tell_written(path, bytes.len(), out)?;
            }
            Self::Table(output) => {
                let table = table()?;
                write_table(&table, output, &Progress::new("Writing", table.rows()))?;
                if let Output::Csv(path) | Output::Parquet(path) = output {
                    let name = path.display().to_string();
                    let rows = counted(table.rows(), "row");
                    writeln!(out, "\nWrote {} ({rows}).", printable(&name))?;
                }
            }
        }
        Ok(())
    }
}

/// Where the report for people goes: not where a table goes.
pub fn report_to(output: Option<&Output>) -> Box<dyn Write> {
    match output {
        Some(Output::Stdout) => Box::new(io::stderr().lock()),
        _ => Box::new(io::stdout().lock()),
    }
}

/// Fails if a file cannot be written, before the work whose result it is to hold. Nothing is
/// changed.
pub fn check_writable(output: Option<&Output>, save: Option<&Path>) -> Result<()> {
    let output = match output {
        Some(Output::Csv(path) | Output::Parquet(path)) => Some(path.as_path()),
        Some(Output::Stdout) | None => None,
    };
    for path in output.into_iter().chain(save) {
        // Taken back at once.
        AtomicFile::create(path)?;
    }
    Ok(())
}

/// Says where a file is.
pub fn tell_written(path: &Path, length: usize, out: &mut dyn Write) -> io::Result<()> {
    let name = path.display().to_string();
    writeln!(out, "\nWrote {} ({}).", printable(&name), size(length as u64))
}
