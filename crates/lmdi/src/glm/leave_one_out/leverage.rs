//! `x' (H + l2)^-1 x` of many rows.
//!
//! The tree's contribution to a row's leverage, and to the raw columns' right-hand side, is the
//! same for all rows of a leaf. It is computed once per leaf, from the root down: the contribution
//! of a unit sum in a node is that of its parent's share, plus one term; see `row_solution` for the
//! terms.
//!
//! Cost for r active raw columns: splits x r, then r^2 / 2 per row, for several rows in a batch.

use crate::basis::TreeRows;
use crate::glm::solvers::direct::elimination::Elimination;

/// Rows solved in one batch: enough that none waits for the additions of another.
const SIDE_BY_SIDE: usize = 32;

/// The leverage of every fitted row, without its own curvature as a factor.
pub(crate) fn leverages(factor: &Elimination<'_, '_>, rows: &TreeRows<'_>) -> Vec<f64> {
    let stumps = factor.hessian.stumps;
    let width = factor.active.raw.len();
    let n_splits = stumps.n_splits();
    // Of a sum of one in each node: what it adds to the leverage, and to the raw columns' side.
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
    let of_leaf = &own[n_splits..];
    let shift = &mut shift[n_splits * width..];
    for (shift, leaf_mean) in
        shift.chunks_exact_mut(width.max(1)).zip(factor.leaf_mean.chunks_exact(width.max(1)))
    {
        for ((shift, mean), &k) in shift.iter_mut().zip(leaf_mean).zip(&factor.active.raw) {
            *shift -= factor.hessian.raw_mean[k] + mean;
        }
    }
    let n_raw = factor.hessian.n_raw();
    let mut found = vec![0.0; rows.len()];
    let mut raw = vec![[0.0; SIDE_BY_SIDE]; width];
    rows.for_blocks(0..rows.len(), |block| {
        let leaves = &rows.leaf[block.range.clone()];
        let found = &mut found[block.range.clone()];
        for (part, (leaves, found)) in
            leaves.chunks(SIDE_BY_SIDE).zip(found.chunks_mut(SIDE_BY_SIDE)).enumerate()
        {
            for (lane, &leaf) in leaves.iter().enumerate() {
                let cells = &block.raw[(part * SIDE_BY_SIDE + lane) * n_raw..][..n_raw];
                let shift = &shift[leaf as usize * width..][..width];
                for ((raw, &k), shift) in raw.iter_mut().zip(&factor.active.raw).zip(shift) {
                    raw[lane] = cells[k] + shift;
                }
            }
            factor.border.solve_lower_batched(&mut raw);
            let mut squares = [0.0; SIDE_BY_SIDE];
            for raw in &raw {
                for lane in 0..SIDE_BY_SIDE {
                    squares[lane] += raw[lane] * raw[lane];
                }
            }
            for ((found, &leaf), square) in found.iter_mut().zip(leaves).zip(squares) {
                *found = of_leaf[leaf as usize] + square;
            }
        }
    });
    found
}
