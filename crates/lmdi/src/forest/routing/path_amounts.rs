//! Numbers to add up along paths: what a tree credits to the column a node splits on, for every
//! row that passes the node, depending on the child that the row enters.

use super::lanes::LANES;
use crate::forest::{NONE, Tree};
use crate::sparse_numbers::SparseNumbers;

/// What is added when a row enters a node of one tree, node by node. Nodes below which nothing is
/// added need not be walked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeAmounts<'a> {
    /// Node by node, output by output. What stands for the root is never added.
    pub(crate) amounts: &'a SparseNumbers,
    /// How many outputs the tree adds to, and the first of them.
    pub(crate) n_outputs: usize,
    pub(crate) first_output: usize,
    /// Number of outputs of all trees.
    pub(crate) all_outputs: usize,
}

impl<'a> NodeAmounts<'a> {
    /// The amounts by node, if there is one output.
    pub(super) fn of_one_output(&self) -> Option<&'a SparseNumbers> {
        (self.all_outputs == 1).then_some(self.amounts)
    }

    /// Whether anything is added at all below each node of the tree.
    pub(super) fn any_below(&self, tree: &Tree) -> Vec<bool> {
        let k = self.n_outputs;
        let adds = |node: usize| (node * k..(node + 1) * k).any(|at| self.amounts.get(at) != 0.0);
        let mut any = vec![false; tree.n_nodes()];
        for node in (0..tree.n_nodes()).rev().filter(|&node| tree.left[node] != NONE) {
            let children = [tree.left[node] as usize, tree.right[node] as usize];
            any[node] = children.into_iter().any(|child| any[child] || adds(child));
        }
        any
    }

    /// The amounts by position, given the node of each position; by node without it.
    pub(super) fn by_position(&self, nodes: Option<&[u32]>) -> PathAmounts {
        let of_node = |&node: &u32| {
            let first = node as usize * self.n_outputs;
            (first..first + self.n_outputs).map(|at| self.amounts.get(at))
        };
        PathAmounts {
            amounts: match nodes {
                Some(nodes) => nodes.iter().flat_map(of_node).collect(),
                None => self.amounts.to_vec(),
            },
            n_outputs: self.n_outputs,
            first_output: self.first_output,
            all_outputs: self.all_outputs,
        }
    }
}

/// What is added when a row enters a node of one compiled tree.
#[derive(Debug)]
pub(crate) struct PathAmounts {
    /// Position by position, output by output.
    amounts: Vec<f64>,
    n_outputs: usize,
    first_output: usize,
    pub(super) all_outputs: usize,
}

impl PathAmounts {
    /// No amounts, for a tree whose nodes hold them.
    pub(super) fn held() -> Self {
        Self { amounts: Vec::new(), n_outputs: 1, first_output: 0, all_outputs: 1 }
    }

    /// Adds what a row gains for the column of `cell` by entering the node at `position`.
    #[inline]
    pub(super) fn add(&self, cell: usize, position: u32, sums: &mut [f64]) {
        let amounts = &self.amounts[position as usize * self.n_outputs..][..self.n_outputs];
        let first = cell / LANES * self.all_outputs + self.first_output;
        for (output, amount) in amounts.iter().enumerate() {
            sums[(first + output) * LANES + cell % LANES] += amount;
        }
    }
}
