//! Numbers to add up along paths: what a tree credits to the column a node splits on, for every
//! row that passes the node, depending on the child that the row enters.
//!
//! Sums lie as the cells of a [`Block`](super::routing::Block) do: group by group, column by column (the
//! spare one last), output by output, lane by lane. A row's amounts are added from the root down.

use super::Ensemble;
use super::compiled::LANES;
use super::routing::{Block, Router};

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
    fn reorder(&mut self, nodes: &[u32]) {
        let by_node = std::mem::take(&mut self.amounts);
        let of_node = |&node: &u32| &by_node[node as usize * self.n_outputs..][..self.n_outputs];
        self.amounts = nodes.iter().flat_map(of_node).copied().collect();
    }
}

/// The trees of an ensemble, compiled to add up amounts along paths.
#[derive(Debug)]
pub(crate) struct PathSums {
    router: Router,
    /// By position in the compiled trees; empty for trees whose nodes hold their amounts.
    listed: Vec<PathAmounts>,
}

impl PathSums {
    /// Takes the amounts of each tree.
    pub(crate) fn new(ensemble: &Ensemble, mut amounts: Vec<PathAmounts>) -> Self {
        let held: Vec<Option<&[f64]>> = amounts.iter().map(PathAmounts::of_one_output).collect();
        let router = Router::holding(ensemble, &held);
        for (tree, amounts) in amounts.iter_mut().enumerate() {
            match router.originals(tree) {
                Some(_) if amounts.all_outputs == 1 => amounts.amounts = Vec::new(),
                Some(nodes) => amounts.reorder(nodes),
                None => {}
            }
        }
        Self { router, listed: amounts }
    }

    /// The trees.
    pub(crate) fn router(&self) -> &Router {
        &self.router
    }

    /// Adds the amounts of all nodes that each row of the block enters in one tree to the row's sums, and
    /// gives the leaf of each row as a position in the compiled tree.
    pub(crate) fn add_tree(&self, tree: usize, block: &Block, sums: &mut [f64], out: &mut [u32]) {
        self.router.add_along(tree, block, &self.listed[tree], sums, out);
    }
}
