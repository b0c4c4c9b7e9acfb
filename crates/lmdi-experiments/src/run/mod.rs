//! Running an experiment: repetitions in parallel, results kept as they come, an interrupted run
//! continued.
//!
//! | file | what |
//! |---|---|
//! | `options` | the flags that all experiments share |
//! | `protocol` | whose steps are followed: the paper's text or the authors' code |
//! | `effort` | how much is done: quick, as in the paper, or a smallest run for tests |
//! | `experiment` | what an experiment is |
//! | `context` | what its units work with: data sets, methods, seed |
//! | `records` | the result file |
//! | `seconds` | how long each unit took |
//! | `settings` | what results depend on beside their unit, kept beside them |
//! | `runner` | from units to a result file and a page |
//! | `machine` | the machine, in words |
//! | `progress` | the bar |

pub mod context;
pub mod effort;
pub mod experiment;
mod machine;
pub mod options;
mod progress;
pub mod protocol;
pub mod records;
pub mod runner;
mod seconds;
mod settings;

pub use context::Context;
pub use effort::Effort;
pub use experiment::{Experiment, Measurement, Page};
pub use options::Options;
pub use protocol::Protocol;
pub use records::{Record, Records};
pub use runner::run;
