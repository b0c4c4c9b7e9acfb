//! Notes and errors on standard error.
//!
//! If standard error is closed or full, the work must go on, so nothing here fails.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Says nothing but errors from here on.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether only errors are to be said.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Something the user should know; the text is safe to print.
pub fn note(text: impl Display) {
    if !is_quiet() {
        let _ = writeln!(io::stderr().lock(), "note: {text}");
    }
}

/// Why the command failed; the text is safe to print.
pub fn error(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "error: {text}");
}
