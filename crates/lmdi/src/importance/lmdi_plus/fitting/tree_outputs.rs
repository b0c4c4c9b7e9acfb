//! Which outputs a tree adds to, and each forest tree's share of the base score.

use crate::forest::Ensemble;
use std::ops::Range;

/// The trees of an ensemble by the outputs of LMDI+.
#[derive(Clone, Copy)]
pub(super) struct TreeOutputs<'e> {
    pub(super) ensemble: &'e Ensemble,
    /// Number of outputs of LMDI+.
    pub(super) n_outputs: usize,
}

impl TreeOutputs<'_> {
    /// The outputs of LMDI+ that a tree adds to.
    pub(super) fn of_tree(&self, tree: usize) -> Range<usize> {
        match self.ensemble.output_of_tree.get(tree) {
            Some(&output) => output as usize..output as usize + 1,
            None => 0..self.n_outputs,
        }
    }

    /// Which of a tree's values belongs to an output of LMDI+.
    pub(super) fn value_of(&self, tree: usize, output: usize) -> usize {
        match self.ensemble.output_of_tree.get(tree) {
            Some(_) => 0,
            None => self.of_ensemble(output),
        }
    }

    /// The output of the ensemble that an output of LMDI+ explains: the second of two classes speaks for
    /// both.
    fn of_ensemble(&self, output: usize) -> usize {
        if self.n_outputs == 1 { self.ensemble.n_outputs - 1 } else { output }
    }

    /// The part of what the raw output starts from that each tree of an output takes on in a forest.
    pub(super) fn base_per_tree(&self, output: usize) -> f64 {
        let output = self.of_ensemble(output);
        let base = self.ensemble.base_score[output];
        if base == 0.0 {
            return 0.0;
        }
        let trees = match &self.ensemble.output_of_tree[..] {
            [] => self.ensemble.trees.len(),
            of_tree => of_tree.iter().filter(|&&other| other as usize == output).count(),
        };
        base / (self.ensemble.factor() * trees as f64)
    }
}
