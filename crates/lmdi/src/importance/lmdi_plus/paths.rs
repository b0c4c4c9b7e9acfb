//! The way from a leaf back to the root, for what is asked of each tree by itself.

use crate::forest::{NONE, Tree};

/// What lies above every node of a tree.
#[derive(Debug)]
pub(super) struct Paths {
    parent: Vec<u32>,
    /// What the parent splits on.
    feature: Vec<u32>,
}

impl Paths {
    pub(super) fn new(tree: &Tree) -> Self {
        let n = tree.n_nodes();
        let mut paths = Self { parent: vec![NONE; n], feature: vec![NONE; n] };
        for node in (0..n).filter(|&node| !tree.is_leaf(node)) {
            for child in [tree.left[node] as usize, tree.right[node] as usize] {
                paths.parent[child] = node as u32;
                paths.feature[child] = tree.feature[node];
            }
        }
        paths
    }

    /// The feature that leads into a node; `None` for the root.
    pub(super) fn feature_into(&self, node: usize) -> Option<u32> {
        Some(self.feature[node]).filter(|&feature| feature != NONE)
    }

    /// The nodes from a leaf up, without the root, each after the feature that leads into it.
    pub(super) fn above(&self, leaf: u32) -> impl Iterator<Item = (usize, usize)> {
        let mut node = leaf as usize;
        std::iter::from_fn(move || {
            let entered = node;
            if self.parent[entered] == NONE {
                return None;
            }
            node = self.parent[entered] as usize;
            Some((self.feature[entered] as usize, entered))
        })
    }
}
