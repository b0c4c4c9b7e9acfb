//! Local feature importances for tree ensembles.
//!
//! The modules follow the data: a [`table`] of numbers trains or meets a [`forest`], which a
//! model [`file`](mod@file) keeps. A module imports only from modules earlier in that list.

pub mod basis;
pub mod error;
pub mod explanation;
pub mod file;
pub mod forest;
pub mod glm;
pub mod importance;
pub mod monitor;
pub mod named;
pub mod random;
pub mod study;
pub mod table;
pub mod text;
mod vectorised;

pub use error::{Error, Result};
