//! Pairwise interaction values.
//!
//! The interaction of features i and j is half their Shapley interaction index, as in shap: what the two
//! add together beyond what each adds alone. With the factors of `values.rs` it is
//!
//! ```text
//! half the sum over leaves of v (o_i - z_i) (o_j - z_j) integral of the other factors
//! ```
//!
//! A walk keeps, beside the product of the factors above, its slope in the factor of every feature above. At
//! a split on i the pair (i, j) gains `slope_j change d`, where `change` is the slope of the split's own factor.
//! The entry of a feature with itself is its score less its interactions, so that each row of the matrix
//! adds up to the feature's score. Cost: that of the scores times the number of features on a path.

use super::explainer::{TreeShap, check_columns};
use super::program::{Program, Split, Step};
use super::rows::{Group, LANES, Lanes, lanes};
use super::values::{Stack, factor, points};
use crate::forest::NONE;
use crate::importance::Scores;
use crate::monitor::Monitor;
use crate::table::MatrixView;
use crate::vectorised::{Vectorised, vectorised};
use crate::{Error, Result};
use rayon::prelude::*;

/// Interaction values of some rows.
///
/// For every row and output the values form a symmetric matrix; the row of a feature adds up to the
/// feature's score, and base plus all values is the model's raw output.
#[derive(Debug, Clone, PartialEq)]
pub struct Interactions {
    /// Number of rows.
    pub n_rows: usize,
    /// Number of features.
    pub n_features: usize,
    /// Number of outputs.
    pub n_outputs: usize,
    /// Row by row, feature by feature, feature by feature, one number per output.
    pub values: Vec<f64>,
    /// The base that a row's values are added to: row by row, one number per output.
    pub base: Vec<f64>,
}

impl Interactions {
    /// One value.
    pub fn get(&self, row: usize, a: usize, b: usize, output: usize) -> f64 {
        self.values[((row * self.n_features + a) * self.n_features + b) * self.n_outputs + output]
    }

    /// The scores that the values add up to: the sum over each feature's partners.
    pub fn scores(&self) -> Scores {
        let (p, k) = (self.n_features, self.n_outputs);
        let mut values = vec![0.0; self.n_rows * p * k];
        for (sums, row) in values.chunks_exact_mut(k).zip(self.values.chunks_exact((p * k).max(1)))
        {
            for partner in row.chunks_exact(k) {
                for (sum, value) in sums.iter_mut().zip(partner) {
                    *sum += value;
                }
            }
        }
        Scores {
            n_rows: self.n_rows,
            n_features: p,
            n_outputs: k,
            values,
            base: self.base.clone(),
            standard_error: None,
        }
    }
}

/// Most numbers a walk may keep; see [`Program`]'s own limit.
const MOST_SLOPES: usize = 1 << 20;

impl TreeShap {
    /// Interaction values of all pairs of features. The result has `features^2` numbers per row and output.
    /// The monitor advances by one per row.
    pub fn interactions(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Interactions> {
        check_columns(x, self.n_features)?;
        let width = self.n_features.checked_mul(self.n_features * self.n_outputs);
        let size = width.and_then(|width| width.checked_mul(x.rows()));
        let (Some(width), Some(size)) = (width, size) else {
            return Err(Error::Data(format!(
                "the interactions of {} rows and {} features are too many; explain fewer rows at a time",
                x.rows(),
                self.n_features
            )));
        };
        for program in &self.programs {
            let kept = slopes(program);
            if kept > MOST_SLOPES {
                return Err(Error::Model(format!(
                    "a tree with {} levels of splits on up to {} features is too deep for interactions",
                    program.levels, program.most_features
                )));
            }
        }
        let mut all = Interactions {
            n_rows: x.rows(),
            n_features: self.n_features,
            n_outputs: self.n_outputs,
            values: vec![0.0; size],
            base: self.base.repeat(x.rows()),
        };
        all.values.par_chunks_mut((LANES * width).max(1)).enumerate().try_for_each_init(
            Scratch::default,
            |scratch, (group, out)| {
                scratch.group.read(x, group * LANES);
                let (p, k) = (self.n_features, self.n_outputs);
                scratch.scores.clear();
                scratch.scores.resize(p * k, [0.0; LANES]);
                scratch.pairs.clear();
                scratch.pairs.resize(width, [0.0; LANES]);
                for program in &self.programs {
                    monitor.check()?;
                    scratch.fit(program);
                    vectorised(Walk { program, scratch, p, k });
                }
                for (lane, out) in out.chunks_exact_mut(width).enumerate() {
                    self.write_row(scratch, lane, out);
                }
                monitor.advance(scratch.group.n_rows as u64);
                Ok(())
            },
        )?;
        Ok(all)
    }

    fn write_row(&self, scratch: &Scratch, lane: usize, out: &mut [f64]) {
        let (p, k) = (self.n_features, self.n_outputs);
        for a in 0..p {
            for output in 0..k {
                let mut own = scratch.scores[a * k + output][lane];
                for b in (0..p).filter(|&b| b != a) {
                    let pair = (a.min(b) * p + a.max(b)) * k + output;
                    let half = 0.5 * scratch.pairs[pair][lane];
                    own -= half;
                    out[(a * p + b) * k + output] = self.factor * half;
                }
                out[(a * p + a) * k + output] = self.factor * own;
            }
        }
    }
}

fn slopes(program: &Program) -> usize {
    (program.levels + 1)
        .saturating_mul(program.most_features)
        .saturating_mul(program.quadrature.len())
}

/// What a thread uses again for group after group.
#[derive(Debug, Default)]
struct Scratch {
    group: Group,
    scores: Vec<Lanes>,
    /// Features `a < b`, output by output.
    pairs: Vec<Lanes>,
    stack: Stack,
    /// Slope of the path's product in each feature above: level by level, slot by slot, point by point.
    slope: Vec<Lanes>,
    /// Slope of a split's factor in its feature: level by level, point by point.
    change: Vec<Lanes>,
    /// The feature of every slot.
    feature: Vec<u32>,
    /// `change d` at every point of the split in hand.
    product: Vec<Lanes>,
}

impl Scratch {
    fn fit(&mut self, program: &Program) {
        self.stack.fit(program);
        let n = program.quadrature.len();
        for (buffer, size) in [
            (&mut self.slope, slopes(program)),
            (&mut self.change, program.levels * n),
            (&mut self.product, n),
        ] {
            if buffer.len() < size {
                buffer.resize(size, [0.0; LANES]);
            }
        }
        if self.feature.len() < program.most_features {
            self.feature.resize(program.most_features, NONE);
        }
    }
}

/// One group of rows through one tree.
struct Walk<'a> {
    program: &'a Program,
    scratch: &'a mut Scratch,
    p: usize,
    k: usize,
}

impl Vectorised for Walk<'_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let program = self.program;
        for (path, &weight) in self.scratch.stack.path.iter_mut().zip(&program.quadrature.weight) {
            *path = [weight; LANES];
        }
        for &step in &program.steps {
            let (Step::Enter(split) | Step::Turn(split) | Step::Join(split) | Step::Twig(split)) =
                step;
            let split = &program.splits[split as usize];
            match step {
                Step::Enter(_) => {
                    self.open(split);
                    self.descend(split);
                }
                Step::Turn(_) => self.turn(split),
                Step::Join(_) => self.join(split),
                Step::Twig(_) => {
                    self.open(split);
                    self.join(split);
                }
            }
        }
    }
}

impl Walk<'_> {
    /// Sends the rows through a split and keeps its factors and their slopes.
    #[inline(always)]
    fn open(&mut self, split: &Split) {
        if split.repeat.is_some() {
            self.open_as::<true>(split);
        } else {
            self.open_as::<false>(split);
        }
    }

    #[inline(always)]
    fn open_as<const REPEAT: bool>(&mut self, split: &Split) {
        let (program, scratch) = (self.program, &mut *self.scratch);
        let n = program.quadrature.len();
        let at = split.level as usize * n;
        let (goes, here) = scratch.stack.route(program, split, &scratch.group);
        scratch.feature[split.slot as usize] = split.feature;
        let factors = &mut scratch.stack.factor[at..at + n];
        let changes = &mut scratch.change[at..at + n];
        for ((point, kept), change) in points::<REPEAT>(program, split).zip(factors).zip(changes) {
            *kept = factor::<REPEAT>(split.share, point, &goes, &here);
            *change = lanes(|lane| here[lane] * (goes[lane] - split.share) * point.e);
        }
    }

    /// Down to the first child: the product above and its slopes there.
    #[inline(always)]
    fn descend(&mut self, split: &Split) {
        let (program, scratch) = (self.program, &mut *self.scratch);
        let n = program.quadrature.len();
        let at = split.level as usize * n;
        let factors = &scratch.stack.factor[at..at + n];
        let changes = &scratch.change[at..at + n];
        let (path, next) = scratch.stack.path[at..at + 2 * n].split_at_mut(n);
        for ((path, next), g) in path.iter().zip(next).zip(factors) {
            *next = lanes(|lane| path[lane] * g[lane]);
        }
        let size = program.most_features * n;
        let level = split.level as usize;
        let (above, below) = scratch.slope[level * size..(level + 2) * size].split_at_mut(size);
        let known = split.n_above as usize * n;
        for (above, below) in above[..known].chunks_exact(n).zip(below.chunks_exact_mut(n)) {
            for ((above, below), g) in above.iter().zip(below).zip(factors) {
                *below = lanes(|lane| above[lane] * g[lane]);
            }
        }
        let own = &mut below[split.slot as usize * n..][..n];
        for ((own, path), change) in own.iter_mut().zip(path.iter()).zip(changes) {
            let before = if split.repeat.is_some() { *own } else { [0.0; LANES] };
            *own = lanes(|lane| before[lane] + path[lane] * change[lane]);
        }
    }

    /// From the first child to the second: both products, and so both slopes, add up to the parent's.
    #[inline(always)]
    fn turn(&mut self, split: &Split) {
        let (program, scratch) = (self.program, &mut *self.scratch);
        let n = program.quadrature.len();
        let level = split.level as usize;
        let (path, next) = scratch.stack.path[level * n..(level + 2) * n].split_at_mut(n);
        for (path, next) in path.iter().zip(next) {
            *next = lanes(|lane| path[lane] - next[lane]);
        }
        let size = program.most_features * n;
        let (above, below) = scratch.slope[level * size..(level + 2) * size].split_at_mut(size);
        let known = split.n_above as usize * n;
        for (above, below) in above[..known].iter().zip(below.iter_mut()) {
            *below = lanes(|lane| above[lane] - below[lane]);
        }
        if split.repeat.is_none() {
            for own in &mut below[known..known + n] {
                *own = own.map(|slope| -slope);
            }
        }
    }

    /// Back up: scores of the split's feature and of its pairs with the features above.
    #[inline(always)]
    fn join(&mut self, split: &Split) {
        let (program, p, k) = (self.program, self.p, self.k);
        let scratch = &mut *self.scratch;
        let (n, m) = (program.quadrature.len(), program.n_outputs);
        let level = split.level as usize;
        let factors = &scratch.stack.factor[level * n..(level + 1) * n];
        let changes = &scratch.change[level * n..(level + 1) * n];
        let path = &scratch.stack.path[level * n..(level + 1) * n];
        let slopes = &scratch.slope[level * program.most_features * n..];
        let feature = split.feature as usize;
        for output in 0..m {
            let leaf = |at: u32| [program.leaf_value[at as usize + output]; LANES];
            let mut sum = [0.0; LANES];
            for q in 0..n {
                let child = |side: usize| match split.leaves[side] {
                    NONE => scratch.stack.below[side][((level + 1) * m + output) * n + q],
                    at => leaf(at),
                };
                let (first, second) = (child(0), child(1));
                let (g, change) = (&factors[q], &changes[q]);
                let d = lanes(|lane| first[lane] - second[lane]);
                let product = lanes(|lane| change[lane] * d[lane]);
                sum = lanes(|lane| sum[lane] + path[q][lane] * product[lane]);
                scratch.product[q] = product;
                scratch.stack.below[usize::from(split.is_second)][(level * m + output) * n + q] =
                    lanes(|lane| second[lane] + g[lane] * d[lane]);
            }
            let output = program.first_output + output;
            let score = &mut scratch.scores[feature * k + output];
            *score = lanes(|lane| score[lane] + sum[lane]);
            for slot in (0..split.n_above as usize).filter(|&slot| slot != split.slot as usize) {
                let mut sum = [0.0; LANES];
                for (slope, product) in slopes[slot * n..][..n].iter().zip(&scratch.product) {
                    sum = lanes(|lane| sum[lane] + slope[lane] * product[lane]);
                }
                let other = scratch.feature[slot] as usize;
                let at = (feature.min(other) * p + feature.max(other)) * k + output;
                let pair = &mut scratch.pairs[at];
                *pair = lanes(|lane| pair[lane] + sum[lane]);
            }
        }
    }
}
