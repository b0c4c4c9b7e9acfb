//! The Hessian of a weighted least-squares problem over the stump basis, with the intercept
//! profiled out.
//!
//! For row weights w with sum W, column means m_j and Gram matrix G, the Hessian is `G - W m m'`.
//! Only what coordinate descent reads is stored: per node the sum of weights, per split the
//! column's square, per leaf the raw sums, and the centred raw Gram matrix. The Gram matrix between
//! stumps follows from the node weights and is never formed.

use crate::basis::{Basis, Stumps};
use crate::glm::quadratic::leaf_sums::LeafSums;
use crate::glm::quadratic::statistics::Statistics;

/// Curvature of a weighted least-squares problem.
#[derive(Debug, Clone)]
pub struct Hessian<'b> {
    /// The stumps the problem is over.
    pub stumps: &'b Stumps,
    /// Total weight.
    pub total: f64,
    /// Sum of weights of every node, splits first, then leaves.
    pub node_weight: Vec<f64>,
    /// Sum of squares of each stump column.
    pub stump_square: Vec<f64>,
    /// Sum of w x_k per leaf, raw column by raw column.
    pub raw_leaf: LeafSums<1>,
    /// Mean of each raw column.
    pub raw_mean: Vec<f64>,
    /// Centred raw Gram matrix, row-major, both triangles.
    pub raw_gram: Vec<f64>,
}

impl<'b> Hessian<'b> {
    /// The curvature of rows with these statistics.
    pub fn new(basis: &'b Basis, statistics: &Statistics) -> Self {
        let stumps = &basis.stumps;
        let (m, r) = (stumps.n_splits(), basis.raw.len());
        let mut node_weight = vec![0.0; m];
        node_weight.extend_from_slice(&statistics.leaf_weight);
        stumps.sum_upwards(&mut node_weight);
        let total = node_weight[0];
        let scale = if total > 0.0 { 1.0 / total } else { 0.0 };

        let mut stump_square = Vec::with_capacity(m);
        for split in 0..m {
            let (left, right) = (stumps.left[split] as usize, stumps.right[split] as usize);
            let (a, b) = (stumps.left_value[split], stumps.right_value[split]);
            let square = a * a * node_weight[left] + b * b * node_weight[right];
            stump_square.push(square);
        }

        let raw_leaf = LeafSums::of(statistics);
        let raw_mean: Vec<f64> =
            raw_leaf.totals(total).into_iter().map(|sum| sum * scale).collect();
        let mut raw_gram = vec![0.0; r * r];
        for j in 0..r {
            for k in 0..=j {
                let centred = statistics.raw_gram[j * r + k] - total * raw_mean[j] * raw_mean[k];
                raw_gram[j * r + k] = centred;
                raw_gram[k * r + j] = centred;
            }
            raw_gram[j * r + j] = raw_gram[j * r + j].max(0.0);
        }
        Self { stumps, total, node_weight, stump_square, raw_leaf, raw_mean, raw_gram }
    }

    /// Number of raw columns.
    pub fn n_raw(&self) -> usize {
        self.raw_mean.len()
    }

    /// Weights of the leaves.
    pub fn leaf_weight(&self) -> &[f64] {
        &self.node_weight[self.stumps.n_splits()..]
    }
}
