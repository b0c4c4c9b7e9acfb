//! What the algorithms read: a table as it was found, how its columns become numbers, and the
//! numeric matrix, response and weights that result.
//!
//! A [`Frame`] holds named columns of numbers or text. [`Schema::learn`] decides from it which
//! columns are used and how; [`Schema::encode`] then turns this frame, or a later one with the same
//! column names, into the [`Matrix`] of the trees.

mod cell_format;
mod encode;
mod fingerprint;
mod folds;
mod frame;
mod kind;
mod labels;
mod leakage;
mod learn;
mod matrix;
pub mod metrics;
mod ranking;
mod response;
mod schema;
mod target;

pub use cell_format::{
    CellFormat, ColumnFormat, DateOrder, Decimal, NearNumbers, NumberHints, Reading, Recognised,
    Thousands,
};
pub use encode::{Encoded, Unseen};
pub use fingerprint::Fingerprint;
pub use folds::{contiguous_folds, stratified_folds};
pub use frame::{Column, Frame, Values, number_text};
pub use kind::{IDENTIFIER_MIN_CELLS, Kind};
pub use labels::{Labels, LabelsBuilder, MISSING};
pub use leakage::{Leak, leaks};
pub use learn::{ColumnReport, DEFAULT_MAX_LEVELS, Role, SchemaOptions};
pub use matrix::{Cells, Matrix, MatrixView};
pub use ranking::rank_in_place;
pub use response::Response;
pub use schema::{DroppedColumn, Encoding, InputColumn, Part, Reason, Schema};
pub use target::{MAX_CLASSES, Target, TargetCells, Task};
