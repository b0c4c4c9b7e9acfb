//! Model files by name: ours (binary, or JSON when the name ends in `.json`), and those of other
//! libraries.

use crate::output::printer::Printer;
use crate::output::terminal::size;
use anyhow::{Context, Result};
use lmdi::file::Model;
use lmdi::forest::import::{Rounds, detect, read};
use lmdi_io::atomic::AtomicFile;
use lmdi_io::printable::printable;
use std::io::Write;
use std::path::Path;

/// Reads a model of lmdi, in either form, or of another library, by its bytes.
pub fn load(path: &Path) -> Result<Model> {
    let name = path.display().to_string();
    let bytes =
        std::fs::read(path).with_context(|| format!("cannot read model {}", printable(&name)))?;
    from_bytes(&bytes).with_context(|| printable(&name).into_owned())
}

fn from_bytes(bytes: &[u8]) -> lmdi::Result<Model> {
    if detect(bytes)?.is_none() {
        return Model::from_bytes(bytes);
    }
    let model = Model::from(read(bytes, Rounds::Best)?);
    model.check()?;
    Ok(model)
}

/// The command that gives the model of a file an explainer.
pub fn explainer_command(path: &Path) -> &'static str {
    if is_foreign(path) {
        "`lmdi explain TRAINING_ROWS --model MODEL --target COL --save FILE.lmdi`"
    } else {
        "`lmdi explain TRAINING_ROWS --model MODEL --save MODEL`"
    }
}

/// Whether the file of a model is of another library, and not to be replaced by ours.
pub fn is_foreign(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| detect(&bytes) != Ok(None))
}

/// Whether a file that starts with these bytes is meant to be a model.
pub fn is_start_of_model(bytes: &[u8]) -> bool {
    Model::is_start_of_model(bytes) || detect(bytes) != Ok(None)
}

/// Writes a model, whole or not at all, and says where it is.
pub fn save_and_tell(model: &Model, path: &Path, out: &mut Printer) -> Result<()> {
    let json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let mut file = AtomicFile::create(path)?;
    let bytes = if json {
        let bytes = model.to_json()?;
        file.write_all(&bytes)?;
        bytes.len() as u64
    } else {
        model.write_to(&mut file)?
    };
    file.commit()?;
    let name = path.display().to_string();
    writeln!(out, "\nSaved {} ({}).", printable(&name), size(bytes))?;
    out.wrote(path);
    Ok(())
}
