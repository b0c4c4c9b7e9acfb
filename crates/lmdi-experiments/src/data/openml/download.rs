//! From an address to a file, whole or not at all.

use anyhow::{Context, Result};
use lmdi_io::atomic::AtomicFile;
use std::io;
use std::path::Path;

/// Larger answers than this are not a data set of the catalogue.
const LARGEST: u64 = 4 << 30;

/// Fetches `url` into the file `path`.
pub fn to_file(url: &str, path: &Path) -> Result<()> {
    let failed = || format!("cannot fetch {url}; is OpenML reachable?");
    let mut answer = ureq::get(url).call().with_context(failed)?;
    let mut body = answer.body_mut().with_config().limit(LARGEST).reader();
    let mut file = AtomicFile::create(path)?;
    io::copy(&mut body, &mut file).with_context(failed)?;
    file.commit()?;
    Ok(())
}
