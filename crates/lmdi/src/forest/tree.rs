//! One tree as flat arrays: the form every trained or imported tree is held in.
//!
//! Node 0 is the root and a child always has a larger index than its parent, so a forward pass over
//! the arrays is top-down, a backward pass bottom-up, and no walk can loop.

use super::{CategorySet, InBag};
use crate::table::MatrixView;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// In `feature`, `left`, `right` and `category_set`: nothing here (a leaf, or a numeric split).
pub const NONE: u32 = u32::MAX;

/// How a numeric split compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// `x <= threshold` goes left (scikit-learn, LightGBM, CatBoost, our own trees).
    LessEqual,
    /// `x < threshold` goes left (XGBoost).
    Less,
}

/// Which cells count as missing at a node, and which way they go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Missing {
    /// NaN goes left.
    Left,
    /// NaN goes right.
    Right,
    /// NaN and zero (|x| <= 1e-35) go left (LightGBM with zero as missing).
    ZeroLeft,
    /// NaN and zero (|x| <= 1e-35) go right (LightGBM with zero as missing).
    ZeroRight,
    /// NaN is compared as if it were zero (LightGBM without missing values in training).
    AsZero,
}

/// The width in which a cell is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    /// The cell is rounded to 32 bits first (scikit-learn, XGBoost, CatBoost, our own trees).
    Single,
    /// The cell is compared as it is (LightGBM, scikit-learn's histogram boosting).
    Double,
}

/// |x| up to this is zero to LightGBM, which writes the constant in 32 bits.
pub(super) const ZERO: f64 = 1e-35_f32 as f64;

/// A tree. All per-node arrays have the same length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// Column that the node splits on; [`NONE`] at a leaf.
    pub feature: Vec<u32>,
    /// Split threshold; unused at leaves and categorical splits.
    pub threshold: Vec<f64>,
    /// Index into `category_sets`; [`NONE`] for a numeric split. Empty where every split is numeric: a
    /// fully grown forest has millions of nodes.
    pub category_set: Vec<u32>,
    /// What missing cells do at the node.
    pub missing: Vec<Missing>,
    /// Left child; [`NONE`] at a leaf.
    pub left: Vec<u32>,
    /// Right child; [`NONE`] at a leaf.
    pub right: Vec<u32>,
    /// `n_values` numbers per node, node by node: mean response, class shares or boosting step.
    pub value: Vec<f64>,
    /// How many numbers a node's value has.
    pub n_values: usize,
    /// Weighted count of in-bag training rows (or the sum of hessians where only that is known).
    pub weight: Vec<f64>,
    /// Impurity of the node in training; NaN where unknown.
    pub impurity: Vec<f64>,
    /// Comparison of all numeric splits of the tree.
    pub comparison: Comparison,
    /// Width in which cells are compared.
    pub precision: Precision,
    /// Sets of the categorical splits.
    pub category_sets: Vec<CategorySet>,
    /// Bootstrap counts of the training rows, where known.
    pub in_bag: Option<InBag>,
}

impl Tree {
    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.feature.len()
    }

    /// Number of leaves.
    pub fn n_leaves(&self) -> usize {
        self.left.iter().filter(|&&child| child == NONE).count()
    }

    /// Whether the node is a leaf.
    #[inline]
    pub fn is_leaf(&self, node: usize) -> bool {
        self.left[node] == NONE
    }

    /// The value of a node.
    #[inline]
    pub fn value_of(&self, node: usize) -> &[f64] {
        &self.value[node * self.n_values..(node + 1) * self.n_values]
    }

    /// The categories of a split; `None` for a leaf or a numeric split.
    #[inline]
    pub fn categories(&self, node: usize) -> Option<&CategorySet> {
        // The index of a numeric split lies beyond all sets.
        self.category_sets.get(*self.category_set.get(node)? as usize)
    }

    /// Whether cell `x` goes left at split `node`, by the rules of the library that grew the tree.
    pub fn goes_left(&self, node: usize, x: f64) -> bool {
        let mut x = match self.precision {
            Precision::Single => f64::from(x as f32),
            Precision::Double => x,
        };
        match self.missing[node] {
            Missing::Left if x.is_nan() => return true,
            Missing::Right if x.is_nan() => return false,
            Missing::ZeroLeft if x.is_nan() || x.abs() <= ZERO => return true,
            Missing::ZeroRight if x.is_nan() || x.abs() <= ZERO => return false,
            Missing::AsZero if x.is_nan() => x = 0.0,
            _ => {}
        }
        if let Some(set) = self.categories(node) {
            return set
                .goes_left(x)
                .unwrap_or(matches!(self.missing[node], Missing::Left | Missing::ZeroLeft));
        }
        match self.comparison {
            Comparison::LessEqual => x <= self.threshold[node],
            Comparison::Less => x < self.threshold[node],
        }
    }

    /// The leaf that a row of cells reaches.
    pub fn leaf_of(&self, row: &[f64]) -> usize {
        let mut node = 0;
        while !self.is_leaf(node) {
            let left = self.goes_left(node, row[self.feature[node] as usize]);
            node = if left { self.left[node] } else { self.right[node] } as usize;
        }
        node
    }

    /// The leaf that each row of a table reaches, row by row by the rules themselves;
    /// [`Router`](super::routing::Router) is the fast way for many rows.
    pub fn leaves_of(&self, x: &MatrixView<'_>) -> Vec<u32> {
        let mut cells = vec![0.0; x.cols()];
        (0..x.rows())
            .map(|row| {
                x.rows_into(row..row + 1, &mut cells);
                self.leaf_of(&cells) as u32
            })
            .collect()
    }

    /// Gives back the memory that arrays got ready to grow into, up to as much again as they hold.
    /// They are copied: an allocator may leave an array that shrinks in its place.
    pub(crate) fn fit_memory(&mut self) {
        fn fit<T: Copy>(array: &mut Vec<T>) {
            if array.capacity() > array.len() {
                *array = array.to_vec();
            }
        }
        fit(&mut self.feature);
        fit(&mut self.threshold);
        fit(&mut self.category_set);
        fit(&mut self.missing);
        fit(&mut self.left);
        fit(&mut self.right);
        fit(&mut self.value);
        fit(&mut self.weight);
        fit(&mut self.impurity);
    }

    /// Checks every invariant the algorithms rely on; imported and loaded trees pass through here.
    pub fn check(&self, n_features: usize) -> Result<()> {
        let n = self.n_nodes();
        let fail = |what: String| Err(Error::Model(what));
        if n == 0 || n >= NONE as usize {
            return fail(format!("a tree has {n} nodes; expected at least 1 and below 2^32 - 1"));
        }
        if self.n_values == 0 {
            return fail("a tree has no value per node; expected at least one".into());
        }
        let lengths = [
            ("threshold", self.threshold.len()),
            ("missing", self.missing.len()),
            ("left", self.left.len()),
            ("right", self.right.len()),
            ("weight", self.weight.len()),
            ("impurity", self.impurity.len()),
        ];
        for (name, found) in lengths {
            if found != n {
                return fail(format!("array `{name}` of a tree has {found} entries; expected {n}"));
            }
        }
        if ![0, n].contains(&self.category_set.len()) {
            return fail(format!(
                "array `category_set` of a tree has {} entries; expected {n}, or none",
                self.category_set.len()
            ));
        }
        if n.checked_mul(self.n_values) != Some(self.value.len()) {
            return fail(format!(
                "a tree of {n} nodes has {} values; expected {} a node",
                self.value.len(),
                self.n_values
            ));
        }
        // Of all numbers first, which takes one vector instruction for many: the one at fault is
        // searched for only if there is one.
        let is_weight = |weight: &f64| (0.0..=f64::MAX).contains(weight);
        if !self.weight.iter().fold(true, |fine, weight| fine & is_weight(weight)) {
            let node = self.weight.iter().position(|weight| !is_weight(weight)).unwrap_or(0);
            return fail(format!(
                "node {node} has weight {}; expected a finite number not below 0",
                self.weight[node]
            ));
        }
        if !self.value.iter().fold(true, |fine, value| fine & value.is_finite()) {
            let at = self.value.iter().position(|value| !value.is_finite()).unwrap_or(0);
            let node = at / self.n_values;
            return fail(format!("node {node} has a value that is not finite"));
        }
        if self.links_are_fine(n_features) {
            return Ok(());
        }
        let mut has_parent = vec![false; n];
        for node in 0..n {
            if self.is_leaf(node) {
                if self.right[node] != NONE || self.feature[node] != NONE {
                    return fail(format!(
                        "node {node} has no left child but a right child or a feature"
                    ));
                }
                continue;
            }
            if self.feature[node] as usize >= n_features {
                return fail(format!(
                    "node {node} splits on column {}; there are {n_features} columns",
                    self.feature[node]
                ));
            }
            for child in [self.left[node] as usize, self.right[node] as usize] {
                if child <= node || child >= n || has_parent[child] {
                    return fail(format!(
                        "node {node} has child {child}; expected a node after it that has no other parent"
                    ));
                }
                has_parent[child] = true;
            }
            let set = self.category_set.get(node).copied().unwrap_or(NONE);
            if set != NONE && set as usize >= self.category_sets.len() {
                return fail(format!("node {node} names category set {set}, which does not exist"));
            }
            if set == NONE && self.threshold[node].is_nan() {
                return fail(format!("node {node} has threshold NaN"));
            }
        }
        if has_parent.iter().skip(1).any(|&has| !has) {
            return fail("a node other than the root has no parent".into());
        }
        Ok(())
    }

    /// Whether splits, thresholds and children are as they must be. Looks at all nodes without a
    /// branch, which for leaves and splits in turn would be guessed wrong half of the time; `check`
    /// searches for the fault if there is one.
    fn links_are_fine(&self, n_features: usize) -> bool {
        let n = self.n_nodes();
        let (mut fine, mut n_splits) = (self.category_set.is_empty(), 0);
        let nodes = self.left.iter().zip(&self.right).zip(&self.feature).zip(0u32..);
        for (((&left, &right), &feature), node) in nodes {
            let is_leaf = left == NONE;
            let ends = (right == NONE) & (feature == NONE);
            let inside = (left > node) & (right > node) & (left.max(right) < n as u32);
            fine &= if is_leaf { ends } else { inside & ((feature as usize) < n_features) };
            n_splits += u32::from(!is_leaf);
        }
        for (threshold, &left) in self.threshold.iter().zip(&self.left) {
            fine &= !threshold.is_nan() | (left == NONE);
        }
        // As many children as nodes below the root, and each of these is one: none has two parents.
        if !fine || 2 * u64::from(n_splits) + 1 != n as u64 {
            return false;
        }
        // The last place is that of the children that leaves do not have.
        let mut has_parent = vec![false; n + 1];
        for child in self.left.iter().chain(&self.right) {
            has_parent[(*child as usize).min(n)] = true;
        }
        has_parent[1..n].iter().fold(true, |all, &has| all & has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Generator, below, generator};

    /// Splits leaves at random, on one of three columns.
    fn random_tree(random: &mut Generator) -> Tree {
        let mut tree = Tree {
            feature: vec![NONE],
            threshold: vec![0.0],
            category_set: Vec::new(),
            missing: vec![Missing::Right],
            left: vec![NONE],
            right: vec![NONE],
            value: vec![0.0],
            n_values: 1,
            weight: vec![1.0],
            impurity: vec![0.0],
            comparison: Comparison::LessEqual,
            precision: Precision::Single,
            category_sets: Vec::new(),
            in_bag: None,
        };
        for _ in 0..below(random, 12) {
            let node = below(random, tree.n_nodes());
            if tree.is_leaf(node) {
                let n = tree.n_nodes() as u32;
                (tree.left[node], tree.right[node]) = (n, n + 1);
                tree.feature[node] = below(random, 3) as u32;
                for _ in 0..2 {
                    tree.feature.push(NONE);
                    tree.threshold.push(0.0);
                    tree.missing.push(Missing::Right);
                    tree.left.push(NONE);
                    tree.right.push(NONE);
                    tree.value.push(0.0);
                    tree.weight.push(1.0);
                    tree.impurity.push(0.0);
                }
            }
        }
        tree
    }

    /// A tree whose splits have entries for category sets is checked node by node.
    #[test]
    fn looking_at_all_nodes_at_once_finds_what_looking_at_each_does() {
        let mut n_fine = 0;
        for seed in 0..3000 {
            let random = &mut generator(seed, 0);
            let mut tree = random_tree(random);
            for _ in 0..below(random, 3) {
                let (n, node) = (tree.n_nodes(), below(random, tree.n_nodes()));
                let number = [NONE, below(random, n + 2) as u32][below(random, 2)];
                match below(random, 4) {
                    0 => tree.left[node] = number,
                    1 => tree.right[node] = number,
                    2 => tree.feature[node] = number,
                    _ => tree.threshold[node] = f64::NAN,
                }
            }
            let found = tree.check(3).is_ok();
            tree.category_set = vec![NONE; tree.n_nodes()];
            assert_eq!(found, tree.check(3).is_ok(), "seed {seed}: {tree:?}");
            n_fine += usize::from(found);
        }
        assert!((500..2500).contains(&n_fine), "{n_fine}");
    }
}
