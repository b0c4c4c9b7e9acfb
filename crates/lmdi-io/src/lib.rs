//! Files in and out: CSV and Parquet tables to and from the in-memory types of `lmdi`.
//!
//! [`read::read_table`] reads a file, standard input or bytes in memory into a
//! [`lmdi::table::Frame`]; [`write::write_table`] writes one. Files are replaced whole or not at
//! all ([`atomic`]). With the feature `interrupt`, Ctrl-C ends long work cleanly and leaves no file
//! half-written.

pub mod atomic;
pub mod error;
#[cfg(feature = "interrupt")]
pub mod interrupt;
pub mod printable;
pub mod read;
pub mod write;

pub use error::{Error, Place, Result};
