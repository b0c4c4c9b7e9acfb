//! A step to where the conditions of all columns with a slope hold, several problems at once.
//!
//! Sweeps find soon which slopes are zero, but settle the others slowly where columns depend on one
//! another. With the signs s of the slopes b taken as given, the conditions of the active columns are
//! a linear system,
//!
//! ```text
//! (H + l2) step = gradient - l2 b - l1 s
//! ```
//!
//! Stumps are eliminated from the leaves up, which creates no fill-in. Below split v, what is left of
//! eliminated stumps turns the children's sums of weights A, of raw cells B and of residuals R into
//!
//! ```text
//! c = a A_L + b A_R,   d = a^2 A_L + b^2 A_R + l2
//! h = a B_L + b B_R,   p = a R_L + b R_R - l2 b_v - l1 s_v
//! A_v = A_L + A_R - c^2 / d,   B_v = B_L + B_R - c h / d,   R_v = R_L + R_R - c p / d
//! ```
//!
//! and takes `h h' / d` off the Gram matrix of the raw columns, which is factored once the intercept is
//! gone too. On the way down `step_v = (p - h'steps - c (steps above)) / d`.
//!
//! The step ends where the objective along it is least, which past a slope that crosses zero is not
//! all of it. Columns that are missing enter by the next sweep. Nothing is done against rounding: the
//! caller keeps a step only where the objective is lower.
//!
//! Cost for m active stumps and r active raw columns: m r^2 / 2 + r^3 / 6.

use crate::glm::linalg::vector::{COLUMNS, Lanes, per_lane};
use crate::glm::quadratic::batched_hessian::BatchedHessian;
use crate::glm::solvers::descent::coordinate_descent::Point;

/// A pivot below this share of a column's curvature is rounding: the others replace the column.
const REPLACED: f64 = 1e-10;

/// What is left of a slope, as a share of it, if it is stopped where it is zero.
const ROUNDING: f64 = 1e-15;

/// Memory of the steps.
#[derive(Debug, Clone, Default)]
pub(crate) struct ActiveStep<const N: usize> {
    /// Raw columns that are active in any problem.
    raw: Vec<usize>,
    /// Per node A and R.
    weight: Vec<Lanes<N>>,
    residual: Vec<Lanes<N>>,
    /// Splits that are active in any problem, from the bottom up.
    eliminated: Vec<Eliminated<N>>,
    /// Per node B of one raw column at a time, and that of the root of all.
    sums: Vec<Lanes<N>>,
    at_root: Vec<Lanes<N>>,
    /// `h / sqrt(d)` of eliminated stumps, raw column by raw column, up to whole blocks of columns.
    coupling: Vec<Lanes<N>>,
    /// What is left of the raw Gram matrix, lower triangle, and then its factors.
    matrix: Vec<Lanes<N>>,
    pivot: Vec<Lanes<N>>,
    /// The step of the slopes.
    pub(crate) stump_step: Vec<Lanes<N>>,
    pub(crate) raw_step: Vec<Lanes<N>>,
}

/// An eliminated stump: a, b, c and p, all over sqrt(d), which is infinite where it is not active.
#[derive(Debug, Clone, Copy)]
struct Eliminated<const N: usize> {
    split: usize,
    left: Lanes<N>,
    right: Lanes<N>,
    across: Lanes<N>,
    own: Lanes<N>,
    inverse: Lanes<N>,
}

impl<const N: usize> ActiveStep<N> {
    /// Finds the step from a point; returns that of the intercept.
    #[inline(always)]
    pub(crate) fn find(
        &mut self,
        q: &BatchedHessian<N>,
        point: &Point<N>,
        l1: &Lanes<N>,
        l2: &Lanes<N>,
    ) -> Lanes<N> {
        self.raw.clear();
        self.raw.extend((0..q.n_raw()).filter(|&k| point.raw[k] != [0.0; N]));
        self.eliminate_stumps(q, point, l1, l2);
        self.couple_raw_columns(q);
        self.sum_couplings();
        let root = self.eliminate_intercept(q, point, l1, l2);
        self.factor();
        self.solve();
        self.descend(q, root)
    }

    /// All but the raw columns.
    #[inline(always)]
    fn eliminate_stumps(
        &mut self,
        q: &BatchedHessian<N>,
        point: &Point<N>,
        l1: &Lanes<N>,
        l2: &Lanes<N>,
    ) {
        self.weight.clear();
        self.weight.extend_from_slice(&q.node_weight);
        self.residual.clear();
        self.residual.extend_from_slice(&point.node_residual);
        self.eliminated.clear();
        for split in (0..q.n_splits()).rev() {
            let (left, right) = (q.nesting.left[split] as usize, q.nesting.right[split] as usize);
            let (left_weight, right_weight) = (self.weight[left], self.weight[right]);
            let (left_residual, right_residual) = (self.residual[left], self.residual[right]);
            let mut weight: Lanes<N> = per_lane(|lane| left_weight[lane] + right_weight[lane]);
            let mut residual: Lanes<N> =
                per_lane(|lane| left_residual[lane] + right_residual[lane]);
            let slope = point.stump[split];
            if slope != [0.0; N] {
                let (a, b) = (q.nesting.left_value[split], q.nesting.right_value[split]);
                let inverse: Lanes<N> = per_lane(|lane| {
                    let d = a * a * left_weight[lane] + b * b * right_weight[lane] + l2[lane];
                    if slope[lane] != 0.0 && d > 0.0 { 1.0 / d.sqrt() } else { 0.0 }
                });
                let across: Lanes<N> = per_lane(|lane| {
                    (a * left_weight[lane] + b * right_weight[lane]) * inverse[lane]
                });
                let own: Lanes<N> = per_lane(|lane| {
                    let penalty = l2[lane] * slope[lane] + l1[lane] * sign(slope[lane]);
                    (a * left_residual[lane] + b * right_residual[lane] - penalty) * inverse[lane]
                });
                for lane in 0..N {
                    weight[lane] -= across[lane] * across[lane];
                    residual[lane] -= across[lane] * own[lane];
                }
                let (left, right) =
                    (inverse.map(|inverse| a * inverse), inverse.map(|inverse| b * inverse));
                self.eliminated.push(Eliminated { split, left, right, across, own, inverse });
            }
            (self.weight[split], self.residual[split]) = (weight, residual);
        }
    }

    /// Takes the raw columns up the tree, one after the other.
    #[inline(always)]
    fn couple_raw_columns(&mut self, q: &BatchedHessian<N>) {
        let (m, count) = (q.n_splits(), self.eliminated.len());
        let (left, right) = (&q.nesting.left[..m], &q.nesting.right[..m]);
        self.coupling.clear();
        self.coupling.resize(self.raw.len().next_multiple_of(COLUMNS) * count, [0.0; N]);
        self.sums.resize(m + q.nesting.n_leaves(), [0.0; N]);
        self.at_root.clear();
        for (at, &k) in self.raw.iter().enumerate() {
            let coupling = &mut self.coupling[at * count..(at + 1) * count];
            self.sums[m..].copy_from_slice(q.raw_leaf.of_dense(k));
            let mut below = m;
            for (stump, h) in self.eliminated.iter().zip(coupling) {
                for split in (stump.split + 1..below).rev() {
                    let (l, r) =
                        (self.sums[left[split] as usize], self.sums[right[split] as usize]);
                    self.sums[split] = per_lane(|lane| l[lane] + r[lane]);
                }
                below = stump.split;
                let (l, r) = (self.sums[left[below] as usize], self.sums[right[below] as usize]);
                let coupled: Lanes<N> =
                    per_lane(|lane| stump.left[lane] * l[lane] + stump.right[lane] * r[lane]);
                self.sums[below] =
                    per_lane(|lane| l[lane] + r[lane] - stump.across[lane] * coupled[lane]);
                *h = coupled;
            }
            for split in (0..below).rev() {
                let (l, r) = (self.sums[left[split] as usize], self.sums[right[split] as usize]);
                self.sums[split] = per_lane(|lane| l[lane] + r[lane]);
            }
            self.at_root.push(self.sums[0]);
        }
    }

    /// The sum of `h h' / d` over eliminated stumps, four columns by four.
    #[inline(always)]
    fn sum_couplings(&mut self) {
        let (width, count) = (self.raw.len(), self.eliminated.len());
        self.matrix.resize(width * width, [0.0; N]);
        let block = |first: usize| -> [&[Lanes<N>]; COLUMNS] {
            std::array::from_fn(|at| &self.coupling[(first + at) * count..(first + at + 1) * count])
        };
        for row in (0..width).step_by(COLUMNS) {
            let by = block(row);
            for column in (0..=row).step_by(COLUMNS) {
                let of = block(column);
                let [mut a, mut b, mut c, mut d] = [[[0.0; N]; COLUMNS]; COLUMNS];
                for stump in 0..count {
                    let h = of.map(|column| column[stump]);
                    add_products(&mut a, &by[0][stump], &h);
                    add_products(&mut b, &by[1][stump], &h);
                    add_products(&mut c, &by[2][stump], &h);
                    add_products(&mut d, &by[3][stump], &h);
                }
                let end = width.min(column + COLUMNS);
                for (line, sums) in (row..width).zip([a, b, c, d]) {
                    self.matrix[line * width + column..line * width + end]
                        .copy_from_slice(&sums[..end - column]);
                }
            }
        }
    }

    /// What is left of the raw columns' system without stumps and intercept; gives 1 / A of the root.
    #[inline(always)]
    fn eliminate_intercept(
        &mut self,
        q: &BatchedHessian<N>,
        point: &Point<N>,
        l1: &Lanes<N>,
        l2: &Lanes<N>,
    ) -> Lanes<N> {
        let (r, width, count) = (q.n_raw(), self.raw.len(), self.eliminated.len());
        let root: Lanes<N> = self.weight[0].map(|w| if w > 0.0 { 1.0 / w } else { 0.0 });
        let root_residual = self.residual[0];
        self.raw_step.clear();
        self.pivot.clear();
        for (j, &column) in self.raw.iter().enumerate() {
            let (slope, gradient) = (point.raw[column], point.raw_gradient[column]);
            let at_root: Lanes<N> = per_lane(|lane| self.at_root[j][lane] * root[lane]);
            let mut right_side: Lanes<N> = per_lane(|lane| {
                let penalty = l2[lane] * slope[lane] + l1[lane] * sign(slope[lane]);
                gradient[lane] - penalty - at_root[lane] * root_residual[lane]
            });
            let coupling = &self.coupling[j * count..(j + 1) * count];
            for (h, stump) in coupling.iter().zip(&self.eliminated) {
                for lane in 0..N {
                    right_side[lane] -= stump.own[lane] * h[lane];
                }
            }
            self.raw_step.push(right_side);
            let mean: Lanes<N> = per_lane(|lane| q.total[lane] * q.raw_mean[column][lane]);
            let line = &mut self.matrix[j * width..j * width + j + 1];
            let gram = &q.raw_gram[column * r..(column + 1) * r];
            for ((entry, &other), root_sum) in line.iter_mut().zip(&self.raw).zip(&self.at_root) {
                let (gram, other_mean) = (gram[other], q.raw_mean[other]);
                for lane in 0..N {
                    entry[lane] = gram[lane] + mean[lane] * other_mean[lane]
                        - entry[lane]
                        - at_root[lane] * root_sum[lane];
                }
            }
            for lane in 0..N {
                line[j][lane] += l2[lane];
            }
            // The least that a pivot must be; none where the column is not active.
            let gram = gram[column];
            self.pivot.push(per_lane(|lane| {
                if slope[lane] != 0.0 { REPLACED * gram[lane] } else { f64::INFINITY }
            }));
        }
        root
    }

    /// Factors the matrix as L D L'; a column whose pivot is too small takes no part.
    #[inline(always)]
    fn factor(&mut self) {
        let width = self.raw.len();
        for j in 0..width {
            let (above, here) = self.matrix.split_at_mut(j * width);
            let line = &mut here[..=j];
            // line[i] becomes l_ji d_i, and then l_ji.
            let mut diagonal = line[j];
            for i in 0..j {
                let other = &above[i * width..i * width + i];
                let mut sum = line[i];
                for k in 0..i {
                    for lane in 0..N {
                        sum[lane] -= line[k][lane] * other[k][lane];
                    }
                }
                line[i] = sum;
            }
            for i in 0..j {
                let entry = line[i];
                let factor: Lanes<N> = per_lane(|lane| entry[lane] * self.pivot[i][lane]);
                for lane in 0..N {
                    diagonal[lane] -= entry[lane] * factor[lane];
                }
                line[i] = factor;
            }
            let least = self.pivot[j];
            self.pivot[j] =
                per_lane(
                    |lane| {
                        if diagonal[lane] > least[lane] { 1.0 / diagonal[lane] } else { 0.0 }
                    },
                );
        }
    }

    #[inline(always)]
    fn solve(&mut self) {
        let width = self.raw.len();
        for j in 0..width {
            let line = &self.matrix[j * width..j * width + j];
            let mut sum = self.raw_step[j];
            for (entry, step) in line.iter().zip(&self.raw_step) {
                for lane in 0..N {
                    sum[lane] -= entry[lane] * step[lane];
                }
            }
            self.raw_step[j] = sum;
        }
        for (step, pivot) in self.raw_step.iter_mut().zip(&self.pivot) {
            for lane in 0..N {
                step[lane] *= pivot[lane];
            }
        }
        for j in (0..width).rev() {
            let step = self.raw_step[j];
            let line = &self.matrix[j * width..j * width + j];
            for (entry, other) in line.iter().zip(&mut self.raw_step) {
                for lane in 0..N {
                    other[lane] -= entry[lane] * step[lane];
                }
            }
        }
    }

    /// From the steps of the raw columns to those of intercept and stumps; returns the first.
    #[inline(always)]
    fn descend(&mut self, q: &BatchedHessian<N>, root: Lanes<N>) -> Lanes<N> {
        let (m, count) = (q.n_splits(), self.eliminated.len());
        let mut intercept_step = self.residual[0];
        for ((column, at_root), step) in
            self.coupling.chunks_exact(count.max(1)).zip(&self.at_root).zip(&self.raw_step)
        {
            for lane in 0..N {
                intercept_step[lane] -= at_root[lane] * step[lane];
            }
            for (stump, h) in self.eliminated.iter_mut().zip(column) {
                for lane in 0..N {
                    stump.own[lane] -= h[lane] * step[lane];
                }
            }
        }
        for lane in 0..N {
            intercept_step[lane] *= root[lane];
        }
        self.stump_step.clear();
        self.stump_step.resize(m, [0.0; N]);
        // What the steps above a node add up to takes the place of its sum of residuals.
        self.residual[0] = intercept_step;
        let mut stumps = self.eliminated.iter().rev().peekable();
        for split in 0..m {
            let (left, right) = (q.nesting.left[split] as usize, q.nesting.right[split] as usize);
            let above = self.residual[split];
            (self.residual[left], self.residual[right]) = (above, above);
            let Some(stump) = stumps.next_if(|stump| stump.split == split) else { continue };
            let (a, b) = (q.nesting.left_value[split], q.nesting.right_value[split]);
            let step: Lanes<N> = per_lane(|lane| {
                (stump.own[lane] - stump.across[lane] * above[lane]) * stump.inverse[lane]
            });
            self.stump_step[split] = step;
            for lane in 0..N {
                self.residual[left][lane] += a * step[lane];
                self.residual[right][lane] += b * step[lane];
            }
        }
        // One step per raw column of the problem.
        self.pivot.clear();
        self.pivot.resize(q.n_raw(), [0.0; N]);
        for (&k, step) in self.raw.iter().zip(&self.raw_step) {
            self.pivot[k] = *step;
        }
        std::mem::swap(&mut self.pivot, &mut self.raw_step);
        intercept_step
    }

    /// Shortens the step in every problem to where the objective along it is least: it is a parabola
    /// with a kink wherever a slope crosses zero.
    #[inline(always)]
    pub(crate) fn shorten(
        &mut self,
        q: &BatchedHessian<N>,
        point: &Point<N>,
        intercept_step: &mut Lanes<N>,
        l1: &Lanes<N>,
        l2: &Lanes<N>,
    ) {
        // How fast the objective falls at first; with the whole step it would no more.
        let mut fall = [0.0; N];
        let mut add = |gradient: Lanes<N>, slope: Lanes<N>, step: Lanes<N>| {
            for lane in 0..N {
                let force = gradient[lane] - l2[lane] * slope[lane] - l1[lane] * sign(slope[lane]);
                fall[lane] += force * step[lane];
            }
        };
        for (split, (slope, step)) in point.stump.iter().zip(&self.stump_step).enumerate() {
            add(point.stump_gradient(q, split), *slope, *step);
        }
        for ((slope, step), gradient) in
            point.raw.iter().zip(&self.raw_step).zip(&point.raw_gradient)
        {
            add(*gradient, *slope, *step);
        }
        let length = |lane: usize, crossings: &mut Vec<(f64, f64)>| {
            if fall[lane].is_nan() || fall[lane] <= 0.0 {
                return 0.0;
            }
            crossings.clear();
            let stumps = point.stump.iter().zip(&self.stump_step);
            for (slope, step) in stumps.chain(point.raw.iter().zip(&self.raw_step)) {
                let (b, d) = (slope[lane], step[lane]);
                if (b + d) * b < 0.0 {
                    crossings.push((-b / d, d.abs()));
                }
            }
            crossings.sort_by(|x, y| x.0.total_cmp(&y.0));
            let mut kinks = 0.0;
            for &(t, speed) in crossings.iter() {
                if kinks + fall[lane] * t >= fall[lane] {
                    break;
                }
                kinks += 2.0 * l1[lane] * speed;
                if kinks + fall[lane] * t >= fall[lane] {
                    return t;
                }
            }
            (fall[lane] - kinks) / fall[lane]
        };
        let mut crossings = Vec::new();
        let lengths: Lanes<N> = per_lane(|lane| length(lane, &mut crossings));
        for (lane, t) in lengths.into_iter().enumerate() {
            if t == 1.0 {
                continue;
            }
            intercept_step[lane] *= t;
            let stumps = self.stump_step.iter_mut().zip(&point.stump);
            for (step, slope) in stumps.chain(self.raw_step.iter_mut().zip(&point.raw)) {
                let to = slope[lane] + t * step[lane];
                // The slope whose kink ends the step is zero there, not nearly so.
                let is_zero = to.abs() <= ROUNDING * slope[lane].abs();
                step[lane] = if is_zero { -slope[lane] } else { t * step[lane] };
            }
        }
    }
}

/// `sums[j] += by * x[j]`.
#[inline(always)]
fn add_products<const N: usize>(
    sums: &mut [Lanes<N>; COLUMNS],
    by: &Lanes<N>,
    x: &[Lanes<N>; COLUMNS],
) {
    for j in 0..COLUMNS {
        for lane in 0..N {
            sums[j][lane] += by[lane] * x[j][lane];
        }
    }
}

#[inline(always)]
fn sign(slope: f64) -> f64 {
    if slope == 0.0 { 0.0 } else { slope.signum() }
}
