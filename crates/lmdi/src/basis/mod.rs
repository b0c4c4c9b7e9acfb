//! The stump basis: a tree rewritten as the columns of a linear model.
//!
//! Every split becomes one three-valued column (a stump), and every feature the tree splits on adds
//! its raw column. The columns are never written out as a rows x splits matrix: a stump is constant
//! on each leaf, so a row is represented by its leaf and its raw cells.
//!
//! | file | what |
//! |---|---|
//! | `stumps` | the columns of the splits |
//! | `raw_column`, `column_moments` | the columns of the features, standardised |
//! | `tree_basis` | both, for one tree |
//! | `rare_cells`, `sparse_columns`, `rows` | the rows that a linear model is fitted on, block by block |

mod column_moments;
mod rare_cells;
mod raw_column;
mod rows;
mod sparse_columns;
mod stumps;
mod tree_basis;

pub(crate) use rare_cells::RareCells;
pub use raw_column::RawColumn;
pub(crate) use rows::SparseBlock;
pub use rows::{RowBlock, TreeRows, leaf_nodes};
pub(crate) use sparse_columns::{SparseColumns, SparseEntry};
pub use stumps::Stumps;
pub use tree_basis::Basis;
