//! A table that is spread over the Parquet files of a directory.
//!
//! The files are read in the order of their paths, including those of subdirectories. As in Spark,
//! names that start with a dot or an underscore are not data. Any other file is refused, so that
//! none is overlooked.

use crate::{Error, Result};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// No table is nested deeper; a link to a directory above would lead on for ever.
const MOST_LEVELS: usize = 16;

/// The files of a table, in their order.
pub(super) fn of_directory(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(directory, MOST_LEVELS, &mut found)?;
    found.sort();
    if found.is_empty() {
        return Err(unusable(
            directory,
            "this is a directory without a Parquet file; expected a CSV or Parquet file, or a directory of \
             files whose names end in .parquet",
        ));
    }
    Ok(found)
}

fn unusable(path: &Path, what: &str) -> Error {
    Error::Table { input: path.display().to_string(), what: what.into() }
}

fn collect(directory: &Path, levels: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    let fail = |error: io::Error| Error::Read { input: directory.display().to_string(), error };
    for entry in fs::read_dir(directory).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if name.starts_with(['.', '_']) {
            continue;
        }
        if path.is_dir() {
            if name.contains('=') {
                return Err(unusable(
                    &path,
                    "this directory keeps a column in its name (partitions of Hive); expected all columns \
                     in the files: write the table without partition columns",
                ));
            }
            if levels == 0 {
                return Err(unusable(&path, "directories are nested too deeply for a table"));
            }
            collect(&path, levels - 1, found)?;
        } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
            found.push(path);
        } else {
            return Err(unusable(
                &path,
                "this file is no part of a Parquet table; expected only names that end in .parquet: move it \
                 elsewhere, or give it a name that starts with an underscore",
            ));
        }
    }
    Ok(())
}
