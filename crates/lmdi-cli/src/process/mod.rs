//! The running process: notes and errors ([`console`]), progress on standard error ([`progress`]),
//! and how panics are reported ([`panics`]). Signals are handled by `lmdi_io::interrupt`, which
//! also knows the files being written.

pub mod console;
pub mod panics;
pub mod progress;
