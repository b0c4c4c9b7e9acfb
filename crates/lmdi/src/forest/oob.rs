//! Out-of-bag predictions: each training row as predicted by the trees that did not see it.

use super::routing::Router;
use super::{Aggregation, Ensemble, InBag};
use crate::monitor::Monitor;
use crate::table::MatrixView;
use crate::{Error, Result};
use rayon::prelude::*;

/// Predictions of the training rows by the trees that did not see them.
#[derive(Debug, Clone, PartialEq)]
pub struct OobPrediction {
    /// `n_outputs` numbers a row, row by row; NaN for a row that every tree saw.
    pub prediction: Vec<f64>,
    /// How many trees predicted each row.
    pub n_trees: Vec<u32>,
}

/// Predicts the training rows `x` of a forest out of bag.
///
/// Fails if the ensemble is no forest, or if the bootstrap counts of a tree are unknown (no
/// bootstrap, or an imported model) or belong to another table.
pub fn oob_prediction(
    ensemble: &Ensemble,
    x: &MatrixView,
    monitor: &dyn Monitor,
) -> Result<OobPrediction> {
    if ensemble.aggregation != Aggregation::Mean {
        return Err(Error::Data("boosted trees have no out-of-bag prediction".into()));
    }
    let mut in_bag: Vec<&InBag> = Vec::with_capacity(ensemble.trees.len());
    for (index, tree) in ensemble.trees.iter().enumerate() {
        let counts = tree.in_bag.as_ref().ok_or_else(|| {
            Error::Data(format!(
                "tree {index} has no bootstrap counts; out-of-bag predictions need a forest \
                 trained with bootstrap"
            ))
        })?;
        if counts.len() != x.rows() {
            return Err(Error::Shape {
                what: "rows of the training table".into(),
                found: x.rows(),
                expected: counts.len(),
            });
        }
        in_bag.push(counts);
    }
    let router = Router::new(ensemble);
    router.check_columns(x)?;
    let width = ensemble.n_outputs;
    let mut prediction = vec![0.0; x.rows() * width];
    let mut n_trees = vec![0u32; x.rows()];
    let rows_per_block = router.rows_per_block();
    prediction
        .par_chunks_mut(rows_per_block * width)
        .zip(n_trees.par_chunks_mut(rows_per_block))
        .enumerate()
        .try_for_each_init(
            || (router.block(), Vec::new()),
            |(block, leaves), (index, (sums, n_trees))| {
                monitor.check()?;
                let start = index * rows_per_block;
                block.read(x, start..start + n_trees.len());
                leaves.resize(n_trees.len(), 0);
                for (tree, counts) in in_bag.iter().enumerate() {
                    router.leaves(tree, block, leaves);
                    for (row, &leaf) in leaves.iter().enumerate() {
                        if counts.count(start + row) == 0 {
                            n_trees[row] += 1;
                            let value = ensemble.trees[tree].value_of(leaf as usize);
                            let sums = &mut sums[row * width..(row + 1) * width];
                            sums.iter_mut().zip(value).for_each(|(sum, value)| *sum += value);
                        }
                    }
                }
                for (sums, &n) in sums.chunks_exact_mut(width).zip(n_trees.iter()) {
                    // 0 / 0 is the NaN of rows that every tree saw.
                    sums.iter_mut().for_each(|sum| *sum /= f64::from(n));
                }
                monitor.advance(n_trees.len() as u64);
                Ok::<(), Error>(())
            },
        )?;
    Ok(OobPrediction { prediction, n_trees })
}
