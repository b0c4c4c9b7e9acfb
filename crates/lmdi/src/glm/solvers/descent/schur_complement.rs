//! The curvature of the raw columns after eliminating the heaviest active stumps.
//!
//! A raw column is close to a sum of stumps on the same feature. Moving one with the others fixed
//! makes many short steps. The relevant curvature is the one after eliminating the stumps, the
//! Schur complement
//!
//! ```text
//! S = G_rr - G_re (G_ee + l2)^-1 G_er
//! ```
//!
//! over a set e of stumps. Any set of active stumps gives a valid model of the problem. The
//! heaviest few nodes hold nearly all of the coupling, so the set is kept small. Elimination runs
//! from the leaves up: below split v the eliminated stumps have turned the sums of weights A and of
//! raw cells B of its children into
//!
//! ```text
//! h = a B_L + b B_R,   c = a A_L + b A_R,   d = a^2 A_L + b^2 A_R + l2
//! A_v = A_L + A_R - c^2 / d,   B_v = B_L + B_R - c h / d,   S <- S - h h' / d
//! ```
//!
//! with no fill-in, and the intercept is eliminated last. Cost: set size x r^2 / 2.

use crate::glm::linalg::vector::{COLUMNS, Lanes, per_lane};
use crate::glm::quadratic::batched_hessian::BatchedHessian;

/// Splits considered for elimination, the heaviest of the tree.
const MOST_ELIMINATED: usize = 32;

/// Weight of the Schur complement against the curvature with every stump held still. The answer of
/// a stump ends where its coefficient reaches zero; full trust would then overshoot by any factor.
const TRUST: f64 = 0.9;

/// Curvature of the raw block and what is needed to rebuild it.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawSchurComplement<const N: usize> {
    /// Raw sums of the children of considered splits, and where each has its own.
    child_raw: Vec<Lanes<N>>,
    child_at: Vec<u32>,
    /// The heaviest splits and all their ancestors, in node order; only the former are eliminated.
    considered: Vec<(u32, bool)>,
    /// Whether a node is among `considered`.
    is_considered: Vec<bool>,
    /// What the eliminated stumps below a node took off its weight and raw sums.
    weight_taken: Vec<Lanes<N>>,
    raw_taken: Vec<Lanes<N>>,
    /// Raw columns between which the curvature was last rebuilt.
    working: Vec<usize>,
    /// For every eliminated stump its h over the working columns, and 1 / d.
    eliminated: Vec<Lanes<N>>,
    inverse: Vec<Lanes<N>>,
    /// The curvature, row-major, both triangles.
    pub matrix: Vec<Lanes<N>>,
}

impl<const N: usize> RawSchurComplement<N> {
    /// Starts over with the curvature of other problems, every stump held still, in the memory that
    /// is there.
    pub(crate) fn renew(&mut self, q: &BatchedHessian<N>) {
        self.is_considered.clear();
        self.matrix.clone_from(&q.raw_gram);
    }

    /// What every rebuild needs, before the first: many descents end without one.
    fn prepare(&mut self, q: &BatchedHessian<N>) {
        let (m, r) = (q.n_splits(), q.n_raw());
        let nodes = m + q.nesting.n_leaves();
        let mut parent = vec![0_u32; nodes];
        for split in 0..m {
            parent[q.nesting.left[split] as usize] = split as u32;
            parent[q.nesting.right[split] as usize] = split as u32;
        }
        let has_column = |split: usize| q.nesting.right_value[split] != 0.0;
        let mut heaviest: Vec<(f64, u32)> = (0..m)
            .filter(|&split| has_column(split))
            .map(|split| (q.node_weight[split].iter().sum(), split as u32))
            .collect();
        let heavier = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if heaviest.len() > MOST_ELIMINATED {
            heaviest.select_nth_unstable_by(MOST_ELIMINATED, heavier);
            heaviest.truncate(MOST_ELIMINATED);
        }
        let is_considered = &mut self.is_considered;
        is_considered.resize(nodes, false);
        let mut considered: Vec<(u32, bool)> =
            heaviest.iter().map(|&(_, split)| (split, true)).collect();
        for &(_, split) in &heaviest {
            is_considered[split as usize] = true;
        }
        for &(_, split) in &heaviest {
            let mut node = split;
            while node != 0 && !is_considered[parent[node as usize] as usize] {
                node = parent[node as usize];
                is_considered[node as usize] = true;
                considered.push((node, false));
            }
        }
        considered.sort_unstable();
        self.considered = considered;
        self.sum_children(q, &parent);
        // Every entry is written before it is read.
        self.weight_taken.resize(m, [0.0; N]);
        self.raw_taken.resize(m * r, [0.0; N]);
    }

    /// Raw sums of the children of considered splits: each leaf belongs to the last of them above it.
    fn sum_children(&mut self, q: &BatchedHessian<N>, parent: &[u32]) {
        let (m, r) = (q.n_splits(), q.n_raw());
        let Self { child_raw, child_at, is_considered, considered, .. } = self;
        child_at.clear();
        child_at.resize(parent.len(), 0);
        let mut n_children = 1;
        for node in 1..parent.len() {
            let above = parent[node] as usize;
            child_at[node] = if is_considered[above] {
                n_children += 1;
                n_children - 1
            } else {
                child_at[above]
            };
        }
        let n_children = n_children as usize;
        child_raw.clear();
        child_raw.resize(n_children * r, [0.0; N]);
        let mut sums = vec![[0.0; N]; n_children];
        for k in 0..r {
            sums.fill([0.0; N]);
            for (sum, at) in q.raw_leaf.of_dense(k).iter().zip(&child_at[m..]) {
                let into = &mut sums[*at as usize];
                for lane in 0..N {
                    into[lane] += sum[lane];
                }
            }
            // From the bottom up: a considered child has the leaves of its own children too.
            for &(split, _) in considered.iter().rev() {
                let split = split as usize;
                let into = child_at[split] as usize;
                for child in [q.nesting.left[split], q.nesting.right[split]] {
                    let sum = sums[child_at[child as usize] as usize];
                    for lane in 0..N {
                        sums[into][lane] += sum[lane];
                    }
                }
            }
            for (at, sum) in sums.iter().enumerate() {
                child_raw[at * r + k] = *sum;
            }
        }
    }

    /// Goes back to the curvature with every stump held still, in one lane.
    #[inline(always)]
    pub(crate) fn forget(&mut self, q: &BatchedHessian<N>, lane: usize) {
        for (entry, gram) in self.matrix.iter_mut().zip(&q.raw_gram) {
            entry[lane] = gram[lane];
        }
    }

    /// Rebuilds the curvature between the raw columns of `working`, for the heavy stumps that have
    /// a slope. Other entries, and lanes that are not `allowed`, are as with every stump held
    /// still.
    #[inline(always)]
    pub(crate) fn rebuild(
        &mut self,
        q: &BatchedHessian<N>,
        stump: &[Lanes<N>],
        working: impl Iterator<Item = usize>,
        l2: Lanes<N>,
        allowed: [bool; N],
    ) {
        if self.is_considered.is_empty() {
            self.prepare(q);
        }
        self.matrix.copy_from_slice(&q.raw_gram);
        self.working.clear();
        self.working.extend(working);
        let width = self.working.len();
        self.eliminated.clear();
        self.inverse.clear();
        for &(split, may_go) in self.considered.iter().rev() {
            let split = split as usize;
            let (left, right) = (q.nesting.left[split] as usize, q.nesting.right[split] as usize);
            let (above, below) = self.raw_taken.split_at_mut((split + 1) * q.n_raw());
            let taken = &mut above[split * q.n_raw()..][..width];
            taken.fill([0.0; N]);
            let mut weight_taken = [0.0; N];
            let (a, b) = (q.nesting.left_value[split], q.nesting.right_value[split]);
            let mut c = q.stump_sum[split];
            let mut d: Lanes<N> = per_lane(|lane| q.stump_square[split][lane] + l2[lane]);
            let [left_raw, right_raw] = [left, right].map(|child| {
                &self.child_raw[self.child_at[child] as usize * q.n_raw()..][..q.n_raw()]
            });
            let start = self.eliminated.len();
            self.eliminated.extend(
                self.working
                    .iter()
                    .map(|&k| per_lane::<N>(|lane| a * left_raw[k][lane] + b * right_raw[k][lane])),
            );
            let h = &mut self.eliminated[start..];
            for (child, value) in [(left, a), (right, b)] {
                if !self.is_considered[child] {
                    continue;
                }
                let child_weight = self.weight_taken[child];
                let child_taken = &below[(child - split - 1) * q.n_raw()..][..width];
                for lane in 0..N {
                    weight_taken[lane] += child_weight[lane];
                    c[lane] -= value * child_weight[lane];
                    d[lane] -= value * value * child_weight[lane];
                }
                for k in 0..width {
                    for lane in 0..N {
                        taken[k][lane] += child_taken[k][lane];
                        h[k][lane] -= value * child_taken[k][lane];
                    }
                }
            }
            let inverse: Lanes<N> = per_lane(|lane| {
                let goes = may_go && allowed[lane] && stump[split][lane] != 0.0 && d[lane] > 0.0;
                if goes { 1.0 / d[lane] } else { 0.0 }
            });
            if inverse == [0.0; N] {
                self.eliminated.truncate(start);
            } else {
                for lane in 0..N {
                    weight_taken[lane] += c[lane] * c[lane] * inverse[lane];
                }
                for k in 0..width {
                    for lane in 0..N {
                        taken[k][lane] += c[lane] * inverse[lane] * h[k][lane];
                    }
                }
                self.inverse.push(inverse);
            }
            self.weight_taken[split] = weight_taken;
        }
        self.eliminate_intercept(q);
        self.subtract_eliminated(q);
    }

    #[inline(always)]
    fn eliminate_intercept(&mut self, q: &BatchedHessian<N>) {
        let mut total = q.total;
        let start = self.eliminated.len();
        self.eliminated.extend(
            self.working.iter().map(|&k| per_lane::<N>(|lane| q.raw_mean[k][lane] * q.total[lane])),
        );
        if !self.considered.is_empty() {
            let h = &mut self.eliminated[start..];
            for lane in 0..N {
                total[lane] -= self.weight_taken[0][lane];
            }
            for (h, taken) in h.iter_mut().zip(&self.raw_taken) {
                for lane in 0..N {
                    h[lane] -= taken[lane];
                }
            }
        }
        self.inverse.push(per_lane(|lane| if total[lane] > 0.0 { 1.0 / total[lane] } else { 0.0 }));
    }

    #[inline(always)]
    fn subtract_eliminated(&mut self, q: &BatchedHessian<N>) {
        let (r, width) = (q.n_raw(), self.working.len());
        let mut scaled = vec![[0.0; N]; self.inverse.len()];
        for (j, &column) in self.working.iter().enumerate() {
            for (v, (scaled, inverse)) in scaled.iter_mut().zip(&self.inverse).enumerate() {
                let h = self.eliminated[v * width + j];
                *scaled = per_lane(|lane| h[lane] * inverse[lane]);
            }
            for (block, others) in self.working[..=j].chunks(COLUMNS).enumerate() {
                let first = block * COLUMNS;
                // Several entries at a time: one sum alone would wait for each addition to finish.
                let mut sums = [[0.0; N]; COLUMNS];
                if first + COLUMNS <= width {
                    for (v, scaled) in scaled.iter().enumerate() {
                        let h = &self.eliminated[v * width + first..][..COLUMNS];
                        for at in 0..COLUMNS {
                            for lane in 0..N {
                                sums[at][lane] += scaled[lane] * h[at][lane];
                            }
                        }
                    }
                } else {
                    for (v, scaled) in scaled.iter().enumerate() {
                        let h = &self.eliminated[v * width + first..(v + 1) * width];
                        for (sum, h) in sums.iter_mut().zip(h) {
                            for lane in 0..N {
                                sum[lane] += scaled[lane] * h[lane];
                            }
                        }
                    }
                }
                for (&other, sum) in others.iter().zip(&sums) {
                    let still = q.raw_gram[column * r + other];
                    let (mean, other_mean) = (q.raw_mean[column], q.raw_mean[other]);
                    let entry = per_lane(|lane| {
                        let plain = still[lane] + q.total[lane] * mean[lane] * other_mean[lane];
                        TRUST * (plain - sum[lane]) + (1.0 - TRUST) * still[lane]
                    });
                    self.matrix[column * r + other] = entry;
                    self.matrix[other * r + column] = entry;
                }
            }
            // Rounding must not turn a column that the stumps replace entirely into a rising one.
            let plain = q.raw_gram[column * r + column];
            for (entry, plain) in self.matrix[column * r + column].iter_mut().zip(plain) {
                *entry = entry.max(1e-10 * plain);
            }
        }
    }
}
