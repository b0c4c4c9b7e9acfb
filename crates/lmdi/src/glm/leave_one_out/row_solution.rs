//! `(H + l2)^-1 x` for a single row x, along the row's path through the tree.
//!
//! As a right-hand side a row is one at its leaf and its cells along the raw columns. Going up,
//! only the nodes above the leaf carry anything; coming down, only their slopes matter to the row
//! itself. The leverage `x' (H + l2)^-1 x` is a sum of squares over the path, the root and the raw
//! block. Raw slopes and leverages come in batches (`leverage`); here are the slopes of stumps.
//!
//! Cost: depth r for r active raw columns.

use crate::basis::Stumps;
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
    /// The splits above the leaf, from the leaf up.
    pub(crate) path: Vec<PathStep>,
}

impl<'e, 'q, 'b> RowSolution<'e, 'q, 'b> {
    pub(crate) fn new(factor: &'e Elimination<'q, 'b>) -> Self {
        let stumps: &Stumps = factor.hessian.stumps;
        let mut parent = vec![0; stumps.n_splits() + stumps.n_leaves()];
        for split in 0..stumps.n_splits() {
            parent[stumps.left[split] as usize] = split as u32;
            parent[stumps.right[split] as usize] = split as u32;
        }
        Self { factor, parent, path: Vec::new() }
    }

    /// Solves for a row with this leaf, whose raw slopes are known.
    #[inline(always)]
    pub(crate) fn solve(&mut self, leaf: usize, raw: &[f64]) {
        let factor = self.factor;
        let stumps = factor.hessian.stumps;
        self.path.clear();
        let mut carried = 1.0;
        let mut node = stumps.n_splits() + leaf;
        while node != 0 {
            let split = self.parent[node] as usize;
            let side = usize::from(stumps.right[split] as usize == node);
            let value = [stumps.left_value[split], stumps.right_value[split]][side];
            self.path.push(PathStep { split, value, slope: 0.0, side, carried });
            carried *= factor.joint[split].kept[side];
            node = split;
        }
        let mut level = if factor.root_weight > 0.0 { carried / factor.root_weight } else { 0.0 };
        for step in self.path.iter_mut().rev() {
            let mut sum = [0.0; 2];
            sum[step.side] = step.carried;
            let (slope, below) = factor.descend(step.split, level, raw, sum, 0.0);
            step.slope = slope;
            level = below[step.side];
        }
    }
}
