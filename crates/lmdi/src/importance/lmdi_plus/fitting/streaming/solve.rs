//! From the sums of all rows to the linear models of trees.

use super::super::boosted::place_in_round;
use super::super::leaf_steps::{LeafSteps, RateEvidence, rate_in_round};
use super::super::support::by_feature;
use super::super::unfinished_model::UnfinishedModel;
use super::first_pass::Summary;
use super::fit::{Scheme, StreamedFit};
use super::newton::OutputFit;
use super::statistics::{PassStatistics, Sums};
use super::tree_statistics::{TreeStatistics, mean_and_deviation};
use crate::glm::{Statistics, fit_statistics};
use crate::importance::lmdi_plus::model::TreeModel;
use crate::{Error, Result};
use rayon::prelude::*;

/// A target whose variance is a smaller share of its square is constant but for rounding.
const CONSTANT: f64 = 1e-14;

/// The result of a pass, or of its part for some trees.
#[derive(Debug, Clone, PartialEq)]
pub struct SolvedTrees {
    pub(crate) mark: [u8; 16],
    pub(crate) summary: Option<Summary>,
    pub(crate) first: usize,
    pub(crate) models: Vec<TreeModel>,
    pub(crate) evidence: Vec<Vec<[f64; 2]>>,
    /// What a ranking keeps of each tree; nothing of a forest's.
    pub(crate) kept: Vec<Vec<f64>>,
    /// In the place of linear models, where fits take Newton steps.
    pub(crate) newton: Vec<Vec<OutputFit>>,
}

impl StreamedFit {
    /// Finds the linear models of the trees that the statistics of all rows are of.
    pub fn solve(&self, statistics: &PassStatistics) -> Result<SolvedTrees> {
        self.check_mark(statistics.mark)?;
        match &statistics.sums {
            Sums::Summary(summary) => Ok(SolvedTrees {
                mark: statistics.mark,
                summary: Some(summary.clone()),
                first: 0,
                models: Vec::new(),
                evidence: Vec::new(),
                kept: Vec::new(),
                newton: Vec::new(),
            }),
            Sums::Trees { first, trees } => {
                let own = self.trees_of_pass();
                let range = *first..first + trees.len();
                if range.start < own.start || range.end > own.end {
                    return Err(Error::Data("the statistics are of trees of another pass".into()));
                }
                if self.is_newton() {
                    let newton = range
                        .into_par_iter()
                        .zip(trees)
                        .map(|(tree, statistics)| self.step_tree(tree, statistics))
                        .collect::<Result<_>>()?;
                    let (models, evidence) = (Vec::new(), Vec::new());
                    let (mark, first) = (statistics.mark, *first);
                    return Ok(SolvedTrees {
                        mark,
                        summary: None,
                        first,
                        models,
                        evidence,
                        kept: Vec::new(),
                        newton,
                    });
                }
                let solved: Vec<(TreeModel, Vec<[f64; 2]>)> = range
                    .clone()
                    .into_par_iter()
                    .zip(trees)
                    .map(|(tree, statistics)| self.solve_tree(tree, statistics))
                    .collect::<Result<_>>()?;
                let (models, evidence) = solved.into_iter().unzip();
                let kept = range.zip(trees).map(|(tree, sums)| self.kept_of(tree, sums)).collect();
                Ok(SolvedTrees {
                    mark: statistics.mark,
                    summary: None,
                    first: *first,
                    models,
                    evidence,
                    kept,
                    newton: Vec::new(),
                })
            }
        }
    }

    /// The linear models of a tree from the statistics of all rows.
    fn solve_tree(
        &self,
        index: usize,
        statistics: &[TreeStatistics],
    ) -> Result<(TreeModel, Vec<[f64; 2]>)> {
        let (tree, basis) = (&self.ensemble.trees[index], self.basis(index));
        let outputs = self.outputs().of_tree(index);
        let expected = TreeStatistics::new(basis, self.glm.folds, self.ensemble.is_boosted());
        let same = statistics.iter().all(|found| found.is_like(&expected));
        if statistics.len() != outputs.len() || !same {
            return Err(Error::Data(format!("the statistics of tree {index} are of another tree")));
        }
        let mut model = UnfinishedModel::new(tree, basis, outputs.clone());
        let mut evidence = Vec::with_capacity(outputs.len());
        for (own, (output, statistics)) in outputs.zip(statistics).enumerate() {
            let value = match self.scheme {
                Scheme::Boosted => own,
                _ => self.outputs().value_of(index, output),
            };
            let mut at_node = vec![[0.0; 2]; tree.n_nodes()];
            let leaf_nodes = &basis.stumps.tree_node[basis.stumps.n_splits()..];
            for (sums, &node) in statistics.grown.iter().zip(leaf_nodes) {
                at_node[node as usize] = *sums;
            }
            let steps = LeafSteps::of_sums(tree, value, &at_node);
            let (constant, rate) = self.aim(index, output, &steps);
            let mut leaf: Vec<f64> = match self.scheme {
                Scheme::Response => vec![constant; leaf_nodes.len()],
                _ => leaf_nodes
                    .iter()
                    .map(|&node| constant + steps.target(rate, node, 0.0))
                    .collect(),
            };
            let (mean, _) = mean_and_deviation(&statistics.of_target(&leaf, rate));
            leaf.iter_mut().for_each(|a| *a -= mean);
            let mut folds = statistics.of_target(&leaf, rate);
            let unit = self.unit(&leaf, rate, statistics, &mut folds);
            let mut fit = fit_statistics(basis, &folds, &self.glm);
            fit.coefficients.scale(unit);
            fit.coefficients.intercept += mean;
            model.add_output(basis, own, fit);
            let RateEvidence { product, square } = steps.evidence();
            evidence.push([product, square]);
        }
        Ok((model.finish(), evidence))
    }

    /// What a ranking keeps of a boosted tree; nothing is said of a forest's.
    fn kept_of(&self, tree: usize, statistics: &[TreeStatistics]) -> Vec<f64> {
        let Some(known) = self.known.as_ref().filter(|_| self.ensemble.is_boosted()) else {
            return Vec::new();
        };
        let stumps = &self.basis(tree).stumps;
        let outputs = self.outputs().of_tree(tree).zip(statistics);
        let kept = outputs
            .map(|(output, statistics)| known.supports[output].kept(stumps, &statistics.response));
        by_feature(&kept.collect::<Vec<_>>())
    }

    /// What the target of a row is beside the values of leaves: a constant, and how much of the row's
    /// own number joins.
    fn aim(&self, tree: usize, output: usize, steps: &LeafSteps) -> (f64, f64) {
        match self.scheme {
            Scheme::Response => (self.centre(output), 1.0),
            Scheme::Model { .. } => (self.outputs().base_per_tree(output), 1.0),
            Scheme::Boosted => {
                let round = self.round_of(tree).start;
                let mut evidence = RateEvidence::default();
                for before in 0..round {
                    let own = self.outputs().of_tree(before);
                    if own.contains(&output) {
                        let [product, square] = self.progress.evidence[before][output - own.start];
                        evidence.add(RateEvidence { product, square });
                    }
                }
                evidence.add(steps.evidence());
                let rate = evidence.rate(self.ensemble.growth, self.ensemble.n_outputs);
                let place = place_in_round(&self.ensemble, round, tree);
                (0.0, rate_in_round(rate, self.ensemble.factor(), place))
            }
        }
    }

    /// Divides a centred target by its standard deviation, if that is asked for, and gives it back. A
    /// target that is constant but for rounding becomes zero.
    fn unit(
        &self,
        leaf: &[f64],
        rate: f64,
        statistics: &TreeStatistics,
        folds: &mut [Statistics],
    ) -> f64 {
        let (_, deviation) = mean_and_deviation(folds);
        let mut size = 0.0;
        let mut total = 0.0;
        for fold in &statistics.folds {
            size += rate * rate * fold.response_square;
            for (a, weight) in leaf.iter().zip(&fold.leaf_weight) {
                size += a * a * weight;
                total += weight;
            }
        }
        let is_constant = deviation * deviation * total <= CONSTANT * size;
        let unit = if self.options.scale_target && !is_constant { deviation } else { 1.0 };
        let factor = if is_constant { 0.0 } else { 1.0 / unit };
        for fold in folds {
            fold.leaf_response.iter_mut().for_each(|sum| *sum *= factor);
            fold.raw_response.iter_mut().for_each(|sum| *sum *= factor);
            fold.response_square *= factor * factor;
        }
        unit
    }
}
