//! The summary of a command: text for people, or with `--json` one JSON object of facts.
//!
//! A closed pipe (`| head -1`) or a full disk must not lose the results that a command still has to
//! write to files. A printer therefore never fails while it is written to; it reports errors at the
//! end. A closed pipe is not an error then.

use crate::process::console;
use anyhow::{Context, Result};
use lmdi_io::write::Output;
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static AS_JSON: AtomicBool = AtomicBool::new(false);

/// Summaries are JSON from here on.
pub fn print_json() {
    AS_JSON.store(true, Ordering::Relaxed);
}

/// Whether summaries are JSON.
pub fn is_json() -> bool {
    AS_JSON.load(Ordering::Relaxed)
}

/// Where a summary goes.
pub struct Printer {
    to: Box<dyn Write>,
    is_stdout: bool,
    shows_text: bool,
    facts: Map<String, Value>,
    failure: Option<io::Error>,
}

impl Printer {
    /// The printer of a summary beside results that go to files, or to this output.
    pub fn beside(output: Option<&Output>) -> Self {
        let is_stdout = output != Some(&Output::Stdout);
        let to: Box<dyn Write> =
            if is_stdout { Box::new(io::stdout().lock()) } else { Box::new(io::stderr().lock()) };
        let shows_text = !console::is_quiet() && !is_json();
        Self { to, is_stdout, shows_text, facts: Map::new(), failure: None }
    }

    /// The printer of a command whose result is what it prints, which no flag silences.
    pub fn of_result() -> Self {
        Self { shows_text: true, ..Self::beside(None) }
    }

    /// Adds a fact to the summary as JSON.
    pub fn fact(&mut self, name: &str, value: impl Into<Value>) {
        self.facts.insert(name.to_owned(), value.into());
    }

    /// Adds a file that was written to the summary as JSON.
    pub fn wrote(&mut self, path: &std::path::Path) {
        let name = Value::from(path.to_string_lossy());
        match self.facts.get_mut("files") {
            Some(Value::Array(files)) => files.push(name),
            _ => self.fact("files", vec![name]),
        }
    }

    /// Prints the facts if they are asked for, and tells what could not be printed.
    pub fn finish(mut self) -> Result<()> {
        if is_json() && !self.facts.is_empty() {
            let facts = Value::Object(std::mem::take(&mut self.facts));
            self.put(format!("{facts:#}\n").as_bytes());
        }
        let flushed = self.to.flush();
        match self.failure.or(flushed.err()) {
            Some(error) if self.is_stdout && error.kind() != io::ErrorKind::BrokenPipe => {
                Err(error).context("cannot write to standard output")
            }
            // A standard error that cannot be written to leaves nobody to tell.
            _ => Ok(()),
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        if self.failure.is_none() {
            self.failure = self.to.write_all(bytes).err();
        }
    }
}

impl Write for Printer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.shows_text {
            self.put(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.failure.is_none() {
            self.failure = self.to.flush().err();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Failing(io::ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn printer(kind: io::ErrorKind) -> Printer {
        let mut printer = Printer { to: Box::new(Failing(kind)), ..Printer::of_result() };
        writeln!(printer, "text").expect("never fails");
        printer
    }

    #[test]
    fn a_reader_that_goes_away_is_no_failure_and_a_full_disk_is_one() {
        assert!(printer(io::ErrorKind::BrokenPipe).finish().is_ok());
        assert!(printer(io::ErrorKind::StorageFull).finish().is_err());
    }
}
