//! How much is done.

use clap::ValueEnum;

/// A size of run. An experiment says what each means for it: repetitions, numbers of rows,
/// settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Effort {
    /// Everything once, as small as it can be: seconds.
    Smallest,
    /// All experiments in less than half an hour on two cores.
    Quick,
    /// The paper's repetitions and settings.
    Paper,
}

impl Effort {
    /// The one of three choices that belongs to this effort.
    pub fn pick<T>(self, smallest: T, quick: T, paper: T) -> T {
        match self {
            Effort::Smallest => smallest,
            Effort::Quick => quick,
            Effort::Paper => paper,
        }
    }

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        self.pick("smallest", "quick", "paper")
    }
}
