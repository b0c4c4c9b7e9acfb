//! `lmdi convert`: a model file in its other form.

use crate::input::model_file;
use crate::output::destination::check_writable;
use anyhow::Result;
use clap::Args;
use std::io;
use std::path::PathBuf;

/// Write a model file as JSON, or JSON as a model file.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi convert houses.lmdi --save houses.json
  lmdi convert houses.json --save houses.lmdi

Both forms hold the same model, explainer included, to the last bit. JSON is for other programs and for \
reading; it is several times larger. docs/model-format.md describes both.")]
pub struct Options {
    /// Model file in either form
    model: PathBuf,
    /// Where to write; a name ending in .json is written as JSON, any other in binary
    #[arg(long, value_name = "FILE")]
    save: PathBuf,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    check_writable(None, Some(&options.save))?;
    let model = model_file::load(&options.model)?;
    model_file::save_and_tell(&model, &options.save, &mut io::stdout().lock())
}
