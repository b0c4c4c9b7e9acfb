//! Models of XGBoost, LightGBM and CatBoost, from the bytes of their files.

use crate::boundary::errors::exception;
use crate::boundary::run::apart;
use crate::model::Model;
use lmdi::Error;
use lmdi::file::{Metadata, Model as Content};
use lmdi::forest::import::{self, Categories, Imported, Rounds};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

/// How many rounds of boosting to take over: a number, `best` or `all`.
#[derive(FromPyObject)]
pub enum WantedRounds {
    /// This many, from the first.
    #[pyo3(transparent)]
    First(usize),
    /// `best` or `all`.
    #[pyo3(transparent)]
    Named(String),
}

fn read(py: Python<'_>, bytes: &[u8], rounds: &WantedRounds) -> PyResult<Imported> {
    let rounds = match rounds {
        WantedRounds::First(count) => Rounds::First(*count),
        WantedRounds::Named(name) if name == "best" => Rounds::Best,
        WantedRounds::Named(name) if name == "all" => Rounds::All,
        WantedRounds::Named(name) => {
            return Err(exception(Error::Parameter {
                name: "rounds",
                found: name.clone(),
                expected: "a number, best or all".into(),
            }));
        }
    };
    apart(py, || import::read(bytes, rounds))
}

/// The model, and for each column whether it is split by categories.
#[pyfunction]
pub fn read_foreign(
    py: Python<'_>,
    bytes: &[u8],
    rounds: WantedRounds,
) -> PyResult<(Model, Vec<bool>)> {
    let imported = read(py, bytes, &rounds)?;
    let by_category = imported.categories.iter().map(Option::is_some).collect();
    let named = |kind: &Option<Categories>| matches!(kind, Some(Categories::Levels(_)));
    let schema = imported.categories.iter().any(named).then(|| imported.schema());
    let producer = format!("{} {}", imported.library, imported.version).trim().to_owned();
    let metadata = Metadata { producer, ..Metadata::default() };
    let content = Content { metadata, schema, ..Content::new(imported.ensemble) };
    Ok((Model::checked(py, content)?, by_category))
}

/// The library's own number of every node of every tree: what its `apply` or `pred_leaf` gives.
#[pyfunction]
pub fn foreign_node_ids<'py>(
    py: Python<'py>,
    bytes: &[u8],
    rounds: WantedRounds,
) -> PyResult<Vec<Bound<'py, PyArray1<u32>>>> {
    let imported = read(py, bytes, &rounds)?;
    Ok(imported.node_ids.into_iter().map(|ids| ids.into_pyarray(py)).collect())
}
