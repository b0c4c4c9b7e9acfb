//! Coordinate descent for a quadratic plus an elastic net, in time linear in the size of the tree.
//!
//! Minimises, from any starting point with known residual sums,
//!
//! ```text
//! 1/2 (b - b0)' H (b - b0) - g0' (b - b0) + l1 |b|_1 + l2/2 |b|^2
//! ```
//!
//! where H is one of [`BatchedHessian`] and g0 the gradient at the start, for a batch of `N`
//! problems.
//!
//! A sweep visits the splits from the root down. A step d on split v moves the predictions of all
//! rows left of v by d * a and right of v by d * b; instead of touching the rows or the gradients
//! of all relatives, the shift is passed down to the children, and the residual sums of a node are
//! corrected by (shift * weight of the node) when the node is visited. After the last split one
//! upward pass restores all sums. A full pass over m splits therefore costs O(m), not O(m * depth),
//! and the r raw columns, which meet the stumps only through per-leaf sums, O(leaves * r).
//!
//! The intercept is moved to its optimum after every pass, which keeps the weighted residuals
//! summing to zero. A raw column is nearly a sum of stumps of the same feature, so sweeps alone take
//! many short steps. Between them, [`Descent::step_directly`] settles all columns with a nonzero
//! slope at once.

use crate::glm::linalg::vector::{
    COLUMNS, Lanes, per_lane, row_by_row, subtract_columns, subtract_products,
};
use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::batched_hessian::BatchedHessian;
use crate::glm::solvers::descent::active_step::ActiveStep;

/// Passes over the raw block for one pass over the stumps. The block is small and its columns are
/// often correlated with one another, so it pays to settle it before the leaves are touched again.
const RAW_PASSES: usize = 2;

/// The raw block is settled when no step changed a gradient by more than this share of the l1
/// penalty.
const SETTLED: f64 = 0.05;

/// A point, the residual sums at it, and scratch space, for `N` problems.
#[derive(Debug, Clone)]
pub struct Descent<'q, const N: usize> {
    hessians: &'q BatchedHessian<N>,
    /// The current point and the residual sums at it.
    pub point: Point<N>,
    shift: Vec<Lanes<N>>,
    stump_inverse: Vec<Lanes<N>>,
    raw_inverse: Vec<Lanes<N>>,
    raw_before: Vec<Lanes<N>>,
    raw_moved: Vec<usize>,
    raw_step: Vec<Lanes<N>>,
    model_gradient: Vec<Lanes<N>>,
    active: ActiveStep<N>,
    l1: Lanes<N>,
    l2: Lanes<N>,
}

/// Where a descent starts: coefficients and the residual sums at them.
#[derive(Debug, Clone)]
pub struct Start<const N: usize> {
    /// Intercepts.
    pub intercept: Lanes<N>,
    /// Slopes of the stumps.
    pub stump: Vec<Lanes<N>>,
    /// Slopes of the raw columns.
    pub raw: Vec<Lanes<N>>,
    /// Weighted residual sum of every leaf.
    pub leaf_residual: Vec<Lanes<N>>,
    /// Gradient (of minus the quadratic) along each raw column.
    pub raw_gradient: Vec<Lanes<N>>,
}

/// A point and the residual sums at it, which are linear in the point.
#[derive(Debug, Clone)]
pub struct Point<const N: usize> {
    /// Intercepts.
    pub intercept: Lanes<N>,
    /// Slopes of the stumps.
    pub stump: Vec<Lanes<N>>,
    /// Slopes of the raw columns.
    pub raw: Vec<Lanes<N>>,
    /// Weighted residual sum of every node, splits first, then leaves.
    pub node_residual: Vec<Lanes<N>>,
    /// Gradient (of minus the quadratic) along each raw column.
    pub raw_gradient: Vec<Lanes<N>>,
}

impl<const N: usize> Point<N> {
    /// The coefficients of one lane.
    pub fn coefficients(&self, lane: usize) -> Coefficients {
        Coefficients {
            intercept: self.intercept[lane],
            stump: self.stump.iter().map(|b| b[lane]).collect(),
            raw: self.raw.iter().map(|b| b[lane]).collect(),
        }
    }

    /// Gradient (of minus the quadratic) along one stump.
    #[inline(always)]
    pub fn stump_gradient(&self, hessians: &BatchedHessian<N>, split: usize) -> Lanes<N> {
        let nesting = &hessians.nesting;
        let (a, b) = (nesting.left_value[split], nesting.right_value[split]);
        let left = self.node_residual[nesting.left[split] as usize];
        let right = self.node_residual[nesting.right[split] as usize];
        per_lane(|lane| a * left[lane] + b * right[lane])
    }

    /// Brings the residual sums of the splits up to date with those of the leaves.
    #[inline(always)]
    pub(crate) fn sum_upwards(&mut self, hessians: &BatchedHessian<N>) {
        let nesting = &hessians.nesting;
        let node = &mut self.node_residual;
        for split in (0..nesting.n_splits()).rev() {
            let (left, right) =
                (node[nesting.left[split] as usize], node[nesting.right[split] as usize]);
            node[split] = per_lane(|lane| left[lane] + right[lane]);
        }
    }

    /// Becomes a copy of `other` without allocating.
    #[inline(always)]
    pub fn copy_from(&mut self, other: &Self) {
        self.intercept = other.intercept;
        self.stump.copy_from_slice(&other.stump);
        self.raw.copy_from_slice(&other.raw);
        self.node_residual.copy_from_slice(&other.node_residual);
        self.raw_gradient.copy_from_slice(&other.raw_gradient);
    }

    /// Copies one lane of `other`.
    #[inline(always)]
    pub fn copy_lane_from(&mut self, other: &Self, lane: usize) {
        let copy = |to: &mut [Lanes<N>], from: &[Lanes<N>]| {
            for (to, from) in to.iter_mut().zip(from) {
                to[lane] = from[lane];
            }
        };
        self.intercept[lane] = other.intercept[lane];
        copy(&mut self.stump, &other.stump);
        copy(&mut self.raw, &other.raw);
        copy(&mut self.node_residual, &other.node_residual);
        copy(&mut self.raw_gradient, &other.raw_gradient);
    }

    /// Moves to the point that continues the line from `before` through this one by a share of its
    /// length, and keeps this one in `before`.
    #[inline(always)]
    pub fn extrapolate(&mut self, before: &mut Self, share: Lanes<N>) {
        let continue_line = |now: &mut [Lanes<N>], before: &mut [Lanes<N>]| {
            for (now, before) in now.iter_mut().zip(before) {
                for lane in 0..N {
                    let step = now[lane] - before[lane];
                    before[lane] = now[lane];
                    now[lane] += share[lane] * step;
                }
            }
        };
        continue_line(
            std::slice::from_mut(&mut self.intercept),
            std::slice::from_mut(&mut before.intercept),
        );
        continue_line(&mut self.stump, &mut before.stump);
        continue_line(&mut self.raw, &mut before.raw);
        continue_line(&mut self.node_residual, &mut before.node_residual);
        continue_line(&mut self.raw_gradient, &mut before.raw_gradient);
    }
}

impl<'q, const N: usize> Descent<'q, N> {
    /// Starts at coefficients where the weighted residual sums of the leaves and along the raw
    /// columns are known.
    pub fn new(hessians: &'q BatchedHessian<N>, at: Start<N>) -> Self {
        Self::reusing(ActiveStep::default(), hessians, at)
    }

    /// The same, with the memory of an earlier descent's direct steps.
    pub(crate) fn reusing(
        active: ActiveStep<N>,
        hessians: &'q BatchedHessian<N>,
        at: Start<N>,
    ) -> Self {
        let (m, n_raw) = (hessians.n_splits(), hessians.n_raw());
        let mut node_residual = vec![[0.0; N]; m];
        node_residual.extend(at.leaf_residual);
        let mut descent = Self {
            hessians,
            shift: vec![[0.0; N]; node_residual.len()],
            point: Point {
                intercept: at.intercept,
                stump: at.stump,
                raw: at.raw,
                node_residual,
                raw_gradient: at.raw_gradient,
            },
            stump_inverse: vec![[0.0; N]; m],
            raw_inverse: vec![[0.0; N]; n_raw],
            raw_before: vec![[0.0; N]; n_raw],
            raw_moved: Vec::with_capacity(n_raw),
            raw_step: Vec::with_capacity(n_raw),
            model_gradient: vec![[0.0; N]; n_raw],
            active,
            l1: [0.0; N],
            l2: [0.0; N],
        };
        descent.settle();
        descent
    }

    /// Moves the intercept to its optimum and brings all sums up to date with those of the leaves.
    #[inline(always)]
    fn settle(&mut self) {
        let q = self.hessians;
        let step = self.settle_intercept();
        for (gradient, mean) in self.point.raw_gradient.iter_mut().zip(&q.raw_mean) {
            for lane in 0..N {
                gradient[lane] -= step[lane] * mean[lane] * q.total[lane];
            }
        }
        self.point.sum_upwards(q);
    }

    /// Goes to where the conditions of all columns with a slope hold, as far as signs stay.
    #[inline(always)]
    pub(crate) fn step_directly(&mut self) {
        let q = self.hessians;
        let m = q.n_splits();
        let (mut intercept_step, excess) = self.active.find(q, &self.point, &self.l1, &self.l2);
        let found = (&mut intercept_step, excess);
        self.active.shorten(q, &self.point, found, &self.l1, &self.l2);
        let ActiveStep { stump_step, raw_step, .. } = &self.active;
        // The shift of every leaf.
        self.shift[0] = intercept_step;
        for split in 0..m {
            let (above, step) = (self.shift[split], stump_step[split]);
            let (a, b) = (q.nesting.left_value[split], q.nesting.right_value[split]);
            self.shift[q.nesting.left[split] as usize] =
                per_lane(|lane| above[lane] + step[lane] * a);
            self.shift[q.nesting.right[split] as usize] =
                per_lane(|lane| above[lane] + step[lane] * b);
        }
        let leaves = &mut self.point.node_residual[m..];
        let mut at_mean = [0.0; N];
        self.raw_moved.clear();
        self.raw_step.clear();
        for (k, &step) in raw_step.iter().enumerate() {
            if step != [0.0; N] {
                self.raw_moved.push(k);
                self.raw_step.push(step);
                for lane in 0..N {
                    at_mean[lane] += step[lane] * q.raw_mean[k][lane];
                }
            }
        }
        for ((residual, shift), weight) in
            leaves.iter_mut().zip(&mut self.shift[m..]).zip(q.leaf_weight())
        {
            for lane in 0..N {
                residual[lane] -= shift[lane] * weight[lane];
                // The raw Gram matrix is centred; the rest is a shift common to all leaves.
                shift[lane] += at_mean[lane];
            }
            row_by_row::<N>();
        }
        subtract_columns(leaves, &self.raw_moved, &self.raw_step, q.raw_leaf.all_dense());
        subtract_columns(
            &mut self.point.raw_gradient,
            &self.raw_moved,
            &self.raw_step,
            &q.raw_gram,
        );
        subtract_products(&mut self.point.raw_gradient, &self.shift[m..], q.raw_leaf.all_dense());
        let add = |slopes: &mut [Lanes<N>], steps: &[Lanes<N>]| {
            for (slope, step) in slopes.iter_mut().zip(steps) {
                for lane in 0..N {
                    slope[lane] += step[lane];
                }
                row_by_row::<N>();
            }
        };
        add(std::slice::from_mut(&mut self.point.intercept), &[intercept_step]);
        add(&mut self.point.stump, stump_step);
        add(&mut self.point.raw, raw_step);
        self.settle();
    }

    /// Ends the descent; what is left is the memory of its direct steps.
    pub(crate) fn into_memory(self) -> ActiveStep<N> {
        self.active
    }

    /// Moves the intercept to where the residuals of the leaves sum to zero and returns the step.
    /// The caller brings the raw gradients along.
    #[inline(always)]
    fn settle_intercept(&mut self) -> Lanes<N> {
        let q = self.hessians;
        let leaves = &mut self.point.node_residual[q.n_splits()..];
        let mut sum = [0.0; N];
        for leaf in leaves.iter() {
            for lane in 0..N {
                sum[lane] += leaf[lane];
            }
        }
        let step: Lanes<N> =
            per_lane(|lane| if q.total[lane] > 0.0 { sum[lane] / q.total[lane] } else { 0.0 });
        for (leaf, weight) in leaves.iter_mut().zip(q.leaf_weight()) {
            for lane in 0..N {
                leaf[lane] -= step[lane] * weight[lane];
            }
            row_by_row::<N>();
        }
        for lane in 0..N {
            self.point.intercept[lane] += step[lane];
        }
        step
    }

    /// Sets the penalties of the sweeps that follow.
    #[inline(always)]
    pub fn set_penalty(&mut self, penalty: &[Penalty; N]) {
        self.l1 = per_lane(|lane| penalty[lane].l1);
        self.l2 = per_lane(|lane| penalty[lane].l2);
        for (inverse, square) in self.stump_inverse.iter_mut().zip(&self.hessians.stump_square) {
            *inverse = per_lane(|lane| invert(square[lane] + self.l2[lane]));
        }
        let n_raw = self.hessians.n_raw();
        for (k, inverse) in self.raw_inverse.iter_mut().enumerate() {
            let square = self.hessians.raw_gram[k * n_raw + k];
            *inverse = per_lane(|lane| invert(square[lane] + self.l2[lane]));
        }
    }

    /// One pass over all columns, raw columns first.
    #[inline(always)]
    pub fn sweep(&mut self) {
        self.sweep_raw();
        self.point.sum_upwards(self.hessians);
        self.sweep_stumps();
        self.point.sum_upwards(self.hessians);
    }

    #[inline(always)]
    fn sweep_stumps(&mut self) {
        let q = self.hessians;
        let stumps = &q.nesting;
        let m = stumps.n_splits();
        let l1 = self.l1;
        let shift = &mut self.shift[..];
        shift[0] = [0.0; N];
        let (left, right) = (&stumps.left[..m], &stumps.right[..m]);
        let (left_value, right_value) = (&stumps.left_value[..m], &stumps.right_value[..m]);
        let (square, sum) = (&q.stump_square[..m], &q.stump_sum[..m]);
        let inverse = &self.stump_inverse[..m];
        let coefficient = &mut self.point.stump[..m];
        let residual = &self.point.node_residual[..];
        for split in 0..m {
            let (l, r) = (left[split] as usize, right[split] as usize);
            let (a, b) = (left_value[split], right_value[split]);
            let (above, old) = (shift[split], coefficient[split]);
            let (left_residual, right_residual) = (residual[l], residual[r]);
            let (sum, square, inverse) = (sum[split], square[split], inverse[split]);
            // After the ancestors' moves: their shift is common to both children.
            let gradient = per_lane(|lane| {
                a * left_residual[lane] + b * right_residual[lane] - above[lane] * sum[lane]
                    + square[lane] * old[lane]
            });
            let kept = beyond(gradient, l1);
            let new: Lanes<N> = per_lane(|lane| kept[lane] * inverse[lane]);
            let step: Lanes<N> = per_lane(|lane| new[lane] - old[lane]);
            coefficient[split] = new;
            shift[l] = per_lane(|lane| above[lane] + step[lane] * a);
            shift[r] = per_lane(|lane| above[lane] + step[lane] * b);
        }
        let leaf_shift = &mut self.shift[m..];
        for ((residual, shift), weight) in
            self.point.node_residual[m..].iter_mut().zip(leaf_shift.iter()).zip(q.leaf_weight())
        {
            for lane in 0..N {
                residual[lane] -= shift[lane] * weight[lane];
            }
            row_by_row::<N>();
        }
        let step = self.settle_intercept();
        let leaf_shift = &mut self.shift[m..];
        for shift in leaf_shift.iter_mut() {
            for lane in 0..N {
                shift[lane] += step[lane];
            }
        }
        subtract_products(&mut self.point.raw_gradient, leaf_shift, q.raw_leaf.all_dense());
    }

    #[inline(always)]
    fn sweep_raw(&mut self) {
        let q = self.hessians;
        let (m, n_raw) = (q.n_splits(), q.n_raw());
        let slope = &mut self.point.raw;
        self.raw_before.copy_from_slice(slope);
        self.model_gradient.copy_from_slice(&self.point.raw_gradient);
        for pass in 0..RAW_PASSES {
            let mut largest = [0.0_f64; N];
            for first in (0..n_raw).step_by(COLUMNS) {
                // Steps of a block meet the gradients of its own columns at once, those of all others
                // together.
                self.raw_moved.clear();
                self.raw_step.clear();
                for k in first..n_raw.min(first + COLUMNS) {
                    let old = slope[k];
                    if pass > 0 && old == [0.0; N] {
                        continue;
                    }
                    let line = &q.raw_gram[k * n_raw..(k + 1) * n_raw];
                    let mut gradient = self.model_gradient[k];
                    for (&j, step) in self.raw_moved.iter().zip(&self.raw_step) {
                        for lane in 0..N {
                            gradient[lane] -= step[lane] * line[j][lane];
                        }
                    }
                    let (square, inverse) = (line[k], self.raw_inverse[k]);
                    let gradient = per_lane(|lane| gradient[lane] + square[lane] * old[lane]);
                    let kept = beyond(gradient, self.l1);
                    let new: Lanes<N> = per_lane(|lane| kept[lane] * inverse[lane]);
                    let step: Lanes<N> = per_lane(|lane| new[lane] - old[lane]);
                    slope[k] = new;
                    largest = per_lane(|lane| {
                        let moved = (step[lane] * square[lane]).abs();
                        if moved > largest[lane] { moved } else { largest[lane] }
                    });
                    if step != [0.0; N] {
                        self.raw_moved.push(k);
                        self.raw_step.push(step);
                    }
                }
                subtract_columns(
                    &mut self.model_gradient,
                    &self.raw_moved,
                    &self.raw_step,
                    &q.raw_gram,
                );
            }
            // What is left is below what the next pass over the stumps will undo.
            if (0..N).all(|lane| largest[lane] <= SETTLED * self.l1[lane]) {
                break;
            }
        }
        self.raw_moved.clear();
        self.raw_step.clear();
        for k in 0..n_raw {
            let step = per_lane(|lane| slope[k][lane] - self.raw_before[k][lane]);
            if step != [0.0; N] {
                self.raw_moved.push(k);
                self.raw_step.push(step);
            }
        }
        if self.raw_moved.is_empty() {
            return;
        }
        // The centred Gram matrix already holds the intercept's answer.
        subtract_columns(
            &mut self.point.raw_gradient,
            &self.raw_moved,
            &self.raw_step,
            &q.raw_gram,
        );
        subtract_columns(
            &mut self.point.node_residual[m..],
            &self.raw_moved,
            &self.raw_step,
            q.raw_leaf.all_dense(),
        );
        self.settle_intercept();
    }

    /// Largest violation of the optimality conditions over all columns, per lane.
    #[inline(always)]
    pub fn violation(&self) -> Lanes<N> {
        let mut largest = [0.0_f64; N];
        self.for_violations(|lane, violation, _| largest[lane] = largest[lane].max(violation));
        largest
    }

    /// What a step along the best single column would gain, per lane: a violation v with curvature
    /// c lowers the objective by v^2 / 2 (c + l2).
    #[inline(always)]
    pub fn predicted_decrease(&self) -> Lanes<N> {
        let mut largest = [0.0_f64; N];
        self.for_violations(|lane, violation, square| {
            let gain = 0.5 * violation * violation * invert(square + self.l2[lane]);
            largest[lane] = largest[lane].max(gain);
        });
        largest
    }

    /// Calls `visit` with lane, violation and curvature of every column.
    #[inline(always)]
    fn for_violations(&self, mut visit: impl FnMut(usize, f64, f64)) {
        let q = self.hessians;
        let n_raw = q.n_raw();
        let mut add = |gradient: Lanes<N>, b: Lanes<N>, square: Lanes<N>| {
            for lane in 0..N {
                let penalty = Penalty { l1: self.l1[lane], l2: self.l2[lane] };
                visit(lane, penalty.violation(gradient[lane], b[lane]), square[lane]);
            }
        };
        for (split, &b) in self.point.stump.iter().enumerate() {
            add(self.point.stump_gradient(q, split), b, q.stump_square[split]);
        }
        for (k, (&gradient, &b)) in self.point.raw_gradient.iter().zip(&self.point.raw).enumerate()
        {
            add(gradient, b, q.raw_gram[k * n_raw + k]);
        }
    }
}

/// What is left of gradients that the l1 penalty holds back.
#[inline(always)]
fn beyond<const N: usize>(gradient: Lanes<N>, l1: Lanes<N>) -> Lanes<N> {
    // `max` and `min` would treat what is not a number separately.
    let low: Lanes<N> =
        per_lane(|lane| if gradient[lane] > -l1[lane] { gradient[lane] } else { -l1[lane] });
    let held: Lanes<N> = per_lane(|lane| if low[lane] < l1[lane] { low[lane] } else { l1[lane] });
    per_lane(|lane| gradient[lane] - held[lane])
}

#[inline(always)]
fn invert(curvature: f64) -> f64 {
    let inverse = 1.0 / curvature;
    // A column of next to no curvature, as where rows are predicted with near certainty, stays put.
    if inverse.is_finite() && inverse > 0.0 { inverse } else { 0.0 }
}
