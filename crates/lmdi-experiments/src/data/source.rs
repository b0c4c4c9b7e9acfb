//! Where data sets come from: a directory of files, or OpenML by way of a local cache.

use super::catalogue::DataSet;
use super::openml::Cache;
use super::table::Table;
use anyhow::{Context, Result};
use lmdi::monitor::Silent;
use lmdi_io::read::{Input, ReadOptions, read_table};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The column that a file of a data directory predicts.
const TARGET: &str = "target";

/// Where data sets come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// Files `<name>.csv.gz` with a column `target`.
    Directory(PathBuf),
    /// OpenML's files, kept in a directory.
    OpenMl(Cache),
}

/// A data set, and what it was read from.
#[derive(Debug)]
pub struct Loaded {
    pub table: Table,
    pub file: String,
    /// SHA-256 of the file.
    pub hash: String,
}

impl Source {
    /// Reads a data set.
    pub fn load(&self, set: &'static DataSet) -> Result<Loaded> {
        match self {
            Source::Directory(directory) => {
                let path = directory.join(format!("{}.csv.gz", set.file));
                let table =
                    read_table(&Input::Path(path.clone()), &ReadOptions::default(), &Silent)?;
                let table = Table::new(set, &table.frame, TARGET)
                    .with_context(|| path.display().to_string())?;
                Loaded::new(table, &path)
            }
            Source::OpenMl(cache) => {
                let found = cache.fetch(set.task)?;
                let table = Table::new(set, &found.frame()?, &found.target)
                    .with_context(|| found.path.display().to_string())?;
                Loaded::new(table, &found.path)
            }
        }
    }
}

impl Loaded {
    fn new(table: Table, path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let file =
            path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        Ok(Self { table, file, hash })
    }
}
