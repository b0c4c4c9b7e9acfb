//! Results people can look at: static pictures ([`plot`]) of scores and models.

pub mod error;
pub mod plot;

pub use error::{Error, Result};
