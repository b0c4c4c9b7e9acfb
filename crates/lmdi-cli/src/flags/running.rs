//! How a command on tables runs, and what it does before any work.

use super::reading::ReadFlags;
use crate::input::tables::TableReader;
use crate::output::destination::Files;
use anyhow::{Context, Result};
use clap::Args;

/// How tables are read, and on how many threads the work is done.
#[derive(Args)]
pub struct RunFlags {
    #[command(flatten)]
    pub reading: ReadFlags,
    #[command(flatten)]
    threads: ThreadFlags,
}

impl RunFlags {
    /// Checks the flags and the files of the command, and sets the number of threads.
    pub fn start(&self, files: &Files<'_>) -> Result<TableReader> {
        self.apply()?;
        files.check()?;
        Ok(TableReader::new(&self.reading))
    }

    /// Checks the flags and sets the number of threads.
    pub fn apply(&self) -> Result<()> {
        self.threads.apply()?;
        self.reading.check()
    }
}

/// How many threads to use.
#[derive(Args)]
struct ThreadFlags {
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Running")]
    threads: Option<u16>,
}

impl ThreadFlags {
    /// Makes all work from here on use this many threads.
    fn apply(&self) -> Result<()> {
        let Some(threads) = self.threads else { return Ok(()) };
        rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(threads))
            .build_global()
            .context("cannot start the threads")
    }
}
