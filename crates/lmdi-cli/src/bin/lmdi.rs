//! The `lmdi` command as a program of its own.

use std::process::ExitCode;

/// Every tree's fit takes a few megabytes and gives them back; the system's allocator would return
/// them to the system each time, and fetch them again page by page.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(lmdi_cli::run(std::env::args_os()))
}
