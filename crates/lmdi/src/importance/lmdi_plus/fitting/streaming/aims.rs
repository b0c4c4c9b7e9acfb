//! The targets of rows in a pass, tree by tree: the number z of each row, its weight, and the
//! target that the tree was grown on.
//!
//! A forest's trees aim at the response and at their share of the debt of earlier rounds; boosted
//! trees aim at Newton steps at the margin `model - debt`. The debt of a row is computed from the
//! linear models of earlier passes, so that nothing is kept per row between passes.

use super::super::boosted::boosting_rounds;
use super::super::target::{independent_response, working_response};
use super::super::tree_outputs::TreeOutputs;
use super::fit::{Scheme, StreamedFit};
use crate::forest::routing::Router;
use crate::table::{MatrixView, Response};
use rayon::prelude::*;
use std::ops::Range;

/// What rows aim at for one output of one tree.
pub(super) struct Aim {
    /// The number of the row.
    pub(super) z: Vec<f64>,
    /// What the row weighs beside its own weight; `None` where that is one.
    pub(super) weight: Option<Vec<f64>>,
    /// What the tree was grown on, and the weights of that.
    pub(super) grown: Vec<f64>,
    pub(super) grown_weight: Option<Vec<f64>>,
}

/// Some rows with what earlier passes say about them.
pub(super) struct Aims<'f> {
    fit: &'f StreamedFit,
    response: Response<'f>,
    trees: Range<usize>,
    /// What the linear models before the round owe, row by row, one number per output.
    debt: Vec<f64>,
    /// The model's margin before each tree of the pass, for boosted trees.
    margins: Vec<Vec<f64>>,
}

impl<'f> Aims<'f> {
    /// Looks at rows; `leaves` has the node of every row in each tree of the pass.
    pub(super) fn new(
        fit: &'f StreamedFit,
        x: &MatrixView<'f>,
        response: Response<'f>,
        trees: Range<usize>,
        leaves: &[Vec<u32>],
    ) -> Self {
        let round = fit.round_of(trees.start);
        let boosted = fit.ensemble.is_boosted();
        let boosting = if boosted { boosting_rounds(&fit.ensemble) } else { Vec::new() };
        let (debt, mut margin) = sums_before(fit, x, round.start, trees.start);
        let mut margins = Vec::new();
        // Trees of one round of boosting saw the same margin.
        let mut before = margin.clone();
        if let Some(first) = boosting.iter().find(|round| round.contains(&trees.start))
            && first.start < trees.start
        {
            before = sums_before(fit, x, round.start, first.start).1;
        }
        for (tree, leaves) in trees.clone().zip(leaves).filter(|_| boosted) {
            if boosting.iter().any(|round| round.start == tree) {
                before = margin.clone();
            }
            margins.push(before.clone());
            add_tree(fit, tree, leaves, &mut margin);
        }
        Self { fit, response, trees, debt, margins }
    }

    /// What rows aim at for an output of a tree.
    pub(super) fn of(&self, tree: usize, output: usize) -> Aim {
        let n_outputs = self.fit.n_outputs;
        match self.fit.scheme {
            Scheme::Boosted => {
                let margin = &self.margins[tree - self.trees.start];
                let steps = |margin: &[f64]| {
                    working_response(&self.fit.ensemble, &self.response, margin, output)
                };
                let (grown, grown_weight) = steps(margin);
                let refit: Vec<f64> =
                    margin.iter().zip(&self.debt).map(|(model, debt)| model - debt).collect();
                let (z, weight) = steps(&refit);
                Aim { z, weight, grown, grown_weight }
            }
            Scheme::Response => {
                let centre = self.fit.centre(output);
                let y = independent_response(&self.response, n_outputs, output);
                let z: Vec<f64> = y.iter().map(|y| y - centre).collect();
                Aim { grown: vec![0.0; z.len()], z, weight: None, grown_weight: None }
            }
            Scheme::Model { share } => {
                let centre = self.fit.centre(output);
                let y = independent_response(&self.response, n_outputs, output);
                let trees = self.fit.trees_that_share(tree, output);
                let owed = self.debt.iter().skip(output).step_by(n_outputs);
                let z = (y.iter().zip(owed))
                    .map(|(y, debt)| share * (y - centre) + debt / trees)
                    .collect();
                let grown = y.iter().map(|y| share * (y - centre)).collect();
                Aim { z, weight: None, grown, grown_weight: None }
            }
        }
    }
}

/// What the linear models of the trees before `round` owe each row, and the raw output of the trees
/// before `end` themselves.
fn sums_before(
    fit: &StreamedFit,
    x: &MatrixView<'_>,
    round: usize,
    end: usize,
) -> (Vec<f64>, Vec<f64>) {
    let outputs = TreeOutputs { ensemble: &fit.ensemble, n_outputs: fit.n_outputs };
    let k = fit.n_outputs;
    let boosted = fit.ensemble.is_boosted();
    let factor = if boosted { fit.ensemble.factor() } else { 1.0 };
    let mut debt = vec![0.0; x.rows() * k];
    let start = if boosted { fit.ensemble.base_score.clone() } else { vec![0.0; k] };
    let mut margin = start.repeat(x.rows());
    let at_node: Vec<Option<Vec<f64>>> = (0..round)
        .map(|tree| Some(fit.models[tree].as_ref()?.without_raw(&fit.ensemble.trees[tree])))
        .collect();
    let rows = 1024;
    debt.par_chunks_mut(rows * k).zip(margin.par_chunks_mut(rows * k)).enumerate().for_each(
        |(chunk, (debt, margin))| {
            let start = chunk * rows;
            let n = debt.len() / k;
            let mut block = fit.router.block();
            block.read(x, start..start + n);
            let mut leaves = vec![0; n];
            for tree in 0..end {
                // A forest's debt needs no margin.
                if tree >= round && !boosted {
                    break;
                }
                fit.router.leaves(tree, &block, &mut leaves);
                let model = at_node
                    .get(tree)
                    .and_then(|at_node| Some((fit.models[tree].as_ref()?, at_node.as_ref()?)));
                let own = outputs.of_tree(tree);
                for (row, &leaf) in leaves.iter().enumerate() {
                    let leaf = leaf as usize;
                    for output in own.clone() {
                        let value =
                            fit.ensemble.trees[tree].value_of(leaf)[outputs.value_of(tree, output)];
                        margin[row * k + output] += factor * value;
                        if let Some((model, at_node)) = model {
                            let cell = |feature: u32| x.get(start + row, feature as usize);
                            let refit = model.at_leaf(at_node, leaf, output - own.start, cell);
                            let base = if boosted { 0.0 } else { outputs.base_per_tree(output) };
                            debt[row * k + output] += factor * (base + value - refit);
                        }
                    }
                }
            }
        },
    );
    (debt, margin)
}

/// Adds a boosted tree to the margin of every row.
fn add_tree(fit: &StreamedFit, tree: usize, leaves: &[u32], margin: &mut [f64]) {
    let outputs = TreeOutputs { ensemble: &fit.ensemble, n_outputs: fit.n_outputs };
    let (own, factor) = (outputs.of_tree(tree), fit.ensemble.factor());
    for (margin, &leaf) in margin.chunks_exact_mut(fit.n_outputs).zip(leaves) {
        let values = fit.ensemble.trees[tree].value_of(leaf as usize);
        for (margin, value) in margin[own.clone()].iter_mut().zip(values) {
            *margin += factor * value;
        }
    }
}

/// The node of every row in each of some trees.
pub(super) fn leaves_of(router: &Router, x: &MatrixView<'_>, trees: Range<usize>) -> Vec<Vec<u32>> {
    let mut block = router.block();
    block.read(x, 0..x.rows());
    let block = &block;
    trees
        .into_par_iter()
        .map(|tree| {
            let mut leaves = vec![0; x.rows()];
            router.leaves(tree, block, &mut leaves);
            leaves
        })
        .collect()
}
