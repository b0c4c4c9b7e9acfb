//! The interventional variant: unknown features are taken from background rows.
//!
//! The game of a row x against a background row b is worth, for a set S of features, the prediction of the
//! row with the cells of x in S and those of b elsewhere; scores are means over the background rows. In the
//! game of one leaf, x fails some features of the path (sends them another way) and b fails others. A leaf of
//! value v that both fail on the same feature is never reached; otherwise, with n_x and n_b features
//! failed,
//!
//! ```text
//! a feature that b fails gains v (n_b - 1)! n_x! / (n_b + n_x)!
//! a feature that x fails loses v n_b! (n_x - 1)! / (n_b + n_x)!
//! ```
//!
//! Only what is failed matters, so rows that fail the same are carried down the tree together, and pairs of
//! cohorts that cannot reach a leaf any more are dropped on the way. Cost: at most rows and background
//! rows times nodes for carrying, and pairs of cohorts times leaves.

use super::explainer::{Layout, check_columns};
use super::program::{Program, Route, Split, Step};
use crate::forest::{Ensemble, NONE};
use crate::importance::OutputScale;
use crate::importance::Scores;
use crate::monitor::Monitor;
use crate::table::MatrixView;
use crate::{Error, Result};
use rayon::prelude::*;

/// Most rows that are carried together.
const ROWS_PER_BLOCK: usize = 256;

/// An ensemble and background rows prepared for interventional TreeSHAP.
#[derive(Debug)]
pub struct InterventionalTreeShap {
    n_features: usize,
    n_outputs: usize,
    factor: f64,
    base: Vec<f64>,
    scale: OutputScale,
    programs: Vec<Program>,
    background: DenseRows,
    weights: Weights,
}

/// DenseRows row by row.
#[derive(Debug, Default)]
struct DenseRows {
    cells: Vec<f64>,
    width: usize,
}

impl DenseRows {
    fn read(x: &MatrixView<'_>, rows: std::ops::Range<usize>) -> Self {
        let mut cells = vec![0.0; rows.len() * x.cols()];
        x.rows_into(rows, &mut cells);
        Self { cells, width: x.cols() }
    }

    fn goes_first(&self, row: u32, program: &Program, split: &Split) -> bool {
        let x = self.cells[row as usize * self.width + split.feature as usize];
        let compared = if program.single { f64::from(x as f32) } else { x };
        match split.route {
            Route::AtMost(threshold) => compared <= threshold,
            Route::Above(threshold) => compared > threshold,
            Route::AtMostOrMissing(threshold) => compared <= threshold || x.is_nan(),
            Route::AboveOrMissing(threshold) => compared > threshold || x.is_nan(),
            Route::AsTree(node, first_is_left) => program
                .tree
                .as_deref()
                .is_some_and(|tree| tree.goes_left(node as usize, x) == first_is_left),
        }
    }
}

/// `a! b! / (a + b + 1)!` for all a + b below a limit.
#[derive(Debug)]
struct Weights(Vec<Vec<f64>>);

impl Weights {
    fn new(limit: usize) -> Self {
        let row = |a: usize| (0..limit - a).map(move |b| (a, b));
        let mut table: Vec<Vec<f64>> = Vec::with_capacity(limit);
        for a in 0..limit {
            let weight = |(a, b): (usize, usize)| match table.last() {
                None => 1.0 / (b + 1) as f64,
                Some(before) => before[b] * a as f64 / (a + b + 1) as f64,
            };
            let weights = row(a).map(weight).collect();
            table.push(weights);
        }
        Self(table)
    }

    fn of(&self, a: usize, b: usize) -> f64 {
        self.0[a][b]
    }
}

impl InterventionalTreeShap {
    /// Prepares an ensemble that passes its [`check`](Ensemble::check) and at least one background row; all
    /// of them are used.
    pub fn new(
        ensemble: &Ensemble,
        background: &MatrixView<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Self> {
        if background.rows() == 0 {
            return Err(Error::Data(
                "there is no background row; expected at least one to compare with".into(),
            ));
        }
        if background.rows() >= NONE as usize {
            return Err(Error::Data("there are 2^32 or more background rows; give fewer".into()));
        }
        let layout = Layout::of(ensemble);
        let programs = layout.programs(ensemble)?;
        let raw = ensemble.predict_raw(background, monitor)?;
        let mut base = vec![0.0; layout.n_outputs];
        for row in raw.chunks_exact(ensemble.n_outputs) {
            for (sum, value) in base.iter_mut().zip(&row[layout.first..]) {
                *sum += value / background.rows() as f64;
            }
        }
        let most = programs.iter().map(|program| program.most_features).max().unwrap_or(0);
        Ok(Self {
            n_features: ensemble.n_features(),
            n_outputs: layout.n_outputs,
            factor: layout.factor / background.rows() as f64,
            base,
            scale: layout.scale,
            programs,
            background: DenseRows::read(background, 0..background.rows()),
            weights: Weights::new(most + 1),
        })
    }

    /// The mean raw output of the background rows, one number per output.
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
        let rows = x.rows().div_ceil(4 * rayon::current_num_threads()).clamp(1, ROWS_PER_BLOCK);
        scores.values.par_chunks_mut((rows * width).max(1)).enumerate().try_for_each_init(
            Carried::default,
            |carried, (block, out)| {
                let start = block * rows;
                let n = out.len() / width;
                let cells = DenseRows::read(x, start..start + n);
                for program in &self.programs {
                    monitor.check()?;
                    Walk {
                        all: self,
                        program,
                        rows: &cells,
                        carried: &mut *carried,
                        out: &mut *out,
                    }
                    .run(n);
                }
                for score in out {
                    *score *= self.factor;
                }
                monitor.advance(n as u64);
                Ok(())
            },
        )?;
        Ok(scores)
    }
}

/// Rows at a node, in cohorts that fail the same features.
#[derive(Debug, Default, Clone)]
struct Cohorts {
    /// Rows, cohort by cohort.
    rows: Vec<u32>,
    /// Where each cohort ends in `rows`.
    ends: Vec<u32>,
    /// The slots of failed features as bits, the same number of words a cohort.
    failed: Vec<u64>,
}

impl Cohorts {
    /// All rows in one cohort that fails nothing.
    fn reset(&mut self, n_rows: usize, words: usize) {
        self.rows.clear();
        self.rows.extend(0..n_rows as u32);
        self.ends.clear();
        self.ends.push(n_rows as u32);
        self.failed.clear();
        self.failed.resize(words, 0);
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.ends.clear();
        self.failed.clear();
    }

    /// Every cohort: its rows and what it fails.
    fn iter(&self, words: usize) -> impl Iterator<Item = (&[u32], &[u64])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends);
        ranges
            .zip(self.failed.chunks_exact(words))
            .map(|((start, &end), failed)| (&self.rows[start as usize..end as usize], failed))
    }

    fn push(&mut self, failed: &[u64], slot: Option<u32>) {
        let end = self.rows.len() as u32;
        if self.ends.last().copied().unwrap_or(0) == end {
            return;
        }
        self.ends.push(end);
        self.failed.extend_from_slice(failed);
        if let Some(slot) = slot {
            let at = self.failed.len() - failed.len() + slot as usize / 64;
            self.failed[at] |= 1 << (slot % 64);
        }
    }

    /// The cohorts at a child of a split.
    fn child(&self, into: &mut Self, words: usize, slot: u32, mut passes: impl FnMut(u32) -> bool) {
        into.clear();
        for (rows, failed) in self.iter(words) {
            if failed[slot as usize / 64] >> (slot % 64) & 1 == 1 {
                into.rows.extend_from_slice(rows);
                into.push(failed, None);
                continue;
            }
            into.rows.extend(rows.iter().copied().filter(|&row| passes(row)));
            into.push(failed, None);
            into.rows.extend(rows.iter().copied().filter(|&row| !passes(row)));
            into.push(failed, Some(slot));
        }
    }

    /// Keeps the cohorts that fail nothing that some cohort of `others` fails too.
    fn keep_possible(&mut self, others: &Self, words: usize, kept: &mut Self) {
        kept.clear();
        for (rows, failed) in self.iter(words) {
            if others.failed.chunks_exact(words).any(|other| disjoint(failed, other)) {
                kept.rows.extend_from_slice(rows);
                kept.push(failed, None);
            }
        }
        std::mem::swap(self, kept);
    }
}

fn disjoint(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a & b == 0)
}

fn count(set: &[u64]) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

/// Calls `f` with every slot of a set.
fn for_each_slot(set: &[u64], mut f: impl FnMut(usize)) {
    for (at, &word) in set.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            f(at * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// What a thread uses again for block after block.
#[derive(Debug, Default)]
struct Carried {
    /// Rows to explain and background rows, level by level.
    levels: Vec<[Cohorts; 2]>,
    spare: Cohorts,
    /// The feature of every slot, and its share of a leaf's value.
    feature: Vec<u32>,
    share: Vec<f64>,
}

/// A block of rows through one tree.
struct Walk<'a> {
    all: &'a InterventionalTreeShap,
    program: &'a Program,
    rows: &'a DenseRows,
    carried: &'a mut Carried,
    out: &'a mut [f64],
}

impl Walk<'_> {
    fn run(&mut self, n_rows: usize) {
        let program = self.program;
        let words = self.words();
        let background = self.all.background.cells.len() / self.all.background.width.max(1);
        if self.carried.levels.len() < program.levels + 1 {
            self.carried.levels.resize(program.levels + 1, Default::default());
        }
        self.carried.feature.resize(program.most_features, NONE);
        self.carried.share.resize(program.most_features, 0.0);
        let [rows, others] = &mut self.carried.levels[0];
        rows.reset(n_rows, words);
        others.reset(background, words);
        for &step in &program.steps {
            let (Step::Enter(split) | Step::Turn(split) | Step::Join(split) | Step::Twig(split)) =
                step;
            let split = &program.splits[split as usize];
            match step {
                Step::Enter(_) => self.descend(split, 0),
                Step::Turn(_) => self.descend(split, 1),
                Step::Join(_) => self.leaf(split, 1),
                Step::Twig(_) => {
                    self.leaf(split, 0);
                    self.leaf(split, 1);
                }
            }
        }
    }

    fn words(&self) -> usize {
        self.program.most_features.div_ceil(64).max(1)
    }

    /// Carries the rows of a split's level to one of its children, one level below.
    fn descend(&mut self, split: &Split, side: usize) {
        let words = self.words();
        let (program, rows, background) = (self.program, self.rows, &self.all.background);
        self.carried.feature[split.slot as usize] = split.feature;
        let level = split.level as usize;
        let (above, below) = self.carried.levels.split_at_mut(level + 1);
        let (from, into) = (&above[level], &mut below[0]);
        let goes =
            |cells: &DenseRows, row: u32| cells.goes_first(row, program, split) == (side == 0);
        from[0].child(&mut into[0], words, split.slot, |row| goes(rows, row));
        from[1].child(&mut into[1], words, split.slot, |row| goes(background, row));
        let [explained, others] = into;
        explained.keep_possible(others, words, &mut self.carried.spare);
        others.keep_possible(explained, words, &mut self.carried.spare);
    }

    /// Adds the scores of a child that is a leaf.
    fn leaf(&mut self, split: &Split, side: usize) {
        if split.leaves[side] == NONE {
            return;
        }
        self.descend(split, side);
        let words = self.words();
        let (program, weights) = (self.program, &self.all.weights);
        let (p, k) = (self.all.n_features, self.all.n_outputs);
        let Carried { levels, feature, share, .. } = &mut *self.carried;
        let [explained, others] = &levels[split.level as usize + 1];
        let value = &program.leaf_value[split.leaves[side] as usize..][..program.n_outputs];
        for (rows, failed) in explained.iter(words) {
            let n_x = count(failed);
            share.fill(0.0);
            let mut lost = 0.0;
            for (background, other) in others.iter(words) {
                if !disjoint(failed, other) {
                    continue;
                }
                let (n_b, times) = (count(other), background.len() as f64);
                if n_b > 0 {
                    let gained = times * weights.of(n_b - 1, n_x);
                    for_each_slot(other, |slot| share[slot] += gained);
                }
                if n_x > 0 {
                    lost += times * weights.of(n_b, n_x - 1);
                }
            }
            for_each_slot(failed, |slot| share[slot] -= lost);
            for (&feature, &share) in feature.iter().zip(share.iter()).filter(|(_, s)| **s != 0.0) {
                for &row in rows {
                    let at = (row as usize * p + feature as usize) * k + program.first_output;
                    for (score, value) in self.out[at..].iter_mut().zip(value) {
                        *score += share * value;
                    }
                }
            }
        }
    }
}
