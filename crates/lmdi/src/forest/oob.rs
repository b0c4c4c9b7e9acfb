//! Out-of-bag predictions: each training row as predicted by the trees that did not see it.

use super::routing::Router;
use super::{Aggregation, Ensemble, InBag};
use crate::monitor::Monitor;
use crate::table::MatrixView;
use crate::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;

/// Nodes of the trees that are compiled at a time: some 50 MB.
const MOST_NODES: usize = 4 << 20;

/// Predictions of the training rows by the trees that did not see them.
#[derive(Debug, Clone, PartialEq)]
pub struct OobPrediction {
    /// `n_outputs` numbers per row, row by row; NaN for a row that every tree saw.
    pub prediction: Vec<f64>,
    /// How many trees predicted each row.
    pub n_trees: Vec<u32>,
}

/// Predicts the training rows `x` of a forest out of bag.
///
/// Fails if the ensemble is not a forest, or if the bootstrap counts of a tree are unknown (no
/// bootstrap, or an imported model) or belong to another table.
pub fn oob_prediction(
    ensemble: &Ensemble,
    x: &MatrixView,
    monitor: &dyn Monitor,
) -> Result<OobPrediction> {
    predict_in_groups(ensemble, x, monitor, MOST_NODES)
}

fn predict_in_groups(
    ensemble: &Ensemble,
    x: &MatrixView,
    monitor: &dyn Monitor,
    most_nodes: usize,
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
    let width = ensemble.n_outputs;
    let mut prediction = vec![0.0; x.rows() * width];
    let mut n_trees = vec![0u32; x.rows()];
    for trees in groups_of_trees(ensemble, most_nodes) {
        let router = Router::of_trees(ensemble, trees.clone());
        router.check_columns(x)?;
        let is_last = trees.end == ensemble.trees.len();
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
                    for tree in trees.clone() {
                        let counts = in_bag[tree];
                        router.leaves(tree - trees.start, block, leaves);
                        for (row, &leaf) in leaves.iter().enumerate() {
                            if counts.count(start + row) == 0 {
                                n_trees[row] += 1;
                                let value = ensemble.trees[tree].value_of(leaf as usize);
                                let sums = &mut sums[row * width..(row + 1) * width];
                                sums.iter_mut().zip(value).for_each(|(sum, value)| *sum += value);
                            }
                        }
                    }
                    if !is_last {
                        return Ok(());
                    }
                    for (sums, &n) in sums.chunks_exact_mut(width).zip(n_trees.iter()) {
                        // 0 / 0 is the NaN of rows that every tree saw.
                        sums.iter_mut().for_each(|sum| *sum /= f64::from(n));
                    }
                    monitor.advance(n_trees.len() as u64);
                    Ok::<(), Error>(())
                },
            )?;
    }
    Ok(OobPrediction { prediction, n_trees })
}

/// Trees that are compiled at a time, in their order: as many as have no more nodes than that, and
/// at least one.
fn groups_of_trees(ensemble: &Ensemble, most_nodes: usize) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut nodes = 0;
    for (index, tree) in ensemble.trees.iter().enumerate() {
        nodes += tree.n_nodes();
        match groups.last_mut() {
            Some(group) if nodes <= most_nodes => group.end = index + 1,
            _ => {
                nodes = tree.n_nodes();
                groups.push(index..index + 1);
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::train::{ForestParams, TrainingSet, train_forest};
    use crate::monitor::Silent;
    use crate::table::Matrix;

    #[test]
    fn trees_compiled_in_groups_predict_the_same() {
        let x = Matrix::from_column_major((0..60).map(f64::from).collect(), 60, 1).expect("cells");
        let y: Vec<f64> = (0..60).map(|i| f64::from(i * i % 37)).collect();
        let names = ["age".to_string()];
        let set = TrainingSet::regression(x.view(), &y, &names);
        let params = ForestParams::regression().with_n_trees(7);
        let forest = train_forest(&set, &params, &Silent).expect("a forest");
        let nodes = forest.trees[0].n_nodes() + forest.trees[1].n_nodes();
        let groups = groups_of_trees(&forest, nodes);
        assert_eq!(groups[0], 0..2);
        assert_eq!(groups_of_trees(&forest, 1).len(), 7);
        let whole = oob_prediction(&forest, &x.view(), &Silent).expect("predictions");
        for most in [1, nodes] {
            let in_groups = predict_in_groups(&forest, &x.view(), &Silent, most);
            let found = in_groups.expect("predictions");
            let bits = |one: &OobPrediction| -> Vec<u64> {
                one.prediction.iter().map(|number| number.to_bits()).collect()
            };
            assert_eq!((bits(&found), &found.n_trees), (bits(&whole), &whole.n_trees));
        }
    }
}
