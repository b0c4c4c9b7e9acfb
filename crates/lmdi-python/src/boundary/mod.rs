//! The boundary with Python: arrays and tables, names, errors, and work without the interpreter's
//! lock.

pub mod arrays;
pub mod errors;
pub mod frames;
pub mod run;
pub mod scales;
