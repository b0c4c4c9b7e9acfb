//! The first pass: everything that weights, raw columns and checks need to know of the rows.

mod known;
mod moments;
mod sample;
mod summary;

pub(super) use known::Known;
pub(crate) use moments::Moments;
pub(crate) use sample::RowSample;
pub(crate) use summary::{ClassSummary, Summary};
