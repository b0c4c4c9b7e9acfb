//! How long work reports its progress to the caller, and learns that it should stop.
//!
//! The library draws no progress bar: it calls [`Monitor::advance`] from any thread and asks
//! [`Monitor::cancelled`] between units of work (a tree, a block of rows).

use crate::{Error, Result};

/// Receives progress and can request an early end. Calls come from several threads.
pub trait Monitor: Sync {
    /// `units` more units of work are done.
    fn advance(&self, units: u64) {
        let _ = units;
    }

    /// Whether the work should end as soon as possible.
    fn cancelled(&self) -> bool {
        false
    }

    /// Fails with [`Error::Interrupted`] once the work should end.
    fn check(&self) -> Result<()> {
        if self.cancelled() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// A monitor that shows nothing and never stops the work.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Monitor for Silent {}

/// Announces the stages of longer work, such as training and scoring, and makes a monitor for each.
pub trait Stages: Sync {
    /// Starts a stage of this many units; it ends when its monitor is dropped.
    fn start(&self, stage: &'static str, units: usize) -> Box<dyn Monitor + '_>;
}

impl Stages for Silent {
    fn start(&self, _stage: &'static str, _units: usize) -> Box<dyn Monitor + '_> {
        Box::new(Silent)
    }
}
