//! The progress of a fit, and how to resume it, on this machine or another.

use super::first_pass::Summary;
use super::fit::StreamedFit;
use super::newton::OutputFit;
use crate::basis::Basis;
use crate::importance::lmdi_plus::model::TreeModel;
use crate::{Error, Result};
use rayon::prelude::*;

/// What the passes so far came to: all that another machine needs to go on from there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Progress {
    pub(crate) passes: usize,
    /// Groups of trees whose linear models are found.
    pub(crate) groups: usize,
    pub(crate) summary: Option<Summary>,
    pub(crate) models: Vec<TreeModel>,
    /// Sums that tell a rate, tree by tree, output by output: products and squares.
    pub(crate) evidence: Vec<Vec<[f64; 2]>>,
    /// What a ranking keeps of each tree; nothing of a forest's.
    pub(crate) kept: Vec<Vec<f64>>,
    /// Where the trees of the present group are between two Newton steps.
    pub(crate) newton: Vec<Vec<OutputFit>>,
}

impl StreamedFit {
    /// What the passes so far came to.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Goes on from what passes elsewhere came to.
    pub(crate) fn restore(&mut self, progress: Progress) -> Result<()> {
        let fail = |what: &str| Err(Error::Format(format!("progress of a fit: {what}")));
        let expected = match self.groups.get(..progress.groups) {
            Some(groups) => groups.last().map_or(0, |group| group.end),
            None => return fail("it has more passes than the fit"),
        };
        let possible = match self.is_newton() {
            true => progress.passes > progress.groups || progress.groups == 0,
            false => progress.groups == progress.passes.saturating_sub(1),
        };
        if !possible {
            return fail("the number of passes does not fit the trees that are done");
        }
        let lengths = [progress.models.len(), progress.evidence.len(), progress.kept.len()];
        if lengths != [expected; 3] {
            return fail("the number of linear models does not fit the passes");
        }
        if progress.summary.is_some() != (progress.passes > 0) {
            return fail("the result of the first pass is missing");
        }
        for (tree, (model, evidence)) in progress.models.iter().zip(&progress.evidence).enumerate()
        {
            let outputs = self.outputs().of_tree(tree);
            let fits = model.n_outputs as usize == outputs.len()
                && model.first_output as usize == outputs.start
                && model.step.len() == self.ensemble.trees[tree].n_nodes() * outputs.len()
                && model.intercept.len() == outputs.len()
                && model.raw.iter().all(|term| {
                    term.slope.len() == outputs.len()
                        && (term.feature as usize) < self.ensemble.n_features()
                })
                && evidence.len() == outputs.len();
            if !fits {
                return fail(&format!("the linear model of tree {tree} is of another model"));
            }
        }
        let summary = progress.summary.clone();
        let newton = progress.newton.clone();
        self.progress = progress;
        if let Some(summary) = summary {
            self.know(summary)?;
        }
        self.prepare();
        if self.is_newton() && self.progress.passes > 0 {
            self.check_newton(&newton)?;
            self.progress.newton = newton;
        }
        Ok(())
    }

    /// Makes ready for the present pass.
    pub(super) fn prepare(&mut self) {
        let models = self.progress.models.iter().cloned().map(Some);
        self.models =
            models.chain(std::iter::repeat(None)).take(self.ensemble.trees.len()).collect();
        let trees = self.trees_of_pass();
        let columns = self.known.as_ref().map_or(&[][..], |known| &known.columns);
        let basis = |tree: usize| {
            let moments = |feature: u32| columns.get(feature as usize).copied().flatten();
            let (tree, options) = (&self.ensemble.trees[tree], &self.options);
            let mut basis = Basis::of_moments(tree, options.include_raw, moments);
            basis.scale_raw(options.raw_scale(self.ensemble.is_boosted()));
            basis
        };
        self.bases = trees.into_par_iter().map(basis).collect();
        if self.is_newton() && self.progress.newton.is_empty() {
            self.progress.newton = self.newton_start();
        }
    }
}
