//! Fitting the linear models of a forest, whose trees were grown independently.
//!
//! **To the response.** Every tree is fitted to the response itself, all trees in parallel. The
//! result is what the data say about the features, seen through the splits.
//!
//! **To the model.** Every tree is fitted to its own leaf values v, plus a share of the response's
//! deviation from them. With m the mean response of the leaf's rows, the target of a row is
//!
//! ```text
//! target = v + share * (y - m) + debt / trees of the round
//! ```
//!
//! The mean target of a leaf is v, so an unpenalised fit of the stumps reproduces the tree, for any
//! share. A penalty takes something away from every tree. The debt is what it took from the trees
//! of earlier rounds, the sum of `v - fitted`; the next round pays it back. An effect that
//! penalties shrink in one tree but other trees confirm is thus not lost. Rounds are few
//! ([`ROUNDS`] unless a number is set) and their trees are fitted in parallel.
//!
//! The share sets how much the response counts beside the model. At 0 the refit follows every
//! detail of the trees; at 1 the penalty is chosen by how well the tree predicts. If the raw output
//! is not on the scale of the response (a link), the share is 0.
//!
//! Memory: one debt per row and output, and the leaves of [`TREES_AT_ONCE`] trees.

use super::fit::{Shared, TargetAndWeight};
use super::leaf_steps::LeafSteps;
use super::target::independent_response;
use super::tree_outputs::TreeOutputs;
use crate::Result;
use crate::forest::{Ensemble, Link};
use crate::importance::lmdi_plus::model::TreeModel;
use crate::importance::lmdi_plus::options::LmdiPlusOptions;
use crate::monitor::Monitor;
use crate::table::Response;
use rayon::prelude::*;

/// Rounds in which the trees are fitted to the model unless a number is set.
pub(super) const ROUNDS: usize = 4;

/// Trees whose leaves are kept until the debt is updated.
const TREES_AT_ONCE: usize = 64;

/// Rows that a thread takes at a time.
const ROWS: usize = 4096;

/// A tree's linear model, and the leaf of every row.
type Fitted = (TreeModel, Vec<u32>);

/// How much of the response joins the leaf values: nothing where these are on another scale.
pub(super) fn share_of_response(ensemble: &Ensemble, options: &LmdiPlusOptions) -> f64 {
    match ensemble.link {
        Link::Identity => options.response_share,
        _ => 0.0,
    }
}

impl Shared<'_> {
    /// Fits every tree to the response. The monitor advances by one per tree.
    pub(super) fn fit_to_response(
        &self,
        response: &Response<'_>,
        n_outputs: usize,
        monitor: &dyn Monitor,
    ) -> Result<Vec<TreeModel>> {
        let targets: Vec<TargetAndWeight> = (0..n_outputs)
            .map(|output| (independent_response(response, n_outputs, output), None))
            .collect();
        (0..self.ensemble.trees.len())
            .into_par_iter()
            .map(|index| {
                monitor.check()?;
                let outputs = self.outputs(n_outputs).of_tree(index);
                let own = &targets[outputs.clone()];
                let model = self.fit_tree(index, outputs.start as u32, &self.basis(index), own);
                monitor.advance(1);
                Ok(model)
            })
            .collect()
    }

    /// Fits every tree to its own leaf values. The monitor advances by one per tree.
    pub(super) fn fit_to_model(
        &self,
        response: &Response<'_>,
        n_outputs: usize,
        options: &LmdiPlusOptions,
        monitor: &dyn Monitor,
    ) -> Result<Vec<TreeModel>> {
        let n_trees = self.ensemble.trees.len();
        let responses: Vec<Vec<f64>> = (0..n_outputs)
            .map(|output| independent_response(response, n_outputs, output))
            .collect();
        let share = share_of_response(self.ensemble, options);
        let mut debt = vec![0.0; self.x.rows() * n_outputs];
        let mut models = Vec::with_capacity(n_trees);
        let trees: Vec<usize> = (0..n_trees).collect();
        for round in trees.chunks(n_trees.div_ceil(options.rounds.unwrap_or(ROUNDS)).max(1)) {
            let owed: Vec<Vec<f64>> = (0..n_outputs)
                .map(|output| {
                    let adds =
                        |tree: &&usize| self.outputs(n_outputs).of_tree(**tree).contains(&output);
                    let trees = round.iter().filter(adds).count().max(1) as f64;
                    debt.iter().skip(output).step_by(n_outputs).map(|debt| debt / trees).collect()
                })
                .collect();
            for trees in round.chunks(TREES_AT_ONCE) {
                let fitted = trees
                    .par_iter()
                    .map(|&tree| {
                        monitor.check()?;
                        let fitted = self.fit_tree_to_model(tree, &responses, share, &owed);
                        monitor.advance(1);
                        Ok(fitted)
                    })
                    .collect::<Result<Vec<Fitted>>>()?;
                self.add_debt(trees[0], &fitted, &mut debt, n_outputs);
                models.extend(fitted.into_iter().map(|(model, _)| model));
            }
        }
        Ok(models)
    }

    /// The linear models of a tree, fitted to its leaf values.
    fn fit_tree_to_model(
        &self,
        index: usize,
        responses: &[Vec<f64>],
        share: f64,
        owed: &[Vec<f64>],
    ) -> Fitted {
        let tree = &self.ensemble.trees[index];
        let (basis, leaves) = self.basis(index);
        let weight = self.row_weights(index, None);
        let outputs = self.outputs(responses.len()).of_tree(index);
        let targets: Vec<TargetAndWeight> = outputs
            .clone()
            .map(|output| {
                let (y, owed) = (&responses[output], &owed[output]);
                let value = self.outputs(responses.len()).value_of(index, output);
                let steps = LeafSteps::new(tree, value, &leaves, y, &weight);
                let base = self.outputs(responses.len()).base_per_tree(output);
                let target = (leaves.iter().zip(y).zip(owed))
                    .map(|((&leaf, &y), owed)| base + steps.target(share, leaf, y) + owed);
                (target.collect(), None)
            })
            .collect();
        let prepared = (basis, leaves);
        let model = self.fit_tree(index, outputs.start as u32, &prepared, &targets);
        (model, prepared.1)
    }

    /// Adds what the linear models of some trees, the first of them given, fall short of the trees
    /// themselves.
    fn add_debt(&self, first: usize, fitted: &[Fitted], debt: &mut [f64], n_outputs: usize) {
        let base_per_tree: Vec<f64> =
            (0..n_outputs).map(|output| self.outputs(n_outputs).base_per_tree(output)).collect();
        // One tree after the other: their numbers per node are never there together.
        for (index, (model, leaves)) in (first..).zip(fitted) {
            let tree = &self.ensemble.trees[index];
            let at_node = model.without_raw(tree);
            let outputs = self.outputs(n_outputs).of_tree(index);
            debt.par_chunks_mut(ROWS * n_outputs).enumerate().for_each(|(chunk, debt)| {
                for (row, debt) in debt.chunks_exact_mut(n_outputs).enumerate() {
                    let row = chunk * ROWS + row;
                    let leaf = leaves[row] as usize;
                    for output in outputs.clone() {
                        let own = output - outputs.start;
                        let value =
                            tree.value_of(leaf)[self.outputs(n_outputs).value_of(index, output)];
                        let refit = model.at_leaf(&at_node, leaf, own, |feature| {
                            self.x.get(row, feature as usize)
                        });
                        debt[output] += base_per_tree[output] + value - refit;
                    }
                }
            });
        }
    }

    fn outputs(&self, n_outputs: usize) -> TreeOutputs<'_> {
        TreeOutputs { ensemble: self.ensemble, n_outputs }
    }
}
