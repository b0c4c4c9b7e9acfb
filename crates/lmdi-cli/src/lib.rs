//! The `lmdi` command, as a function: the program `lmdi` calls it, and so does the Python package.
//!
//! A command is flags and printing; the work is in the library (`lmdi::study` and what it calls).
//!
//! | folder | what |
//! |---|---|
//! | `commands` | one file per command |
//! | `flags` | flags that commands share, and what they ask the library for |
//! | `input` | tables, model files, and studies made of both |
//! | `output` | text for people, result tables, files |
//! | `process` | progress bars and panics |
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 failed,
//! 2 invalid usage, 130 interrupted.

mod commands;
mod flags;
mod input;
mod output;
mod process;

use clap::{Parser, Subcommand};
use commands::{
    completions, convert, counterfactual, explain, importance, inspect, plot, predict, score,
    stability, subgroups, train,
};
use std::ffi::OsString;
use std::io;

#[derive(Parser)]
#[command(name = "lmdi", version, about, long_about = LONG_ABOUT, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const LONG_ABOUT: &str =
    "Trains tree ensembles on a CSV or Parquet table and explains, row by row, \
how much each column adds to a prediction (LMDI+, TreeSHAP and others).

Tables may be CSV (plain or gzip; delimiter found by itself) or Parquet; `-` reads standard input. \
Missing cells are: empty, NA, N/A, NaN, null, ? (in any case).";

const AFTER_HELP: &str = "\
Examples:
  lmdi explain houses.csv --target price --out scores.csv --save houses.lmdi
  lmdi score houses.lmdi new.parquet --out scores.parquet
  lmdi train houses.csv --target price --save houses.lmdi
  lmdi predict houses.lmdi new.parquet --out prices.csv
  lmdi importance houses.lmdi houses.csv --method mdi-plus
  lmdi counterfactual houses.lmdi houses.csv --rows 7 --threshold 300000
  lmdi subgroups houses.lmdi houses.csv --out groups.csv
  lmdi stability houses.csv --target price
  lmdi plot beeswarm houses.lmdi houses.csv --out beeswarm.svg
  lmdi inspect houses.csv
  lmdi inspect houses.lmdi --json
  lmdi convert houses.lmdi --save houses.json

Exit codes: 0 done, 1 failed, 2 invalid usage, 130 interrupted.";

#[derive(Subcommand)]
enum Command {
    Explain(Box<explain::Options>),
    Score(score::Options),
    Train(Box<train::Options>),
    Predict(predict::Options),
    Importance(importance::Options),
    Counterfactual(counterfactual::Options),
    Subgroups(subgroups::Options),
    Stability(Box<stability::Options>),
    Plot(Box<plot::Options>),
    Inspect(inspect::Options),
    Convert(convert::Options),
    Completions(completions::Options),
}

/// Runs the command with arguments, the first of which is its name, and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        // Help and the version are no errors, and go to standard output.
        Err(told) => {
            let _ = told.print();
            return if told.use_stderr() { INVALID_USAGE } else { DONE };
        }
    };
    lmdi_io::interrupt::install();
    let outcome = process::panics::guarded(|| match arguments.command {
        Command::Explain(options) => explain::run(&options),
        Command::Score(options) => score::run(&options),
        Command::Train(options) => train::run(&options),
        Command::Predict(options) => predict::run(&options),
        Command::Importance(options) => importance::run(&options),
        Command::Counterfactual(options) => counterfactual::run(&options),
        Command::Subgroups(options) => subgroups::run(&options),
        Command::Stability(options) => stability::run(&options),
        Command::Plot(options) => plot::run(&options),
        Command::Inspect(options) => inspect::run(&options),
        Command::Convert(options) => convert::run(&options),
        Command::Completions(options) => completions::run::<Arguments>(&options),
    });
    match outcome {
        Ok(()) => DONE,
        Err(error) => report(&error),
    }
}

// Exit codes.
const DONE: u8 = 0;
const FAILED: u8 = 1;
const INVALID_USAGE: u8 = 2;
const INTERRUPTED: u8 = 130;

fn report(error: &anyhow::Error) -> u8 {
    // A reader that has seen enough (`| head`) closes the pipe; that is no failure.
    let closed = error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
            || matches!(cause.downcast_ref::<lmdi_io::Error>(),
                Some(lmdi_io::Error::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe)
    });
    if closed {
        return DONE;
    }
    eprintln!("error: {}", lmdi_io::printable::printable(&readable(format!("{error:#}"))));
    let library = error.downcast_ref::<lmdi::Error>();
    let interrupted = matches!(library, Some(lmdi::Error::Interrupted))
        || matches!(error.downcast_ref::<lmdi_io::Error>(), Some(lmdi_io::Error::Interrupted));
    if interrupted {
        INTERRUPTED
    } else if matches!(library, Some(lmdi::Error::Parameter { .. })) {
        INVALID_USAGE
    } else {
        FAILED
    }
}

/// Cut where a name or cell of monstrous length would fill the screen.
fn readable(message: String) -> String {
    const LONGEST: usize = 2000;
    match message.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}... ({} bytes)", &message[..end], message.len()),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_flags_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn paragraphs_of_help_are_left_to_the_terminal_to_wrap() {
        for command in Arguments::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let (_, text) = help.split_once("\n\n").unwrap_or_default();
            for paragraph in text.split("\n\n") {
                assert!(!paragraph.contains('\n'), "{}: {paragraph}", command.get_name());
            }
        }
    }
}
