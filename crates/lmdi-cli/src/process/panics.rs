//! How a panic is reported to the user.
//!
//! Nothing is printed where it happens: a damaged Parquet file can trip an assertion of its
//! decoder, which the reader catches and turns into an error about the file. A panic that gets here
//! is a bug of this program, and is reported as one, with its place in the code.

use anyhow::{Result, anyhow};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Mutex, PoisonError};

/// The latest panic, in words.
static LATEST: Mutex<String> = Mutex::new(String::new());

/// Runs a command; a panic becomes an error.
pub fn guarded(run: impl FnOnce() -> Result<()>) -> Result<()> {
    let default = panic::take_hook();
    panic::set_hook(Box::new(|info| {
        *LATEST.lock().unwrap_or_else(PoisonError::into_inner) = describe(info);
    }));
    let outcome = panic::catch_unwind(AssertUnwindSafe(run));
    panic::set_hook(default);
    outcome.unwrap_or_else(|_| {
        let what = LATEST.lock().unwrap_or_else(PoisonError::into_inner);
        Err(anyhow!(
            "{what}. This is a defect of lmdi, not of your data; no half-written file was left. Please report \
             it with the command and, if you can, the table"
        ))
    })
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let what = payload.downcast_ref::<&str>().copied();
    let what = what.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let place = info.location().map_or(String::new(), |place| format!(" ({place})"));
    format!("{}{place}", what.unwrap_or("unexpected end"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_that_says_what_and_where() {
        let deep = std::hint::black_box("deep");
        let error = guarded(|| panic!("too {deep}")).expect_err("a panic").to_string();
        assert!(error.contains("too deep") && error.contains("panics.rs"), "{error}");
        assert!(guarded(|| Ok(())).is_ok());
    }
}
