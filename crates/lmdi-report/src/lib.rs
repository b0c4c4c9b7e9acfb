//! Results people can look at: static pictures ([`plot`]) of scores and models, and the report
//! ([`page`]).

pub mod error;
pub mod page;
pub mod plot;

pub use error::{Error, Result};
