//! `lmdi convert`: a model file in its other form.

use crate::input::model_file;
use crate::output::destination::Files;
use crate::output::printer::Printer;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Write a model file as JSON, or JSON as a model file.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi convert houses.lmdi --save houses.json
  lmdi convert houses.json --save houses.lmdi

Both forms hold the same model, including its explainer, to the last bit. JSON is for people and other \
programs; it is several times larger. docs/model-format.md describes both.")]
pub struct Options {
    /// Model file in either form
    model: PathBuf,
    /// Where to write; a name ending in .json gives JSON, any other the binary form
    #[arg(long, value_name = "FILE")]
    save: PathBuf,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let files = Files::default().reading("MODEL", Some(&options.model));
    files.writing("save", Some(&options.save)).check()?;
    let model = model_file::load(&options.model)?;
    let mut out = Printer::beside(None);
    model_file::save_and_tell(&model, &options.save, &mut out)?;
    out.finish()
}
