//! Tables: a table as it was read, how its columns become numbers, and the numeric matrix, response
//! and weights that result.
//!
//! A [`Frame`] holds named columns of numbers or text. [`Schema::learn`] decides from it which
//! columns are used and how; [`Schema::encode`] then turns this frame, or a later one with the same
//! column names, into the [`Matrix`] of the trees.

mod fingerprint;
mod folds;
mod frame;
mod leakage;
mod matrix;
pub mod metrics;
mod ranking;
mod response;
mod row_hash;
mod schema;

pub use fingerprint::Fingerprint;
pub use folds::{contiguous_folds, stratified_folds};
pub use frame::{
    CellFormat, Column, ColumnFormat, DateOrder, Decimal, Frame, Labels, LabelsBuilder, MISSING,
    NearNumbers, NumberHints, Reading, Recognised, Thousands, TimeUnit, UnitOfSome, Values,
    date_of, days_of, number_text, quoted_list,
};
pub use leakage::{Leak, leaks};
pub use matrix::{Cells, Matrix, MatrixView};
pub use ranking::rank_in_place;
pub use response::Response;
pub(crate) use row_hash::{RowDeal, hash_training_rows};
pub use row_hash::{hash_key, hash_rows, hashed_folds};
pub use schema::{
    ColumnReport, DEFAULT_MAX_LEVELS, DroppedColumn, Encoded, Encoding, IDENTIFIER_MIN_CELLS,
    InputColumn, Kind, MAX_CLASSES, MergedCells, Part, Reason, Role, Schema, SchemaOptions, Target,
    TargetCells, Task, Unseen,
};
