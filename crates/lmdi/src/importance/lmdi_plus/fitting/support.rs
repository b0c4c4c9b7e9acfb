//! How much of a boosted tree's scores the response itself supports, for rankings.
//!
//! A boosted tree is grown on the residuals of the trees before it, so late trees split on noise.
//! The response itself tells whether a feature of a tree matters. For every split v, with the mean
//! responses and the weights W of its two sides, and for the column of every feature k,
//!
//! ```text
//! z_v = (mean_R - mean_L) sqrt(W_L W_R / (W_L + W_R)) / s
//! z_k = sum w (x_k - mean_k) (y - mean) / (s sqrt(sum w (x_k - mean_k)^2))
//! ```
//!
//! where s is the standard deviation of the response (of classes: whether a row is of the class). z_v is
//! the product of the stump with the response, both in units of their length. The stumps of a tree are
//! orthogonal, so that their fit to the response is given by these numbers alone, and that of a feature's
//! block by E_k, the sum of the squares of its d_k numbers. Its block is shrunk as a whole:
//!
//! ```text
//! kept_k = max(0, 1 - (sqrt(d_k) + sqrt(2 ln u)) / sqrt(E_k))
//! ```
//!
//! If the response had nothing to do with the u features of the tree, sqrt(E_k) would be at most
//! sqrt(d_k) on average, and the largest excess of all u at most about sqrt(2 ln u): nothing is
//! kept. For a feature that matters, everything is kept as the number of rows grows. No constant is
//! tuned. Linear models and scores are not affected.
//!
//! Weights have mean one, so that their sum is the number of rows. Cost: O(rows + nodes) per tree
//! and output; one pass over all cells for the columns.

use super::boosted::Prepared;
use super::fit::Shared;
use super::target::response_at;
use crate::basis::Stumps;
use crate::table::Response;
use rayon::prelude::*;

/// What is known of an output's response before any tree is looked at.
pub(super) struct ResponseSupport {
    /// Its mean.
    pub(super) centre: f64,
    /// One over its standard deviation; zero for a response that does not vary.
    unit: f64,
    /// z of each column; `None` where raw columns are no part of the fit.
    columns: Option<Vec<f64>>,
}

/// Sums that tell z of a column: weighted squares, and weighted products with the response, both around
/// their means.
pub(super) type ColumnSums = [f64; 2];

impl ResponseSupport {
    /// Takes mean and variance of the response, and the sums of each column where raw columns count.
    pub(super) fn new(
        centre: f64,
        variance: f64,
        columns: Option<impl Iterator<Item = ColumnSums>>,
    ) -> Self {
        let deviation = variance.max(0.0).sqrt();
        // What is left of a constant by rounding is no evidence.
        let unit = if deviation > f64::EPSILON * centre.abs() { 1.0 / deviation } else { 0.0 };
        let z = |[square, product]: ColumnSums| {
            let z = product * unit / square.sqrt();
            if z.is_finite() { z } else { 0.0 }
        };
        Self { centre, unit, columns: columns.map(|columns| columns.map(z).collect()) }
    }

    /// What is kept of each feature that a tree uses. `leaves` has the weight of every leaf, and the
    /// weighted sum of the responses less their [`centre`](Self::centre).
    pub(super) fn kept(&self, stumps: &Stumps, leaves: &[[f64; 2]]) -> Vec<f64> {
        let n_splits = stumps.n_splits();
        let upwards = |of: usize| {
            let mut nodes = vec![0.0; n_splits];
            nodes.extend(leaves.iter().map(|sums| sums[of]));
            stumps.sum_upwards(&mut nodes);
            nodes
        };
        let (weight, response) = (upwards(0), upwards(1));
        let used = stumps.used_features();
        // Squares of z, and how many.
        let column = |feature: &u32| match &self.columns {
            Some(z) => [z[*feature as usize].powi(2), 1.0],
            None => [0.0; 2],
        };
        let mut evidence: Vec<[f64; 2]> = used.iter().map(column).collect();
        for split in 0..n_splits {
            let (left, right) = (stumps.left[split] as usize, stumps.right[split] as usize);
            if weight[left] <= 0.0 || weight[right] <= 0.0 {
                continue;
            }
            let difference = response[right] / weight[right] - response[left] / weight[left];
            let rows = weight[left] * (weight[right] / (weight[left] + weight[right]));
            let square = (difference * self.unit).powi(2) * rows;
            if let Ok(at) = used.binary_search(&stumps.feature[split]) {
                evidence[at][0] += square;
                evidence[at][1] += 1.0;
            }
        }
        let excess = (2.0 * (used.len() as f64).ln()).sqrt();
        let kept = |[square, count]: &[f64; 2]| {
            // NaN, where no row counts or numbers overflow, is nothing.
            (1.0 - (count.sqrt() + excess) / square.sqrt()).max(0.0)
        };
        evidence.iter().map(kept).collect()
    }
}

/// Puts what is kept per output of a tree into one list, feature by feature.
pub(super) fn by_feature(of_outputs: &[Vec<f64>]) -> Vec<f64> {
    let n_features = of_outputs.first().map_or(0, Vec::len);
    (0..n_features).flat_map(|at| of_outputs.iter().map(move |kept| kept[at])).collect()
}

impl Shared<'_> {
    /// What is known of the response of each output of a boosted ensemble.
    pub(super) fn response_supports(&self, response: &Response<'_>) -> Vec<ResponseSupport> {
        let rows: Vec<usize> = (0..self.x.rows()).filter(|&row| self.weight(row) > 0.0).collect();
        let total: f64 = rows.iter().map(|&row| self.weight(row)).sum();
        let mean = |term: &dyn Fn(usize) -> f64| {
            rows.iter().map(|&row| self.weight(row) * term(row)).sum::<f64>() / total
        };
        let of_output = |output: usize| {
            let y = |row: usize| response_at(response, self.ensemble.n_outputs, output, row);
            let centre = mean(&y);
            let variance = mean(&|row| (y(row) - centre).powi(2));
            let columns: Option<Vec<ColumnSums>> = self.include_raw.then(|| {
                let column = |column| self.column_sums(column, &rows, |row| y(row) - centre);
                (0..self.x.cols()).into_par_iter().map(column).collect()
            });
            ResponseSupport::new(centre, variance, columns.map(Vec::into_iter))
        };
        (0..self.ensemble.n_outputs).map(of_output).collect()
    }

    /// The sums of a column with a response that is given around a centre; missing cells do not count.
    fn column_sums(
        &self,
        column: usize,
        rows: &[usize],
        response: impl Fn(usize) -> f64,
    ) -> ColumnSums {
        let cells = || {
            let cells = rows.iter().map(|&row| (row, self.weight(row), self.x.get(row, column)));
            cells.filter(|(_, _, cell)| !cell.is_nan())
        };
        let Some((_, _, first)) = cells().next() else { return [0.0; 2] };
        // Around a cell of the column, so that a large mean does not swallow a small spread.
        let (total, sum) = cells()
            .fold((0.0, 0.0), |(total, sum), (_, w, cell)| (total + w, sum + w * (cell - first)));
        let mean = first + sum / total;
        cells().fold([0.0; 2], |[square, product], (row, w, cell)| {
            let deviation = cell - mean;
            [square + w * deviation * deviation, product + w * deviation * response(row)]
        })
    }

    /// What is kept of the features that a boosted tree uses, feature by feature, output by output.
    pub(super) fn kept(
        &self,
        tree: usize,
        (basis, nodes): &Prepared,
        response: &Response<'_>,
        supports: &[ResponseSupport],
    ) -> Vec<f64> {
        let weight = self.row_weights(tree, None);
        let of_output = |output: usize| {
            let support = &supports[output];
            let mut leaves = vec![[0.0; 2]; basis.stumps.n_leaves()];
            for (row, (&w, &node)) in weight.iter().zip(nodes).enumerate() {
                let y = response_at(response, self.ensemble.n_outputs, output, row);
                let sums = &mut leaves[basis.stumps.leaf_of_tree_node[node as usize] as usize];
                sums[0] += w;
                sums[1] += w * (y - support.centre);
            }
            support.kept(&basis.stumps, &leaves)
        };
        let of_outputs: Vec<Vec<f64>> = self.outputs_of_tree(tree).map(of_output).collect();
        by_feature(&of_outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::NONE;

    /// One split.
    fn stump() -> Stumps {
        Stumps {
            feature: vec![0],
            left: vec![1],
            right: vec![2],
            left_value: vec![-1.0],
            right_value: vec![1.0],
            share: vec![1.0],
            tree_node: vec![0, 1, 2],
            leaf_of_tree_node: vec![NONE, 0, 1],
        }
    }

    /// What is kept where the mean responses of 50 rows on each side are so far apart.
    fn kept(difference: f64, variance: f64, columns: Option<Vec<ColumnSums>>) -> Vec<f64> {
        let support = ResponseSupport::new(3.0, variance, columns.map(Vec::into_iter));
        let sum = 0.5 * difference * 50.0;
        support.kept(&stump(), &[[50.0, -sum], [50.0, sum]])
    }

    #[test]
    fn shares_are_those_worked_out_by_hand() {
        // A difference of 1 between two means of 50 rows with deviation 0.5 is 10 standard errors of 0.1.
        assert_eq!(kept(1.0, 0.25, None), [0.9]);
        // At one standard error, or none, nothing is kept.
        assert_eq!(kept(0.1, 0.25, None), [0.0]);
        assert_eq!(kept(0.0, 0.25, None), [0.0]);
        // A column with correlation 0.75 over 64 rows of variance one adds z = 6 to z = 8 of the split.
        let both = kept(0.8, 0.25, Some(vec![[64.0, 64.0 * 0.75 * 0.5]]));
        assert!((both[0] - (1.0 - 2.0_f64.sqrt() / 10.0)).abs() < 1e-15, "{both:?}");
        // A column that does not vary says nothing, nor does a response.
        assert_eq!(kept(0.1, 0.25, Some(vec![[0.0, 0.0]])), [0.0]);
        assert_eq!(kept(1.0, 0.0, None), [0.0]);
        assert_eq!(kept(f64::NAN, 0.25, None), [0.0]);
    }

    #[test]
    fn shares_of_outputs_stand_feature_by_feature() {
        assert_eq!(by_feature(&[vec![0.1, 0.2], vec![0.3, 0.4]]), [0.1, 0.3, 0.2, 0.4]);
        assert!(by_feature(&[]).is_empty());
    }
}
