//! How the columns of a tree are scaled.
//!
//! All columns of a tree share one penalty, so that a column on a larger scale is penalised less.
//! By default a stump has the standard deviation `sqrt(share)`, where `share` is the part of the
//! in-bag rows that reach its split, and a raw column that of the largest stump of its feature.

use lmdi::basis::{Basis, Stumps};
use lmdi::glm::Coefficients;
use lmdi::table::MatrixView;

/// What is changed of the default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Columns {
    /// Whether columns are centred and scaled on the rows that are fitted, not on those in the bag.
    pub on_fitted_rows: bool,
    /// How far raw columns are levelled: 0 leaves them on the scale of the largest stump of their
    /// feature, 1 gives all of them standard deviation one, as a stump at the root.
    pub level: f64,
    /// Factor on raw columns.
    pub raw: f64,
    /// Power of its share that a stump is multiplied by: positive ones penalise deep splits more.
    pub depth: f64,
}

impl Columns {
    /// As the library scales them.
    pub const DEFAULT: Self = Self { on_fitted_rows: false, level: 0.0, raw: 1.0, depth: 0.0 };

    /// The basis of a tree with its columns scaled for rows of these weights in these leaves.
    pub fn scale(
        &self,
        basis: &Basis,
        x: &MatrixView<'_>,
        leaves: &[u32],
        weight: &[f64],
    ) -> Basis {
        let mut basis = basis.clone();
        if self.on_fitted_rows {
            refit_stumps(&mut basis.stumps, leaves, weight);
            basis.scale_on_rows(x, leaves, weight);
        }
        let stumps = &mut basis.stumps;
        for column in &mut basis.raw {
            if self.level != 0.0 {
                let own = stumps.feature.iter().zip(&stumps.share);
                let own = own.filter(|(feature, _)| **feature == column.feature);
                let largest = own.map(|(_, &share)| share).fold(0.0, f64::max);
                let size = largest.sqrt().powf(self.level);
                column.factor = if largest > 0.0 { column.factor / size } else { 0.0 };
            }
            column.factor *= self.raw;
        }
        for (split, share) in stumps.share.iter().enumerate() {
            let factor = share.powf(self.depth);
            stumps.left_value[split] *= factor;
            stumps.right_value[split] *= factor;
        }
        basis
    }
}

/// Stumps by the weights of the rows that are fitted.
fn refit_stumps(stumps: &mut Stumps, leaves: &[u32], weight: &[f64]) {
    let n_splits = stumps.n_splits();
    let mut node = vec![0.0; n_splits + stumps.n_leaves()];
    for (&leaf, w) in leaves.iter().zip(weight) {
        node[n_splits + stumps.leaf_of_tree_node[leaf as usize] as usize] += w;
    }
    stumps.sum_upwards(&mut node);
    for split in 0..n_splits {
        let [left, right] = [stumps.left[split], stumps.right[split]].map(|at| node[at as usize]);
        let both = left > 0.0 && right > 0.0;
        stumps.left_value[split] = if both { -(right / left).sqrt() } else { 0.0 };
        stumps.right_value[split] = if both { (left / right).sqrt() } else { 0.0 };
        stumps.share[split] = node[split] / node[0];
    }
}

/// Removes the columns without a slope, by setting them to zero.
pub fn keep_chosen(basis: &mut Basis, chosen: &Coefficients) {
    for (split, &slope) in chosen.stump.iter().enumerate() {
        if slope == 0.0 {
            basis.stumps.left_value[split] = 0.0;
            basis.stumps.right_value[split] = 0.0;
        }
    }
    for (column, &slope) in basis.raw.iter_mut().zip(&chosen.raw) {
        if slope == 0.0 {
            column.factor = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Answers, Part};
    use crate::ensemble::EnsembleKind;
    use crate::simulate::normal::normal;
    use lmdi::basis::leaf_nodes;
    use lmdi::forest::routing::Router;
    use lmdi::monitor::Silent;
    use lmdi::random::generator;
    use lmdi::table::Matrix;

    const ROWS: usize = 80;

    /// Mean and standard deviation of every column over all rows: stumps, then raw columns.
    fn moments(basis: &Basis, x: &Matrix, leaves: &[u32]) -> Vec<(f64, f64)> {
        let n_splits = basis.stumps.n_splits();
        let stump = |split: usize| -> Vec<f64> {
            let mut unit = vec![0.0; n_splits];
            unit[split] = 1.0;
            let mut offsets = Vec::new();
            basis.stumps.leaf_offsets(&unit, &mut offsets);
            let leaf = |node: &u32| basis.stumps.leaf_of_tree_node[*node as usize] as usize;
            leaves.iter().map(|node| offsets[leaf(node)]).collect()
        };
        let raw = basis.raw.iter().map(|column| {
            x.column(column.feature as usize).iter().map(|&cell| column.value(cell)).collect()
        });
        (0..n_splits)
            .map(stump)
            .chain(raw)
            .map(|cells: Vec<f64>| {
                let mean = cells.iter().sum::<f64>() / ROWS as f64;
                let square = cells.iter().map(|cell| cell * cell).sum::<f64>() / ROWS as f64;
                (mean, (square - mean * mean).sqrt())
            })
            .collect()
    }

    #[test]
    fn columns_have_the_scale_that_is_asked_for() {
        let cells = normal(&mut generator(9, 0), ROWS * 3);
        let y = (0..ROWS).map(|row| cells[row] + cells[ROWS + row]).collect();
        let x = Matrix::from_column_major(cells, ROWS, 3).expect("a matrix");
        let part = Part { x: x.clone(), answers: Answers::Numbers(y) };
        let forest = EnsembleKind::Trees(2).train(&part, 3, &Silent).expect("a forest");
        let leaves = leaf_nodes(&Router::new(&forest), 0, &x.view());
        let default = Basis::of(&forest.trees[0], &x.view(), true);
        let weight = vec![1.0; ROWS];
        let scaled = |columns: Columns| columns.scale(&default, &x.view(), &leaves, &weight);
        assert_eq!(scaled(Columns::DEFAULT), default);

        let fitted = scaled(Columns { on_fitted_rows: true, ..Columns::DEFAULT });
        let of_fitted = moments(&fitted, &x, &leaves);
        assert!(of_fitted.iter().all(|(mean, _)| mean.abs() < 1e-12), "{of_fitted:?}");
        for (share, (_, deviation)) in fitted.stumps.share.iter().zip(&of_fitted) {
            assert!((share.sqrt() - deviation).abs() < 1e-12);
        }
        let alike = Columns { on_fitted_rows: true, level: 1.0, raw: 2.0, depth: 0.5 };
        let of_alike = moments(&scaled(alike), &x, &leaves);
        let n_splits = fitted.stumps.n_splits();
        assert!(of_alike[n_splits..].iter().all(|(_, deviation)| (deviation - 2.0).abs() < 1e-12));
        for (share, (_, deviation)) in fitted.stumps.share.iter().zip(&of_alike) {
            assert!((share - deviation).abs() < 1e-12);
        }
        let half = Columns { on_fitted_rows: true, level: 0.5, ..Columns::DEFAULT };
        let of_half = moments(&scaled(half), &x, &leaves);
        for ((_, before), (_, deviation)) in of_fitted[n_splits..].iter().zip(&of_half[n_splits..])
        {
            assert!((before.sqrt() - deviation).abs() < 1e-12);
        }
    }

    #[test]
    fn columns_without_a_slope_are_removed() {
        let stumps = Stumps {
            feature: vec![0, 1],
            left: vec![1, 3],
            right: vec![2, 4],
            left_value: vec![-1.0, -2.0],
            right_value: vec![1.0, 0.5],
            share: vec![1.0, 0.5],
            tree_node: vec![0, 1, 2, 3, 4],
            leaf_of_tree_node: vec![u32::MAX, u32::MAX, 0, 1, 2],
        };
        let raw = [0, 1].map(|feature| lmdi::basis::RawColumn { feature, mean: 0.0, factor: 1.0 });
        let mut basis = Basis { stumps, raw: raw.to_vec() };
        let chosen = Coefficients { intercept: 1.0, stump: vec![0.3, 0.0], raw: vec![0.0, -0.1] };
        keep_chosen(&mut basis, &chosen);
        assert_eq!(basis.stumps.left_value, [-1.0, 0.0]);
        assert_eq!(basis.stumps.right_value, [1.0, 0.0]);
        assert_eq!(basis.raw.iter().map(|column| column.factor).collect::<Vec<_>>(), [0.0, 1.0]);
    }
}
