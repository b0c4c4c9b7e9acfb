//! Model files by name: binary, or JSON when the name ends in `.json`.

use crate::terminal::size;
use anyhow::{Context, Result};
use lmdi::file::Model;
use lmdi_io::printable::printable;
use std::io::Write;
use std::path::Path;

/// Reads a model in either form.
pub fn load(path: &Path) -> Result<Model> {
    let name = path.display().to_string();
    let bytes =
        std::fs::read(path).with_context(|| format!("cannot read model {}", printable(&name)))?;
    Model::from_bytes(&bytes).with_context(|| printable(&name).into_owned())
}

/// Writes a model, whole or not at all, and says where it is.
pub fn save_and_tell(model: &Model, path: &Path, out: &mut dyn Write) -> Result<()> {
    let json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let bytes = if json { model.to_json()? } else { model.to_bytes()? };
    lmdi_io::atomic::write(path, &bytes)?;
    let name = path.display().to_string();
    Ok(writeln!(out, "\nSaved {} ({}).", printable(&name), size(bytes.len() as u64))?)
}
