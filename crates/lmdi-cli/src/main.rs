//! The `lmdi` command.
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

use clap::{Parser, Subcommand};
use commands::{
    completions, convert, counterfactual, explain, importance, inspect, plot, predict, score,
    stability, subgroups, train,
};
use process::console;
use std::process::ExitCode;
use std::time::Duration;

/// Every tree's fit takes a few megabytes and gives them back; the system's allocator would return
/// them to the system each time, and fetch them again page by page.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(name = "lmdi", version, about, long_about = LONG_ABOUT, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Print neither the summary nor notes and progress: results and errors only
    #[arg(long, short, global = true, help_heading = "Running")]
    quiet: bool,
    /// Print the summary as one JSON object
    #[arg(long, global = true, help_heading = "Running")]
    json: bool,
}

/// How long work may take to end cleanly once a signal asks for it.
const GRACE: Duration = Duration::from_millis(700);

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
    Inspect(inspect::Options),
    Convert(convert::Options),
    Completions(completions::Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    lmdi_io::interrupt::install(Some(GRACE));
    if arguments.quiet {
        console::be_quiet();
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
        Command::Inspect(options) => inspect::run(&options),
        Command::Convert(options) => convert::run(&options),
        Command::Completions(options) => completions::run::<Arguments>(&options),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error),
    }
}

fn report(error: &anyhow::Error) -> ExitCode {
    let text = match error.downcast_ref::<lmdi::Error>() {
        Some(lmdi::Error::Parameter { name, found, expected }) => {
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
        ExitCode::from(lmdi_io::interrupt::exit_code())
    } else if matches!(library, Some(lmdi::Error::Parameter { .. })) {
        ExitCode::from(2)
    } else {
        ExitCode::FAILURE
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
