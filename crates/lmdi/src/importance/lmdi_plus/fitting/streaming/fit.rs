//! A fit on a stream of rows, pass by pass.

use super::super::boosted::{place_in_round, round_starts};
use super::super::forest::{ROUNDS, share_of_response};
use super::super::leaf_steps::{LeafSteps, RateEvidence, rate_in_round};
use super::super::target::{Plan, check_range};
use super::super::tree_outputs::TreeOutputs;
use super::plan::{check_streamable, groups, mark_of, ranges, size_of_tree};
use super::sample::RowSample;
use super::statistics::{PassStatistics, StreamedRows, Sums};
use super::summary::{MeanAndDeviation, Summary};
use super::tree_statistics::{TreeStatistics, mean_and_deviation};
use crate::basis::Basis;
use crate::forest::routing::Router;
use crate::forest::{Ensemble, Outcome};
use crate::glm::{GlmOptions, Statistics, fit_statistics};
use crate::importance::OutputScale;
use crate::importance::lmdi_plus::model::{LmdiPlus, TreeModel};
use crate::importance::lmdi_plus::options::{FitTo, LmdiPlusOptions};
use crate::importance::lmdi_plus::score::ScoreOptions;
use crate::monitor::Silent;
use crate::table::{MatrixView, Response};
use crate::{Error, Result};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::sync::Arc;

/// Bytes that the sums of a pass may take unless another budget is given.
pub const DEFAULT_BUDGET: usize = 1 << 30;

/// A target whose variance is a smaller share of its square is constant but for rounding.
const CONSTANT: f64 = 1e-14;

/// A fit of LMDI+ on rows that come in batches, several times over.
///
/// ```
/// use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
/// use lmdi::importance::lmdi_plus::LmdiPlusOptions;
/// use lmdi::importance::lmdi_plus::streaming::{StreamedFit, StreamedRows};
/// use lmdi::{monitor::Silent, table::{Matrix, Response}};
/// # fn main() -> lmdi::Result<()> {
/// # let x = Matrix::from_column_major((0..60).map(f64::from).collect(), 60, 1)?;
/// # let y: Vec<f64> = (0..60).map(|i| if i < 30 { 1.0 } else { 5.0 }).collect();
/// # let names = ["age".to_string()];
/// # let set = TrainingSet { x: x.view(), y: Response::Numeric(&y), weights: None,
/// #     feature_names: &names, labels: &[] };
/// # let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
/// let mut fit = StreamedFit::new(forest, &LmdiPlusOptions::default())?;
/// while !fit.is_finished() {
///     let mut parts = Vec::new();
///     for rows in [0..20, 20..60] {
///         // On another machine, say.
///         let mut part = fit.statistics();
///         let response = Response::Numeric(&y[rows.clone()]);
///         let x = x.view().slice_rows(rows);
///         fit.accumulate(&mut part, &StreamedRows { x, response, weights: None, hashes: None })?;
///         parts.push(part);
///     }
///     let mut all = fit.statistics();
///     for part in &parts {
///         all.merge(part)?;
///     }
///     fit.finish_pass(&all)?;
/// }
/// let explainer = fit.finish()?;
/// assert_eq!(explainer.n_features(), 1);
/// # Ok(())
/// # }
/// ```
pub struct StreamedFit {
    pub(super) ensemble: Arc<Ensemble>,
    pub(super) router: Router,
    options: LmdiPlusOptions,
    pub(super) glm: GlmOptions,
    scale: OutputScale,
    pub(super) n_outputs: usize,
    pub(super) scheme: Scheme,
    rounds: Vec<Range<usize>>,
    /// The trees of each pass after the first.
    groups: Vec<Range<usize>>,
    /// The mark of the model and the options.
    of_model: [u8; 32],
    progress: Progress,
    /// What follows from the first pass.
    known: Option<Known>,
    /// The columns of the trees of this pass.
    bases: Vec<Basis>,
    pub(super) models: Vec<Option<TreeModel>>,
}

/// What the passes so far came to: all that another machine needs to go on from there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Progress {
    pub(crate) passes: usize,
    pub(crate) summary: Option<Summary>,
    pub(crate) models: Vec<TreeModel>,
    /// Sums that tell a rate, tree by tree, output by output: products and squares.
    pub(crate) evidence: Vec<Vec<[f64; 2]>>,
}

/// What trees are fitted to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scheme {
    /// A forest's trees, to the response.
    Response,
    /// A forest's trees, to their leaf values and a share of the response.
    Model { share: f64 },
    /// Boosted trees, to what the trees before them left over.
    Boosted,
}

/// A pass over the rows.
pub(super) enum Pass {
    Summary,
    Trees(Range<usize>),
}

/// What the first pass tells.
struct Known {
    factors: Option<Vec<f64>>,
    columns: Vec<MeanAndDeviation>,
    ranges: Vec<[f64; 2]>,
    mean_response: Vec<f64>,
}

/// What a pass, or its part for some trees, comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct SolvedTrees {
    pub(crate) mark: [u8; 16],
    pub(crate) summary: Option<Summary>,
    pub(crate) first: usize,
    pub(crate) models: Vec<TreeModel>,
    pub(crate) evidence: Vec<Vec<[f64; 2]>>,
}

impl StreamedFit {
    /// Plans a fit with the default budget.
    pub fn new(ensemble: impl Into<Arc<Ensemble>>, options: &LmdiPlusOptions) -> Result<Self> {
        Self::within_budget(ensemble, options, DEFAULT_BUDGET)
    }

    /// Plans a fit whose sums take at most so many bytes, or those of one tree if these take more.
    /// Trees whose sums do not fit together take a pass each group.
    pub fn within_budget(
        ensemble: impl Into<Arc<Ensemble>>,
        options: &LmdiPlusOptions,
        budget: usize,
    ) -> Result<Self> {
        let ensemble = ensemble.into();
        ensemble.check()?;
        let nothing = match &ensemble.outcome {
            Outcome::Number => Response::Numeric(&[]),
            Outcome::Classes(labels) => Response::Classes { codes: &[], n_classes: labels.len() },
        };
        let plan = Plan::new(&ensemble, &nothing, options)?;
        check_streamable(options, plan.family)?;
        options.check(matches!(ensemble.outcome, Outcome::Classes(_)), ensemble.is_boosted())?;
        let glm = options.glm(plan.family)?;
        let n_trees = ensemble.trees.len();
        let (scheme, rounds) = match (ensemble.is_boosted(), options.fit_to) {
            (true, _) => {
                let n_rounds = options.rounds.unwrap_or(ROUNDS);
                (Scheme::Boosted, ranges(&round_starts(&ensemble, n_rounds), n_trees))
            }
            (false, FitTo::Response) => (Scheme::Response, ranges(&[0], n_trees)),
            (false, FitTo::Model) => {
                let size = n_trees.div_ceil(options.rounds.unwrap_or(ROUNDS)).max(1);
                let starts: Vec<usize> = (0..n_trees).step_by(size).collect();
                let share = share_of_response(&ensemble, options);
                (Scheme::Model { share }, ranges(&starts, n_trees))
            }
        };
        let outputs = TreeOutputs { ensemble: &ensemble, n_outputs: plan.n_outputs };
        let size = |tree: usize| {
            let numbers = size_of_tree(&ensemble.trees[tree], options.include_raw, glm.folds);
            8 * numbers * outputs.of_tree(tree).len()
        };
        let groups = groups(&rounds, size, budget);
        Ok(Self {
            router: Router::new(&ensemble),
            of_model: mark_of(&ensemble, options),
            options: options.clone(),
            glm,
            scale: plan.scale,
            n_outputs: plan.n_outputs,
            scheme,
            rounds,
            groups,
            progress: Progress::default(),
            known: None,
            bases: Vec::new(),
            models: vec![None; n_trees],
            ensemble,
        })
    }

    /// Number of passes over the rows.
    pub fn n_passes(&self) -> usize {
        self.groups.len() + 1
    }

    /// Number of passes that are done.
    pub fn passes_done(&self) -> usize {
        self.progress.passes
    }

    /// Whether all passes are done.
    pub fn is_finished(&self) -> bool {
        self.progress.passes == self.n_passes()
    }

    /// The trees of the present pass; none in the first, which is about the rows alone, and none after
    /// the last.
    pub fn trees_of_pass(&self) -> Range<usize> {
        match self.pass() {
            Pass::Summary => 0..0,
            Pass::Trees(trees) => trees,
        }
    }

    /// Number of rows, once the first pass is done.
    pub fn rows(&self) -> Option<u64> {
        self.progress.summary.as_ref().map(Summary::rows)
    }

    /// Statistics of no rows for the present pass.
    pub fn statistics(&self) -> PassStatistics {
        PassStatistics::empty(self)
    }

    /// Sums up rows.
    pub fn accumulate(
        &self,
        statistics: &mut PassStatistics,
        rows: &StreamedRows<'_>,
    ) -> Result<()> {
        if self.is_finished() {
            return Err(Error::Data("all passes of this fit are done".into()));
        }
        statistics.accumulate(self, rows)
    }

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
            }),
            Sums::Trees { first, trees } => {
                let own = self.trees_of_pass();
                let range = *first..first + trees.len();
                if range.start < own.start || range.end > own.end {
                    return Err(Error::Data("the statistics are of trees of another pass".into()));
                }
                let solved: Vec<(TreeModel, Vec<[f64; 2]>)> = range
                    .into_par_iter()
                    .zip(trees)
                    .map(|(tree, statistics)| self.solve_tree(tree, statistics))
                    .collect::<Result<_>>()?;
                let (models, evidence) = solved.into_iter().unzip();
                Ok(SolvedTrees {
                    mark: statistics.mark,
                    summary: None,
                    first: *first,
                    models,
                    evidence,
                })
            }
        }
    }

    /// Ends the pass with what its statistics, of all rows, came to: all parts together, or tree by
    /// tree in any order.
    pub fn advance(&mut self, mut solved: Vec<SolvedTrees>) -> Result<()> {
        solved.iter().try_for_each(|solved| self.check_mark(solved.mark))?;
        solved.sort_by_key(|solved| solved.first);
        match self.pass() {
            Pass::Summary => {
                let [SolvedTrees { summary: Some(summary), .. }] = &solved[..] else {
                    return Err(Error::Data("the first pass has one result".into()));
                };
                self.know(summary.clone())?;
            }
            Pass::Trees(trees) => {
                let mut next = trees.start;
                for part in solved {
                    if part.first != next || part.models.len() != part.evidence.len() {
                        return Err(Error::Data(format!(
                            "expected the linear model of tree {next}, found that of tree {}",
                            part.first
                        )));
                    }
                    next += part.models.len();
                    self.progress.models.extend(part.models);
                    self.progress.evidence.extend(part.evidence);
                }
                if next != trees.end {
                    return Err(Error::Data(format!("the linear model of tree {next} is missing")));
                }
            }
        }
        self.progress.passes += 1;
        self.prepare()
    }

    /// Ends the pass with the statistics of all rows.
    pub fn finish_pass(&mut self, statistics: &PassStatistics) -> Result<()> {
        let solved = self.solve(statistics)?;
        self.advance(vec![solved])
    }

    /// The explainer, once all passes are done.
    pub fn finish(self) -> Result<LmdiPlus> {
        if !self.is_finished() {
            return Err(Error::Data(format!(
                "{} of {} passes over the rows are done",
                self.progress.passes,
                self.n_passes()
            )));
        }
        let ranges = match &self.known {
            Some(known) if self.options.bound_raw => known.ranges.clone(),
            _ => Vec::new(),
        };
        let fitted =
            LmdiPlus::new(&self.ensemble, self.scale, self.progress.models)?.within(ranges)?;
        let Some(summary) = self.progress.summary.filter(|_| self.ensemble.is_boosted()) else {
            return Ok(fitted);
        };
        let RowSample { rows, .. } = summary.sample;
        let cells: Vec<f64> = rows.iter().flat_map(|(_, cells)| cells).copied().collect();
        let sample = MatrixView::from_rows(&cells, rows.len(), self.ensemble.n_features())?;
        let all: Vec<usize> = (0..rows.len()).collect();
        let sizes = fitted.mean_sizes(&sample, &all);
        let fidelity = fidelity(&self.ensemble, &fitted, &sample)?;
        Ok(LmdiPlus { fidelity: Some(fidelity), ..fitted.weighing_trees(sizes)? })
    }

    /// What the passes so far came to.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Goes on from what passes elsewhere came to.
    pub(crate) fn restore(&mut self, progress: Progress) -> Result<()> {
        let fail = |what: &str| Err(Error::Format(format!("progress of a fit: {what}")));
        let expected = match progress.passes {
            0 => 0,
            passes => match self.groups.get(..passes - 1) {
                Some(groups) => groups.last().map_or(0, |group| group.end),
                None => return fail("it has more passes than the fit"),
            },
        };
        if progress.models.len() != expected || progress.evidence.len() != expected {
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
        self.progress = progress;
        if let Some(summary) = summary {
            self.know(summary)?;
        }
        self.prepare()
    }

    /// Takes over the first pass.
    fn know(&mut self, summary: Summary) -> Result<()> {
        let columns = summary.classes.first().map_or(0, |class| class.columns.len());
        if columns != self.ensemble.n_features() {
            return Err(Error::Data("the statistics are of a model with other columns".into()));
        }
        if summary.rows() == 0 {
            return Err(Error::Data("there is no row to fit LMDI+ on".into()));
        }
        if self.ensemble.is_boosted() || self.options.fit_to == FitTo::Model {
            check_range(self.ensemble.growth.loss(), &Response::Numeric(&[summary.lowest]))?;
        }
        let factors = summary.class_factors(&self.ensemble)?;
        let (columns, ranges) = summary.columns(factors.as_deref());
        let mean_response = summary.mean_response(factors.as_deref());
        self.known = Some(Known { factors, columns, ranges, mean_response });
        self.progress.summary = Some(summary);
        Ok(())
    }

    /// Makes ready for the present pass.
    fn prepare(&mut self) -> Result<()> {
        let models = self.progress.models.iter().cloned().map(Some);
        self.models =
            models.chain(std::iter::repeat(None)).take(self.ensemble.trees.len()).collect();
        let trees = self.trees_of_pass();
        let columns = self.known.as_ref().map_or(&[][..], |known| &known.columns);
        let basis = |tree: usize| {
            let moments = |feature: u32| columns.get(feature as usize).copied().flatten();
            Basis::of_moments(&self.ensemble.trees[tree], self.options.include_raw, moments)
        };
        self.bases = trees.into_par_iter().map(basis).collect();
        Ok(())
    }

    pub(super) fn pass(&self) -> Pass {
        match self.progress.passes {
            0 => Pass::Summary,
            passes => {
                let end = self.ensemble.trees.len();
                Pass::Trees(self.groups.get(passes - 1).cloned().unwrap_or(end..end))
            }
        }
    }

    /// The mark of the present pass: of the model, the options, and the passes before.
    pub(super) fn mark(&self) -> [u8; 16] {
        let mut hasher = Sha256::new();
        hasher.update(self.of_model);
        hasher.update((self.progress.passes as u64).to_le_bytes());
        hasher.update(self.rows().unwrap_or(0).to_le_bytes());
        for model in &self.progress.models {
            model.intercept.iter().for_each(|x| hasher.update(x.to_le_bytes()));
        }
        let mut mark = [0; 16];
        mark.copy_from_slice(&hasher.finalize()[..16]);
        mark
    }

    fn check_mark(&self, mark: [u8; 16]) -> Result<()> {
        if mark == self.mark() {
            return Ok(());
        }
        Err(Error::Data(
            "these statistics are of another model, other options or another pass; expected those of the \
             present pass"
                .into(),
        ))
    }

    pub(super) fn check_response(&self, response: &Response<'_>) -> Result<()> {
        Plan::new(&self.ensemble, response, &self.options).map(drop)
    }

    pub(super) fn outputs(&self) -> TreeOutputs<'_> {
        TreeOutputs { ensemble: &self.ensemble, n_outputs: self.n_outputs }
    }

    /// The columns of a tree of this pass.
    pub(super) fn basis(&self, tree: usize) -> &Basis {
        &self.bases[tree - self.trees_of_pass().start]
    }

    /// The round of a tree.
    pub(super) fn round_of(&self, tree: usize) -> Range<usize> {
        let found = self.rounds.iter().find(|round| round.contains(&tree));
        found.cloned().unwrap_or(0..self.ensemble.trees.len())
    }

    /// How many trees of a tree's round add to an output.
    pub(super) fn trees_that_share(&self, tree: usize, output: usize) -> f64 {
        let adds = |tree: &usize| self.outputs().of_tree(*tree).contains(&output);
        self.round_of(tree).filter(adds).count().max(1) as f64
    }

    /// A number near the responses of an output, whose sums keep more digits around it.
    pub(super) fn centre(&self, output: usize) -> f64 {
        let means = self.known.as_ref().map_or(&[][..], |known| &known.mean_response);
        match means {
            [only] => *only,
            means => {
                let class = if self.n_outputs == 1 { 1 } else { output };
                means.get(class).copied().unwrap_or(0.0)
            }
        }
    }

    /// The weights of rows, with mean one over all rows.
    pub(super) fn weights(&self, rows: &StreamedRows<'_>, range: Range<usize>) -> Vec<f64> {
        let factors = self.known.as_ref().and_then(|known| known.factors.as_deref());
        let factor = |row: usize| match (&rows.response, factors) {
            (_, None) => 1.0,
            (Response::Numeric(_), Some(factors)) => factors[0],
            (Response::Classes { codes, .. }, Some(factors)) => factors[codes[row] as usize],
        };
        range.map(|row| rows.weight(row) * factor(row)).collect()
    }

    /// The linear models of a tree from the statistics of all rows.
    fn solve_tree(
        &self,
        index: usize,
        statistics: &[TreeStatistics],
    ) -> Result<(TreeModel, Vec<[f64; 2]>)> {
        let (tree, basis) = (&self.ensemble.trees[index], self.basis(index));
        let outputs = self.outputs().of_tree(index);
        let expected = TreeStatistics::new(basis, self.glm.folds);
        let fits = |found: &TreeStatistics| {
            found.grown.len() == expected.grown.len()
                && found.folds.len() == expected.folds.len()
                && found.folds.iter().all(|fold| fold.is_like(&expected.folds[0]))
        };
        if statistics.len() != outputs.len() || !statistics.iter().all(fits) {
            return Err(Error::Data(format!("the statistics of tree {index} are of another tree")));
        }
        let mut model = TreeModel::unfitted(tree, basis, outputs.clone());
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
        Ok((model, evidence))
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

/// How much of the model's raw output the linear models reproduce on a sample of rows (R2).
fn fidelity(ensemble: &Ensemble, fitted: &LmdiPlus, sample: &MatrixView<'_>) -> Result<f64> {
    let model = ensemble.predict_raw(sample, &Silent)?;
    let scores = fitted.score(sample, &ScoreOptions::default(), &Silent)?;
    let (n, k) = (sample.rows(), ensemble.n_outputs);
    let (mut left, mut all) = (0.0, 0.0);
    for output in 0..k {
        let mean = (0..n).map(|row| model[row * k + output]).sum::<f64>() / n as f64;
        for row in 0..n {
            let own = model[row * k + output];
            left += (own - scores.total(row, output)).powi(2);
            all += (own - mean).powi(2);
        }
    }
    Ok(if all > 0.0 { 1.0 - left / all } else { f64::NAN })
}
