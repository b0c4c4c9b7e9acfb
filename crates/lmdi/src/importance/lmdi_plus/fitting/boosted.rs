//! Fitting the linear models of boosted trees, round by round.
//!
//! Tree t of a boosted model was grown on the residuals of the trees before it. Its linear model is
//! fitted to the residuals of the *linear models* before it: to the Newton steps at the margin of
//! the refit, with the second derivative of the loss as weight, on the scale of the tree's own leaf
//! values ([`super::leaf_steps`]).
//!
//! At the margin of the model itself, a linear trend that the model lacks would be fitted again in
//! every round, and the sum would grow without bound. At the refit's own margin, a trend that has
//! been fitted is gone from the next target. Without penalty and raw columns the two margins are
//! equal, and the linear models reproduce the trees.
//!
//! **In rounds.** A stream of rows cannot be read once per tree. With a number of rounds set, all
//! trees of a round are fitted at once: each as if the linear models before it in the round were
//! the trees themselves. What earlier rounds left over, `debt = model - refit`, is subtracted from
//! the margin of all its trees. Fitted one after another, each tree would take a share of it. So
//! tree j of the round aims at
//!
//! ```text
//! target = v + rate (1 - factor rate)^j (z - m),      z at the margin  model - debt
//! ```
//!
//! Rounds depend on one another. The trees of one round (one per class) are fitted in parallel, and so are
//! the passes over rows within a tree. Which leaf a row falls in does not depend on the margin, so it is
//! found for several rounds at once. Memory: one margin per row and output, and the leaves of those rounds.

use super::fit::{Shared, TargetAndWeight};
use super::leaf_steps::{LeafSteps, RateEvidence, rate_in_round};
use super::target::working_response;
use super::tree_outputs::TreeOutputs;
use crate::Result;
use crate::basis::Basis;
use crate::forest::{Ensemble, Growth};
use crate::importance::lmdi_plus::model::TreeModel;
use crate::monitor::Monitor;
use crate::table::Response;
use rayon::prelude::*;
use std::ops::Range;

/// Rows that a thread takes at a time.
const ROWS: usize = 4096;

/// A tree's columns, and the node in which each row falls.
pub(super) type Prepared = (Basis, Vec<u32>);

/// The linear models of a boosted ensemble.
pub(super) struct BoostedFit {
    pub(super) models: Vec<TreeModel>,
    /// How much of the model they reproduce; see [`LmdiPlus::fidelity`](crate::importance::lmdi_plus::LmdiPlus::fidelity).
    pub(super) fidelity: f64,
    /// What a ranking keeps of each tree's scores; see [`super::support`].
    pub(super) kept: Vec<Vec<f64>>,
}

/// What the rounds so far come to.
struct Progress {
    /// Raw output of the linear models, row by row.
    refit: Vec<f64>,
    /// Raw output of the trees themselves, row by row.
    model: Vec<f64>,
    /// What trees make of a Newton step, per output.
    rate: Vec<RateEvidence>,
    /// What a round began with, where trees are fitted in rounds.
    round: Option<RoundStart>,
}

/// What the trees of a round share.
struct RoundStart {
    /// What the linear models before it owe, row by row.
    debt: Vec<f64>,
    rate: Vec<RateEvidence>,
    /// Its first tree.
    tree: usize,
}

impl Shared<'_> {
    /// Fits all trees of a boosted ensemble. The monitor advances by one per tree.
    pub(super) fn fit_boosted(
        &self,
        response: &Response<'_>,
        n_rounds: Option<usize>,
        monitor: &dyn Monitor,
    ) -> Result<BoostedFit> {
        let base = &self.ensemble.base_score;
        let start: Vec<f64> = base.repeat(self.x.rows());
        let rate = vec![RateEvidence::default(); self.ensemble.n_outputs];
        let mut progress = Progress { refit: start.clone(), model: start, rate, round: None };
        let starts = n_rounds.map(|n_rounds| round_starts(self.ensemble, n_rounds));
        let mut models = Vec::with_capacity(self.ensemble.trees.len());
        let mut kept = Vec::with_capacity(self.ensemble.trees.len());
        let supports = self.response_supports(response);
        let rounds = self.rounds();
        let trees_per_round = rounds.first().map_or(1, ExactSizeIterator::len);
        let at_once = (2 * rayon::current_num_threads()).div_ceil(trees_per_round);
        for rounds in rounds.chunks(at_once) {
            monitor.check()?;
            let trees = rounds[0].start..rounds[rounds.len() - 1].end;
            let (mut prepared, of_trees): (Vec<Prepared>, Vec<Vec<f64>>) = trees
                .into_par_iter()
                .map(|tree| {
                    let prepared = self.basis(tree);
                    let kept = self.kept(tree, &prepared, response, &supports);
                    (prepared, kept)
                })
                .unzip();
            kept.extend(of_trees);
            for round in rounds {
                monitor.check()?;
                if starts.as_ref().is_some_and(|starts| starts.contains(&round.start)) {
                    progress.start_round(round.start);
                }
                let rest = prepared.split_off(round.len());
                let fitted: Vec<(TreeModel, Vec<RateEvidence>)> =
                    (round.clone().into_par_iter().zip(&prepared))
                        .map(|(tree, prepared)| {
                            let fitted = self.fit_boosted_tree(tree, prepared, response, &progress);
                            monitor.advance(1);
                            fitted
                        })
                        .collect();
                for ((tree, (model, rates)), (_, leaves)) in
                    round.clone().zip(fitted).zip(&prepared)
                {
                    self.advance(tree, &model, leaves, &mut progress);
                    for (output, rate) in self.outputs_of_tree(tree).zip(rates) {
                        progress.rate[output].add(rate);
                    }
                    models.push(model);
                }
                prepared = rest;
            }
        }
        let fidelity = self.fidelity(&progress);
        Ok(BoostedFit { models, fidelity, kept })
    }

    /// The share of the variation of the model's raw output that the linear models reproduce (R²), over the
    /// rows of the fit. NaN where the output does not vary.
    fn fidelity(&self, progress: &Progress) -> f64 {
        let k = self.ensemble.n_outputs;
        let (mut left, mut all) = (0.0, 0.0);
        for output in 0..k {
            let of_output = |margin: &'_ [f64], row: usize| margin[row * k + output];
            let weighted = |term: &dyn Fn(usize) -> f64| -> f64 {
                (0..self.x.rows()).map(|row| self.weight(row) * term(row)).sum()
            };
            let mean = weighted(&|row| of_output(&progress.model, row)) / weighted(&|_| 1.0);
            left += weighted(&|row| {
                (of_output(&progress.model, row) - of_output(&progress.refit, row)).powi(2)
            });
            all += weighted(&|row| (of_output(&progress.model, row) - mean).powi(2));
        }
        if all > 0.0 { 1.0 - left / all } else { f64::NAN }
    }

    /// The linear models of a tree, and what its leaves say about the rate, per output.
    fn fit_boosted_tree(
        &self,
        index: usize,
        prepared: &Prepared,
        response: &Response<'_>,
        progress: &Progress,
    ) -> (TreeModel, Vec<RateEvidence>) {
        let (ensemble, tree) = (self.ensemble, &self.ensemble.trees[index]);
        let leaves = &prepared.1;
        let outputs = self.outputs_of_tree(index);
        let mut targets: Vec<TargetAndWeight> = Vec::with_capacity(outputs.len());
        let mut rates = Vec::with_capacity(outputs.len());
        for (own, output) in outputs.clone().enumerate() {
            let steps_at = |margin: &[f64]| working_response(ensemble, response, margin, output);
            let (grown_on, weight) = steps_at(&progress.model);
            let weight = self.row_weights(index, weight.as_deref());
            let steps = LeafSteps::new(tree, own, leaves, &grown_on, &weight);
            let mut evidence = match &progress.round {
                Some(round) => round.rate[output],
                None => progress.rate[output],
            };
            evidence.add(steps.evidence());
            let mut rate = evidence.rate(ensemble.growth, ensemble.n_outputs);
            let (mut target, weight) = match &progress.round {
                Some(round) => {
                    let place = place_in_round(ensemble, round.tree, index);
                    rate = rate_in_round(rate, ensemble.factor(), place);
                    let refit = progress.model.iter().zip(&round.debt);
                    let refit: Vec<f64> = refit.map(|(model, debt)| model - debt).collect();
                    steps_at(&refit)
                }
                None => steps_at(&progress.refit),
            };
            for (target, &leaf) in target.iter_mut().zip(leaves) {
                *target = steps.target(rate, leaf, *target);
            }
            targets.push((target, weight));
            rates.push(steps.evidence());
        }
        (self.fit_tree(index, outputs.start as u32, prepared, &targets), rates)
    }

    /// The outputs that a tree adds to.
    pub(super) fn outputs_of_tree(&self, tree: usize) -> Range<usize> {
        TreeOutputs { ensemble: self.ensemble, n_outputs: self.ensemble.n_outputs }.of_tree(tree)
    }

    /// The trees of each round of boosting, which saw the same margin.
    fn rounds(&self) -> Vec<Range<usize>> {
        boosting_rounds(self.ensemble)
    }

    /// Adds a tree and its linear model to the margins of every row.
    fn advance(&self, index: usize, model: &TreeModel, leaves: &[u32], progress: &mut Progress) {
        let factor = self.ensemble.factor();
        let tree = &self.ensemble.trees[index];
        let (k, outputs) = (self.ensemble.n_outputs, self.outputs_of_tree(index));
        let at_node = model.without_raw(tree);
        progress
            .refit
            .par_chunks_mut(ROWS * k)
            .zip(progress.model.par_chunks_mut(ROWS * k))
            .zip(leaves.par_chunks(ROWS))
            .enumerate()
            .for_each(|(chunk, ((refit, own), leaves))| {
                let rows = refit.chunks_exact_mut(k).zip(own.chunks_exact_mut(k));
                for (at, ((refit, own), &leaf)) in rows.zip(leaves).enumerate() {
                    let leaf = leaf as usize;
                    let row = chunk * ROWS + at;
                    let own = own[outputs.clone()].iter_mut();
                    for (own, value) in own.zip(tree.value_of(leaf)) {
                        *own += factor * value;
                    }
                    for (output, refit) in refit[outputs.clone()].iter_mut().enumerate() {
                        let cell = |feature| self.x.get(row, feature as usize);
                        *refit += factor * model.at_leaf(&at_node, leaf, output, cell);
                    }
                }
            });
    }
}

impl Progress {
    fn start_round(&mut self, tree: usize) {
        let debt = self.model.iter().zip(&self.refit).map(|(model, refit)| model - refit).collect();
        self.round = Some(RoundStart { debt, rate: self.rate.clone(), tree });
    }
}

/// The trees of each round of boosting, which saw the same margin.
pub(super) fn boosting_rounds(ensemble: &Ensemble) -> Vec<Range<usize>> {
    let n = ensemble.trees.len();
    let outputs = TreeOutputs { ensemble, n_outputs: ensemble.n_outputs };
    let first_output = |tree: usize| outputs.of_tree(tree).start;
    let starts: Vec<usize> = match ensemble.growth {
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

/// The first tree of each of this many rounds, which hold whole rounds of boosting, in nearly equal
/// numbers.
pub(super) fn round_starts(ensemble: &Ensemble, n_rounds: usize) -> Vec<usize> {
    let boosting = boosting_rounds(ensemble);
    let size = boosting.len().div_ceil(n_rounds.max(1)).max(1);
    boosting.iter().step_by(size).map(|round| round.start).collect()
}

/// How many rounds of boosting lie between the first tree of a round and another.
pub(super) fn place_in_round(ensemble: &Ensemble, first: usize, tree: usize) -> usize {
    let starts = boosting_rounds(ensemble);
    let number = |tree: usize| starts.partition_point(|round| round.end <= tree);
    number(tree) - number(first)
}
