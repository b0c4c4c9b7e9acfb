//! Fitting the linear models of boosted trees, round by round.
//!
//! Tree t of a boosted model was grown on what the trees before it left unexplained. Its linear model is
//! fitted to what the *linear models* before it left unexplained: with F the margin of the refit so far,
//! g and h the first and second derivative of the loss at F,
//!
//! ```text
//! z = -g / h,  weight h;      F <- F + rate * (linear predictor of the tree)
//! ```
//!
//! At the margin of the model itself, a linear trend that the model lacks would be found again in every
//! round, and the sum would grow without bound. At the refit's own margin, a trend that has been taken up
//! is gone from the next target. Without penalty and raw columns the two margins are equal, and the
//! linear models give the trees back.
//!
//! Rounds depend on one another. The trees of one round (one per class) are fitted in parallel, and so are
//! the passes over rows within a tree. Which leaf a row falls in does not depend on the margin, so it is
//! found for several rounds at once. Memory: one margin per row and output, and the leaves of those rounds.

use super::fit::{Shared, TargetAndWeight};
use super::model::TreeModel;
use super::target::{scale_to_tree, working_response};
use crate::Result;
use crate::basis::Basis;
use crate::forest::{Aggregation, Growth};
use crate::monitor::Monitor;
use crate::table::Response;
use rayon::prelude::*;
use std::ops::Range;

/// Rows that a thread takes at a time.
const ROWS: usize = 4096;

/// A tree's columns, and the node in which each row falls.
type Prepared = (Basis, Vec<u32>);

/// The raw output of every row, row by row, so far.
struct Margins {
    /// Of the linear models.
    refit: Vec<f64>,
    /// Of the trees themselves.
    model: Vec<f64>,
}

impl Shared<'_> {
    /// Fits all trees of a boosted ensemble. The monitor advances by one per tree.
    pub(super) fn fit_boosted(
        &self,
        response: &Response<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<TreeModel>> {
        let base = &self.ensemble.base_score;
        let start: Vec<f64> = base.repeat(self.x.rows());
        let mut margins = Margins { refit: start.clone(), model: start };
        let mut models = Vec::with_capacity(self.ensemble.trees.len());
        let rounds = self.rounds();
        let trees_per_round = rounds.first().map_or(1, ExactSizeIterator::len);
        let at_once = (2 * rayon::current_num_threads()).div_ceil(trees_per_round);
        for rounds in rounds.chunks(at_once) {
            monitor.check()?;
            let trees = rounds[0].start..rounds[rounds.len() - 1].end;
            let mut prepared: Vec<Prepared> =
                trees.into_par_iter().map(|tree| self.basis(tree)).collect();
            for round in rounds {
                monitor.check()?;
                let rest = prepared.split_off(round.len());
                let fitted: Vec<TreeModel> = (round.clone().into_par_iter().zip(&prepared))
                    .map(|(tree, prepared)| {
                        let model = self.fit_boosted_tree(tree, prepared, response, &margins);
                        monitor.advance(1);
                        model
                    })
                    .collect();
                for ((tree, model), (_, leaves)) in round.clone().zip(&fitted).zip(&prepared) {
                    self.advance(tree, model, leaves, &mut margins);
                }
                models.extend(fitted);
                prepared = rest;
            }
        }
        Ok(models)
    }

    fn fit_boosted_tree(
        &self,
        tree: usize,
        prepared: &Prepared,
        response: &Response<'_>,
        margins: &Margins,
    ) -> TreeModel {
        let outputs = self.outputs_of_tree(tree);
        let targets: Vec<TargetAndWeight> = outputs
            .clone()
            .map(|output| {
                let working =
                    |margin: &[f64]| working_response(self.ensemble, response, margin, output);
                let (mut target, weight) = working(&margins.refit);
                if let Growth::Shrunk { .. } = self.ensemble.growth {
                    // The learning rate shows at the margin that the tree itself was grown at.
                    let (grown_on, weight) = working(&margins.model);
                    let weight = |row: usize| {
                        self.weight(row) * weight.as_ref().map_or(1.0, |weight| weight[row])
                    };
                    let tree = &self.ensemble.trees[tree];
                    let value = output - outputs.start;
                    let factor = scale_to_tree(tree, value, &prepared.1, &grown_on, weight);
                    target.iter_mut().for_each(|target| *target *= factor);
                }
                (target, weight)
            })
            .collect();
        self.fit_tree(tree, outputs.start as u32, prepared, &targets)
    }

    /// The outputs that a tree adds to.
    fn outputs_of_tree(&self, tree: usize) -> Range<usize> {
        match self.ensemble.output_of_tree.get(tree) {
            Some(&output) => output as usize..output as usize + 1,
            None => 0..self.ensemble.n_outputs,
        }
    }

    /// The trees of each round, which saw the same margin.
    fn rounds(&self) -> Vec<Range<usize>> {
        let n = self.ensemble.trees.len();
        let first_output = |tree: usize| self.outputs_of_tree(tree).start;
        let starts: Vec<usize> = match self.ensemble.growth {
            Growth::Shrunk { trees_per_round, .. } => {
                (0..n).step_by(trees_per_round as usize).collect()
            }
            _ => (0..n)
                .filter(|&tree| tree == 0 || first_output(tree) <= first_output(tree - 1))
                .collect(),
        };
        let ends = starts.iter().skip(1).copied().chain([n]);
        starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
    }

    /// Adds a tree and its linear model to the margins of every row.
    fn advance(&self, index: usize, model: &TreeModel, leaves: &[u32], margins: &mut Margins) {
        let learning_rate = match self.ensemble.aggregation {
            Aggregation::Sum { learning_rate } => learning_rate,
            Aggregation::Mean => 1.0 / self.ensemble.trees.len() as f64,
        };
        let tree = &self.ensemble.trees[index];
        let (k, outputs) = (self.ensemble.n_outputs, self.outputs_of_tree(index));
        let at_node = model.without_raw(tree);
        let width = outputs.len();
        margins
            .refit
            .par_chunks_mut(ROWS * k)
            .zip(margins.model.par_chunks_mut(ROWS * k))
            .zip(leaves.par_chunks(ROWS))
            .enumerate()
            .for_each(|(chunk, ((refit, own), leaves))| {
                let rows = refit.chunks_exact_mut(k).zip(own.chunks_exact_mut(k));
                for (at, ((refit, own), &leaf)) in rows.zip(leaves).enumerate() {
                    let leaf = leaf as usize;
                    let row = chunk * ROWS + at;
                    let own = own[outputs.clone()].iter_mut();
                    for (own, value) in own.zip(tree.value_of(leaf)) {
                        *own += learning_rate * value;
                    }
                    let refit = refit[outputs.clone()].iter_mut();
                    let sums = &at_node[leaf * width..(leaf + 1) * width];
                    for (output, (refit, sum)) in refit.zip(sums).enumerate() {
                        let raw = model.raw.iter().map(|term| {
                            let cell = self.x.get(row, term.feature as usize);
                            if cell.is_nan() {
                                0.0
                            } else {
                                term.slope[output] * (cell - term.mean)
                            }
                        });
                        *refit += learning_rate * (sum + raw.sum::<f64>());
                    }
                }
            });
    }
}
