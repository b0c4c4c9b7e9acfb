//! `(H + l2)^-1 x` of many rows, as far as the rows of a leaf share it, and the rest in batches.
//!
//! The tree's contribution to a row's leverage, and to the raw columns' right-hand side, is the
//! same for all rows of a leaf. It is computed once per leaf, from the root down: the contribution
//! of a unit sum in a node is that of its parent's share, plus one term; see `row_solution` for the
//! terms.
//!
//! Cost for r active raw columns: splits x r, then r^2 / 2 per row for a leverage and as much again
//! for slopes, for several rows in a batch.

use crate::basis::{RowBlock, TreeRows};
use crate::glm::linalg::vector::Lanes;
use crate::glm::solvers::direct::elimination::Elimination;

/// Rows solved in one batch: enough that none waits for the additions of another.
pub(super) const SIDE_BY_SIDE: usize = 32;

/// Solves for batches of rows, with shared scratch space.
pub(super) struct RowBatch<'e, 'q, 'b> {
    factor: &'e Elimination<'q, 'b>,
    /// Of a sum of one in each leaf: what it adds to the leverage, and to the raw columns' side.
    own: Vec<f64>,
    shift: Vec<f64>,
    /// Of the batch, the raw columns' side, and what solving makes of it.
    pub(super) raw: Vec<Lanes<SIDE_BY_SIDE>>,
}

impl<'e, 'q, 'b> RowBatch<'e, 'q, 'b> {
    pub(super) fn new(factor: &'e Elimination<'q, 'b>) -> Self {
        let stumps = factor.hessian.stumps;
        let width = factor.active.raw.len();
        let n_splits = stumps.n_splits();
        let mut own = vec![0.0; n_splits + stumps.n_leaves()];
        let mut shift = vec![0.0; (n_splits + stumps.n_leaves()) * width];
        own[0] = if factor.root_weight > 0.0 { 1.0 / factor.root_weight } else { 0.0 };
        for split in 0..n_splits {
            let here = &factor.joint[split];
            let values = [stumps.left_value[split], stumps.right_value[split]];
            let difference = factor.difference_of(split);
            for (side, child) in [stumps.left[split], stumps.right[split]].into_iter().enumerate() {
                let (child, kept) = (child as usize, here.kept[side]);
                own[child] = values[side] * values[side] * here.inverse + kept * kept * own[split];
                // A child has a larger number than its parent.
                let (above, below) = shift.split_at_mut(child * width);
                let parent = &above[split * width..(split + 1) * width];
                for ((shift, parent), difference) in below.iter_mut().zip(parent).zip(difference) {
                    *shift = here.across[side] * difference + kept * parent;
                }
            }
        }
        let own = own.split_off(n_splits);
        let mut shift = shift.split_off(n_splits * width);
        for (shift, leaf_mean) in
            shift.chunks_exact_mut(width.max(1)).zip(factor.leaf_mean.chunks_exact(width.max(1)))
        {
            for ((shift, mean), &k) in shift.iter_mut().zip(leaf_mean).zip(&factor.active.raw) {
                *shift -= factor.hessian.raw_mean[k] + mean;
            }
        }
        Self { factor, own, shift, raw: vec![[0.0; SIDE_BY_SIDE]; width] }
    }

    /// Solves for the raw columns of all rows of a block, batch by batch; `visit` gets the first
    /// row of each, counted in the block, and the leverages `x' (H + l2)^-1 x` of its rows.
    pub(super) fn for_batches(
        &mut self,
        rows: &TreeRows<'_>,
        block: &RowBlock<'_>,
        mut visit: impl FnMut(&mut Self, usize, &[f64]),
    ) {
        let factor = self.factor;
        let n_raw = factor.hessian.n_raw();
        let width = factor.active.raw.len();
        for (part, leaves) in rows.leaf[block.range.clone()].chunks(SIDE_BY_SIDE).enumerate() {
            let first = part * SIDE_BY_SIDE;
            for (lane, &leaf) in leaves.iter().enumerate() {
                let cells = &block.raw[(first + lane) * n_raw..][..n_raw];
                let shift = &self.shift[leaf as usize * width..][..width];
                for ((raw, &k), shift) in self.raw.iter_mut().zip(&factor.active.raw).zip(shift) {
                    raw[lane] = cells[k] + shift;
                }
            }
            factor.border.solve_lower_batched(&mut self.raw);
            let mut found = [0.0; SIDE_BY_SIDE];
            for raw in &self.raw {
                for lane in 0..SIDE_BY_SIDE {
                    found[lane] += raw[lane] * raw[lane];
                }
            }
            for (found, &leaf) in found.iter_mut().zip(leaves) {
                *found += self.own[leaf as usize];
            }
            visit(self, first, &found[..leaves.len()]);
        }
    }

    /// Turns what [`for_batches`](Self::for_batches) left of the batch into slopes.
    pub(super) fn solve_upper(&mut self) {
        self.factor.border.solve_upper_batched(&mut self.raw);
    }
}

/// The leverage of every fitted row, without its own curvature as a factor.
pub(crate) fn leverages(factor: &Elimination<'_, '_>, rows: &TreeRows<'_>) -> Vec<f64> {
    let mut batch = RowBatch::new(factor);
    let mut found = Vec::with_capacity(rows.len());
    rows.for_blocks(0..rows.len(), |block| {
        batch.for_batches(rows, &block, |_, _, leverages| found.extend_from_slice(leverages));
    });
    found
}
