//! Where results go, and checks before any work: whether each file can be written, whether two of
//! them are the same, and whether one would replace an input.

use super::printer::Printer;
use super::terminal::size;
use crate::flags::{flag_of, invalid};
use crate::process::console;
use crate::process::progress::Progress;
use anyhow::{Result, bail};
use lmdi::monitor::Monitor;
use lmdi::text::counted;
use lmdi_io::atomic::AtomicFile;
use lmdi_io::printable::printable;
use lmdi_io::same_file::is_same_file;
use lmdi_io::write::{Output, OutputTable, TableWriter};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether text that a spreadsheet would take for a formula is guarded in CSV.
static GUARDS_FORMULAS: AtomicBool = AtomicBool::new(false);

/// Guards text that a spreadsheet would take for a formula from here on.
pub fn guard_formulas() {
    GUARDS_FORMULAS.store(true, Ordering::Relaxed);
}

/// A file that does not exist yet, or standard output.
pub enum Destination {
    Table(Output),
    Json(PathBuf),
}

impl Destination {
    /// What a user names: a table by the ending of the name, or JSON.
    pub fn from_argument(argument: Option<&Path>) -> Result<Option<Self>> {
        let Some(argument) = argument else { return Ok(None) };
        if has_ending(argument, &["json"]) {
            return Ok(Some(Self::Json(argument.to_owned())));
        }
        Ok(Some(Self::Table(table_output(argument)?)))
    }

    /// The printer of the summary: not where the result goes.
    pub fn printer(destination: Option<&Self>) -> Printer {
        match destination {
            Some(Self::Table(output)) => Printer::beside(Some(output)),
            _ => Printer::beside(None),
        }
    }

    /// Writes the result in the form that the name asks for, and says so.
    pub fn write(
        &self,
        table: impl FnOnce() -> Result<OutputTable>,
        json: impl FnOnce() -> serde_json::Value,
        out: &mut Printer,
    ) -> Result<()> {
        match self {
            Self::Json(path) => {
                let mut bytes = serde_json::to_vec_pretty(&json())?;
                bytes.push(b'\n');
                write_file(path, &bytes, "", out)
            }
            Self::Table(output) => write_result(table()?, output, out),
        }
    }
}

/// The table that `--out` names.
pub fn table_output(argument: &Path) -> Result<Output> {
    Output::from_argument(argument).map_err(|error| match error {
        lmdi_io::Error::Table { what, .. } => invalid("out", format!("{argument:?}"), what),
        other => other.into(),
    })
}

/// Writes a table and says where it is. A reader of standard output that has seen enough is no
/// failure.
pub fn write_result(table: OutputTable, output: &Output, out: &mut Printer) -> Result<()> {
    let progress = Progress::new("Writing", table.rows());
    let mut writer = ResultWriter::create(output)?;
    if writer.write(table, &progress)? {
        drop(progress);
        writer.finish(out)?;
    }
    Ok(())
}

/// A table that is written some rows at a time.
pub struct ResultWriter<'o> {
    output: &'o Output,
    writer: TableWriter,
    rows: usize,
    columns: usize,
}

impl<'o> ResultWriter<'o> {
    /// Starts a table.
    pub fn create(output: &'o Output) -> Result<Self> {
        Ok(Self { output, writer: TableWriter::create(output)?, rows: 0, columns: 0 })
    }

    /// Adds rows. A reader of standard output that has seen enough is no failure, but nothing more
    /// needs to be written: false.
    pub fn write(&mut self, table: OutputTable, monitor: &dyn Monitor) -> Result<bool> {
        let table = table.guarding_formulas(GUARDS_FORMULAS.load(Ordering::Relaxed));
        self.rows += table.rows();
        self.columns = table.columns().len();
        match (self.output, self.writer.write(&table, monitor)) {
            (Output::Stdout, Err(lmdi_io::Error::Write(error)))
                if error.kind() == io::ErrorKind::BrokenPipe =>
            {
                Ok(false)
            }
            (_, written) => Ok(written.map(|()| true)?),
        }
    }

    /// Puts the table in its place and says where it is.
    pub fn finish(self, out: &mut Printer) -> Result<()> {
        self.writer.finish()?;
        if let Output::Csv(path) | Output::Parquet(path) = self.output {
            let name = path.display().to_string();
            let (rows, columns) = (counted(self.rows, "row"), counted(self.columns, "column"));
            writeln!(out, "\nWrote {} ({rows}, {columns}).", printable(&name))?;
            out.wrote(path);
        }
        out.fact("rows", self.rows);
        Ok(())
    }
}

/// Writes a file and says where it is, with what to do next.
pub fn write_file(path: &Path, bytes: &[u8], hint: &str, out: &mut Printer) -> Result<()> {
    lmdi_io::atomic::write(path, bytes)?;
    let name = path.display().to_string();
    writeln!(out, "\nWrote {} ({}){hint}.", printable(&name), size(bytes.len() as u64))?;
    out.wrote(path);
    Ok(())
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().unwrap_or_default();
    endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// The files that a command reads and writes.
#[derive(Default)]
pub struct Files<'a> {
    read: Vec<(&'static str, &'a Path)>,
    written: Vec<(&'static str, &'a Path)>,
}

impl<'a> Files<'a> {
    /// Files that are read, as the user calls them.
    pub fn reading(mut self, what: &'static str, path: Option<&'a Path>) -> Self {
        self.read.extend(path.filter(|path| *path != Path::new("-")).map(|path| (what, path)));
        self
    }

    /// A result, by the name of its parameter.
    pub fn writing(mut self, name: &'static str, path: Option<&'a Path>) -> Self {
        self.written.extend(path.map(|path| (name, path)));
        self
    }

    /// Fails if the results cannot be written, or would replace each other or what is read.
    /// Nothing is changed.
    pub fn check(&self) -> Result<()> {
        for &(name, path) in &self.written {
            check_name(name, path)?;
        }
        for (at, &(name, path)) in self.written.iter().enumerate() {
            let others = self.written[..at].iter().map(|(name, other)| (flag_of(name), *other));
            let read = self.read.iter().map(|(what, other)| ((*what).to_owned(), *other));
            for (what, other) in others.chain(read) {
                if path != Path::new("-") && is_same_file(path, other) {
                    return Err(invalid(
                        name,
                        format!("{path:?}, which is also {what}"),
                        "another file: the one would replace the other",
                    ));
                }
            }
        }
        for &(_, path) in self.written.iter().filter(|(_, path)| *path != Path::new("-")) {
            // Taken back at once.
            AtomicFile::create(path)?;
        }
        Ok(())
    }
}

/// Fails on a name that says another content than the result has.
fn check_name(name: &'static str, path: &Path) -> Result<()> {
    let found = || format!("{path:?}");
    // A device has no ending, and a directory is refused when it is opened.
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    match name {
        "save" | "report" if path == Path::new("-") => {
            Err(invalid(name, "-", "the name of a file (./- for one that is called -)"))
        }
        "report" if !has_ending(path, &["html", "htm"]) => {
            Err(invalid(name, found(), "a name that ends in .html: the report is a web page"))
        }
        "save" if has_ending(path, &["csv", "parquet", "html", "htm", "svg", "png", "pdf"]) => Err(
            invalid(name, found(), "the name of a model file, such as model.lmdi or model.json"),
        ),
        _ => Ok(()),
    }
}

/// What became of several results. One that fails does not keep the others from being written.
#[derive(Default)]
pub struct Outcomes {
    failures: Vec<anyhow::Error>,
}

impl Outcomes {
    /// Takes note of one; work that is to stop stops here.
    pub fn add(&mut self, outcome: Result<()>) -> Result<()> {
        match outcome {
            Err(error) if lmdi_io::interrupt::requested() => Err(error),
            Err(error) => {
                self.failures.push(error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Fails if one of them failed; all others are reported too.
    pub fn finish(mut self) -> Result<()> {
        let Some(last) = self.failures.pop() else { return Ok(()) };
        for failure in self.failures {
            console::error(printable(&format!("{failure:#}")));
        }
        bail!(last)
    }
}
