//! Which training rows share leaves with a row.

use crate::Result;
use crate::basis::leaf_nodes;
use crate::forest::Ensemble;
use crate::forest::routing::Router;
use crate::monitor::Monitor;
use crate::table::MatrixView;
use rayon::prelude::*;

/// The trees, and the training rows in each of their leaves.
#[derive(Debug)]
pub(super) struct SharedLeaves {
    pub(super) router: Router,
    trees: Vec<LeafRows>,
    n_training: usize,
}

/// The training rows that fall into each leaf of one tree.
#[derive(Debug)]
struct LeafRows {
    /// Where each node's rows begin; one more than nodes.
    start: Vec<u32>,
    rows: Vec<u32>,
}

impl SharedLeaves {
    pub(super) fn new(
        ensemble: &Ensemble,
        x: &MatrixView<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Self> {
        let router = Router::new(ensemble);
        let trees = (0..ensemble.trees.len())
            .into_par_iter()
            .map(|tree| {
                monitor.check()?;
                let leaf_of_row = leaf_nodes(&router, tree, x);
                monitor.advance(1);
                Ok(LeafRows::new(&leaf_of_row, ensemble.trees[tree].n_nodes()))
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Self { router, trees, n_training: x.rows() })
    }

    pub(super) fn n_training(&self) -> usize {
        self.n_training
    }

    /// The leaf of each row in each tree, row by row.
    pub(super) fn of_rows(&self, x: &MatrixView<'_>) -> Vec<u32> {
        let n_trees = self.trees.len();
        let mut all = vec![0; x.rows() * n_trees];
        for tree in 0..n_trees {
            for (row, leaf) in leaf_nodes(&self.router, tree, x).into_iter().enumerate() {
                all[row * n_trees + tree] = leaf;
            }
        }
        all
    }

    /// Training rows that share a leaf with one of the rows whose leaves [`of_rows`](Self::of_rows) found,
    /// rising, with their weights; without the training row `left_out`.
    pub(super) fn weights(
        &self,
        leaves: &[u32],
        row: usize,
        left_out: Option<usize>,
    ) -> Vec<(u32, f64)> {
        let leaves = &leaves[row * self.trees.len()..];
        let mut weight = vec![0.0; self.n_training];
        let mut rows = Vec::new();
        for (tree, &leaf) in self.trees.iter().zip(leaves) {
            let inside = tree.of(leaf);
            let others = inside.iter().filter(|&&row| Some(row as usize) != left_out);
            let count = others.clone().count() as f64;
            for &row in others {
                if weight[row as usize] == 0.0 {
                    rows.push(row);
                }
                weight[row as usize] += 1.0 / count;
            }
        }
        rows.sort_unstable();
        rows.into_iter().map(|row| (row, weight[row as usize])).collect()
    }
}

impl LeafRows {
    fn new(leaf_of_row: &[u32], n_nodes: usize) -> Self {
        let mut start = vec![0_u32; n_nodes + 1];
        for &leaf in leaf_of_row {
            start[leaf as usize + 1] += 1;
        }
        for node in 0..n_nodes {
            start[node + 1] += start[node];
        }
        let mut next = start.clone();
        let mut rows = vec![0; leaf_of_row.len()];
        for (row, &leaf) in leaf_of_row.iter().enumerate() {
            rows[next[leaf as usize] as usize] = row as u32;
            next[leaf as usize] += 1;
        }
        Self { start, rows }
    }

    fn of(&self, leaf: u32) -> &[u32] {
        &self.rows[self.start[leaf as usize] as usize..self.start[leaf as usize + 1] as usize]
    }
}
