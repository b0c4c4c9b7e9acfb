//! Ranking by rank: the ranks of features within each tree, averaged.
//!
//! In each tree, the features it uses are ranked by the size of their scores; larger is more
//! important, and ties share their mean rank. With classes, sizes are summed over outputs.
//!
//! - **Forests**: ranks run from 1 to p, with the features that a tree does not use below all that
//!   it does. A feature's rank is the mean over the trees that use it; a feature that no tree uses
//!   has rank 0. The trees of a forest are interchangeable, so they have equal weights. The size of
//!   a score is |score|.
//! - **Boosting**: late trees fit residuals that are mostly noise, and use few features each. Only
//!   the share of a score counts that the response itself supports ([`super::fitting::support`]),
//!   so its size is kept * |score|; features of which nothing is kept come last, by |score|. A tree
//!   is weighted by its contribution, the mean over training rows of the sizes of its scores. A
//!   feature gets `rank / number of used features` from each tree, 0 if it is not used:
//!
//!   ```text
//!   rank_k(x) = sum_t size_t * rank_tk(x) / used_t  /  sum_t size_t     (from 0 to 1)
//!   size_t    = mean over rows of sum_k kept_tk |score_tk|
//!   ```
//!
//! Cost: trees x used features x log(used features) per row, in O(features) memory per thread.

use super::model::{LmdiPlus, TreeModel};
use super::paths::Paths;
use crate::Result;
use crate::importance::{Groups, rank_in_place};
use crate::monitor::Monitor;
use crate::table::MatrixView;
use rayon::prelude::*;

impl LmdiPlus {
    /// The rank of every feature for every row, row by row; larger is more important. The monitor
    /// advances by one per row.
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
        self.ranks(x, groups, &self.used, monitor)
    }

    /// The ranking of the authors' experiments, for forests: as [`LmdiPlus::rank_by_rank`], but a
    /// feature's mean leaves out the trees whose linear model gives the feature no weight.
    pub fn rank_by_rank_where_weighted(
        &self,
        x: &MatrixView<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<f64>> {
        let weighted: Vec<Vec<u32>> =
            self.trees.iter().zip(&self.paths).map(|(tree, paths)| weighted(tree, paths)).collect();
        self.ranks(x, &Groups::singles(self.n_features), &weighted, monitor)
    }

    /// Ranks where `used` has the features that count in each tree.
    fn ranks(
        &self,
        x: &MatrixView<'_>,
        groups: &Groups,
        used: &[Vec<u32>],
        monitor: &dyn Monitor,
    ) -> Result<Vec<f64>> {
        self.router().check_columns(x)?;
        groups.check(self.n_features)?;
        let group_of = groups.of_features();
        let p = groups.n_groups();
        let k = self.n_outputs;
        let used_groups: Vec<Vec<u32>> = used
            .iter()
            .map(|used| {
                let mut list: Vec<u32> =
                    used.iter().map(|&feature| group_of[feature as usize]).collect();
                list.sort_unstable();
                list.dedup();
                list
            })
            .collect();
        let weights = self.rank_weights(&used_groups, p);
        let rows = self.router().rows_per_block();
        let mut ranks = vec![0.0; x.rows() * p];
        ranks.par_chunks_mut((rows * p).max(1)).enumerate().try_for_each_init(
            || {
                let scores = [self.n_features * k, p * k, p * k].map(|n| vec![0.0; n]);
                (self.router().block(), Vec::new(), scores, [Vec::new(), Vec::new()])
            },
            |(block, leaves, [tree_score, group_score, kept_score], [last, order]),
             (index, out)| {
                monitor.check()?;
                let range = index * rows..((index + 1) * rows).min(x.rows());
                block.read(x, range.clone());
                leaves.resize(range.len(), 0_u32);
                for (tree, ranked) in used_groups.iter().enumerate() {
                    self.router().positions(tree, block, leaves);
                    for (row, table_row) in range.clone().enumerate() {
                        tree_score.fill(0.0);
                        self.add_tree(tree, leaves[row], |f| x.get(table_row, f), tree_score);
                        let add_to_groups = |of_features: &[f64], of_groups: &mut [f64]| {
                            of_groups.fill(0.0);
                            for &feature in &used[tree] {
                                let (from, to) = (feature as usize * k, group_of[feature as usize]);
                                for output in 0..k {
                                    of_groups[to as usize * k + output] +=
                                        of_features[from + output];
                                }
                            }
                        };
                        add_to_groups(tree_score, group_score);
                        self.shrink(tree, tree_score);
                        add_to_groups(tree_score, kept_score);
                        order.clear();
                        last.clear();
                        for &group in ranked {
                            let outputs = group as usize * k..(group as usize + 1) * k;
                            let size = |scores: &[f64]| -> f64 {
                                scores[outputs.clone()].iter().map(|score| score.abs()).sum()
                            };
                            match size(kept_score) {
                                0.0 => last.push((size(group_score), group)),
                                kept => order.push((kept, group)),
                            }
                        }
                        let line = &mut out[row * p..(row + 1) * p];
                        let TreeWeight { below, factor } = weights.of_tree[tree];
                        rank_in_place(last, |group, rank| {
                            line[group as usize] += factor * (below + rank);
                        });
                        let below = below + last.len() as f64;
                        rank_in_place(order, |group, rank| {
                            line[group as usize] += factor * (below + rank);
                        });
                    }
                }
                for line in out.chunks_exact_mut(p) {
                    for (rank, &total) in line.iter_mut().zip(&weights.total) {
                        if total > 0.0 {
                            *rank /= total;
                        }
                    }
                }
                monitor.advance(range.len() as u64);
                Ok(())
            },
        )?;
        Ok(ranks)
    }

    /// How the trees' ranks are added up and what their sum is divided by.
    fn rank_weights(&self, used_groups: &[Vec<u32>], p: usize) -> RankWeights {
        if self.tree_sizes.is_empty() {
            let mut total = vec![0.0; p];
            for &group in used_groups.iter().flatten() {
                total[group as usize] += 1.0;
            }
            let below =
                |used: &Vec<u32>| TreeWeight { below: (p - used.len()) as f64, factor: 1.0 };
            return RankWeights { of_tree: used_groups.iter().map(below).collect(), total };
        }
        let shares = self
            .tree_sizes
            .iter()
            .zip(used_groups)
            .map(|(size, used)| TreeWeight { below: 0.0, factor: size / used.len().max(1) as f64 });
        let of_tree = shares.collect();
        RankWeights { of_tree, total: vec![self.tree_sizes.iter().sum(); p] }
    }

    /// Leaves of the scores of a tree (features x outputs) what a ranking keeps.
    fn shrink(&self, tree: usize, scores: &mut [f64]) {
        let Some(kept) = self.kept.get(tree) else { return };
        let TreeModel { first_output, n_outputs, .. } = &self.trees[tree];
        let (first, own) = (*first_output as usize, *n_outputs as usize);
        for (&feature, kept) in self.used[tree].iter().zip(kept.chunks_exact(own)) {
            let at = feature as usize * self.n_outputs + first;
            scores[at..at + own].iter_mut().zip(kept).for_each(|(score, kept)| *score *= kept);
        }
    }

    /// Weighs trees by what they contribute to a ranking that keeps so much of their scores, over some rows.
    /// Where nothing is kept of any tree, all is.
    pub(super) fn ranking_by(
        self,
        kept: Vec<Vec<f64>>,
        x: &MatrixView<'_>,
        rows: &[usize],
    ) -> Result<Self> {
        let ranking = self.keeping(kept)?;
        let sizes = ranking.mean_sizes(x, rows);
        if sizes.iter().any(|size| *size > 0.0) {
            return ranking.weighing_trees(sizes);
        }
        let ranking = ranking.keeping(Vec::new())?;
        let sizes = ranking.mean_sizes(x, rows);
        ranking.weighing_trees(sizes)
    }

    /// What each tree contributes: the mean over some rows of the summed sizes of all features' scores.
    fn mean_sizes(&self, x: &MatrixView<'_>, rows: &[usize]) -> Vec<f64> {
        let cells: Vec<f64> = rows
            .iter()
            .flat_map(|&row| (0..x.cols()).map(move |column| x.get(row, column)))
            .collect();
        let Ok(sample) = MatrixView::from_rows(&cells, rows.len(), x.cols()) else {
            return vec![1.0; self.trees.len()];
        };
        let mut block = self.router().block();
        block.read(&sample, 0..rows.len());
        let block = &block;
        (0..self.trees.len())
            .into_par_iter()
            .map(|tree| {
                let mut leaves = vec![0_u32; rows.len()];
                self.router().positions(tree, block, &mut leaves);
                let mut scores = vec![0.0; self.n_features * self.n_outputs];
                let mut sum = 0.0;
                for (row, &leaf) in leaves.iter().enumerate() {
                    scores.fill(0.0);
                    self.add_tree(tree, leaf, |feature| sample.get(row, feature), &mut scores);
                    self.shrink(tree, &mut scores);
                    sum += scores.iter().map(|score| score.abs()).sum::<f64>();
                }
                sum / rows.len().max(1) as f64
            })
            .collect()
    }
}

/// The features, rising, that have a coefficient other than zero in a tree's linear model.
fn weighted(tree: &TreeModel, paths: &Paths) -> Vec<u32> {
    let nonzero = |numbers: &[f64]| numbers.iter().any(|&number| number != 0.0);
    let k = tree.n_outputs as usize;
    let steps = |node: usize| (node * k..(node + 1) * k).any(|at| tree.step.get(at) != 0.0);
    let of_stumps = paths.nodes().filter(|(_, node)| steps(*node));
    let of_stumps = of_stumps.map(|(feature, _)| feature);
    let of_raw = tree.raw.iter().filter(|term| nonzero(&term.slope)).map(|term| term.feature);
    let mut features: Vec<u32> = of_stumps.chain(of_raw).collect();
    features.sort_unstable();
    features.dedup();
    features
}

/// What one tree adds to the rank of a feature it uses: `factor * (below + rank among those it uses)`.
#[derive(Clone, Copy)]
struct TreeWeight {
    below: f64,
    factor: f64,
}

struct RankWeights {
    of_tree: Vec<TreeWeight>,
    /// What each feature's sum is divided by; zero for a feature without any tree.
    total: Vec<f64>,
}
