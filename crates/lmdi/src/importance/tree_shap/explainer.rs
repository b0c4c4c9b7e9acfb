//! The explainer: trees are prepared once, rows are explained in blocks, in parallel.
//!
//! A block of rows goes through one tree after the other, so that a tree's steps stay in the cache, and
//! trees are added in their order for every row: blocks and threads change no bit.

use super::program::{Outputs, Program};
use super::rows::{Group, LANES, Lanes};
use super::values::{Stack, walk};
use crate::forest::{Aggregation, Ensemble, Link, Outcome};
use crate::importance::OutputScale;
use crate::importance::Scores;
use crate::monitor::Monitor;
use crate::table::MatrixView;
use crate::vectorised::{Vectorised, vectorised};
use crate::{Error, Result};
use rayon::prelude::*;

/// Most groups of eight rows in a block.
const GROUPS_PER_BLOCK: usize = 16;

/// An ensemble prepared for exact path-dependent TreeSHAP.
#[derive(Debug)]
pub struct TreeShap {
    pub(super) n_features: usize,
    pub(super) n_outputs: usize,
    /// Factor on the sum over trees.
    pub(super) factor: f64,
    pub(super) base: Vec<f64>,
    scale: OutputScale,
    pub(super) programs: Vec<Program>,
}

/// How the outputs of an ensemble are explained: their number, the scale, and the factor on tree sums.
pub(super) struct Layout {
    pub(super) n_outputs: usize,
    pub(super) scale: OutputScale,
    pub(super) factor: f64,
    /// The outputs of the ensemble that are explained begin here.
    pub(super) first: usize,
}

impl Layout {
    pub(super) fn of(ensemble: &Ensemble) -> Self {
        // The shares of two classes add up to one: the second tells both.
        let second_only = matches!(ensemble.outcome, Outcome::Classes(_))
            && ensemble.link == Link::Identity
            && ensemble.n_outputs == 2;
        Self {
            n_outputs: if second_only { 1 } else { ensemble.n_outputs },
            first: usize::from(second_only),
            scale: match ensemble.link {
                Link::Identity => OutputScale::Identity,
                Link::Logit | Link::OneVsRest => OutputScale::LogOdds,
                Link::Softmax => OutputScale::Softmax,
                Link::Log => OutputScale::Log,
            },
            factor: match ensemble.aggregation {
                Aggregation::Mean => 1.0 / ensemble.trees.len() as f64,
                Aggregation::Sum { learning_rate } => learning_rate,
            },
        }
    }

    /// The trees, ready to be walked.
    pub(super) fn programs(&self, ensemble: &Ensemble) -> Result<Vec<Program>> {
        let program = |tree: usize| {
            let outputs = self.outputs(ensemble, tree)?;
            Some(Program::new(&ensemble.trees[tree], ensemble.n_features(), outputs))
        };
        (0..ensemble.trees.len()).into_par_iter().filter_map(program).collect()
    }

    /// The values of a tree that count; `None` if it adds only to an output that is not explained.
    fn outputs(&self, ensemble: &Ensemble, tree: usize) -> Option<Outputs> {
        match ensemble.output_of_tree.get(tree) {
            None => Some(Outputs { first_value: self.first, first_output: 0, n: self.n_outputs }),
            Some(&output) => {
                let first_output = (output as usize).checked_sub(self.first)?;
                Some(Outputs { first_value: 0, first_output, n: 1 })
            }
        }
    }
}

impl TreeShap {
    /// Prepares an ensemble that passes its [`check`](Ensemble::check).
    pub fn new(ensemble: &Ensemble) -> Result<Self> {
        let layout = Layout::of(ensemble);
        let programs = layout.programs(ensemble)?;
        let mut sum = vec![0.0; layout.n_outputs];
        for program in &programs {
            for (output, value) in program.expectation.iter().enumerate() {
                sum[program.first_output + output] += value;
            }
        }
        let start = &ensemble.base_score[layout.first..];
        Ok(Self {
            n_features: ensemble.n_features(),
            n_outputs: layout.n_outputs,
            factor: layout.factor,
            base: start.iter().zip(&sum).map(|(start, sum)| start + layout.factor * sum).collect(),
            scale: layout.scale,
            programs,
        })
    }

    /// The expected raw output under the weights of the trees, one number per output.
    pub fn base(&self) -> &[f64] {
        &self.base
    }

    /// The scale on which scores add up: that of the ensemble's raw output.
    pub fn scale(&self) -> OutputScale {
        self.scale
    }

    /// Explains rows. The monitor advances by one per row.
    pub fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        check_columns(x, self.n_features)?;
        let width = self.n_features * self.n_outputs;
        let mut scores = Scores::zero(x.rows(), self.n_features, &self.base);
        // Few rows are spread over the threads rather than kept together.
        let groups = x.rows().div_ceil(LANES);
        let per_block =
            groups.div_ceil(4 * rayon::current_num_threads()).clamp(1, GROUPS_PER_BLOCK);
        scores
            .values
            .par_chunks_mut((per_block * LANES * width).max(1))
            .enumerate()
            .try_for_each_init(Scratch::default, |scratch, (block, out)| {
                let start = block * per_block * LANES;
                self.explain_block(x, start, out, scratch, monitor)
            })?;
        Ok(scores)
    }

    fn explain_block(
        &self,
        x: &MatrixView<'_>,
        start: usize,
        out: &mut [f64],
        scratch: &mut Scratch,
        monitor: &dyn Monitor,
    ) -> Result<()> {
        let width = self.n_features * self.n_outputs;
        let n_rows = out.len() / width;
        let n_groups = n_rows.div_ceil(LANES);
        scratch.groups.resize(n_groups, Group::default());
        for (index, group) in scratch.groups.iter_mut().enumerate() {
            group.read(x, start + index * LANES);
        }
        scratch.scores.clear();
        scratch.scores.resize(n_groups * width, [0.0; LANES]);
        for program in &self.programs {
            monitor.check()?;
            scratch.stack.fit(program);
            vectorised(Block { program, scratch, width, n_outputs: self.n_outputs });
        }
        for (row, out) in out.chunks_exact_mut(width).enumerate() {
            let scores = &scratch.scores[row / LANES * width..][..width];
            for (out, score) in out.iter_mut().zip(scores) {
                *out = self.factor * score[row % LANES];
            }
        }
        monitor.advance(n_rows as u64);
        Ok(())
    }
}

/// Fails unless a table has a column for each feature.
pub(super) fn check_columns(x: &MatrixView<'_>, n_features: usize) -> Result<()> {
    if x.cols() == n_features {
        return Ok(());
    }
    Err(Error::Shape {
        what: "columns of the table to explain".into(),
        found: x.cols(),
        expected: n_features,
    })
}

/// What a thread uses again for block after block.
#[derive(Debug, Default)]
struct Scratch {
    groups: Vec<Group>,
    scores: Vec<Lanes>,
    stack: Stack,
}

/// All rows of a block through one tree.
struct Block<'a> {
    program: &'a Program,
    scratch: &'a mut Scratch,
    width: usize,
    n_outputs: usize,
}

impl Vectorised for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Scratch { groups, scores, stack } = self.scratch;
        for (group, scores) in groups.iter().zip(scores.chunks_exact_mut(self.width)) {
            walk(self.program, group, stack, scores, self.n_outputs);
        }
    }
}
