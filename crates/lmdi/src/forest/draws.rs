//! Whether a table can be the one that the trees of a forest were grown on, row by row.
//!
//! The bootstrap of a forest is known by row. Rows in another order would be mistaken for rows that
//! were drawn, and nothing would look wrong. But a tree records how many drawn rows each leaf had.
//! A few trees are enough to tell: each must agree in every leaf.

use super::routing::Router;
use super::{Ensemble, Tree};
use crate::Result;
use crate::monitor::Monitor;
use crate::table::MatrixView;

/// Trees that are asked.
const TREES: usize = 10;

/// Whether the rows that each of the first trees drew fall into its leaves as they did in training;
/// `None` where that cannot be told, because bootstraps are not known or nodes count something else
/// than drawn rows.
pub fn drew_from(
    ensemble: &Ensemble,
    x: &MatrixView<'_>,
    monitor: &dyn Monitor,
) -> Result<Option<bool>> {
    let counted = |tree: &Tree| counts_draws(tree, x.rows());
    if ensemble.trees.is_empty() || !ensemble.trees.iter().all(counted) {
        return Ok(None);
    }
    let router = Router::new(ensemble);
    router.check_columns(x)?;
    let mut block = router.block();
    let mut drawn: Vec<Vec<f64>> =
        ensemble.trees.iter().take(TREES).map(|tree| vec![0.0; tree.n_nodes()]).collect();
    let mut leaves = Vec::new();
    let rows_per_block = router.rows_per_block();
    for start in (0..x.rows()).step_by(rows_per_block) {
        monitor.check()?;
        let end = (start + rows_per_block).min(x.rows());
        block.read(x, start..end);
        leaves.resize(end - start, 0);
        for (at, drawn) in drawn.iter_mut().enumerate() {
            router.leaves(at, &block, &mut leaves);
            let Some(in_bag) = &ensemble.trees[at].in_bag else { continue };
            for (row, &leaf) in leaves.iter().enumerate() {
                drawn[leaf as usize] += f64::from(in_bag.count(start + row));
            }
        }
    }
    let agrees = |(tree, drawn): (&Tree, &Vec<f64>)| {
        (0..tree.n_nodes()).all(|node| !tree.is_leaf(node) || tree.weight[node] == drawn[node])
    };
    Ok(Some(ensemble.trees.iter().zip(&drawn).all(agrees)))
}

/// Whether the weights of a tree are numbers of rows drawn from a table of this size. Weights of rows
/// and classes would show in a total that is not the number of draws, or in parts of a row.
fn counts_draws(tree: &Tree, rows: usize) -> bool {
    let Some(in_bag) = tree.in_bag.as_ref().filter(|in_bag| in_bag.len() == rows) else {
        return false;
    };
    let total: f64 = (0..rows).map(|row| f64::from(in_bag.count(row))).sum();
    tree.weight.first() == Some(&total) && tree.weight.iter().all(|weight| weight.fract() == 0.0)
}
