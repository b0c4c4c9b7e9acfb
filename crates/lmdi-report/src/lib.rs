//! Results for people: static plots of scores and models ([`plot`]), and the report ([`page`]).

pub mod error;
pub mod page;
pub mod plot;

pub use error::{Error, Result};
