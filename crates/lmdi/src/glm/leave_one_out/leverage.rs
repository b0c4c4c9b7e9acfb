//! `x' (H + l2)^-1 x` of many rows.
//!
//! What the tree adds to a row's leverage, and to the raw columns' right-hand side, is the same for
//! all rows of a leaf and is computed once a leaf; see `row_solution` for the terms.
//!
//! Cost for r active raw columns: leaves x depth x r, then r^2 / 2 per row, several rows side by
//! side.

use crate::basis::TreeRows;
use crate::glm::linalg::vector::add_scaled;
use crate::glm::solvers::direct::elimination::Elimination;

/// Rows solved in one batch: so many that none waits for the additions of another.
const SIDE_BY_SIDE: usize = 16;

/// The leverage of every fitted row, without its own curvature as a factor.
pub(crate) fn leverages(factor: &Elimination<'_, '_>, rows: &TreeRows<'_>) -> Vec<f64> {
    let stumps = factor.hessian.stumps;
    let width = factor.active.raw.len();
    let mut parent = vec![0_u32; stumps.n_splits() + stumps.n_leaves()];
    for split in 0..stumps.n_splits() {
        parent[stumps.left[split] as usize] = split as u32;
        parent[stumps.right[split] as usize] = split as u32;
    }
    let mut of_leaf = vec![0.0; stumps.n_leaves()];
    let mut shift = vec![0.0; stumps.n_leaves() * width];
    for leaf in 0..stumps.n_leaves() {
        let shift = &mut shift[leaf * width..(leaf + 1) * width];
        for (at, &k) in factor.active.raw.iter().enumerate() {
            shift[at] = -factor.hessian.raw_mean[k] - factor.leaf_mean[leaf * width + at];
        }
        let mut carried = 1.0;
        let mut node = stumps.n_splits() + leaf;
        while node != 0 {
            let split = parent[node] as usize;
            let side = usize::from(stumps.right[split] as usize == node);
            let value = [stumps.left_value[split], stumps.right_value[split]][side];
            let here = &factor.joint[split];
            of_leaf[leaf] += (value * carried) * (value * carried) * here.inverse;
            add_scaled(shift, here.across[side] * carried, factor.difference_of(split));
            carried *= here.kept[side];
            node = split;
        }
        if factor.root_weight > 0.0 {
            of_leaf[leaf] += carried * (carried / factor.root_weight);
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
