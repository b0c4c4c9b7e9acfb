//! Ranking by rank: what each tree says about the order of the features, averaged.
//!
//! In each tree the features it uses are ranked by |score|, ranks 1 to p with larger for more
//! important: features that the tree does not use stand below all that it does, and equal scores share
//! the mean of their ranks. A feature's rank is the mean over the trees that use it; a feature that no
//! tree uses has rank 0. Classes are ranked by the sum of |score| over outputs.
//!
//! Cost: trees x used features x log(used features) a row, in O(features) memory a thread.

use super::model::LmdiPlus;
use crate::Result;
use crate::importance::rank_in_place;
use crate::monitor::Monitor;
use crate::table::MatrixView;
use rayon::prelude::*;

impl LmdiPlus {
    /// The mean rank of every feature for every row, row by row; larger is more important. The
    /// monitor advances by one per row.
    pub fn rank_by_rank(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Vec<f64>> {
        self.router.check_columns(x)?;
        let p = self.n_features;
        let k = self.n_outputs;
        let mut trees_using = vec![0.0_f64; p];
        for used in &self.used {
            for &feature in used {
                trees_using[feature as usize] += 1.0;
            }
        }
        let rows = self.router.rows_per_block();
        let mut ranks = vec![0.0; x.rows() * p];
        ranks.par_chunks_mut((rows * p).max(1)).enumerate().try_for_each_init(
            || (self.router.block(), Vec::new(), vec![0.0; p * k], Vec::new()),
            |(block, leaves, tree_score, order), (index, out)| {
                monitor.check()?;
                let range = index * rows..((index + 1) * rows).min(x.rows());
                block.read(x, range.clone());
                leaves.resize(range.len(), 0_u32);
                for tree in 0..self.trees.len() {
                    let used = &self.used[tree];
                    self.router.leaves(tree, block, leaves);
                    for (row, table_row) in range.clone().enumerate() {
                        tree_score.fill(0.0);
                        self.add_tree(tree, leaves[row], |f| x.get(table_row, f), tree_score);
                        order.clear();
                        order.extend(used.iter().map(|&feature| {
                            let at = feature as usize * k;
                            let size: f64 = tree_score[at..at + k].iter().map(|s| s.abs()).sum();
                            (size, feature)
                        }));
                        let line = &mut out[row * p..(row + 1) * p];
                        let below = (p - used.len()) as f64;
                        rank_in_place(order, |feature, rank| {
                            line[feature as usize] += below + rank;
                        });
                    }
                }
                for line in out.chunks_exact_mut(p) {
                    for (rank, &using) in line.iter_mut().zip(&trees_using) {
                        if using > 0.0 {
                            *rank /= using;
                        }
                    }
                }
                monitor.advance(range.len() as u64);
                Ok(())
            },
        )?;
        Ok(ranks)
    }
}
