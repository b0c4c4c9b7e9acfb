//! The running process: progress on standard error ([`progress`]), and what a panic looks like
//! ([`panics`]). Ctrl-C is handled by `lmdi_io::interrupt`, which also knows the files being
//! written.

pub mod panics;
pub mod progress;
