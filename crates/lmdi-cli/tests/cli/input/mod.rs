//! Tables and model files of all kinds, good and bad.

mod bad_input;
mod import;
mod odd_tables;
mod streaming;
