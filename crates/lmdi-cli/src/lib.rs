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
//! 2 invalid usage, 130 interrupted by Ctrl-C, 143 by the signal to terminate.

mod commands;
mod flags;
mod input;
mod output;
mod process;

use clap::error::ErrorKind;
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};
#[cfg(feature = "serve")]
use commands::serve;
use commands::{
    completions, convert, counterfactual, explain, importance, inspect, plot, predict, score,
    stability, subgroups, train,
};
use process::console;
use std::ffi::OsString;
use std::io::{self, Write};
use std::time::Duration;

#[derive(Parser)]
#[command(name = "lmdi", version, about, long_about = LONG_ABOUT, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Print only results and errors, without summary, notes and progress
    #[arg(long, short, global = true, help_heading = "Running")]
    quiet: bool,
    /// Print the summary as one JSON object
    #[arg(long, global = true, help_heading = "Running")]
    json: bool,
    /// Put an apostrophe before text in CSV results that a spreadsheet would run as a formula: text
    /// that begins with = + - or @ and is not a number
    #[arg(long, global = true, help_heading = "Running")]
    guard_formulas: bool,
    /// Memory limit, such as 500M or 4G; a run that needs more ends with a message [default: the
    /// memory of the machine]
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_memory, help_heading = "Running")]
    memory: Option<usize>,
}

/// A size in bytes: digits with a unit of thousands, such as 500M or 1.5G.
fn parse_size(text: &str) -> anyhow::Result<usize> {
    let text = text.trim().trim_end_matches(['b', 'B']);
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1e3),
        Some((at, 'm' | 'M')) => (&text[..at], 1e6),
        Some((at, 'g' | 'G')) => (&text[..at], 1e9),
        Some((at, 't' | 'T')) => (&text[..at], 1e12),
        _ => (text, 1.0),
    };
    match digits.trim().parse::<f64>() {
        Ok(number) if number * unit >= 1.0 && number.is_finite() => Ok((number * unit) as usize),
        _ => anyhow::bail!("expected a size, such as 500M or 4G"),
    }
}

/// A size that holds the program and a small table.
fn parse_memory(text: &str) -> anyhow::Result<usize> {
    match parse_size(text) {
        Ok(size) if size >= LEAST_MEMORY => Ok(size),
        _ => anyhow::bail!("expected a size of at least 50M, such as 500M or 4G"),
    }
}

/// Less does not hold the program and a small table.
const LEAST_MEMORY: usize = 50_000_000;

/// How long work may take to end cleanly once a signal asks for it.
const GRACE: Duration = Duration::from_millis(700);
/// The same for requests that a server is answering.
#[cfg(feature = "serve")]
const GRACE_OF_SERVER: Duration = Duration::from_secs(10);

const LONG_ABOUT: &str =
    "Trains tree ensembles on a CSV or Parquet table and explains, row by row, \
how much each column adds to a prediction (LMDI+, TreeSHAP and others).

Tables may be CSV (plain or gzip; the delimiter is detected) or Parquet; `-` reads standard input. \
Missing cells are empty, NA, N/A, NaN, null or ? (in any case).";

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
  lmdi serve houses.lmdi --report houses.html
  lmdi inspect houses.csv
  lmdi inspect houses.lmdi --json
  lmdi convert houses.lmdi --save houses.json

Exit codes: 0 done, 1 failed, 2 invalid usage, 130 interrupted (143 by `kill`).";

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
    #[cfg(feature = "serve")]
    Serve(serve::Options),
    Inspect(inspect::Options),
    Convert(convert::Options),
    Completions(completions::Options),
}

impl Command {
    /// How long it may take to end cleanly once a signal asks for it.
    fn grace(&self) -> Duration {
        match self {
            #[cfg(feature = "serve")]
            Command::Serve(_) => GRACE_OF_SERVER,
            _ => GRACE,
        }
    }
}

/// Runs the command with arguments, the first of which is its name, and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match parsed(arguments) {
        Ok(arguments) => arguments,
        // Help and the version are no errors, and go to standard output.
        Err(told) => {
            if told.kind() == ErrorKind::ValueValidation {
                // Standard error may be closed.
                let _ = write!(io::stderr(), "{}", in_words(&told.render().to_string()));
            } else {
                let _ = told.print();
            }
            return if told.use_stderr() { INVALID_USAGE } else { DONE };
        }
    };
    lmdi_io::interrupt::install(Some(arguments.command.grace()));
    // A little is left to the system, which would otherwise end the process without a word.
    let machine = lmdi_memory::of_machine().map(|bytes| bytes / 20 * 19);
    if let Some(limit) = arguments.memory.or(machine) {
        lmdi_memory::set_limit(limit);
    }
    if arguments.quiet {
        console::be_quiet();
    }
    if arguments.guard_formulas {
        output::destination::guard_formulas();
    }
    if arguments.json {
        output::printer::print_json();
    }
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
        #[cfg(feature = "serve")]
        Command::Serve(options) => serve::run(&options),
        Command::Inspect(options) => inspect::run(&options),
        Command::Convert(options) => convert::run(&options),
        Command::Completions(options) => completions::run::<Arguments>(&options),
    });
    match outcome {
        Ok(()) => DONE,
        Err(error) => report(&error),
    }
}

// Exit codes beside those of signals.
const DONE: u8 = 0;
const FAILED: u8 = 1;
const INVALID_USAGE: u8 = 2;

/// The command line, where a negative number is the value of any flag.
fn parsed(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let takes_number = |arg: Arg| {
        if arg.is_positional() || !arg.get_action().takes_values() {
            return arg;
        }
        arg.allow_negative_numbers(true)
    };
    let mut command = Arguments::command().mut_args(takes_number);
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().into()).collect();
    for name in names {
        command = command.mut_subcommand(name, |one| one.mut_args(takes_number));
    }
    Arguments::from_arg_matches(&command.try_get_matches_from(arguments)?)
}

/// What the standard library says about text that is no number, in words that tell what is expected.
fn in_words(message: &str) -> String {
    message
        .replace("invalid digit found in string", "expected a whole number")
        .replace("cannot parse integer from empty string", "expected a whole number")
        .replace("number too large to fit in target type", "expected a smaller number")
        .replace("invalid float literal", "expected a number")
        .replace("cannot parse float from empty string", "expected a number")
}

fn report(error: &anyhow::Error) -> u8 {
    let text = match error.downcast_ref::<lmdi::Error>() {
        Some(lmdi::Error::Parameter { name, found, expected }) => {
            let (found, expected) = (flags::with_flags(found), flags::with_flags(expected));
            let about = format!("{} is {found}; expected {expected}", flags::flag_of(name));
            context_of(error).map_or(about.clone(), |context| format!("{context}: {about}"))
        }
        _ => format!("{error:#}"),
    };
    console::error(lmdi_io::printable::printable(&readable(text)));
    let library = error.downcast_ref::<lmdi::Error>();
    let interrupted = matches!(library, Some(lmdi::Error::Interrupted))
        || matches!(error.downcast_ref::<lmdi_io::Error>(), Some(lmdi_io::Error::Interrupted));
    if interrupted {
        lmdi_io::interrupt::exit_code()
    } else if matches!(library, Some(lmdi::Error::Parameter { .. })) {
        INVALID_USAGE
    } else {
        FAILED
    }
}

/// What was said about an error on its way here.
fn context_of(error: &anyhow::Error) -> Option<String> {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    let said = &causes[..causes.len().saturating_sub(1)];
    (!said.is_empty()).then(|| said.join(": "))
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

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("500M").expect("valid"), 500_000_000);
        assert_eq!(parse_size("1.5 GB").expect("valid"), 1_500_000_000);
        for invalid in ["", "-5G", "G", "nanG", "infG"] {
            assert!(parse_size(invalid).is_err(), "{invalid}");
        }
        assert!(parse_memory("1").is_err());
    }

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
