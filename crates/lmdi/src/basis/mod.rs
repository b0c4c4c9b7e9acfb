//! The stump basis: a tree rewritten as the columns of a linear model.
//!
//! Every split becomes one three-valued column (a stump), and every feature the tree splits on adds
//! its raw column. The columns are never written out as a rows x splits matrix: a stump is constant
//! on each leaf, so a row is represented by its leaf and its raw cells.

mod block;
mod column_moments;
mod departures;
mod raw_column;
mod rows;
mod stumps;

pub use block::Basis;
pub use departures::{Departure, Departures};
pub use raw_column::RawColumn;
pub use rows::{RowBlock, SplitBlock, TreeRows, leaf_nodes};
pub use stumps::Stumps;
