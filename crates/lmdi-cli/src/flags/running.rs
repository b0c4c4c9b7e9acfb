//! How a command runs.

use anyhow::{Context, Result};
use clap::Args;

/// How many threads to use.
#[derive(Args)]
pub struct ThreadFlags {
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Running")]
    pub threads: Option<u16>,
}

impl ThreadFlags {
    /// Makes all work from here on use this many threads.
    pub fn apply(&self) -> Result<()> {
        let Some(threads) = self.threads else { return Ok(()) };
        rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(threads))
            .build_global()
            .context("cannot start the threads")
    }
}
