//! How long each unit took, beside the results: times differ from run to run, and results must not.

use anyhow::{Context, Result};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A CSV file that is added to: the fields of a unit and its seconds.
pub struct Seconds {
    path: PathBuf,
    file: File,
}

impl Seconds {
    /// Opens the file, or starts it with its heading.
    pub fn open(path: &Path, fields: &[&'static str]) -> Result<Self> {
        let name = || path.display().to_string();
        let file = OpenOptions::new().create(true).append(true).open(path).with_context(name)?;
        let is_new = file.metadata().with_context(name)?.len() == 0;
        let mut opened = Self { path: path.to_owned(), file };
        if is_new {
            let heading: Vec<String> = fields.iter().map(|&field| field.to_owned()).collect();
            opened.write(&heading, "seconds")?;
        }
        Ok(opened)
    }

    /// Adds a unit that is done.
    pub fn add(&mut self, unit: &[String], took: Duration) -> Result<()> {
        self.write(unit, &format!("{:.3}", took.as_secs_f64()))
    }

    fn write(&mut self, cells: &[String], last: &str) -> Result<()> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(cells.iter().map(String::as_str).chain([last]))?;
        let name = || self.path.display().to_string();
        self.file.write_all(&writer.into_inner()?).with_context(name)
    }
}
