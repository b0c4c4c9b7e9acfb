//! The model file: everything needed to predict and explain, as bytes.
//!
//! Two forms hold the same content. The binary form is small, fast to load and guarded by
//! checksums. The JSON form is for people and for scripts that export models of other libraries.
//! [`Model::from_bytes`] tells them apart by the first bytes. Both are documented in
//! `docs/model-format.md`, from which a reader can be written.
//!
//! This module writes and reads bytes; it touches no files.
//!
//! What a reader may rely on:
//!
//! * A file of version N stays readable. The layout of a version is written out by hand in
//!   `v1` and does not follow the in-memory types when those change.
//! * A file is either read completely or refused with an error that says what is wrong. No input
//!   makes the reader panic, loop, or allocate more than a small multiple of the input's size: a
//!   length is compared with the bytes that are left before anything is allocated for it.
//! * What was read passes [`Model::check`], the invariants that all algorithms rely on.
//! * Equal models give equal bytes, and a model read back is the same bit for bit (the one
//!   exception is named at [`Model::to_json`]).
//!
//! | file | what it knows |
//! |---|---|
//! | `model` | the bundle that is saved, and its invariants |
//! | `container` | magic, version, section table, checksums |
//! | `bytes` | little-endian numbers, arrays and strings, with every length checked |
//! | `codes` | the number and the word each choice (link, loss, ...) is written as |
//! | `v1` | the content of the binary sections of version 1 |
//! | `json` | the JSON form of version 1 |

mod bytes;
mod codes;
mod container;
mod json;
mod model;
mod streamed_fit;
#[cfg(test)]
mod tests;
mod v1;

pub use model::{Explainer, Metadata, Model, Quality};

/// The version of the format that is written, and the newest that is read.
pub const FORMAT_VERSION: u32 = 1;
