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
//! - **Another method.** [`importance::Method`] lists them. Those that need only the trees, such as
//!   TreeSHAP, come from [`Method::of_trees`](importance::Method::of_trees).
//! - **A model of another library.** [`forest::import::read`] takes files of XGBoost, LightGBM and
//!   CatBoost. Any other model becomes an [`Ensemble`](forest::Ensemble) when you fill in its
//!   arrays.
//! - **Save an explainer.** [`file::Model`] turns model and explainer into bytes and back.
//! - **Text and missing cells.** A [`table::Frame`] holds columns of any kind, and a
//!   [`table::Schema`] learns how they become numbers. NaN is a missing cell.
//! - **Progress and cancellation.** Long work reports to a [`monitor::Monitor`], which can stop it.
//! - **Files.** This library reads none; the crate `lmdi-io` reads CSV and Parquet.
//!
//! Three complete programs are in `examples/`: `train_and_explain`, `explain_xgboost` and
//! `score_stream`.
//!
//! # Guarantees
//!
//! The same seed gives the same bits on any number of threads and any machine. Bad input gives an
//! [`Error`] that says what was found and what was expected; data never causes a panic.
//!
//! # The modules
//!
//! They follow the data. A [`table`] of numbers trains a [`forest`] or is predicted by one. A tree
//! becomes the [`basis`] of a linear model, which [`glm`] fits. [`importance`] has the methods,
//! [`explanation`] has analyses of their scores, and [`file`](mod@file) saves it all. A module
//! imports only from modules earlier in that list.

pub mod basis;
mod elementary;
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
