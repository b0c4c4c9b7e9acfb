//! Numbers to add up along paths: what a tree credits to the column a node splits on, for every
//! row that passes the node, depending on the child that the row enters.
//!
//! Sums lie as the cells of a [`Block`](super::routing::Block) do: group by group, column by column,
//! output by output, lane by lane. A row's amounts are added from the root down.

use super::compiled::LANES;
use super::routing::Router;

/// What is added when a row enters a node of one tree.
#[derive(Debug)]
pub(crate) struct PathAmounts {
    /// By position in the compiled tree, output by output; zero at the root, which stands for
    /// entering nothing.
    amounts: Vec<f64>,
    n_outputs: usize,
    first_output: usize,
    all_outputs: usize,
}

impl PathAmounts {
    /// Takes `n_outputs` amounts a node of a tree, which go to the outputs from `first_output` of
    /// `all_outputs`. What is given for the root is ignored.
    pub(crate) fn new(
        router: &Router,
        tree: usize,
        by_node: &[f64],
        n_outputs: usize,
        first_output: usize,
        all_outputs: usize,
    ) -> Self {
        let mut amounts = by_node.to_vec();
        if let Some(nodes) = router.originals(tree) {
            for (amounts, &node) in amounts.chunks_exact_mut(n_outputs).zip(nodes) {
                amounts.copy_from_slice(&by_node[node as usize * n_outputs..][..n_outputs]);
            }
        }
        amounts[..n_outputs].fill(0.0);
        Self { amounts, n_outputs, first_output, all_outputs }
    }

    /// The amounts by position, if the tree has one amount a node and there is one output.
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
}
