//! Whether a table can be the one that the trees of a forest were grown on, row by row.
//!
//! The bootstrap of a forest is known by row, so that rows in another order would be fitted as if others had
//! been drawn, and nothing would look wrong. But a tree remembers how many drawn rows each leaf had.

use crate::arrays::Table;
use crate::model::Model;
use crate::run::Run;
use lmdi::forest::{Ensemble, Tree};
use pyo3::prelude::*;

/// Whether the rows that the first tree drew fall into its leaves as they did in training; `None` where that
/// cannot be told, because bootstraps are not known or nodes count something else than drawn rows.
#[pyfunction]
pub fn drew_from(py: Python<'_>, model: &Model, x: Table<'_>, run: Run) -> PyResult<Option<bool>> {
    let content = model.content();
    let ensemble = &content.ensemble;
    let view = x.view()?;
    let counted = |tree: &Tree| counts_draws(tree, view.rows());
    let (Some(first), true) = (ensemble.trees.first(), ensemble.trees.iter().all(counted)) else {
        return Ok(None);
    };
    let alone = Ensemble {
        trees: vec![first.clone()],
        feature_names: ensemble.feature_names.clone(),
        output_of_tree: ensemble.output_of_tree.iter().copied().take(1).collect(),
        base_score: ensemble.base_score.clone(),
        outcome: ensemble.outcome.clone(),
        class_weights: ensemble.class_weights.clone(),
        ..*ensemble
    };
    let leaves = run.call(py, |monitor| alone.apply(&view, monitor))?;
    let mut drawn = vec![0.0; first.weight.len()];
    if let Some(in_bag) = &first.in_bag {
        for (row, &leaf) in leaves.iter().enumerate() {
            drawn[leaf as usize] += f64::from(in_bag.count(row));
        }
    }
    let same =
        |(node, (&weight, &drawn)): (usize, (&f64, &f64))| !first.is_leaf(node) || weight == drawn;
    Ok(Some(first.weight.iter().zip(&drawn).enumerate().all(same)))
}

/// Whether the weights of a tree are numbers of rows drawn from a table of this size. Weights of rows and
/// classes would show in a total that is not the number of draws, or in parts of a row.
fn counts_draws(tree: &Tree, rows: usize) -> bool {
    let Some(in_bag) = tree.in_bag.as_ref().filter(|in_bag| in_bag.len() == rows) else {
        return false;
    };
    let total: f64 = (0..rows).map(|row| f64::from(in_bag.count(row))).sum();
    tree.weight.first() == Some(&total) && tree.weight.iter().all(|weight| weight.fract() == 0.0)
}
