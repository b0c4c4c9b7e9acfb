//! Files in and out: CSV and Parquet tables to and from the in-memory types of `lmdi`.
//!
//! [`read::read_table`] reads a file, standard input or bytes in memory into a
//! [`lmdi::table::Frame`]; [`write::write_table`] writes one. Files are replaced whole or not at
//! all ([`atomic`]). With the feature `interrupt`, Ctrl-C ends long work cleanly and leaves no file
//! half-written.

pub mod atomic;
pub mod copies;
pub mod error;
#[cfg(feature = "interrupt")]
pub mod interrupt;
pub mod printable;
pub mod read;
pub mod same_file;
pub mod sample;
pub mod write;

pub use error::{Error, Place, Result};

/// Whether the user asked the process to stop, where that is listened for.
pub(crate) fn stop_requested() -> bool {
    #[cfg(feature = "interrupt")]
    return interrupt::requested();
    #[cfg(not(feature = "interrupt"))]
    false
}

/// Waits for input; a signal that ends the process ends the wait.
pub(crate) fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    #[cfg(feature = "interrupt")]
    return interrupt::waiting(wait);
    #[cfg(not(feature = "interrupt"))]
    wait()
}
