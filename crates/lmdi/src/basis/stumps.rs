//! The stump columns of one tree.
//!
//! Split v with in-bag weights N_L and N_R of its children has the column
//!
//! ```text
//! psi_v(x) = -sqrt(N_R / N_L)  if x is in the left child of v,
//!            +sqrt(N_L / N_R)  if x is in the right child of v,
//!             0                elsewhere,
//! ```
//!
//! so that on the in-bag sample the columns have mean zero and are orthogonal to one another.
//! Nodes are renumbered: splits first (`0..n_splits`, a parent before its children), then leaves.
//! Work over all splits that passes sums upwards or shifts downwards is one loop over arrays.

use crate::forest::{NONE, Tree};

/// The stumps of one tree and how they nest.
#[derive(Debug, Clone, PartialEq)]
pub struct Stumps {
    /// Feature of each split.
    pub feature: Vec<u32>,
    /// Left child of each split, as a node of this numbering.
    pub left: Vec<u32>,
    /// Right child of each split, as a node of this numbering.
    pub right: Vec<u32>,
    /// Column value in the left child (not positive).
    pub left_value: Vec<f64>,
    /// Column value in the right child (not negative).
    pub right_value: Vec<f64>,
    /// In-bag share of the tree's weight that reaches the split.
    pub share: Vec<f64>,
    /// The tree's own number of each node of this numbering.
    pub tree_node: Vec<u32>,
    /// The number in `0..n_leaves` of each tree node that is a leaf; [`NONE`] at splits.
    pub leaf_of_tree_node: Vec<u32>,
}

impl Stumps {
    /// Reads the stumps off a tree.
    ///
    /// A split with an empty child (possible only in imported trees) has a column of zeros.
    pub fn of(tree: &Tree) -> Self {
        let n_nodes = tree.n_nodes();
        let splits: Vec<usize> = (0..n_nodes).filter(|&node| !tree.is_leaf(node)).collect();
        let leaves: Vec<usize> = (0..n_nodes).filter(|&node| tree.is_leaf(node)).collect();
        let mut number = vec![0_u32; n_nodes];
        let mut leaf_of_tree_node = vec![NONE; n_nodes];
        let tree_node: Vec<u32> = splits.iter().chain(&leaves).map(|&node| node as u32).collect();
        for (new, &old) in tree_node.iter().enumerate() {
            number[old as usize] = new as u32;
        }
        for (leaf, &node) in leaves.iter().enumerate() {
            leaf_of_tree_node[node] = leaf as u32;
        }
        let root_weight = tree.weight[0];
        let value = |numerator: f64, denominator: f64| {
            if numerator > 0.0 && denominator > 0.0 {
                (numerator / denominator).sqrt()
            } else {
                0.0
            }
        };
        let child_weights = |node: usize| {
            (tree.weight[tree.left[node] as usize], tree.weight[tree.right[node] as usize])
        };
        Self {
            feature: splits.iter().map(|&node| tree.feature[node]).collect(),
            left: splits.iter().map(|&node| number[tree.left[node] as usize]).collect(),
            right: splits.iter().map(|&node| number[tree.right[node] as usize]).collect(),
            left_value: splits
                .iter()
                .map(|&node| {
                    let (left, right) = child_weights(node);
                    -value(right, left)
                })
                .collect(),
            right_value: splits
                .iter()
                .map(|&node| {
                    let (left, right) = child_weights(node);
                    value(left, right)
                })
                .collect(),
            share: splits
                .iter()
                .map(|&node| if root_weight > 0.0 { tree.weight[node] / root_weight } else { 0.0 })
                .collect(),
            tree_node,
            leaf_of_tree_node,
        }
    }

    /// Number of splits, which is the number of stump columns.
    pub fn n_splits(&self) -> usize {
        self.feature.len()
    }

    /// Number of leaves.
    pub fn n_leaves(&self) -> usize {
        self.n_splits() + 1
    }

    /// The features that the tree splits on, rising: its blocks.
    pub fn used_features(&self) -> Vec<u32> {
        let mut used = self.feature.clone();
        used.sort_unstable();
        used.dedup();
        used
    }

    /// Adds up a quantity given at the leaves for every node: `node[split]` becomes the sum over
    /// the leaves below it. `node` holds splits first, then leaves. Cost: one addition per split.
    #[inline(always)]
    pub fn sum_upwards(&self, node: &mut [f64]) {
        for split in (0..self.n_splits()).rev() {
            node[split] = node[self.left[split] as usize] + node[self.right[split] as usize];
        }
    }

    /// The part of the linear predictor that is constant on each leaf: for every leaf the sum of
    /// `coefficient * column value` over the splits above it. Cost: two operations per node.
    pub fn leaf_offsets(&self, coefficient: &[f64], node: &mut Vec<f64>) {
        node.clear();
        node.resize(self.n_splits() + self.n_leaves(), 0.0);
        for split in 0..self.n_splits() {
            let above = node[split];
            node[self.left[split] as usize] = above + coefficient[split] * self.left_value[split];
            node[self.right[split] as usize] = above + coefficient[split] * self.right_value[split];
        }
        node.drain(..self.n_splits());
    }
}
