//! Trees compiled to add up amounts along the paths of rows.
//!
//! Sums are laid out like the cells of a [`Block`]: group by group, column by column (the spare one
//! last), output by output, lane by lane. A row's amounts are added from the root down. Parts of a
//! tree below which nothing is added are left out: of a fully grown tree that is nearly all of it.

use super::block::Block;
use super::path_amounts::{NodeAmounts, PathAmounts};
use super::router::Router;
use crate::forest::Ensemble;

/// The trees of an ensemble, compiled to add up amounts along paths.
#[derive(Debug)]
pub(crate) struct PathSums {
    router: Router,
    /// By position in the compiled trees; empty for trees whose nodes hold their amounts.
    listed: Vec<PathAmounts>,
}

impl PathSums {
    /// Takes the amounts of each tree.
    pub(crate) fn new(ensemble: &Ensemble, amounts: &[NodeAmounts<'_>]) -> Self {
        let router = Router::holding(ensemble, amounts);
        let listed = (amounts.iter().enumerate())
            .map(|(tree, amounts)| match router.originals(tree) {
                Some(_) if amounts.all_outputs == 1 => PathAmounts::held(),
                nodes => amounts.by_position(nodes),
            })
            .collect();
        Self { router, listed }
    }

    /// The trees.
    pub(crate) fn router(&self) -> &Router {
        &self.router
    }

    /// Adds the amounts of all nodes that each row of the block enters in one tree to the row's
    /// sums, and gives the leaf of each row as a position in the compiled tree.
    pub(crate) fn add_tree(&self, tree: usize, block: &Block, sums: &mut [f64], out: &mut [u32]) {
        self.router.add_along(tree, block, &self.listed[tree], sums, out);
    }
}
