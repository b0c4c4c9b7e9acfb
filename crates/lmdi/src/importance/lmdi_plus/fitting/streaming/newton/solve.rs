//! From the sums of all rows to the next coefficients, and to the linear models in the end.

use super::super::super::unfinished_model::UnfinishedModel;
use super::super::first_pass::SearchRows;
use super::super::fit::StreamedFit;
use super::super::tree_statistics::TreeStatistics;
use super::OutputFit;
use crate::basis::{Basis, TreeRows, leaf_nodes};
use crate::glm::{
    Coefficients, Family, FitByPasses, GlmFit, NewtonSums, NullModel, Scouted, penalty_for, scout,
};
use crate::{Error, Result};

impl OutputFit {
    /// A fit of a tree that starts at the null model of a mean.
    fn at_mean(basis: &Basis, family: Family, mean: f64) -> Self {
        let mut at = Coefficients::zero(basis.stumps.n_splits(), basis.raw.len());
        at.intercept = family.link(mean);
        Self { chosen: None, search_converged: true, fit: FitByPasses::from_null(at) }
    }

    /// Whether its coefficients are those of a basis of this size.
    fn is_of(&self, basis: &Basis) -> bool {
        let fits = |model: &Coefficients| {
            model.stump.len() == basis.stumps.n_splits() && model.raw.len() == basis.raw.len()
        };
        let step = self.fit.step.as_ref();
        fits(&self.fit.at) && step.is_none_or(|step| fits(&step.from) && fits(&step.whole))
    }
}

impl StreamedFit {
    /// Whether fits take Newton steps, and so a pass each.
    pub(in super::super) fn is_newton(&self) -> bool {
        self.glm.family != Family::Gaussian
    }

    /// Where the trees of the present pass begin.
    pub(in super::super) fn newton_start(&self) -> Vec<Vec<OutputFit>> {
        let of_tree = |tree: usize| {
            let outputs = self.outputs().of_tree(tree);
            outputs
                .map(|output| {
                    OutputFit::at_mean(self.basis(tree), self.glm.family, self.centre(output))
                })
                .collect()
        };
        self.trees_of_pass().map(of_tree).collect()
    }

    /// Fails on fits of other trees than those of the present pass.
    pub(in super::super) fn check_newton(&self, trees: &[Vec<OutputFit>]) -> Result<()> {
        let own = self.trees_of_pass();
        let fits = |(tree, fits): (usize, &Vec<OutputFit>)| {
            fits.len() == self.outputs().of_tree(tree).len()
                && fits.iter().all(|fit| fit.is_of(self.basis(tree)))
        };
        if trees.len() != own.len() || !own.zip(trees).all(fits) {
            return Err(Error::Data("the Newton steps are of another model".into()));
        }
        Ok(())
    }

    /// Statistics of no rows, for every output of a tree that is not finished.
    pub(in super::super) fn newton_statistics(&self, tree: usize) -> Vec<TreeStatistics> {
        let of_fit = |output: &OutputFit| match output.fit.is_finished {
            true => TreeStatistics::nothing(),
            false => TreeStatistics::new(self.basis(tree), 1, false),
        };
        self.newton_fits(tree).iter().map(of_fit).collect()
    }

    /// The fits of a tree of the present pass.
    pub(in super::super) fn newton_fits(&self, tree: usize) -> &[OutputFit] {
        &self.progress.newton[tree - self.trees_of_pass().start]
    }

    /// Takes the fits of a tree on by one pass.
    pub(in super::super) fn step_tree(
        &self,
        tree: usize,
        statistics: &[TreeStatistics],
    ) -> Result<Vec<OutputFit>> {
        let expected = self.newton_statistics(tree);
        let same = statistics.len() == expected.len()
            && statistics.iter().zip(&expected).all(|(found, expected)| found.is_like(expected));
        if !same {
            return Err(Error::Data(format!("the statistics of tree {tree} are of another tree")));
        }
        let outputs = self.outputs().of_tree(tree);
        let fits = self.newton_fits(tree).iter().zip(outputs).zip(statistics);
        fits.map(|((fit, output), sums)| self.step_output(tree, output, fit, sums)).collect()
    }

    fn step_output(
        &self,
        tree: usize,
        output: usize,
        before: &OutputFit,
        sums: &TreeStatistics,
    ) -> Result<OutputFit> {
        let mut next = before.clone();
        // A finished fit has no sums.
        let [statistics] = &sums.folds[..] else { return Ok(next) };
        let basis = self.basis(tree);
        let newton = NewtonSums { statistics, excess_loss: sums.excess_loss };
        if let Some(null) = next.fit.null {
            let penalty = penalty_for(next.chosen, null.total);
            next.fit.advance(basis, &newton, penalty, &self.glm);
            return Ok(next);
        }
        let [total, sum] = sums.totals();
        let mean = sum / total;
        let usable = match self.glm.family {
            Family::Gaussian => total > 0.0,
            Family::Binomial => mean > 0.0 && mean < 1.0,
            Family::Poisson => mean > 0.0,
        };
        if !usable {
            let mean = if total > 0.0 { mean } else { self.centre(output) };
            let constant = OutputFit::at_mean(basis, self.glm.family, mean).fit.at;
            next.fit = FitByPasses::constant(constant);
            return Ok(next);
        }
        let null = NullModel::new(basis, &newton, total);
        let Some(search) = self.known.as_ref().and_then(|known| known.search.as_ref()) else {
            return Err(Error::Data("the sample that penalties are searched on is missing".into()));
        };
        let Scouted { chosen, converged, near } = self.scout_tree(tree, output, search, &null);
        next.chosen = chosen;
        next.search_converged = converged;
        next.fit.begin(null, near);
        Ok(next)
    }

    /// What the sample of rows tells about an output of a tree.
    fn scout_tree(
        &self,
        tree: usize,
        output: usize,
        search: &SearchRows,
        null: &NullModel,
    ) -> Scouted {
        let basis = self.basis(tree);
        let x = search.x.view();
        let leaves = leaf_nodes(&self.router, tree, &x);
        let (weight, fold) = (&search.weight, &search.fold);
        let rows = TreeRows::new(&x, basis, &leaves, weight, fold, self.glm.folds);
        let rows = rows.keep_sparse();
        let response = rows.gather(&search.response_of(self.n_outputs, output));
        scout(basis, rows, &response, &self.glm, [null.largest_gradient, null.total])
    }

    /// Lets go of the sample once no tree has its penalty to search: a fit travels in every pass.
    pub(in super::super) fn forget_search_rows(&mut self) {
        let is_last = self.progress.groups + 1 >= self.groups.len();
        let begun = |output: &OutputFit| output.fit.is_finished || output.fit.null.is_some();
        if !is_last || self.progress.newton.is_empty() {
            return;
        }
        if self.progress.newton.iter().flatten().all(begun) {
            let classes = self.progress.summary.iter_mut().flat_map(|summary| &mut summary.classes);
            classes.for_each(|class| class.search.rows = Vec::new());
            self.known.iter_mut().for_each(|known| known.search = None);
        }
    }

    /// Keeps the fits of the present pass. Once all are finished they become the linear models of
    /// their trees; returns whether they did.
    pub(in super::super) fn keep_newton(&mut self, trees: Vec<Vec<OutputFit>>) -> bool {
        let finished = trees.iter().flatten().all(|output| output.fit.is_finished);
        if !finished {
            self.progress.newton = trees;
            return false;
        }
        for (tree, fits) in self.trees_of_pass().zip(trees) {
            let basis = self.basis(tree);
            let outputs = self.outputs().of_tree(tree);
            let evidence = vec![[0.0; 2]; outputs.len()];
            let mut model = UnfinishedModel::new(&self.ensemble.trees[tree], basis, outputs);
            for (own, OutputFit { chosen, search_converged, fit }) in fits.into_iter().enumerate() {
                let fit = GlmFit {
                    coefficients: fit.at,
                    chosen,
                    iterations: fit.iterations,
                    gap: fit.gap,
                    converged: fit.converged && search_converged,
                    search: None,
                };
                model.add_output(basis, own, fit);
            }
            self.progress.models.push(model.finish());
            self.progress.evidence.push(evidence);
            self.progress.kept.push(Vec::new());
        }
        self.progress.newton = Vec::new();
        true
    }
}
