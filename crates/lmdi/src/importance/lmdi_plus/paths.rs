//! The path from a leaf back to the root, for analyses of single trees.
//!
//! Nodes are those that rows walk through, by their positions in the compiled tree: what lies below
//! all steps that are not zero is left out.

use crate::forest::{NONE, Tree};

/// What lies above every node of a tree.
#[derive(Debug)]
pub(super) struct Paths {
    /// The tree's own number of each position; empty if positions are node numbers.
    node: Vec<u32>,
    parent: Vec<u32>,
    /// What the parent splits on.
    feature: Vec<u32>,
}

impl Paths {
    /// Takes the tree's number of each position; `None` if positions are node numbers.
    pub(super) fn new(tree: &Tree, nodes: Option<&[u32]>) -> Self {
        let n = nodes.map_or(tree.n_nodes(), <[u32]>::len);
        let node_at = |position: usize| nodes.map_or(position, |nodes| nodes[position] as usize);
        let mut position_of = vec![NONE; tree.n_nodes()];
        (0..n).for_each(|position| position_of[node_at(position)] = position as u32);
        let mut paths = Self {
            node: nodes.map(<[u32]>::to_vec).unwrap_or_default(),
            parent: vec![NONE; n],
            feature: vec![NONE; n],
        };
        for position in (0..n).filter(|&position| !tree.is_leaf(node_at(position))) {
            let node = node_at(position);
            for child in [tree.left[node], tree.right[node]] {
                let at = position_of[child as usize];
                // Nodes where walks end have children that no row enters.
                if at != NONE {
                    paths.parent[at as usize] = position as u32;
                    paths.feature[at as usize] = tree.feature[node];
                }
            }
        }
        paths
    }

    fn node_at(&self, position: usize) -> usize {
        self.node.get(position).map_or(position, |&node| node as usize)
    }

    /// All nodes but the root, each after the feature that leads into it.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (u32, usize)> {
        let below_root = (0..self.parent.len()).filter(|&at| self.parent[at] != NONE);
        below_root.map(|at| (self.feature[at], self.node_at(at)))
    }

    /// The nodes from a position up, without the root, each after the feature that leads into it.
    pub(super) fn above(&self, position: u32) -> impl Iterator<Item = (usize, usize)> {
        let mut at = position as usize;
        std::iter::from_fn(move || {
            let entered = at;
            if self.parent[entered] == NONE {
                return None;
            }
            at = self.parent[entered] as usize;
            Some((self.feature[entered] as usize, self.node_at(entered)))
        })
    }
}
