//! All columns of one tree: its stumps, then the raw columns of the features it splits on.
//!
//! The block of feature k is its stumps and its raw column; a feature that the tree never splits on
//! has no block and scores exactly zero in that tree. A feature that is split by sets of categories
//! has stumps only: its codes are names, so a line through them means nothing.

use super::raw_column::mean_and_deviation;
use super::{RawColumn, Stumps};
use crate::forest::{NONE, Tree};
use crate::table::MatrixView;

/// The columns of one tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Basis {
    /// The stump columns.
    pub stumps: Stumps,
    /// The raw columns, by rising feature; empty when raw columns are switched off.
    pub raw: Vec<RawColumn>,
}

impl Basis {
    /// The basis of `tree` with raw columns scaled on the in-bag rows of `x`, which must be the
    /// rows the tree was grown on. A tree without bootstrap counts is scaled on all rows.
    ///
    /// Cost: one pass over the columns of the features that the tree uses.
    pub fn of(tree: &Tree, x: &MatrixView<'_>, with_raw: bool) -> Self {
        Self::on_sample(tree, x, with_raw, |row| {
            f64::from(tree.in_bag.as_ref().map_or(1, |in_bag| in_bag.count(row)))
        })
    }

    /// As [`Basis::of`], with the weight of every row in the tree's sample given: bootstrap counts,
    /// or the sample weights that a tree without a bootstrap was grown with.
    pub fn on_sample(
        tree: &Tree,
        x: &MatrixView<'_>,
        with_raw: bool,
        sample: impl Fn(usize) -> f64,
    ) -> Self {
        let stumps = Stumps::of(tree);
        let mut raw = Vec::new();
        if with_raw {
            let mut largest_share = vec![0.0_f64; x.cols()];
            for (&feature, &share) in stumps.feature.iter().zip(&stumps.share) {
                let largest = &mut largest_share[feature as usize];
                *largest = largest.max(share);
            }
            let mut by_category = vec![false; x.cols()];
            for (&feature, &set) in tree.feature.iter().zip(&tree.category_set) {
                if feature != NONE && set != NONE {
                    by_category[feature as usize] = true;
                }
            }
            let weight: Vec<f64> = (0..x.rows()).map(sample).collect();
            let mut cells = Vec::new();
            for feature in stumps.used_features() {
                if by_category[feature as usize] {
                    continue;
                }
                let cells = x.column_cells(feature as usize, &mut cells);
                let (mean, deviation) = mean_and_deviation(cells, &weight).unwrap_or((0.0, 0.0));
                // In the bag a stump's squares add up to the weight of its node, so its standard
                // deviation is the square root of the node's share.
                let stump_deviation = largest_share[feature as usize].sqrt();
                let factor = stump_deviation / deviation;
                let factor = if factor.is_finite() { factor } else { 0.0 };
                raw.push(RawColumn { feature, mean, factor });
            }
        }
        Self { stumps, raw }
    }

    /// Scales the raw columns to the rows that are fitted instead of the tree's sample: each is divided by
    /// its standard deviation and multiplied by the largest of the feature's stumps, both over rows of
    /// these weights in these leaves (as [`crate::basis::leaf_nodes`] gives them).
    pub fn scale_on_rows(&mut self, x: &MatrixView<'_>, leaf_node: &[u32], weight: &[f64]) {
        let stumps = &self.stumps;
        let mut node = vec![0.0; stumps.n_splits() + stumps.n_leaves()];
        let mut total = 0.0;
        for (&leaf, w) in leaf_node.iter().zip(weight) {
            node[stumps.n_splits() + stumps.leaf_of_tree_node[leaf as usize] as usize] += w;
            total += w;
        }
        stumps.sum_upwards(&mut node);
        let mut largest = vec![0.0_f64; x.cols()];
        for split in 0..stumps.n_splits() {
            let (left, right) = (stumps.left[split] as usize, stumps.right[split] as usize);
            let (a, b) = (stumps.left_value[split], stumps.right_value[split]);
            let mean = (a * node[left] + b * node[right]) / total;
            let square = (a * a * node[left] + b * b * node[right]) / total;
            let largest = &mut largest[stumps.feature[split] as usize];
            *largest = largest.max((square - mean * mean).max(0.0));
        }
        let mut cells = Vec::new();
        for column in &mut self.raw {
            let cells = x.column_cells(column.feature as usize, &mut cells);
            let found = mean_and_deviation(cells, weight);
            let (mean, deviation) = found.unwrap_or((0.0, 0.0));
            let factor = largest[column.feature as usize].sqrt() / deviation;
            column.mean = mean;
            column.factor = if factor.is_finite() { factor } else { 0.0 };
        }
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.stumps.n_splits() + self.raw.len()
    }
}
