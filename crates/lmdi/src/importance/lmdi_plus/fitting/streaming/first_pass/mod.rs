//! The first pass: everything about the rows that weights, raw columns and checks need.

mod known;
mod moments;
mod sample;
mod search_rows;
mod summary;

pub(super) use known::Known;
pub(crate) use moments::{Moments, Product};
pub(crate) use sample::RowSample;
pub(super) use search_rows::{SearchRows, SearchSize};
pub(crate) use summary::{ClassSummary, Summary};
