//! Models of other libraries: from the bytes of their files to the neutral [`Ensemble`].
//!
//! One folder per format, with the library's rules in its header; `docs/models.md` tells users what
//! is read and what is refused. Every rule is tested against the library itself, leaf by leaf
//! (`testdata/import`). Any bytes give a checked ensemble or an error, in time and memory
//! proportional to their number.
//!
//! ```
//! use lmdi::forest::import::{Library, Rounds, detect, read};
//! let file = b"tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=0\n\
//!     objective=regression\nfeature_names=age\n\nTree=0\nnum_leaves=2\nnum_cat=0\n\
//!     split_feature=0\nthreshold=2.5\ndecision_type=2\nleft_child=-1\nright_child=-2\n\
//!     leaf_value=1 4\nleaf_count=2 1\nshrinkage=0.1\n\nend of trees\n";
//! assert_eq!(detect(file)?, Some(Library::LightGbm));
//! let model = read(file, Rounds::Best)?;
//! assert_eq!(model.ensemble.feature_names, ["age"]);
//! assert_eq!(model.ensemble.trees[0].leaf_of(&[3.0]), 2);
//! # Ok::<(), lmdi::Error>(())
//! ```

mod catboost;
mod category_words;
mod detect;
mod layout;
mod lightgbm;
mod objective;
mod ubjson;
mod xgboost;

pub use detect::{Library, detect};

use super::Ensemble;
use crate::table::{Encoding, InputColumn, Schema};
use crate::{Error, Result};

/// How many rounds of boosting to import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rounds {
    /// Up to the best one, if early stopping left its number in the file; otherwise all.
    #[default]
    Best,
    /// All that are in the file.
    All,
    /// This many, from the first.
    First(usize),
}

/// How the cells of a feature encode categories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Categories {
    /// A cell is the code of its category.
    Codes,
    /// The names of the categories in the order of their codes, from 0. Numbers are written as
    /// shortest decimals (`3`, not `3.0`), truths as `True` and `False`.
    Levels(Vec<String>),
}

/// A model that another library trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The trees; it has passed its check.
    pub ensemble: Ensemble,
    /// The library.
    pub library: Library,
    /// Version of the library, or of its format where it writes only that; empty if unknown.
    pub version: String,
    /// The objective, in the library's own words.
    pub objective: String,
    /// For each feature how it is split by categories; `None` for a numeric feature.
    pub categories: Vec<Option<Categories>>,
    /// The best round, from 0, if the file names it.
    pub best_iteration: Option<usize>,
    /// Rounds in the file.
    pub rounds: usize,
    /// Rounds imported.
    pub rounds_used: usize,
    /// For every node of every tree the library's own number of it: at a leaf what `pred_leaf` or
    /// `apply` of the library gives.
    pub node_ids: Vec<Vec<u32>>,
}

impl Imported {
    /// How a table becomes the matrix of the trees: numbers, or codes of named levels.
    pub fn schema(&self) -> Schema {
        let mut schema = Schema::numeric(self.ensemble.feature_names.iter().cloned());
        for (column, categories) in schema.columns.iter_mut().zip(&self.categories) {
            if let Some(Categories::Levels(levels)) = categories {
                let name = column.name.clone();
                *column = InputColumn { name, encoding: Encoding::Codes(levels.clone()) };
            }
        }
        schema
    }
}

/// Reads a model of another library; [`detect`] tells whether bytes are one.
pub fn read(bytes: &[u8], rounds: Rounds) -> Result<Imported> {
    let imported = match detect(bytes)? {
        Some(Library::XgBoost) => xgboost::read(bytes, rounds)?,
        Some(Library::LightGbm) => lightgbm::read(bytes, rounds)?,
        Some(Library::CatBoost) => catboost::read(bytes, rounds)?,
        None => {
            return Err(Error::Format(
                "it is no model of XGBoost (JSON or UBJSON), LightGBM (text) or CatBoost (JSON)"
                    .into(),
            ));
        }
    };
    imported.ensemble.check()?;
    Ok(imported)
}

/// How many of `rounds` rounds are taken.
fn rounds_used(rounds: usize, wish: Rounds, best: Option<usize>) -> Result<usize> {
    match wish {
        Rounds::All => Ok(rounds),
        Rounds::Best => Ok(best.map_or(rounds, |best| best.saturating_add(1).min(rounds))),
        Rounds::First(first) if (1..=rounds).contains(&first) => Ok(first),
        Rounds::First(first) => Err(Error::Parameter {
            name: "rounds",
            found: first.to_string(),
            expected: format!("1 to {rounds}, which is how many the file has"),
        }),
    }
}

/// A file of a library that cannot be used, and what to do.
fn refuse<T>(library: Library, what: impl std::fmt::Display) -> Result<T> {
    Err(Error::Format(format!("{library}: {what}")))
}

/// Labels of classes that the library knows by number only.
fn numbered_labels(count: usize) -> Vec<String> {
    (0..count).map(|class| class.to_string()).collect()
}
