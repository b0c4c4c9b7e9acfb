//! Ctrl-C: the first asks running work to end cleanly, the second ends the process at once. Finished units are kept
//! either way.

use lmdi::monitor::Monitor;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Starts listening. Without the listener Ctrl-C still ends the process, only less cleanly.
pub fn install() {
    let handler = || {
        if ASKED.swap(true, Ordering::SeqCst) {
            lmdi_io::atomic::remove_unfinished();
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        eprintln!("note: Ctrl-C will end the run at once ({error})");
    }
}

/// Whether the user asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// Lets library work end on Ctrl-C; the runner's bar counts units, so the steps within one are not shown.
#[derive(Debug, Clone, Copy)]
pub struct UntilAsked;

impl Monitor for UntilAsked {
    fn cancelled(&self) -> bool {
        asked()
    }
}
