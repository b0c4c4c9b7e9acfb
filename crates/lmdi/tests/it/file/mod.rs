//! Model files.

mod fixtures;
