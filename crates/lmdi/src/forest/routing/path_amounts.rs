//! Numbers to add up along paths: what a tree credits to the column a node splits on, for every
//! row that passes the node, depending on the child that the row enters.

use super::lanes::LANES;

/// What is added when a row enters a node of one tree.
#[derive(Debug)]
pub(crate) struct PathAmounts {
    /// Node by node, output by output. What stands for the root is never added.
    pub(crate) amounts: Vec<f64>,
    /// How many outputs the tree adds to, and the first of them.
    pub(crate) n_outputs: usize,
    pub(crate) first_output: usize,
    /// Number of outputs of all trees.
    pub(crate) all_outputs: usize,
}

impl PathAmounts {
    /// The amounts by node, if there is one output.
    pub(super) fn of_one_output(&self) -> Option<&[f64]> {
        (self.all_outputs == 1).then_some(&self.amounts)
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

    /// From node by node to position by position.
    pub(super) fn reorder(&mut self, nodes: &[u32]) {
        let by_node = std::mem::take(&mut self.amounts);
        let of_node = |&node: &u32| &by_node[node as usize * self.n_outputs..][..self.n_outputs];
        self.amounts = nodes.iter().flat_map(of_node).copied().collect();
    }
}
