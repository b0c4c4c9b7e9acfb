//! The linear model of a tree while it is put together, output by output.

use crate::basis::Basis;
use crate::forest::Tree;
use crate::glm::GlmFit;
use crate::importance::lmdi_plus::model::{RawTerm, TreeFit, TreeModel};
use crate::sparse_numbers::SparseNumbers;
use std::ops::Range;

/// The linear models of a tree while outputs are added to it.
pub(super) struct UnfinishedModel {
    model: TreeModel,
    /// Node by node, output by output.
    step: Vec<f64>,
}

impl UnfinishedModel {
    /// The linear models of a tree before any output is fitted.
    pub(super) fn new(tree: &Tree, basis: &Basis, outputs: Range<usize>) -> Self {
        let n_outputs = outputs.len();
        let raw = basis.raw.iter().map(|column| RawTerm {
            feature: column.feature,
            mean: column.mean,
            slope: Vec::with_capacity(n_outputs),
        });
        let model = TreeModel {
            first_output: outputs.start as u32,
            n_outputs: n_outputs as u32,
            intercept: Vec::with_capacity(n_outputs),
            step: SparseNumbers::default(),
            raw: raw.collect(),
            fits: Vec::with_capacity(n_outputs),
        };
        Self { model, step: vec![0.0; tree.n_nodes() * n_outputs] }
    }

    /// The models, once all outputs have been added.
    pub(super) fn finish(self) -> TreeModel {
        TreeModel { step: self.step.into(), ..self.model }
    }

    /// Takes over one output's linear model.
    pub(super) fn add_output(&mut self, basis: &Basis, output: usize, fit: GlmFit) {
        let Self { model, step } = self;
        let n_outputs = model.n_outputs as usize;
        let stumps = &basis.stumps;
        let slopes = fit.coefficients.stump.iter().enumerate();
        for (split, &coefficient) in slopes.filter(|(_, coefficient)| **coefficient != 0.0) {
            for (child, value) in [
                (stumps.left[split], stumps.left_value[split]),
                (stumps.right[split], stumps.right_value[split]),
            ] {
                let node = stumps.tree_node[child as usize] as usize;
                step[node * n_outputs + output] = coefficient * value;
            }
        }
        for ((term, column), &coefficient) in
            model.raw.iter_mut().zip(&basis.raw).zip(&fit.coefficients.raw)
        {
            term.slope.push(coefficient * column.factor);
        }
        model.intercept.push(fit.coefficients.intercept);
        model.fits.push(TreeFit {
            chosen: fit.chosen,
            iterations: fit.iterations,
            gap: fit.gap,
            converged: fit.converged,
        });
    }
}
