//! A Newton step on all columns with a nonzero slope, for several problems at once.
//!
//! Sweeps soon find which slopes are zero, but converge slowly on the others if columns are correlated.
//! For given signs s of the slopes b, the optimality conditions of the active columns are a linear
//! system:
//!
//! ```text
//! (H + l2) step = gradient - l2 b - l1 s
//! ```
//!
//! Stumps are eliminated from the leaves up, which creates no fill-in. Eliminating split v combines its
//! children's sums of weights A, of raw cells B and of residuals R into
//!
//! ```text
//! c = a A_L + b A_R,   d = a^2 A_L + b^2 A_R + l2
//! h = a B_L + b B_R,   p = a R_L + b R_R - l2 b_v - l1 s_v
//! A_v = A_L + A_R - c^2 / d,   B_v = B_L + B_R - c h / d,   R_v = R_L + R_R - c p / d
//! ```
//!
//! and subtracts `h h' / d` from the Gram matrix of the raw columns. After the intercept has been
//! eliminated too, what is left is a small elastic net ([`RawSystem`]), in which raw columns need not
//! keep their signs. On the way down, `step_v = (p - h'steps - c (steps above)) / d`.
//!
//! An exact line search shortens the step if slopes cross zero on the way. Columns that are missing
//! enter with the next sweep. The step takes no precautions against rounding: the caller keeps it only
//! where the objective decreases.
//!
//! Cost for m active stumps and r active raw columns: m r^2 / 2 + r^3 / 6.

use crate::glm::linalg::vector::{COLUMNS, Lanes, add_products, per_lane};
use crate::glm::quadratic::batched_hessian::BatchedHessian;
use crate::glm::quadratic::reduction::Nesting;
use crate::glm::solvers::descent::coordinate_descent::Point;
use crate::glm::solvers::descent::raw_system::{RawSystem, sign};
use crate::vectorised::{Vectorised, vectorised};

/// A slope that the line search stops at zero ends below this share of its size.
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
    /// Of each of them p / sqrt(d), and later what the raw columns' steps leave of it.
    own: Vec<Lanes<N>>,
    /// Per node B of a few raw columns at a time, and that of the root of all.
    sums: Vec<[Lanes<N>; COLUMNS]>,
    at_root: Vec<Lanes<N>>,
    /// Per raw column the sum of `h p / d` over eliminated stumps.
    along_own: Vec<Lanes<N>>,
    /// `h / sqrt(d)` of eliminated stumps, block of raw columns by block, stump by stump.
    coupling: Vec<[Lanes<N>; COLUMNS]>,
    /// Of each slope that crosses zero along a step the lane, where it does, and its speed.
    crossings: Vec<(usize, f64, f64)>,
    /// What is left of the raw columns.
    system: RawSystem<N>,
    /// The step of the slopes.
    pub(crate) stump_step: Vec<Lanes<N>>,
    pub(crate) raw_step: Vec<Lanes<N>>,
}

/// An eliminated stump: a, b and c, all over sqrt(d), which is infinite where it is not active.
#[derive(Debug, Clone, Copy)]
struct Eliminated<const N: usize> {
    split: usize,
    left: Lanes<N>,
    right: Lanes<N>,
    across: Lanes<N>,
    inverse: Lanes<N>,
}

impl<const N: usize> ActiveStep<N> {
    /// Finds the step from a point; returns that of the intercept, and by how much the curvature along
    /// the step exceeds the first fall (see [`RawSystem::solve`]).
    #[inline(always)]
    pub(crate) fn find(
        &mut self,
        q: &BatchedHessian<N>,
        point: &Point<N>,
        l1: &Lanes<N>,
        l2: &Lanes<N>,
    ) -> (Lanes<N>, Lanes<N>) {
        self.raw.clear();
        self.raw.extend((0..q.n_raw()).filter(|&k| point.raw[k] != [0.0; N]));
        self.eliminate_stumps(q, point, l1, l2);
        self.couple_raw_columns(q);
        self.sum_couplings();
        let root = self.eliminate_intercept(q, point, l2);
        let excess = self.system.solve(l1);
        (self.descend(q, root), excess)
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
        self.own.clear();
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
                let d: Lanes<N> = per_lane(|lane| {
                    a * a * left_weight[lane] + b * b * right_weight[lane] + l2[lane]
                });
                // One vector of roots; what it holds for stumps that are not active is left out.
                let root: Lanes<N> = per_lane(|lane| d[lane].sqrt());
                let all: Lanes<N> = per_lane(|lane| 1.0 / root[lane]);
                let inverse: Lanes<N> = per_lane(|lane| {
                    let is_active = (slope[lane] != 0.0) & (d[lane] > 0.0);
                    if is_active { all[lane] } else { 0.0 }
                });
                let across: Lanes<N> = per_lane(|lane| {
                    (a * left_weight[lane] + b * right_weight[lane]) * inverse[lane]
                });
                let own: Lanes<N> = per_lane(|lane| {
                    let penalty = l2[lane] * slope[lane] + l1[lane] * sign(slope[lane]);
                    (a * left_residual[lane] + b * right_residual[lane] - penalty) * inverse[lane]
                });
                weight = per_lane(|lane| weight[lane] - across[lane] * across[lane]);
                residual = per_lane(|lane| residual[lane] - across[lane] * own[lane]);
                let (left, right) =
                    (inverse.map(|inverse| a * inverse), inverse.map(|inverse| b * inverse));
                self.eliminated.push(Eliminated { split, left, right, across, inverse });
                self.own.push(own);
            }
            (self.weight[split], self.residual[split]) = (weight, residual);
        }
    }

    /// Takes the raw columns up the tree, a few at a time: sums wait for those below them, and other
    /// columns fill the wait.
    #[inline(always)]
    fn couple_raw_columns(&mut self, q: &BatchedHessian<N>) {
        let (m, count) = (q.n_splits(), self.eliminated.len());
        // What an earlier step left in memory is overwritten.
        let len = self.raw.len().div_ceil(COLUMNS) * count;
        if self.coupling.len() < len {
            self.coupling = vec![[[0.0; N]; COLUMNS]; len];
        }
        self.sums.resize(m + q.nesting.n_leaves(), [[0.0; N]; COLUMNS]);
        self.at_root.clear();
        self.along_own.clear();
        for (block, columns) in self.raw.chunks(COLUMNS).enumerate() {
            // Columns beyond the last repeat it; nothing reads what becomes of them.
            let column = |at: usize| q.raw_leaf.of_dense(columns[at.min(columns.len() - 1)]);
            // Compiled on its own: inside the whole descent too few registers are left.
            let along_own = vectorised(CoupleColumns {
                nesting: &q.nesting,
                columns: std::array::from_fn(column),
                eliminated: &self.eliminated,
                own: &self.own,
                sums: &mut self.sums,
                coupling: &mut self.coupling[block * count..(block + 1) * count],
            });
            self.at_root.extend_from_slice(&self.sums[0][..columns.len()]);
            self.along_own.extend_from_slice(&along_own[..columns.len()]);
        }
    }

    /// The sum of `h h' / d` over eliminated stumps.
    #[inline(always)]
    fn sum_couplings(&mut self) {
        let (width, count) = (self.raw.len(), self.eliminated.len());
        self.system.begin(width);
        let (coupling, matrix) = (&self.coupling[..], &mut self.system.matrix[..]);
        // Compiled on its own: inside the whole descent too few registers are left for its sums.
        vectorised(SumProducts { width, count, coupling, matrix });
    }

    /// What is left of the raw columns' system without stumps and intercept; gives 1 / A of the root.
    #[inline(always)]
    fn eliminate_intercept(
        &mut self,
        q: &BatchedHessian<N>,
        point: &Point<N>,
        l2: &Lanes<N>,
    ) -> Lanes<N> {
        let (r, width) = (q.n_raw(), self.raw.len());
        let root: Lanes<N> = self.weight[0].map(|w| if w > 0.0 { 1.0 / w } else { 0.0 });
        let root_residual = self.residual[0];
        let Self { raw, at_root: at_roots, along_own, .. } = self;
        let RawSystem { matrix, pull, slope: slopes, curvature, .. } = &mut self.system;
        for (j, &column) in raw.iter().enumerate() {
            let (slope, gradient) = (point.raw[column], point.raw_gradient[column]);
            let (at_root, along_own) = (at_roots[j], along_own[j]);
            let at_root: Lanes<N> = per_lane(|lane| at_root[lane] * root[lane]);
            pull.push(per_lane(|lane| {
                let penalised = gradient[lane] - l2[lane] * slope[lane];
                penalised - at_root[lane] * root_residual[lane] - along_own[lane]
            }));
            let mean: Lanes<N> = per_lane(|lane| q.total[lane] * q.raw_mean[column][lane]);
            let line = &mut matrix[j * width..j * width + j + 1];
            let gram = &q.raw_gram[column * r..(column + 1) * r];
            for ((entry, &other), root_sum) in line.iter_mut().zip(&raw[..]).zip(&at_roots[..]) {
                let (gram, other_mean) = (gram[other], q.raw_mean[other]);
                *entry = per_lane(|lane| {
                    gram[lane] + mean[lane] * other_mean[lane]
                        - entry[lane]
                        - at_root[lane] * root_sum[lane]
                });
            }
            line[j] = per_lane(|lane| line[j][lane] + l2[lane]);
            slopes.push(slope);
            curvature.push(gram[column]);
        }
        root
    }

    /// From the steps of the raw columns to those of intercept and stumps; returns the first.
    #[inline(always)]
    fn descend(&mut self, q: &BatchedHessian<N>, root: Lanes<N>) -> Lanes<N> {
        let m = q.n_splits();
        let mut intercept_step = self.residual[0];
        for (at_root, step) in self.at_root.iter().zip(&self.system.step) {
            for lane in 0..N {
                intercept_step[lane] -= at_root[lane] * step[lane];
            }
        }
        let count = self.eliminated.len();
        // Columns that fill the last block take no step.
        let steps = self.system.step.len();
        self.system.step.resize(steps.next_multiple_of(COLUMNS), [0.0; N]);
        let blocks = self.system.step.as_chunks::<COLUMNS>().0;
        // Stump by stump: along a block, several stumps would be gathered into one vector.
        for (at, own) in self.own.iter_mut().enumerate() {
            let mut taken = *own;
            for (block, step) in blocks.iter().enumerate() {
                let coupling = &self.coupling[block * count + at];
                let sum: Lanes<N> = per_lane(|lane| {
                    (step[0][lane] * coupling[0][lane] + step[1][lane] * coupling[1][lane])
                        + (step[2][lane] * coupling[2][lane] + step[3][lane] * coupling[3][lane])
                });
                taken = per_lane(|lane| taken[lane] - sum[lane]);
            }
            *own = taken;
        }
        self.system.step.truncate(steps);
        for lane in 0..N {
            intercept_step[lane] *= root[lane];
        }
        self.stump_step.clear();
        self.stump_step.resize(m, [0.0; N]);
        // What the steps above a node add up to takes the place of its sum of residuals.
        self.residual[0] = intercept_step;
        let mut stumps = self.eliminated.iter().zip(&self.own).rev().peekable();
        for split in 0..m {
            let (left, right) = (q.nesting.left[split] as usize, q.nesting.right[split] as usize);
            let above = self.residual[split];
            (self.residual[left], self.residual[right]) = (above, above);
            let Some((stump, own)) = stumps.next_if(|(stump, _)| stump.split == split) else {
                continue;
            };
            let (a, b) = (q.nesting.left_value[split], q.nesting.right_value[split]);
            let step: Lanes<N> = per_lane(|lane| {
                (own[lane] - stump.across[lane] * above[lane]) * stump.inverse[lane]
            });
            self.stump_step[split] = step;
            self.residual[left] = per_lane(|lane| above[lane] + a * step[lane]);
            self.residual[right] = per_lane(|lane| above[lane] + b * step[lane]);
        }
        // One step per raw column of the problem.
        self.raw_step.clear();
        self.raw_step.resize(q.n_raw(), [0.0; N]);
        for (&k, step) in self.raw.iter().zip(&self.system.step) {
            self.raw_step[k] = *step;
        }
        intercept_step
    }

    /// Shortens the step in every problem to where the objective along it is least: it is a parabola
    /// with a kink wherever a slope crosses zero.
    #[inline(always)]
    pub(crate) fn shorten(
        &mut self,
        q: &BatchedHessian<N>,
        point: &Point<N>,
        (intercept_step, excess): (&mut Lanes<N>, Lanes<N>),
        l1: &Lanes<N>,
        l2: &Lanes<N>,
    ) {
        let mut path = Crossings { fall: [0.0; N], found: std::mem::take(&mut self.crossings) };
        path.found.clear();
        for (split, (slope, step)) in point.stump.iter().zip(&self.stump_step).enumerate() {
            path.add(point.stump_gradient(q, split), *slope, *step, l1, l2);
        }
        for ((slope, step), gradient) in
            point.raw.iter().zip(&self.raw_step).zip(&point.raw_gradient)
        {
            path.add(*gradient, *slope, *step, l1, l2);
        }
        let Crossings { fall, found } = path;
        self.crossings = found;
        self.crossings.sort_unstable_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)));
        let length = |lane: usize| {
            let curvature = fall[lane] + excess[lane];
            if fall[lane].is_nan() || fall[lane] <= 0.0 || curvature.is_nan() {
                return 0.0;
            }
            let mut kinks = 0.0;
            for &(_, t, speed) in self.crossings.iter().filter(|crossing| crossing.0 == lane) {
                if kinks + curvature * t >= fall[lane] {
                    break;
                }
                kinks += 2.0 * l1[lane] * speed;
                if kinks + curvature * t >= fall[lane] {
                    return t;
                }
            }
            // Slopes that the step sets to zero turn where it ends.
            if kinks + curvature <= fall[lane] { 1.0 } else { (fall[lane] - kinks) / curvature }
        };
        let lengths: Lanes<N> = per_lane(length);
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

/// Takes a few raw columns up the tree: fills in what couples each with every eliminated stump, and
/// gives the sums of `h p / d`. What is left of a column at the root is in its sums there.
struct CoupleColumns<'t, const N: usize> {
    nesting: &'t Nesting,
    /// Sums per leaf of each column.
    columns: [&'t [Lanes<N>]; COLUMNS],
    eliminated: &'t [Eliminated<N>],
    own: &'t [Lanes<N>],
    /// Per node.
    sums: &'t mut [[Lanes<N>; COLUMNS]],
    coupling: &'t mut [[Lanes<N>; COLUMNS]],
}

impl<const N: usize> Vectorised for CoupleColumns<'_, N> {
    type Output = [Lanes<N>; COLUMNS];

    #[inline(always)]
    fn run(self) -> [Lanes<N>; COLUMNS] {
        let Self { nesting, columns, eliminated, own, sums, coupling } = self;
        let m = nesting.n_splits();
        let (left, right) = (&nesting.left[..m], &nesting.right[..m]);
        for (at, column) in columns.into_iter().enumerate() {
            for (sums, &sum) in sums[m..].iter_mut().zip(column) {
                sums[at] = sum;
            }
        }
        let mut along_own = [[0.0; N]; COLUMNS];
        let mut below = m;
        for ((coupling, stump), own) in coupling.iter_mut().zip(eliminated).zip(own) {
            for split in (stump.split + 1..below).rev() {
                add_children(sums, split, left[split], right[split]);
            }
            below = stump.split;
            let (l, r) = (sums[left[below] as usize], sums[right[below] as usize]);
            for at in 0..COLUMNS {
                let h: Lanes<N> = per_lane(|lane| {
                    stump.left[lane] * l[at][lane] + stump.right[lane] * r[at][lane]
                });
                sums[below][at] =
                    per_lane(|lane| l[at][lane] + r[at][lane] - stump.across[lane] * h[lane]);
                coupling[at] = h;
                for lane in 0..N {
                    along_own[at][lane] += own[lane] * h[lane];
                }
            }
        }
        for split in (0..below).rev() {
            add_children(sums, split, left[split], right[split]);
        }
        along_own
    }
}

/// What a line search needs to know of a step.
struct Crossings<const N: usize> {
    /// How fast the objective falls at first.
    fall: Lanes<N>,
    /// Of each slope that crosses zero the lane, where on the way it does, and its speed.
    found: Vec<(usize, f64, f64)>,
}

impl<const N: usize> Crossings<N> {
    /// Takes note of a column.
    #[inline(always)]
    fn add(
        &mut self,
        gradient: Lanes<N>,
        slope: Lanes<N>,
        step: Lanes<N>,
        l1: &Lanes<N>,
        l2: &Lanes<N>,
    ) {
        let start: Lanes<N> =
            per_lane(|lane| if slope[lane] == 0.0 { step[lane] } else { slope[lane] });
        let pull: Lanes<N> = per_lane(|lane| l2[lane] * slope[lane] + l1[lane] * sign(start[lane]));
        let fall = self.fall;
        self.fall = per_lane(|lane| fall[lane] + (gradient[lane] - pull[lane]) * step[lane]);
        let turned: Lanes<N> = per_lane(|lane| (slope[lane] + step[lane]) * slope[lane]);
        let least = turned.into_iter().fold(0.0, |a, b| if b < a { b } else { a });
        if least < 0.0 {
            for lane in (0..N).filter(|&lane| turned[lane] < 0.0) {
                self.found.push((lane, -slope[lane] / step[lane], step[lane].abs()));
            }
        }
    }
}

/// Sums of products of columns of length `count`, the lower triangle of a matrix.
struct SumProducts<'t, const N: usize> {
    width: usize,
    count: usize,
    /// Block of columns by block.
    coupling: &'t [[Lanes<N>; COLUMNS]],
    matrix: &'t mut [Lanes<N>],
}

impl<const N: usize> Vectorised for SumProducts<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { width, count, coupling, matrix } = self;
        let block = |first: usize| &coupling[first / COLUMNS * count..][..count];
        for row in (0..width).step_by(COLUMNS) {
            for column in (0..=row).step_by(COLUMNS) {
                let [mut a, mut b, mut c, mut d] = [[[0.0; N]; COLUMNS]; COLUMNS];
                for (by, of) in block(row).iter().zip(block(column)) {
                    add_products(&mut a, &by[0], of);
                    add_products(&mut b, &by[1], of);
                    add_products(&mut c, &by[2], of);
                    add_products(&mut d, &by[3], of);
                }
                let end = width.min(column + COLUMNS);
                for (line, sums) in (row..width).zip([a, b, c, d]) {
                    matrix[line * width + column..line * width + end]
                        .copy_from_slice(&sums[..end - column]);
                }
            }
        }
    }
}

/// The sums of a split that is not active: those of its children.
#[inline(always)]
fn add_children<const N: usize>(
    sums: &mut [[Lanes<N>; COLUMNS]],
    split: usize,
    left: u32,
    right: u32,
) {
    let (l, r) = (sums[left as usize], sums[right as usize]);
    for at in 0..COLUMNS {
        sums[split][at] = per_lane(|lane| l[at][lane] + r[at][lane]);
    }
}
