//! The tables and figures of the LMDI+ paper, one command each, with our numbers beside the printed
//! ones.
//!
//! | folder or file | what |
//! |---|---|
//! | `data` | the twelve data sets, from files or from OpenML, and how rows are prepared |
//! | `simulate` | responses and features whose signal is known |
//! | `ensemble`, `methods` | the ensembles and the methods that explain them |
//! | `least_squares` | linear regression for subgroups |
//! | `run` | repetitions in parallel, kept as they finish, continued after an interruption |
//! | `experiments` | one file per experiment, by what is measured |
//! | `report` | means, ranks, tables, figures and the paper's numbers |
//!
//! `docs/results.md` says how to run them and what they show.

mod data;
mod ensemble;
mod experiments;
mod least_squares;
mod methods;
mod report;
mod run;
mod simulate;

use anyhow::Result;
use clap::{Parser, Subcommand};
use experiments::counterfactual::observed::Counterfactual;
use experiments::counterfactual::simulated::CounterfactualSim;
use experiments::rules::Rules;
use experiments::runtime::Runtime;
use experiments::signal::correlation::Correlation;
use experiments::signal::ranking::Ranking;
use experiments::subgroups::Subgroups;
use experiments::top_features::ablation::Ablation;
use experiments::top_features::selection::Selection;
use experiments::top_features::selection_full::SelectionFull;
use experiments::top_features::stability::Stability;
use run::{Options, run};
use std::process::ExitCode;

/// Every tree's fit takes a few megabytes and gives them back; the system's allocator would return
/// them to the system each time, and fetch them again page by page.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(name = "lmdi-experiments", version, about, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    experiment: Command,
}

const AFTER_HELP: &str = "\
Examples:
  lmdi-experiments ranking --data data --out results
  lmdi-experiments selection --openml cache --paper --repetitions 5
  lmdi-experiments all --data data

A run that was interrupted continues when the same command is given again.";

#[derive(Subcommand)]
enum Command {
    /// Signal features of simulated responses (figure 1 and appendix)
    Ranking(Options),
    /// Signal among features that correlate with it (figure 2)
    Correlation(Options),
    /// Features that predict, kept and retrained (table 1)
    Selection(Options),
    /// The same on whole data sets (appendix)
    SelectionFull(Options),
    /// The same features from other seeds (figure 4)
    Stability(Options),
    /// Steps of LMDI+ and other ensembles (tables 2 and 3, appendix)
    Ablation(Options),
    /// Distance to the nearest row of the other class (table 4)
    Counterfactual(Options),
    /// The same where signal is known (appendix)
    CounterfactualSim(Options),
    /// Linear models in clusters of scores (figure 5)
    Subgroups(Options),
    /// Seconds per row (both tables of times)
    Runtime(Options),
    /// How to choose penalties (not in the paper)
    Rules(Options),
    /// All of them, one after the other
    All(Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    lmdi_io::interrupt::install(None);
    match dispatch(&arguments.experiment) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", lmdi_io::printable::printable(&format!("{error:#}")));
            if lmdi_io::interrupt::requested() {
                eprintln!("finished repetitions are kept; the same command continues");
                return ExitCode::from(130);
            }
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: &Command) -> Result<()> {
    match command {
        Command::Ranking(options) => run(&Ranking::new(options)?, options),
        Command::Correlation(options) => run(&Correlation::new(options)?, options),
        Command::Selection(options) => run(&Selection::new(options)?, options),
        Command::SelectionFull(options) => run(&SelectionFull::new(options)?, options),
        Command::Stability(options) => run(&Stability::new(options)?, options),
        Command::Ablation(options) => run(&Ablation::new(options)?, options),
        Command::Counterfactual(options) => run(&Counterfactual::new(options)?, options),
        Command::CounterfactualSim(options) => run(&CounterfactualSim::new(options)?, options),
        Command::Subgroups(options) => run(&Subgroups::new(options)?, options),
        Command::Runtime(options) => run(&Runtime::new(options)?, options),
        Command::Rules(options) => run(&Rules, options),
        Command::All(options) => {
            let all: [fn(Options) -> Command; 11] = [
                Command::Ranking,
                Command::Correlation,
                Command::Selection,
                Command::SelectionFull,
                Command::Stability,
                Command::Ablation,
                Command::Counterfactual,
                Command::CounterfactualSim,
                Command::Subgroups,
                Command::Runtime,
                Command::Rules,
            ];
            all.iter().try_for_each(|experiment| dispatch(&experiment(options.clone())))
        }
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
}
