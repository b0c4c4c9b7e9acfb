//! Model files by name: binary, or JSON when the name ends in `.json`.

use anyhow::{Context, Result};
use lmdi::file::Model;
use lmdi_io::printable::printable;
use std::path::Path;

/// Reads a model in either form.
pub fn load(path: &Path) -> Result<Model> {
    let name = path.display().to_string();
    let bytes =
        std::fs::read(path).with_context(|| format!("cannot read model {}", printable(&name)))?;
    Model::from_bytes(&bytes).with_context(|| printable(&name).into_owned())
}

/// Writes a model, whole or not at all, and returns its size in bytes.
pub fn save(model: &Model, path: &Path) -> Result<u64> {
    let json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let bytes = if json { model.to_json()? } else { model.to_bytes()? };
    lmdi_io::atomic::write(path, &bytes)?;
    Ok(bytes.len() as u64)
}
