//! `lmdi completions`: scripts that let a shell complete commands and flags.

use crate::output::printer::Printer;
use anyhow::Result;
use clap::{Args, CommandFactory};
use std::io::Write;

/// Print a completion script for a shell.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi completions bash > ~/.local/share/bash-completion/completions/lmdi
  lmdi completions zsh > ~/.zfunc/_lmdi
  lmdi completions fish > ~/.config/fish/completions/lmdi.fish")]
pub struct Options {
    /// The shell
    shell: clap_complete::Shell,
}

/// Prints the script for the command line `C`.
pub fn run<C: CommandFactory>(options: &Options) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut C::command(), "lmdi", &mut script);
    let mut out = Printer::of_result();
    out.write_all(&script)?;
    out.finish()
}
