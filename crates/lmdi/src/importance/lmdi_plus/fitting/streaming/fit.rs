//! A fit on a stream of rows, pass by pass.

use super::super::boosted::round_starts;
use super::super::forest::{ROUNDS, share_of_response};
use super::super::target::Plan;
use super::super::tree_outputs::TreeOutputs;
use super::first_pass::{Known, SearchSize, Summary};
use super::plan::{check_streamable, groups, mark_of, ranges, size_of_tree};
use super::progress::Progress;
use super::solve::SolvedTrees;
use super::statistics::{PassStatistics, StreamedRows};
use crate::basis::Basis;
use crate::forest::routing::Router;
use crate::forest::{Ensemble, Outcome};
use crate::glm::{Family, GlmOptions};
use crate::importance::OutputScale;
use crate::importance::lmdi_plus::model::TreeModel;
use crate::importance::lmdi_plus::options::{FitTo, LmdiPlusOptions};
use crate::table::Response;
use crate::{Error, Result};
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::sync::Arc;

/// Bytes that the sums of a pass may take unless another budget is given.
pub const DEFAULT_BUDGET: usize = 1 << 30;

/// A fit of LMDI+ in several passes over rows in batches.
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
    pub(super) options: LmdiPlusOptions,
    pub(super) glm: GlmOptions,
    pub(super) scale: OutputScale,
    pub(super) n_outputs: usize,
    pub(super) scheme: Scheme,
    rounds: Vec<Range<usize>>,
    /// The trees of each pass after the first.
    pub(super) groups: Vec<Range<usize>>,
    /// Rows that penalties are searched on; none for least squares, whose sums do.
    pub(super) search_size: SearchSize,
    /// The mark of the model and the options.
    of_model: [u8; 32],
    pub(super) progress: Progress,
    /// What follows from the first pass.
    pub(super) known: Option<Known>,
    /// The columns of the trees of this pass.
    pub(super) bases: Vec<Basis>,
    pub(super) models: Vec<Option<TreeModel>>,
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

/// Folds that a pass sums up apart: Newton steps need none, as penalties are searched on a sample.
fn folds_of(glm: &GlmOptions) -> usize {
    if glm.family == Family::Gaussian { glm.folds } else { 1 }
}

/// A pass over the rows.
pub(super) enum Pass {
    Summary,
    Trees(Range<usize>),
}

impl StreamedFit {
    /// Plans a fit with the default budget.
    pub fn new(ensemble: impl Into<Arc<Ensemble>>, options: &LmdiPlusOptions) -> Result<Self> {
        Self::within_budget(ensemble, options, DEFAULT_BUDGET)
    }

    /// Plans a fit whose sums take at most this many bytes, or those of one tree if these take
    /// more. Trees whose sums exceed it are split into groups, with one pass each.
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
        check_streamable(options)?;
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
            let folds = folds_of(&glm);
            let numbers = size_of_tree(&ensemble.trees[tree], options.include_raw, folds);
            8 * numbers * outputs.of_tree(tree).len()
        };
        let groups = groups(&rounds, size, budget);
        let search_size = match glm.family {
            Family::Gaussian => SearchSize::default(),
            Family::Binomial | Family::Poisson => SearchSize::of(&ensemble, budget),
        };
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
            search_size,
            progress: Progress::default(),
            known: None,
            bases: Vec::new(),
            models: vec![None; n_trees],
            ensemble,
        })
    }

    /// Number of passes over the rows; `None` for fits other than least squares, which take a pass
    /// per Newton step until every tree has converged.
    pub fn n_passes(&self) -> Option<usize> {
        (!self.is_newton()).then(|| self.groups.len() + 1)
    }

    /// Number of completed passes.
    pub fn passes_done(&self) -> usize {
        self.progress.passes
    }

    /// Whether all passes are done.
    pub fn is_finished(&self) -> bool {
        self.progress.passes > 0 && self.progress.groups == self.groups.len()
    }

    /// The trees of the current pass; none in the first, which only reads the rows, and none after
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

    /// Bytes that the sums of the largest tree take, or the rows that the first pass keeps.
    pub fn largest_sums(&self) -> usize {
        let sizes = (0..self.ensemble.trees.len()).map(|tree| {
            let (with_raw, folds) = (self.options.include_raw, folds_of(&self.glm));
            let numbers = size_of_tree(&self.ensemble.trees[tree], with_raw, folds);
            8 * numbers * self.outputs().of_tree(tree).len()
        });
        let classes = match &self.ensemble.outcome {
            Outcome::Number => 1,
            Outcome::Classes(labels) => labels.len(),
        };
        let sampled = 8 * self.search_size.per_class * classes * (self.ensemble.n_features() + 3);
        sizes.max().unwrap_or(0).max(sampled)
    }

    /// Empty statistics for the current pass.
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
                let mut newton = Vec::new();
                for part in solved {
                    let n_models = part.models.len();
                    let complete = n_models == part.evidence.len() && n_models == part.kept.len();
                    if part.first != next || !complete {
                        return Err(Error::Data(format!(
                            "expected the linear model of tree {next}, found that of tree {}",
                            part.first
                        )));
                    }
                    next += part.models.len() + part.newton.len();
                    newton.extend(part.newton);
                    self.progress.models.extend(part.models);
                    self.progress.evidence.extend(part.evidence);
                    self.progress.kept.extend(part.kept);
                }
                if next != trees.end {
                    return Err(Error::Data(format!("the linear model of tree {next} is missing")));
                }
                let is_done = if self.is_newton() {
                    self.check_newton(&newton)?;
                    self.keep_newton(newton)
                } else {
                    true
                };
                self.progress.groups += usize::from(is_done);
            }
        }
        self.progress.passes += 1;
        self.forget_search_rows();
        self.prepare();
        Ok(())
    }

    /// Ends the pass with the statistics of all rows.
    pub fn finish_pass(&mut self, statistics: &PassStatistics) -> Result<()> {
        let solved = self.solve(statistics)?;
        self.advance(vec![solved])
    }

    pub(super) fn pass(&self) -> Pass {
        match self.progress.passes {
            0 => Pass::Summary,
            _ => {
                let end = self.ensemble.trees.len();
                Pass::Trees(self.groups.get(self.progress.groups).cloned().unwrap_or(end..end))
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
        for output in self.progress.newton.iter().flatten() {
            hasher.update(output.fit.at.intercept.to_le_bytes());
        }
        let mut mark = [0; 16];
        mark.copy_from_slice(&hasher.finalize()[..16]);
        mark
    }

    pub(super) fn check_mark(&self, mark: [u8; 16]) -> Result<()> {
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
}
