//! Exact solution of `(H + l2) b = g` over active columns, in one pass up the tree and one down.
//!
//! H is the weighted Gram matrix of the stumps, the raw columns and the intercept ([`Hessian`]),
//! the right-hand side g is a [`Gradient`], and l2 > 0 is added on every slope but the intercept.
//!
//! Eliminating stumps from the leaves up creates no fill-in: below any node, what is left of the
//! eliminated stumps is an effective weight A, an effective mean m of the raw columns and an
//! effective sum R of the right-hand side. A split with values a <= 0 <= b combines its children as
//!
//! ```text
//! d   = a^2 A_L + b^2 A_R + l2                     the stump's own curvature
//! u_L = (b (b - a) A_R + l2) / d                   what of the left child's sums goes up
//! u_R = (a (a - b) A_L + l2) / d                   what of the right child's sums goes up
//! A   = u_L A_L + u_R A_R
//! m   = p_L m_L + p_R m_R,   p_L = u_L A_L / A,   p_R = u_R A_R / A
//! R   = u_L R_L + u_R R_R - (a A_L + b A_R) s / d  (s: the gradient's own part for this stump)
//! ```
//!
//! and a split that is not active as the limit of large l2, which is plain addition. The raw
//! columns are left with the curvature
//!
//! ```text
//! S = (scatter within leaves) + l2 + sum_v g_v (m_L - m_R)(m_L - m_R)',   g_v = l2 A_L A_R / (d A)
//! ```
//!
//! factored by [`Cholesky`]. Textbook elimination subtracts squares of large numbers here; in this
//! form, where the intercept is gone as well, every term is a sum of terms of one sign, so leaves
//! without weight and a tiny l2 cost no digits in the stumps.
//!
//! Cost for m splits and r active raw columns: m r^2 + r^3 / 6 to factor, 2 m r + r^2 to solve,
//! without a factor for the depth; memory 2 m r + r^2.

use crate::glm::linalg::cholesky::Cholesky;
use crate::glm::linalg::vector::{add_scaled, dot};
use crate::glm::model::coefficients::Coefficients;
use crate::glm::quadratic::gradient::Gradient;
use crate::glm::quadratic::hessian::Hessian;
use crate::glm::quadratic::statistics::add_gram;
use crate::glm::solvers::direct::active_columns::ActiveColumns;
use crate::vectorised::{Vectorised, vectorised};

/// How one split hands its children's sums up.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Joint {
    /// Effective weights of the children.
    pub(crate) weight: [f64; 2],
    /// u_L, u_R: what of the children's sums goes up.
    pub(crate) kept: [f64; 2],
    /// p_L, p_R: shares of the children in the mean.
    pub(crate) share: [f64; 2],
    /// What each child's sum adds to the raw columns' right-hand side, along m_L - m_R.
    pub(crate) across: [f64; 2],
    /// What the stump's own right-hand side adds there.
    own_across: f64,
    /// What the stump's own right-hand side takes off the sum that goes up.
    own_taken: f64,
    /// 1 / d, or zero when the stump is not active.
    pub(crate) inverse: f64,
}

impl Joint {
    fn new(a: f64, b: f64, left: f64, right: f64, l2: f64, active: bool) -> Self {
        // The limit of a large l2 serves the stumps that are not active.
        let (kept, inverse, l2_share) = if active {
            let inverse = 1.0 / (a * a * left + b * b * right + l2);
            let kept = [(b * (b - a) * right + l2) * inverse, (a * (a - b) * left + l2) * inverse];
            (kept, inverse, l2 * inverse)
        } else {
            ([1.0, 1.0], 0.0, 1.0)
        };
        let total = kept[0] * left + kept[1] * right;
        let part = |weight: f64| if total > 0.0 { weight / total } else { 0.0 };
        Self {
            weight: [left, right],
            kept,
            share: [part(kept[0] * left), part(kept[1] * right)],
            across: [l2_share * part(right), -l2_share * part(left)],
            own_across: (b - a) * part(left) * right * inverse,
            own_taken: (a * left + b * right) * inverse,
            inverse,
        }
    }

    fn total(&self) -> f64 {
        self.kept[0] * self.weight[0] + self.kept[1] * self.weight[1]
    }
}

/// A factored system that solves for any number of right-hand sides.
#[derive(Debug, Clone)]
pub struct Elimination<'q, 'b> {
    pub(crate) hessian: &'q Hessian<'b>,
    pub(crate) active: ActiveColumns,
    pub(crate) joint: Vec<Joint>,
    /// Effective weight of the root.
    pub(crate) root_weight: f64,
    /// Effective mean of the active raw columns at the root, less their plain mean.
    pub(crate) root_mean: Vec<f64>,
    /// Means of the active raw columns per leaf, less their plain mean; leaf by leaf.
    pub(crate) leaf_mean: Vec<f64>,
    /// m_L - m_R over the active raw columns; split by split.
    pub(crate) difference: Vec<f64>,
    pub(crate) border: Cholesky,
}

impl<'q, 'b> Elimination<'q, 'b> {
    /// Factors `H + l2` over the active columns.
    ///
    /// # Panics
    /// If `l2` is not positive.
    pub fn new(hessian: &'q Hessian<'b>, active: ActiveColumns, l2: f64) -> Self {
        assert!(l2 > 0.0, "the penalty of a factored system must be positive");
        let stumps = hessian.stumps;
        let (m, width) = (stumps.n_splits(), active.raw.len());
        let leaf_mean = leaf_means(hessian, &active.raw);
        let mut border = scatter_within_leaves(hessian, &active.raw, &leaf_mean);
        for j in 0..width {
            border[j * width + j] = border[j * width + j].max(0.0) + l2;
        }

        let mut weight = vec![0.0; m];
        weight.extend_from_slice(hessian.leaf_weight());
        let mut mean = vec![0.0; m * width];
        mean.extend_from_slice(&leaf_mean);
        let mut joint = vec![Joint::default(); m];
        let mut curvature = vec![0.0; m];
        let mut difference = vec![0.0; m * width];
        for split in (0..m).rev() {
            let (left, right) = (stumps.left[split] as usize, stumps.right[split] as usize);
            let here = Joint::new(
                stumps.left_value[split],
                stumps.right_value[split],
                weight[left],
                weight[right],
                l2,
                active.stump[split],
            );
            weight[split] = here.total();
            curvature[split] = here.across[0] * here.weight[0];
            joint[split] = here;
            // A child has a larger number than its parent.
            let (above, below) = mean.split_at_mut((split + 1) * width);
            let child = |node: usize| &below[(node - split - 1) * width..(node - split) * width];
            vectorised(Join {
                share: here.share,
                children: [child(left), child(right)],
                mean: &mut above[split * width..],
                difference: &mut difference[split * width..(split + 1) * width],
            });
        }
        add_gram(&mut border, width, &curvature, &difference);
        mean.truncate(width);
        Self {
            hessian,
            active,
            joint,
            root_weight: weight[0],
            root_mean: mean,
            leaf_mean,
            difference,
            border: Cholesky::new(border, width, l2),
        }
    }

    /// Solves `(H + l2) b = right_side`; columns that are not active get zero.
    pub fn solve(&self, right_side: &Gradient) -> Coefficients {
        vectorised(Solve { factor: self, right_side })
    }

    /// The slope of a stump from the level above it, and the levels of its two children.
    #[inline(always)]
    pub(crate) fn descend(
        &self,
        split: usize,
        level: f64,
        slopes: &[f64],
        sum: [f64; 2],
        own: f64,
    ) -> (f64, [f64; 2]) {
        let here = &self.joint[split];
        let (a, b) =
            (self.hessian.stumps.left_value[split], self.hessian.stumps.right_value[split]);
        let apart = dot(self.difference_of(split), slopes);
        let left = level + here.share[1] * apart;
        let right = level - here.share[0] * apart;
        let slope = here.inverse
            * (a * (sum[0] - here.weight[0] * left) + b * (sum[1] - here.weight[1] * right) + own);
        (slope, [left + slope * a, right + slope * b])
    }

    #[inline(always)]
    pub(crate) fn difference_of(&self, split: usize) -> &[f64] {
        let width = self.active.raw.len();
        &self.difference[split * width..(split + 1) * width]
    }

    /// What the raw slopes add at the root's effective mean.
    #[inline(always)]
    pub(crate) fn raw_at_root(&self, slopes: &[f64]) -> f64 {
        let mut sum = dot(&self.root_mean, slopes);
        for (&k, slope) in self.active.raw.iter().zip(slopes) {
            sum += self.hessian.raw_mean[k] * slope;
        }
        sum
    }
}

/// Combines the effective means of two children.
struct Join<'j> {
    share: [f64; 2],
    children: [&'j [f64]; 2],
    mean: &'j mut [f64],
    difference: &'j mut [f64],
}

impl Vectorised for Join<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { share, children: [left, right], mean, difference } = self;
        let children = left.iter().zip(right);
        for ((mean, difference), (left, right)) in mean.iter_mut().zip(difference).zip(children) {
            *mean = share[0] * left + share[1] * right;
            *difference = left - right;
        }
    }
}

/// The work of [`Elimination::solve`].
struct Solve<'s, 'q, 'b> {
    factor: &'s Elimination<'q, 'b>,
    right_side: &'s Gradient,
}

impl Vectorised for Solve<'_, '_, '_> {
    type Output = Coefficients;

    #[inline(always)]
    fn run(self) -> Coefficients {
        let Self { factor, right_side } = self;
        let stumps = factor.hessian.stumps;
        let (m, width) = (stumps.n_splits(), factor.active.raw.len());
        let own =
            |split: usize| if factor.active.stump[split] { right_side.stump[split] } else { 0.0 };

        let sum_of_all: f64 = right_side.leaf.iter().sum();
        let mut slopes: Vec<f64> = factor
            .active
            .raw
            .iter()
            .map(|&k| right_side.raw[k] - sum_of_all * factor.hessian.raw_mean[k])
            .collect();
        for (leaf, &sum) in right_side.leaf.iter().enumerate() {
            add_scaled(&mut slopes, -sum, &factor.leaf_mean[leaf * width..(leaf + 1) * width]);
        }
        let mut sum = vec![0.0; m];
        sum.extend_from_slice(&right_side.leaf);
        for split in (0..m).rev() {
            let here = &factor.joint[split];
            let left = sum[stumps.left[split] as usize];
            let right = sum[stumps.right[split] as usize];
            sum[split] = here.kept[0] * left + here.kept[1] * right - here.own_taken * own(split);
            let across =
                here.across[0] * left + here.across[1] * right + here.own_across * own(split);
            add_scaled(&mut slopes, across, factor.difference_of(split));
        }
        factor.border.solve_lower(&mut slopes);
        factor.border.solve_upper(&mut slopes);

        let mut solution = Coefficients::zero(m, factor.hessian.n_raw());
        let at_root = if factor.root_weight > 0.0 { sum[0] / factor.root_weight } else { 0.0 };
        solution.intercept = at_root - factor.raw_at_root(&slopes);
        // `level` is the constant handed down plus the slopes at the node's effective mean.
        let mut level = vec![0.0; m + stumps.n_leaves()];
        level[0] = at_root;
        for split in 0..m {
            let children = [stumps.left[split] as usize, stumps.right[split] as usize];
            let (b, below) = factor.descend(
                split,
                level[split],
                &slopes,
                [sum[children[0]], sum[children[1]]],
                own(split),
            );
            solution.stump[split] = b;
            level[children[0]] = below[0];
            level[children[1]] = below[1];
        }
        for (&k, &slope) in factor.active.raw.iter().zip(&slopes) {
            solution.raw[k] = slope;
        }
        solution
    }
}

/// Means of raw columns per leaf, less their plain mean; zero for a leaf without weight.
fn leaf_means(hessian: &Hessian<'_>, columns: &[usize]) -> Vec<f64> {
    let width = columns.len();
    let mut mean = vec![0.0; hessian.stumps.n_leaves() * width];
    for (j, &k) in columns.iter().enumerate() {
        let sums = hessian.raw_leaf.column(k, hessian.leaf_weight());
        for (leaf, (sum, &weight)) in sums.iter().zip(hessian.leaf_weight()).enumerate() {
            if weight > 0.0 {
                mean[leaf * width + j] = sum / weight - hessian.raw_mean[k];
            }
        }
    }
    mean
}

/// Lower triangle of the scatter of raw columns within leaves.
fn scatter_within_leaves(hessian: &Hessian<'_>, columns: &[usize], leaf_mean: &[f64]) -> Vec<f64> {
    let (r, width) = (hessian.n_raw(), columns.len());
    let mut between = vec![0.0; width * width];
    add_gram(&mut between, width, hessian.leaf_weight(), leaf_mean);
    let mut within = vec![0.0; width * width];
    for (j, &column) in columns.iter().enumerate() {
        for (i, &other) in columns[..=j].iter().enumerate() {
            let at = j * width + i;
            within[at] = hessian.raw_gram[column * r + other] - between[at];
        }
    }
    within
}
