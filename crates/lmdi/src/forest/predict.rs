//! Predictions, leaf ids and decision paths of an ensemble.
//!
//! Rows are taken in blocks, in parallel; within a block every tree is walked in turn, so a row's
//! tree values are always added in the order of the trees, for any number of threads.

use super::routing::Router;
use super::{Aggregation, Ensemble, Link, NONE, Outcome, Tree};
use crate::monitor::Monitor;
use crate::table::MatrixView;
use crate::{Error, Result};
use rayon::prelude::*;

/// An ensemble prepared to predict many rows; build it once for repeated predictions.
#[derive(Debug)]
pub struct Predictor {
    router: Router,
    /// Values of each tree by compiled position.
    values: Vec<Vec<f64>>,
    /// The output each tree's value belongs to; empty when a tree has a value for every output.
    output_of_tree: Vec<u32>,
    n_outputs: usize,
    aggregation: Aggregation,
    base_score: Vec<f64>,
    link: Link,
}

impl Predictor {
    /// Prepares an ensemble that passes its [`check`](Ensemble::check).
    pub fn new(ensemble: &Ensemble) -> Self {
        Self::with_router(ensemble, Router::new(ensemble))
    }

    /// The same for few rows, which do not repay compiling the trees.
    pub(crate) fn for_few_rows(ensemble: &Ensemble) -> Self {
        Self::with_router(ensemble, Router::as_is(ensemble))
    }

    fn with_router(ensemble: &Ensemble, router: Router) -> Self {
        let reorder = |(index, tree): (usize, &Tree)| match router.originals(index) {
            None => tree.value.clone(),
            Some(nodes) => {
                let mut values = Vec::with_capacity(tree.value.len());
                for &node in nodes {
                    values.extend_from_slice(tree.value_of(node as usize));
                }
                values
            }
        };
        Self {
            values: ensemble.trees.par_iter().enumerate().map(reorder).collect(),
            router,
            output_of_tree: ensemble.output_of_tree.clone(),
            n_outputs: ensemble.n_outputs,
            aggregation: ensemble.aggregation,
            base_score: ensemble.base_score.clone(),
            link: ensemble.link,
        }
    }

    /// The raw output of each row: `n_outputs` numbers per row, row by row.
    pub fn predict_raw(&self, x: &MatrixView, monitor: &dyn Monitor) -> Result<Vec<f64>> {
        self.router.check_columns(x)?;
        let width = self.n_outputs;
        let mut out = vec![0.0; x.rows() * width];
        let rows_per_block = self.router.rows_per_shared_block(x.rows());
        out.par_chunks_mut(rows_per_block * width).enumerate().try_for_each_init(
            || (self.router.block(), Vec::new()),
            |(block, leaves), (index, out)| {
                monitor.check()?;
                let start = index * rows_per_block;
                let n_rows = out.len() / width;
                block.read(x, start..start + n_rows);
                leaves.resize(n_rows, 0);
                for (tree, values) in self.values.iter().enumerate() {
                    self.router.positions(tree, block, leaves);
                    self.add_values(tree, values, leaves, out);
                }
                self.finish(out);
                monitor.advance(n_rows as u64);
                Ok(())
            },
        )?;
        Ok(out)
    }

    fn add_values(&self, tree: usize, values: &[f64], leaves: &[u32], out: &mut [f64]) {
        let width = self.n_outputs;
        if width == 1 {
            add_rows::<1>(values, leaves, out);
        } else if let Some(&output) = self.output_of_tree.get(tree) {
            for (row, &leaf) in out.chunks_exact_mut(width).zip(leaves) {
                row[output as usize] += values[leaf as usize];
            }
        } else if width == 2 {
            add_rows::<2>(values, leaves, out);
        } else {
            for (row, &leaf) in out.chunks_exact_mut(width).zip(leaves) {
                let at = leaf as usize * width;
                for (out, value) in row.iter_mut().zip(&values[at..at + width]) {
                    *out += value;
                }
            }
        }
    }

    /// From sums of tree values to raw outputs.
    fn finish(&self, out: &mut [f64]) {
        let n_trees = self.values.len() as f64;
        for row in out.chunks_exact_mut(self.n_outputs) {
            for (out, base) in row.iter_mut().zip(&self.base_score) {
                *out = base
                    + match self.aggregation {
                        Aggregation::Mean => *out / n_trees,
                        Aggregation::Sum { learning_rate } => *out * learning_rate,
                    };
            }
        }
    }

    /// The prediction of each row: the mean of a number, or the probability of each class in the
    /// order of the labels, row by row.
    pub fn predict(&self, x: &MatrixView, monitor: &dyn Monitor) -> Result<Vec<f64>> {
        let raw = self.predict_raw(x, monitor)?;
        Ok(apply_link(self.link, self.n_outputs, raw))
    }
}

/// Adds the values of each row's leaf, for a number of outputs known to the compiler.
fn add_rows<const WIDTH: usize>(values: &[f64], leaves: &[u32], out: &mut [f64]) {
    let (values, _) = values.as_chunks::<WIDTH>();
    let (rows, _) = out.as_chunks_mut::<WIDTH>();
    for (row, &leaf) in rows.iter_mut().zip(leaves) {
        for (out, value) in row.iter_mut().zip(&values[leaf as usize]) {
            *out += value;
        }
    }
}

/// Turns raw outputs into predictions; see [`Predictor::predict`].
pub fn apply_link(link: Link, n_outputs: usize, mut raw: Vec<f64>) -> Vec<f64> {
    match link {
        Link::Identity => raw,
        Link::Log => {
            raw.iter_mut().for_each(|raw| *raw = libm::exp(*raw));
            raw
        }
        Link::OneVsRest => {
            raw.iter_mut().for_each(|raw| *raw = logistic(*raw));
            raw
        }
        Link::Logit => raw.iter().flat_map(|&raw| [logistic(-raw), logistic(raw)]).collect(),
        Link::Softmax => {
            raw.chunks_exact_mut(n_outputs).for_each(softmax);
            raw
        }
    }
}

/// The class with the largest probability (ties go to the first); `None` for a row without a
/// prediction.
pub fn most_probable(probabilities: &[f64]) -> Option<usize> {
    if probabilities.iter().any(|p| p.is_nan()) {
        return None;
    }
    let larger = |best, at| if probabilities[at] > probabilities[best] { at } else { best };
    (0..probabilities.len()).reduce(larger)
}

/// `1 / (1 + exp(-x))`, without overflow.
pub fn logistic(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + libm::exp(-x))
    } else {
        let e = libm::exp(x);
        e / (1.0 + e)
    }
}

/// Replaces each number by its share of the sum of exponentials.
pub fn softmax(row: &mut [f64]) {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for x in row.iter_mut() {
        *x = libm::exp(*x - largest);
        total += *x;
    }
    row.iter_mut().for_each(|x| *x /= total);
}

impl Ensemble {
    /// The raw output of each row, before the link; see [`Predictor::predict_raw`].
    pub fn predict_raw(&self, x: &MatrixView, monitor: &dyn Monitor) -> Result<Vec<f64>> {
        Predictor::new(self).predict_raw(x, monitor)
    }

    /// The mean, or the probability of each class, of each row; see [`Predictor::predict`].
    ///
    /// ```
    /// # use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
    /// # use lmdi::{monitor::Silent, table::{Matrix, Response}};
    /// # fn main() -> lmdi::Result<()> {
    /// # let x = Matrix::from_column_major((0..40).map(f64::from).collect(), 40, 1)?;
    /// # let y: Vec<f64> = (0..40).map(|i| if i < 20 { 1.0 } else { 5.0 }).collect();
    /// # let set = TrainingSet { x: x.view(), y: Response::Numeric(&y), weights: None,
    /// #     feature_names: &["age".to_string()], labels: &[] };
    /// let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
    /// let prediction = forest.predict(&x.view(), &Silent)?;
    /// assert_eq!((prediction[0], prediction[39]), (1.0, 5.0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn predict(&self, x: &MatrixView, monitor: &dyn Monitor) -> Result<Vec<f64>> {
        Predictor::new(self).predict(x, monitor)
    }

    /// How many numbers [`predict`](Self::predict) gives per row.
    pub fn n_predictions(&self) -> usize {
        match &self.outcome {
            Outcome::Number => 1,
            Outcome::Classes(labels) => labels.len(),
        }
    }

    /// The leaf of each row in each tree: one node index per tree, row by row.
    pub fn apply(&self, x: &MatrixView, monitor: &dyn Monitor) -> Result<Vec<u32>> {
        let router = Router::new(self);
        router.check_columns(x)?;
        let n_trees = self.trees.len();
        let mut out = vec![0; x.rows() * n_trees];
        let rows_per_block = router.rows_per_shared_block(x.rows());
        out.par_chunks_mut(rows_per_block * n_trees).enumerate().try_for_each_init(
            || (router.block(), Vec::new()),
            |(block, leaves), (index, out)| {
                monitor.check()?;
                let start = index * rows_per_block;
                let n_rows = out.len() / n_trees;
                block.read(x, start..start + n_rows);
                leaves.resize(n_rows, 0);
                for tree in 0..n_trees {
                    router.leaves(tree, block, leaves);
                    for (row, &leaf) in leaves.iter().enumerate() {
                        out[row * n_trees + tree] = leaf;
                    }
                }
                monitor.advance(n_rows as u64);
                Ok::<(), Error>(())
            },
        )?;
        Ok(out)
    }

    /// The nodes a row of cells passes in one tree, from the root to its leaf.
    ///
    /// # Panics
    /// If there is no such tree, or the row has fewer cells than the tree has columns.
    pub fn decision_path(&self, tree: usize, row: &[f64]) -> Vec<u32> {
        let tree = &self.trees[tree];
        let mut path = vec![0];
        let mut node = 0;
        while tree.left[node] != NONE {
            let left = tree.goes_left(node, row[tree.feature[node] as usize]);
            let next = if left { tree.left[node] } else { tree.right[node] };
            path.push(next);
            node = next as usize;
        }
        path
    }
}
