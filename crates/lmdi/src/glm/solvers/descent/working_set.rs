//! An iterate over all columns that is improved on a working set of a few columns at a time.
//!
//! Only columns with a nonzero slope, or a gradient close to the l1 penalty, are likely to move;
//! sweeps run over those alone ([`Reduction`]). Afterwards the residual sums of all columns are
//! updated, and the duality gap over all of them tells whether a column is missing from the working
//! set.

use crate::forest::NONE;
use crate::glm::linalg::vector::{Lanes, of_lane, per_lane, subtract_columns};
use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::reduction::Reduction;
use crate::glm::solvers::descent::batched::{BatchedProblem, DescentReport, largest_share};
use crate::glm::solvers::descent::coordinate_descent::{Descent, Point, Start};
use crate::vectorised::{Vectorised, vectorised};
use std::ops::Range;

/// A column takes part when its gradient is above this share of the l1 penalty.
const NEAR_ENTRY: f64 = 0.9;

/// Columns that may take part although they are not needed, beside a quarter of those that are.
const FEW: usize = 4;

/// With more than one in so many of both kinds of columns, problems are not worth reducing.
const NEARLY_ALL: f64 = 2.0;

/// Slopes of all columns.
#[derive(Debug, Clone)]
pub(crate) struct Slopes<const N: usize> {
    pub(crate) intercept: Lanes<N>,
    pub(crate) stump: Vec<Lanes<N>>,
    pub(crate) raw: Vec<Lanes<N>>,
}

/// What residuals sum to at a point over all columns.
#[derive(Debug, Clone)]
pub(crate) struct ResidualSums<const N: usize> {
    /// Weighted residual sum of every leaf.
    pub(crate) leaf: Vec<Lanes<N>>,
    /// Gradient along each raw column.
    pub(crate) raw: Vec<Lanes<N>>,
}

/// A point over all columns of a batch of `N` problems, `H` of which differ in more than their
/// penalty, and the point before it on a path.
#[derive(Debug, Clone)]
pub(crate) struct WorkingSetIterate<'p, const H: usize, const N: usize> {
    problems: &'p BatchedProblem<H>,
    at: Start<N>,
    before: Slopes<N>,
}

/// The columns that take part in sweeps.
#[derive(Debug, Clone)]
pub(crate) struct WorkingSet {
    stump: Vec<bool>,
    raw: Vec<bool>,
}

impl<'p, const H: usize, const N: usize> WorkingSetIterate<'p, H, N> {
    /// Zero slopes.
    pub(crate) fn zero(problems: &'p BatchedProblem<H>) -> Self {
        let at: Start<N> = problems.zero();
        let (intercept, stump, raw) = (at.intercept, at.stump.clone(), at.raw.clone());
        Self { problems, at, before: Slopes { intercept, stump, raw } }
    }

    /// The point with the given coefficients in every lane.
    pub(crate) fn new(problems: &'p BatchedProblem<H>, at: &Coefficients) -> Self {
        let mut point = Self::zero(problems);
        let spread = |values: &[f64]| values.iter().map(|&value| [value; N]).collect();
        point.move_to(Slopes {
            intercept: [at.intercept; N],
            stump: spread(&at.stump),
            raw: spread(&at.raw),
        });
        point
    }

    /// The coefficients of one lane.
    pub(crate) fn coefficients(&self, lane: usize) -> Coefficients {
        self.slopes().of_lane(lane)
    }

    /// The columns that are likely to move on the way to these penalties.
    pub(crate) fn working_set(&self, penalty: &[Penalty; N]) -> WorkingSet {
        let takes_part = |gradient: Lanes<N>, b: Lanes<N>, before: Lanes<N>| {
            (0..N).any(|lane| {
                b[lane] != 0.0
                    || before[lane] != 0.0
                    || gradient[lane].abs() > NEAR_ENTRY * penalty[lane].l1
            })
        };
        let stump = self.stump_gradients().into_iter().zip(&self.at.stump).zip(&self.before.stump);
        let raw = self.at.raw_gradient.iter().zip(&self.at.raw).zip(&self.before.raw);
        WorkingSet {
            stump: stump.map(|((g, &b), &before)| takes_part(g, b, before)).collect(),
            raw: raw.map(|((&g, &b), &before)| takes_part(g, b, before)).collect(),
        }
    }

    /// Where a descent over the columns that are left starts.
    pub(crate) fn restrict(&self, reduction: &Reduction) -> Start<N> {
        Start {
            intercept: self.at.intercept,
            stump: reduction.choose_stumps(&self.at.stump),
            raw: reduction.choose_raw(&self.at.raw),
            leaf_residual: reduction.sum_leaves(&self.at.leaf_residual),
            raw_gradient: reduction.choose_raw(&self.at.raw_gradient),
        }
    }

    /// The point before this one, over the columns that are left; `at` is this one over them.
    pub(crate) fn restrict_before(
        &self,
        part: &BatchedProblem<N>,
        reduction: &Reduction,
        at: &Point<N>,
    ) -> Point<N> {
        let q = &part.hessians;
        let mut before = at.clone();
        let to = Slopes {
            intercept: self.before.intercept,
            stump: reduction.choose_stumps(&self.before.stump),
            raw: reduction.choose_raw(&self.before.raw),
        };
        let step = to.less(before.intercept, &before.stump, &before.raw);
        if step.are_zero() {
            return before;
        }
        let leaves = &mut before.node_residual[q.n_splits()..];
        vectorised(Follow {
            problems: part,
            step: &step,
            leaf: leaves,
            raw: &mut before.raw_gradient,
            known: &[],
        });
        (before.intercept, before.stump, before.raw) = (to.intercept, to.stump, to.raw);
        before.sum_upwards(q);
        before
    }

    /// This point after sweeps over the columns that are left, and the one before it.
    pub(crate) fn follow(&mut self, reduction: &Reduction, to: &Point<N>, before: &Point<N>) {
        let before = self.expand(reduction, before);
        let slopes = self.expand(reduction, to);
        // Gradients along columns that took part are known.
        for (&k, &gradient) in reduction.raw.iter().zip(&to.raw_gradient) {
            self.at.raw_gradient[k] = gradient;
        }
        self.move_along(slopes, &reduction.raw);
        self.before = before;
    }

    /// The same where all columns took part, so that all sums are known.
    pub(crate) fn arrive(&mut self, reduction: &Reduction, to: &Point<N>, before: &Point<N>) {
        self.before = self.expand(reduction, before);
        let Slopes { intercept, stump, raw } = self.expand(reduction, to);
        let leaves = &to.node_residual[reduction.nesting.n_splits()..];
        let leaf_residual = reduction.leaf.iter().map(|&leaf| leaves[leaf as usize]).collect();
        let raw_gradient = to.raw_gradient.clone();
        self.at = Start { intercept, stump, raw, leaf_residual, raw_gradient };
    }

    /// A point over the columns that are left, over all columns.
    pub(crate) fn expand(&self, reduction: &Reduction, point: &Point<N>) -> Slopes<N> {
        let mut slopes = Slopes {
            intercept: point.intercept,
            stump: vec![[0.0; N]; self.at.stump.len()],
            raw: vec![[0.0; N]; self.at.raw.len()],
        };
        for (&split, &b) in reduction.split.iter().zip(&point.stump) {
            if split != NONE {
                slopes.stump[split as usize] = b;
            }
        }
        for (&k, &b) in reduction.raw.iter().zip(&point.raw) {
            slopes.raw[k] = b;
        }
        slopes
    }

    /// The slopes here.
    pub(crate) fn slopes(&self) -> Slopes<N> {
        Slopes {
            intercept: self.at.intercept,
            stump: self.at.stump.clone(),
            raw: self.at.raw.clone(),
        }
    }

    /// The residual sums here.
    pub(crate) fn residual_sums(&self) -> ResidualSums<N> {
        ResidualSums { leaf: self.at.leaf_residual.clone(), raw: self.at.raw_gradient.clone() }
    }

    /// Moves to slopes with which a path begins, and whose residual sums may be known.
    pub(crate) fn start_at(&mut self, slopes: Slopes<N>, sums: Option<ResidualSums<N>>) {
        self.before = slopes.clone();
        let Some(ResidualSums { leaf, raw }) = sums else { return self.move_to(slopes) };
        (self.at.leaf_residual, self.at.raw_gradient) = (leaf, raw);
        (self.at.intercept, self.at.stump, self.at.raw) =
            (slopes.intercept, slopes.stump, slopes.raw);
    }

    /// Moves to other slopes.
    pub(crate) fn move_to(&mut self, to: Slopes<N>) {
        self.move_along(to, &[]);
    }

    /// The same where gradients along some raw columns, rising, are those of the new point already.
    fn move_along(&mut self, to: Slopes<N>, known: &[usize]) {
        let step = to.less(self.at.intercept, &self.at.stump, &self.at.raw);
        let (leaf, raw) = (&mut self.at.leaf_residual[..], &mut self.at.raw_gradient[..]);
        vectorised(Follow { problems: self.problems, step: &step, leaf, raw, known });
        (self.at.intercept, self.at.stump, self.at.raw) = (to.intercept, to.stump, to.raw);
    }

    fn stump_gradients(&self) -> Vec<Lanes<N>> {
        let nesting = &self.problems.hessians.nesting;
        let m = nesting.n_splits();
        let mut node = vec![[0.0; N]; m];
        node.extend_from_slice(&self.at.leaf_residual);
        let mut gradient = vec![[0.0; N]; m];
        for split in (0..m).rev() {
            let left = node[nesting.left[split] as usize];
            let right = node[nesting.right[split] as usize];
            let (a, b) = (nesting.left_value[split], nesting.right_value[split]);
            node[split] = per_lane(|lane| left[lane] + right[lane]);
            gradient[split] = per_lane(|lane| a * left[lane] + b * right[lane]);
        }
        gradient
    }

    /// The largest absolute gradient of columns that take no part.
    fn outside(&self, working: &WorkingSet) -> Lanes<N> {
        let mut largest = [0.0_f64; N];
        let mut add = |gradient: &Lanes<N>, takes_part: &bool| {
            if !takes_part {
                for lane in 0..N {
                    largest[lane] = largest[lane].max(gradient[lane].abs());
                }
            }
        };
        for (gradient, takes_part) in self.stump_gradients().iter().zip(&working.stump) {
            add(gradient, takes_part);
        }
        for (gradient, takes_part) in self.at.raw_gradient.iter().zip(&working.raw) {
            add(gradient, takes_part);
        }
        largest
    }

    /// The duality gap over all columns at this point, which `point` is over the columns of `part`;
    /// the largest share over lanes.
    pub(crate) fn gap(
        &self,
        part: &BatchedProblem<N>,
        point: &Point<N>,
        working: &WorkingSet,
        penalty: &[Penalty; N],
    ) -> f64 {
        let (_, gap) = part.objective_and_gap(point, penalty, self.outside(working));
        largest_share(gap, part.response_square)
    }

    /// Lets columns take part that violate their condition here; returns whether there were any.
    pub(crate) fn admit(&self, working: &mut WorkingSet, penalty: &[Penalty; N]) -> bool {
        let violates =
            |gradient: &Lanes<N>| (0..N).any(|lane| gradient[lane].abs() > penalty[lane].l1);
        let stump = self.stump_gradients();
        let columns = working.stump.iter_mut().zip(&stump);
        let mut any = false;
        for (takes_part, gradient) in
            columns.chain(working.raw.iter_mut().zip(&self.at.raw_gradient))
        {
            if !*takes_part && violates(gradient) {
                *takes_part = true;
                any = true;
            }
        }
        any
    }

    /// Sweeps at one penalty a lane until the gap over all columns is at most `tolerance`.
    pub(crate) fn descend(
        &mut self,
        penalty: &[Penalty; N],
        tolerance: f64,
        max_iterations: usize,
    ) -> DescentReport {
        let mut working = self.working_set(penalty);
        let mut iterations = 0;
        let mut part = BatchedProblem::<N>::empty();
        loop {
            let reduction = working.reduce(self.problems);
            self.problems.reduce_into(&reduction, &mut part);
            let mut descent = Descent::new(&part.hessians, self.restrict(&reduction));
            let left = max_iterations - iterations;
            let progress = part.descend(&mut descent, penalty, tolerance, left);
            iterations += progress.iterations;
            self.follow(&reduction, &descent.point, &descent.point);
            let gap = self.gap(&part, &descent.point, &working, penalty);
            let converged = gap <= tolerance;
            if converged || iterations >= max_iterations || !self.admit(&mut working, penalty) {
                return DescentReport { iterations, gap, converged };
            }
        }
    }
}

impl WorkingSet {
    /// All columns.
    pub(crate) fn all<const H: usize>(problems: &BatchedProblem<H>) -> Self {
        let q = &problems.hessians;
        Self { stump: vec![true; q.n_splits()], raw: vec![true; q.n_raw()] }
    }

    /// Whether so many columns take part that a reduction would cost more than it saves.
    pub(crate) fn is_nearly_complete(&self) -> bool {
        let are_most = |flags: &[bool]| {
            NEARLY_ALL * flags.iter().filter(|&&flag| flag).count() as f64 >= flags.len() as f64
        };
        are_most(&self.stump) && are_most(&self.raw)
    }

    /// Whether these columns serve where `needed` are needed: all of them, and not many more.
    pub(crate) fn serves(&self, needed: &Self) -> bool {
        let count = |flags: &[bool]| flags.iter().filter(|&&flag| flag).count();
        let covers = |mine: &[bool], needed: &[bool]| {
            needed.iter().zip(mine).all(|(needed, mine)| *mine || !*needed)
                && count(mine) <= count(needed) + count(needed) / 4 + FEW
        };
        covers(&self.stump, &needed.stump) && covers(&self.raw, &needed.raw)
    }

    /// What is left of the problems' columns. Splits that are kept to hold others together take
    /// part.
    pub(crate) fn reduce<const H: usize>(&mut self, problems: &BatchedProblem<H>) -> Reduction {
        let raw = (0..self.raw.len()).filter(|&k| self.raw[k]).collect();
        let reduction = Reduction::new(&problems.hessians.nesting, &self.stump, raw);
        for &split in reduction.split.iter().filter(|&&split| split != NONE) {
            self.stump[split as usize] = true;
        }
        reduction
    }
}

impl<const N: usize> ResidualSums<N> {
    /// Sets some lanes to zero.
    pub(crate) fn clear(&mut self, lanes: Range<usize>) {
        for sums in self.leaf.iter_mut().chain(&mut self.raw) {
            sums[lanes.clone()].fill(0.0);
        }
    }
}

impl<const N: usize> Slopes<N> {
    /// The coefficients of one lane.
    pub(crate) fn of_lane(&self, lane: usize) -> Coefficients {
        Coefficients {
            intercept: self.intercept[lane],
            stump: self.stump.iter().map(|b| b[lane]).collect(),
            raw: self.raw.iter().map(|b| b[lane]).collect(),
        }
    }

    fn are_zero(&self) -> bool {
        let all = |slopes: &[Lanes<N>]| slopes.iter().all(|b| *b == [0.0; N]);
        self.intercept == [0.0; N] && all(&self.stump) && all(&self.raw)
    }

    fn less(&self, intercept: Lanes<N>, stump: &[Lanes<N>], raw: &[Lanes<N>]) -> Self {
        let difference = |a: &[Lanes<N>], b: &[Lanes<N>]| {
            a.iter().zip(b).map(|(a, b)| per_lane(|lane| a[lane] - b[lane])).collect()
        };
        Self {
            intercept: per_lane(|lane| self.intercept[lane] - intercept[lane]),
            stump: difference(&self.stump, stump),
            raw: difference(&self.raw, raw),
        }
    }
}

/// Takes what a step explains off the residual sums. Cost: leaves x raw columns.
struct Follow<'t, const H: usize, const N: usize> {
    problems: &'t BatchedProblem<H>,
    step: &'t Slopes<N>,
    leaf: &'t mut [Lanes<N>],
    raw: &'t mut [Lanes<N>],
    /// Raw columns, rising, whose gradients stay as they are.
    known: &'t [usize],
}

impl<const H: usize, const N: usize> Vectorised for Follow<'_, H, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { problems, step, leaf, raw, known } = self;
        let q = &problems.hessians;
        let mut constant = q.leaf_offsets(step.intercept, &step.stump);
        for ((sum, c), w) in leaf.iter_mut().zip(&constant).zip(q.leaf_weight()) {
            for lane in 0..N {
                sum[lane] -= c[lane] * of_lane(w, lane);
            }
        }
        let moved: Vec<usize> = (0..q.n_raw()).filter(|&k| step.raw[k] != [0.0; N]).collect();
        let steps: Vec<Lanes<N>> = moved.iter().map(|&k| step.raw[k]).collect();
        q.raw_leaf.subtract_columns(leaf, &moved, &steps, q.leaf_weight());
        // The raw Gram matrix is centred; the rest is a shift common to all leaves.
        let mut at_mean = [0.0; N];
        for (&k, step) in moved.iter().zip(&steps) {
            for lane in 0..N {
                at_mean[lane] += step[lane] * of_lane(&q.raw_mean[k], lane);
            }
        }
        for c in &mut constant {
            for lane in 0..N {
                c[lane] += at_mean[lane];
            }
        }
        let along_weight = q.along_weight(&constant);
        if known.is_empty() {
            subtract_columns(raw, &moved, &steps, &q.raw_gram);
            q.raw_leaf.subtract_products(raw, &constant, along_weight);
            return;
        }
        let mut known = known.iter().peekable();
        let unknown: Vec<usize> =
            (0..q.n_raw()).filter(|k| known.next_if(|&next| next == k).is_none()).collect();
        let mut gradients: Vec<Lanes<N>> = unknown.iter().map(|&k| raw[k]).collect();
        for (&k, gradient) in unknown.iter().zip(&mut gradients) {
            let gram = &q.raw_gram[k * q.n_raw()..(k + 1) * q.n_raw()];
            for (&other, step) in moved.iter().zip(&steps) {
                for lane in 0..N {
                    gradient[lane] -= step[lane] * of_lane(&gram[other], lane);
                }
            }
        }
        q.raw_leaf.subtract_products_of(&unknown, &mut gradients, &constant, along_weight);
        for (k, gradient) in unknown.into_iter().zip(gradients) {
            raw[k] = gradient;
        }
    }
}
