//! `(H + l2)^-1 x` for a single row x, along the row's path through the tree.
//!
//! As a right-hand side a row is one at its leaf and its cells along the raw columns. Going up,
//! only the nodes above the leaf carry anything; coming down, only their slopes matter to the row
//! itself. The leverage `x' (H + l2)^-1 x` is a sum of squares over the path, the root and the raw
//! block.
//!
//! Cost: 2 depth r + r^2 for r active raw columns.

use crate::glm::linalg::vector::{add_scaled, dot};
use crate::glm::solvers::direct::elimination::Elimination;

/// One split above the row's leaf.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathStep {
    pub(crate) split: usize,
    /// The stump's value at the row.
    pub(crate) value: f64,
    /// The stump's slope in the solution.
    pub(crate) slope: f64,
    side: usize,
    /// What of the leaf's one reaches the child.
    carried: f64,
}

/// Solves for one row after the other, with shared scratch space.
pub(crate) struct RowSolution<'e, 'q, 'b> {
    factor: &'e Elimination<'q, 'b>,
    parent: Vec<u32>,
    /// `x' (H + l2)^-1 x`.
    pub(crate) leverage: f64,
    /// The splits above the leaf, from the leaf up.
    pub(crate) path: Vec<PathStep>,
    /// Slopes of the active raw columns.
    pub(crate) raw: Vec<f64>,
}

impl<'e, 'q, 'b> RowSolution<'e, 'q, 'b> {
    pub(crate) fn new(factor: &'e Elimination<'q, 'b>) -> Self {
        let stumps = factor.hessian.stumps;
        let mut parent = vec![0; stumps.n_splits() + stumps.n_leaves()];
        for split in 0..stumps.n_splits() {
            parent[stumps.left[split] as usize] = split as u32;
            parent[stumps.right[split] as usize] = split as u32;
        }
        Self { factor, parent, leverage: 0.0, path: Vec::new(), raw: Vec::new() }
    }

    /// Solves for a row with this leaf and these raw cells.
    pub(crate) fn solve(&mut self, leaf: usize, cells: &[f64]) {
        let factor = self.factor;
        let stumps = factor.hessian.stumps;
        let width = factor.active.raw.len();
        let leaf_mean = &factor.leaf_mean[leaf * width..(leaf + 1) * width];
        self.raw.clear();
        self.raw.extend(
            factor
                .active
                .raw
                .iter()
                .zip(leaf_mean)
                .map(|(&k, mean)| cells[k] - factor.hessian.raw_mean[k] - mean),
        );
        self.path.clear();
        self.leverage = 0.0;
        let mut carried = 1.0;
        let mut node = stumps.n_splits() + leaf;
        while node != 0 {
            let split = self.parent[node] as usize;
            let side = usize::from(stumps.right[split] as usize == node);
            let value = [stumps.left_value[split], stumps.right_value[split]][side];
            let here = &factor.joint[split];
            self.path.push(PathStep { split, value, slope: 0.0, side, carried });
            self.leverage += (value * carried) * (value * carried) * here.inverse;
            add_scaled(&mut self.raw, here.across[side] * carried, factor.difference_of(split));
            carried *= here.kept[side];
            node = split;
        }
        factor.border.solve_lower(&mut self.raw);
        self.leverage += dot(&self.raw, &self.raw);
        factor.border.solve_upper(&mut self.raw);

        let mut level = 0.0;
        if factor.root_weight > 0.0 {
            level = carried / factor.root_weight;
            self.leverage += carried * level;
        }
        for step in self.path.iter_mut().rev() {
            let mut sum = [0.0; 2];
            sum[step.side] = step.carried;
            let (slope, below) = factor.descend(step.split, level, &self.raw, sum, 0.0);
            step.slope = slope;
            level = below[step.side];
        }
    }
}
