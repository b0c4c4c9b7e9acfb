//! Ctrl-C: the first asks running work to end cleanly, the second ends the process at once. Neither
//! leaves a half-written file.

use lmdi::monitor::Monitor;
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Starts listening. Without the listener Ctrl-C still ends the process, only less cleanly.
pub fn install() {
    let handler = || {
        if REQUESTED.swap(true, Ordering::SeqCst) {
            crate::atomic::remove_unfinished();
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        eprintln!("note: Ctrl-C will end the run at once ({error})");
    }
}

/// Whether the user asked to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// Lets work end on Ctrl-C, and shows no progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct UntilInterrupted;

impl Monitor for UntilInterrupted {
    fn cancelled(&self) -> bool {
        requested()
    }
}
