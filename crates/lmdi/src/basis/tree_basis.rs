//! All columns of one tree: its stumps, then the raw columns of the features it splits on.
//!
//! The block of feature k is its stumps and its raw column; a feature that the tree never splits on
//! has no block and scores exactly zero in that tree. A feature that is split by sets of categories
//! has only stumps: its codes are names, so a line through them is meaningless.

use super::column_moments::ColumnMoments;
use super::{RawColumn, Stumps};
use crate::forest::Tree;
use crate::forest::routing::Router;
use crate::table::MatrixView;
use std::collections::HashMap;
use std::ops::Range;

/// Cells that stay in the second-level cache while they are looked at twice.
const NEAR_CELLS: usize = 1 << 15;

/// The columns of one tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Basis {
    /// The stump columns.
    pub stumps: Stumps,
    /// The raw columns, by ascending feature; empty when raw columns are switched off.
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
        Self::in_parts(tree, x, with_raw, sample, x.rows(), |_| {})
    }

    /// As [`Basis::on_sample`] for a tree of `router`, with the node in which each row falls, as
    /// [`leaf_nodes`](super::leaf_nodes) gives it: both from one pass over the table, which large
    /// tables have to be fetched from memory for.
    pub fn with_leaves(
        tree: &Tree,
        x: &MatrixView<'_>,
        with_raw: bool,
        sample: impl Fn(usize) -> f64,
        router: &Router,
        index: usize,
    ) -> (Self, Vec<u32>) {
        let mut leaves = vec![0; x.rows()];
        let mut block = router.block();
        let route = |rows: Range<usize>| {
            block.read(x, rows.clone());
            router.leaves(index, &block, &mut leaves[rows]);
        };
        let rows = NEAR_CELLS / x.cols().max(1);
        let basis = Self::in_parts(tree, x, with_raw, sample, rows, route);
        (basis, leaves)
    }

    /// Calls `visit` for about `rows_per_part` rows after the other, and looks at their cells right
    /// after it.
    fn in_parts(
        tree: &Tree,
        x: &MatrixView<'_>,
        with_raw: bool,
        sample: impl Fn(usize) -> f64,
        rows_per_part: usize,
        mut visit: impl FnMut(Range<usize>),
    ) -> Self {
        let stumps = Stumps::of(tree);
        let features = if with_raw { numeric_features(tree, &stumps) } else { Vec::new() };
        let weight: Vec<f64> =
            if with_raw { (0..x.rows()).map(sample).collect() } else { Vec::new() };
        let mut moments = ColumnMoments::new(*x, &features, &weight);
        let rows_per_part = ColumnMoments::whole_portions(rows_per_part);
        for start in (0..x.rows()).step_by(rows_per_part) {
            let rows = start..x.rows().min(start + rows_per_part);
            visit(rows.clone());
            if with_raw {
                moments.add(rows);
            }
        }
        let found = moments.finish();
        Self::with_moments(stumps, &features, |at| found[at])
    }

    /// The basis of a tree with raw columns scaled by means and standard deviations that are known
    /// already, per feature; `None` where no cell counts.
    pub fn of_moments(
        tree: &Tree,
        with_raw: bool,
        moments: impl Fn(u32) -> Option<(f64, f64)>,
    ) -> Self {
        let stumps = Stumps::of(tree);
        let features = if with_raw { numeric_features(tree, &stumps) } else { Vec::new() };
        Self::with_moments(stumps, &features, |at| moments(features[at]))
    }

    /// Stumps with raw columns of some features. `moments` has the mean and deviation of each.
    fn with_moments(
        stumps: Stumps,
        features: &[u32],
        moments: impl Fn(usize) -> Option<(f64, f64)>,
    ) -> Self {
        let mut largest_share: HashMap<u32, f64> = HashMap::new();
        for (&feature, &share) in stumps.feature.iter().zip(&stumps.share) {
            let largest = largest_share.entry(feature).or_default();
            *largest = largest.max(share);
        }
        let raw = features.iter().enumerate().map(|(at, &feature)| {
            let (mean, deviation) = moments(at).unwrap_or((0.0, 0.0));
            // In the bag a stump's squares add up to the weight of its node, so its standard
            // deviation is the square root of the node's share.
            let stump_deviation = largest_share.get(&feature).map_or(0.0, |share| share.sqrt());
            let factor = stump_deviation / deviation;
            let factor = if factor.is_finite() { factor } else { 0.0 };
            RawColumn { feature, mean, factor }
        });
        let raw = raw.collect();
        Self { stumps, raw }
    }

    /// Scales the raw columns to the rows that are fitted instead of the tree's sample: each is
    /// divided by its standard deviation and multiplied by the largest of the feature's stumps,
    /// both over rows of these weights in these leaves (as [`crate::basis::leaf_nodes`] gives
    /// them).
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
        let features: Vec<u32> = self.raw.iter().map(|column| column.feature).collect();
        let mut moments = ColumnMoments::new(*x, &features, weight);
        moments.add(0..x.rows());
        for (column, found) in self.raw.iter_mut().zip(moments.finish()) {
            let (mean, deviation) = found.unwrap_or((0.0, 0.0));
            let factor = largest[column.feature as usize].sqrt() / deviation;
            column.mean = mean;
            column.factor = if factor.is_finite() { factor } else { 0.0 };
        }
    }

    /// Multiplies the raw columns, so that a penalty costs trends less, or more, than steps.
    pub fn scale_raw(&mut self, factor: f64) {
        self.raw.iter_mut().for_each(|column| column.factor *= factor);
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.stumps.n_splits() + self.raw.len()
    }
}

/// The features that the tree splits on by thresholds only, rising.
fn numeric_features(tree: &Tree, stumps: &Stumps) -> Vec<u32> {
    let mut by_category: Vec<u32> = (0..tree.n_nodes())
        .filter(|&node| tree.categories(node).is_some())
        .map(|node| tree.feature[node])
        .collect();
    by_category.sort_unstable();
    let mut features = stumps.used_features();
    features.retain(|feature| by_category.binary_search(feature).is_err());
    features
}

#[cfg(test)]
mod tests {
    use super::super::leaf_nodes;
    use super::*;
    use crate::forest::Ensemble;
    use crate::forest::train::{ForestParams, TrainingSet, train_forest};
    use crate::monitor::Silent;
    use crate::random::{generator, unit};
    use crate::table::{Matrix, Response};

    /// More rows than are looked at in one go.
    const ROWS: usize = 20_000;

    /// Two trees on three columns.
    fn forest() -> (Matrix, Ensemble) {
        let mut random = generator(3, 0);
        let cells: Vec<f64> = (0..3 * ROWS).map(|_| unit(&mut random)).collect();
        let x = Matrix::from_column_major(cells, ROWS, 3).expect("three columns");
        let y: Vec<f64> = (0..ROWS).map(|row| x.column(0)[row] * x.column(1)[row]).collect();
        let names = ["a", "b", "c"].map(String::from);
        let set = TrainingSet {
            x: x.view(),
            y: Response::Numeric(&y),
            weights: None,
            feature_names: &names,
            labels: &[],
        };
        let params =
            ForestParams { n_trees: 2, max_leaf_nodes: Some(40), ..ForestParams::regression() };
        let forest = train_forest(&set, &params, &Silent).expect("a forest");
        (x, forest)
    }

    #[test]
    fn raw_columns_have_a_multiple_of_the_deviation_of_the_largest_stump() {
        let (x, forest) = forest();
        for tree in &forest.trees {
            let in_bag = tree.in_bag.as_ref().expect("drawn rows");
            for factor in [0.5, 1.0, 4.0] {
                let mut basis = Basis::of(tree, &x.view(), true);
                basis.scale_raw(factor);
                for column in &basis.raw {
                    let cells = x.column(column.feature as usize);
                    let square = |row: usize| column.value(cells[row]).powi(2);
                    let sum: f64 = (0..ROWS).map(|r| f64::from(in_bag.count(r)) * square(r)).sum();
                    let own = basis.stumps.feature.iter().zip(&basis.stumps.share);
                    let own = own.filter(|(feature, _)| **feature == column.feature);
                    let largest = own.map(|(_, share)| share.sqrt()).fold(0.0, f64::max);
                    let ratio = (sum / ROWS as f64).sqrt() / largest;
                    assert!((ratio / factor - 1.0).abs() < 1e-12, "{ratio}");
                }
            }
        }
    }

    #[test]
    fn basis_and_leaves_of_one_pass_are_those_of_two() {
        let (x, forest) = forest();
        let router = Router::new(&forest);
        for (index, tree) in forest.trees.iter().enumerate() {
            let drawn =
                |row: usize| f64::from(tree.in_bag.as_ref().expect("drawn rows").count(row));
            for with_raw in [true, false] {
                let (basis, leaves) =
                    Basis::with_leaves(tree, &x.view(), with_raw, drawn, &router, index);
                assert_eq!(basis, Basis::of(tree, &x.view(), with_raw));
                assert_eq!(basis.raw.is_empty(), !with_raw);
                assert_eq!(leaves, leaf_nodes(&router, index, &x.view()));
            }
        }
    }
}
