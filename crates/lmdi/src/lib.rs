//! Local feature importances for tree ensembles: how much each feature adds to each prediction.
//!
//! From a slice of numbers to scores:
//!
//! ```
//! use lmdi::prelude::*;
//!
//! # fn main() -> lmdi::Result<()> {
//! // Six rows of two columns: size and age of a house. Larger is dearer.
//! let cells = [50.0, 9.0, 60.0, 2.0, 70.0, 7.0, 120.0, 3.0, 130.0, 8.0, 140.0, 1.0];
//! let prices = [150.0, 160.0, 155.0, 310.0, 320.0, 330.0];
//! let names = ["size", "age"].map(String::from);
//! let x = MatrixView::from_rows(&cells, 6, 2)?;
//! let set = TrainingSet::regression(x, &prices, &names);
//! let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
//! let options = LmdiPlusOptions::default();
//! let explainer = LmdiPlus::fit(&forest, &set, &options, &Silent)?;
//! let scores = explainer.score(&x, &ScoreOptions::default(), &Silent)?;
//! assert!(scores.get(5, 0, 0) > 0.0); // The size of the last house raises its prediction.
//! # Ok(())
//! # }
//! ```
//!
//! Base plus scores is the prediction of the explainer:
//! [`Scores::total`](importance::Scores::total).
//!
//! # Where to go from here
//!
//! - **Another method.** [`importance::Method`] lists them; those that need nothing but the trees,
//!   such as TreeSHAP, come from [`Method::of_trees`](importance::Method::of_trees).
//! - **A model of another library.** [`forest::import::read`] takes the files of XGBoost, LightGBM
//!   and CatBoost; any other model is an [`Ensemble`](forest::Ensemble) once its arrays are filled
//!   in.
//! - **Keep an explainer.** [`file::Model`] turns model and explainer into bytes and back.
//! - **Text and missing cells.** A [`table::Frame`] holds columns of any kind, and a
//!   [`table::Schema`] learns how they become numbers. NaN is a missing cell.
//! - **Long work.** Everything that takes time reports to a [`monitor::Monitor`], which can stop
//!   it.
//! - **Files.** This library reads none: the crate `lmdi-io` has CSV and Parquet.
//!
//! Three complete programs are in `examples/`: `train_and_explain`, `explain_xgboost` and
//! `score_stream`.
//!
//! # What holds everywhere
//!
//! The same seed gives the same bits, whatever the number of threads and the machine. Bad input is
//! an [`Error`] that says what was found and what was expected; nothing panics on data.
//!
//! # The modules
//!
//! They follow the data: a [`table`] of numbers trains or meets a [`forest`]; a tree becomes the
//! [`basis`] of a linear model, which [`glm`] fits; [`importance`] has the methods, [`explanation`]
//! what is read off their scores, and a [`file`](mod@file) keeps it all. A module imports only from
//! modules earlier in that list.

pub mod basis;
pub mod error;
pub mod explanation;
pub mod file;
pub mod forest;
pub mod glm;
pub mod importance;
pub mod monitor;
pub mod named;
pub mod prelude;
pub mod random;
mod setters;
mod sparse_numbers;
pub mod study;
pub mod table;
pub mod text;
mod vectorised;

pub use error::{Error, Result};
