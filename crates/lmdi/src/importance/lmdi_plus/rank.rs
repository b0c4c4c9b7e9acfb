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
use crate::importance::{Groups, rank_in_place};
use crate::monitor::Monitor;
use crate::table::MatrixView;
use rayon::prelude::*;

impl LmdiPlus {
    /// The mean rank of every feature for every row, row by row; larger is more important. The
    /// monitor advances by one per row.
    pub fn rank_by_rank(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Vec<f64>> {
        self.rank_groups_by_rank(x, &Groups::singles(self.n_features), monitor)
    }

    /// The same for groups of features: in each tree a group is ranked by the sum of its features'
    /// scores, and used if one of them is.
    pub fn rank_groups_by_rank(
        &self,
        x: &MatrixView<'_>,
        groups: &Groups,
        monitor: &dyn Monitor,
    ) -> Result<Vec<f64>> {
        self.router().check_columns(x)?;
        groups.check(self.n_features)?;
        let group_of = groups.of_features();
        let p = groups.n_groups();
        let k = self.n_outputs;
        let used_groups: Vec<Vec<u32>> = self
            .used
            .iter()
            .map(|used| {
                let mut list: Vec<u32> =
                    used.iter().map(|&feature| group_of[feature as usize]).collect();
                list.sort_unstable();
                list.dedup();
                list
            })
            .collect();
        let mut trees_using = vec![0.0_f64; p];
        for &group in used_groups.iter().flatten() {
            trees_using[group as usize] += 1.0;
        }
        let rows = self.router().rows_per_block();
        let mut ranks = vec![0.0; x.rows() * p];
        ranks.par_chunks_mut((rows * p).max(1)).enumerate().try_for_each_init(
            || {
                let scores = (vec![0.0; self.n_features * k], vec![0.0; p * k]);
                (self.router().block(), Vec::new(), scores, Vec::new())
            },
            |(block, leaves, (tree_score, group_score), order), (index, out)| {
                monitor.check()?;
                let range = index * rows..((index + 1) * rows).min(x.rows());
                block.read(x, range.clone());
                leaves.resize(range.len(), 0_u32);
                for (tree, used) in used_groups.iter().enumerate() {
                    self.router().leaves(tree, block, leaves);
                    for (row, table_row) in range.clone().enumerate() {
                        tree_score.fill(0.0);
                        self.add_tree(tree, leaves[row], |f| x.get(table_row, f), tree_score);
                        group_score.fill(0.0);
                        for &feature in &self.used[tree] {
                            let (from, to) = (feature as usize * k, group_of[feature as usize]);
                            for output in 0..k {
                                group_score[to as usize * k + output] += tree_score[from + output];
                            }
                        }
                        order.clear();
                        order.extend(used.iter().map(|&group| {
                            let at = group as usize * k;
                            let size: f64 = group_score[at..at + k].iter().map(|s| s.abs()).sum();
                            (size, group)
                        }));
                        let line = &mut out[row * p..(row + 1) * p];
                        let below = (p - used.len()) as f64;
                        rank_in_place(order, |group, rank| line[group as usize] += below + rank);
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
