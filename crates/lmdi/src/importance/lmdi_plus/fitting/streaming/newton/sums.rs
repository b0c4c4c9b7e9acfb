//! What a pass sums up for a tree: derivatives of the loss at the present coefficients.

use super::OutputFit;
use crate::basis::Basis;
use crate::glm::Family;
use crate::importance::lmdi_plus::fitting::streaming::tree_statistics::TreeStatistics;

/// Rows of a tree, with their raw cells row by row.
pub(in super::super) struct NewtonRows<'a> {
    pub(in super::super) leaf: &'a [u32],
    pub(in super::super) weight: &'a [f64],
    pub(in super::super) response: &'a [f64],
    pub(in super::super) raw: &'a [f64],
}

impl OutputFit {
    /// Adds rows to the sums at the present coefficients.
    pub(in super::super) fn add(
        &self,
        basis: &Basis,
        family: Family,
        rows: &NewtonRows<'_>,
        sums: &mut TreeStatistics,
    ) {
        let [statistics] = &mut sums.folds[..] else { return };
        let model = &self.fit.at;
        let mut offset = Vec::new();
        basis.stumps.leaf_offsets(&model.stump, &mut offset);
        let width = basis.raw.len();
        let (mut residual, mut curvature) = (Vec::new(), Vec::new());
        for (row, (&leaf, (&w, &y))) in
            rows.leaf.iter().zip(rows.weight.iter().zip(rows.response)).enumerate()
        {
            let cells = &rows.raw[row * width..(row + 1) * width];
            let slopes: f64 = cells.iter().zip(&model.raw).map(|(cell, slope)| cell * slope).sum();
            let eta = model.intercept + offset[leaf as usize] + slopes;
            let (mean, variance) = family.mean_and_variance(eta);
            residual.push(w * (y - mean));
            curvature.push(w * variance);
            sums.excess_loss += w * (family.loss(y, eta) - family.smallest_loss(y));
            let grown = &mut sums.grown[leaf as usize];
            grown[0] += w;
            grown[1] += w * y;
        }
        statistics.update_newton(rows.leaf, &curvature, &residual, rows.raw);
    }
}
