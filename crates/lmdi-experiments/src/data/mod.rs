//! The data sets: which there are, where they come from, and how a repetition prepares its rows.
//!
//! | file | what |
//! |---|---|
//! | `catalogue` | the paper's twelve data sets |
//! | `source` | from a directory of files, or from OpenML by way of a local cache |
//! | `openml` | OpenML's descriptions and its ARFF and Parquet files |
//! | `table` | a data set as it was read: numbers only, no cell missing |
//! | `prepare` | rows drawn, split, standardised |

pub mod catalogue;
pub mod openml;
pub mod prepare;
pub mod source;
pub mod table;

pub use catalogue::{DataSet, Kind};
pub use prepare::{Answers, Part, Split, prepare};
pub use source::{Loaded, Source};
pub use table::Table;
