//! The `lmdi` command as a program.

use lmdi_memory::Limited;
use std::process::ExitCode;

/// Every tree's fit takes a few megabytes and gives them back; the system's allocator would return
/// them to the system each time, and fetch them again page by page. Where memory runs out, the
/// process ends with a message.
#[global_allocator]
static ALLOCATOR: Limited<mimalloc::MiMalloc> = Limited(mimalloc::MiMalloc);

fn main() -> ExitCode {
    ExitCode::from(lmdi_cli::run(std::env::args_os()))
}
