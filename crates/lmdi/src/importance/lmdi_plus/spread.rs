//! How much the trees of a forest disagree about the score of a group of features.
//!
//! The score of a group is a mean over trees of the sum of its features' scores; its standard error
//! is the standard deviation of that sum over trees, divided by the root of their number. A row
//! that fewer than two trees score has none (NaN).
//!
//! Cost: one walk per tree and row, and O(features) memory per thread.

use super::model::LmdiPlus;
use super::score::standard_error;
use crate::importance::{Groups, TreeSubset};
use crate::monitor::Monitor;
use crate::table::MatrixView;
use crate::{Error, Result};
use rayon::prelude::*;

impl LmdiPlus {
    /// Standard errors of the scores of groups: row by row, group by group, one number per output.
    /// For forests only. The monitor advances by one per row.
    pub fn group_standard_errors(
        &self,
        x: &MatrixView<'_>,
        groups: &Groups,
        trees: TreeSubset<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<f64>> {
        self.router().check_columns(x)?;
        groups.check(self.n_features)?;
        if self.start.iter().any(|&start| start != 0.0) {
            return Err(Error::Data(
                "standard errors over trees are defined for forests; this model is boosted".into(),
            ));
        }
        let bags = self.bags(trees, x.rows())?;
        let wants_in_bag = matches!(trees, TreeSubset::InBag(_));
        let k = self.n_outputs;
        let width = groups.n_groups() * k;
        let rows = self.router().rows_per_block();
        let mut errors = vec![0.0; x.rows() * width];
        errors.par_chunks_mut((rows * width).max(1)).enumerate().try_for_each_init(
            || {
                let sums = (vec![0.0; self.n_features * k], vec![0.0; width]);
                (self.router().block(), Vec::new(), sums, Vec::new())
            },
            |(block, leaves, (tree_score, group_score), means), (index, squares)| {
                monitor.check()?;
                let range = index * rows..((index + 1) * rows).min(x.rows());
                block.read(x, range.clone());
                leaves.resize(range.len(), 0_u32);
                means.clear();
                means.resize(range.len() * width, 0.0);
                let mut counted = vec![0.0; range.len()];
                for tree in 0..self.trees.len() {
                    self.router().positions(tree, block, leaves);
                    for (row, table_row) in range.clone().enumerate() {
                        if let Some(bags) = &bags
                            && (bags[tree].count(table_row) > 0) != wants_in_bag
                        {
                            continue;
                        }
                        counted[row] += 1.0;
                        tree_score.fill(0.0);
                        self.add_tree(tree, leaves[row], |f| x.get(table_row, f), tree_score);
                        group_score.fill(0.0);
                        for (at, score) in tree_score.iter().enumerate() {
                            let group = groups.of_features()[at / k] as usize;
                            group_score[group * k + at % k] += score;
                        }
                        let at = row * width;
                        for (sum, score) in means[at..at + width].iter_mut().zip(&*group_score) {
                            *sum += score;
                        }
                        for (sum, score) in squares[at..at + width].iter_mut().zip(&*group_score) {
                            *sum += score * score;
                        }
                    }
                }
                for (at, (square, sum)) in squares.iter_mut().zip(&*means).enumerate() {
                    let n = counted[at / width];
                    *square = standard_error(sum / n, *square, n);
                }
                monitor.advance(range.len() as u64);
                Ok(())
            },
        )?;
        Ok(errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::train::{ForestParams, TrainingSet, train_forest};
    use crate::importance::lmdi_plus::{LmdiPlusOptions, ScoreOptions};
    use crate::monitor::Silent;
    use crate::table::Matrix;

    /// Single features have the errors that scoring gives; a group has those of the sum over its
    /// members in each tree, computed here from forests of one tree each.
    #[test]
    fn groups_have_the_spread_of_their_sums() {
        let cells: Vec<f64> = (0..120).map(|i| f64::from(i * 53 % 97) / 9.0).collect();
        let x = Matrix::from_column_major(cells, 40, 3).expect("a matrix");
        let y: Vec<f64> = (0..40).map(|i| x.column(0)[i] + x.column(1)[i].powi(2)).collect();
        let names = ["a", "b", "c"].map(String::from);
        let set = TrainingSet::regression(x.view(), &y, &names);
        let params = ForestParams { n_trees: 7, ..ForestParams::regression() };
        let forest = train_forest(&set, &params, &Silent).expect("a forest");
        let options = LmdiPlusOptions::paper();
        let fitted = LmdiPlus::fit(&forest, &set, &options, &Silent).expect("an explainer");

        let wanted = ScoreOptions { standard_error: true, ..ScoreOptions::default() };
        let scores = fitted.score(&x.view(), &wanted, &Silent).expect("scores");
        let errors = |groups: &Groups| {
            let all = TreeSubset::All;
            fitted.group_standard_errors(&x.view(), groups, all, &Silent).expect("errors")
        };
        let largest = scores.values.iter().fold(0.0_f64, |largest, s| largest.max(s.abs()));
        let singles = errors(&Groups::singles(3));
        for (a, b) in singles.iter().zip(scores.standard_error.as_ref().expect("asked for")) {
            assert!((a - b).abs() <= 1e-9 * largest, "{a} {b}");
        }

        let grouped = errors(&Groups::new(vec![0, 1, 0], 2).expect("groups"));
        let per_tree: Vec<_> = (0..7)
            .map(|tree| {
                let mut one = forest.clone();
                one.trees = vec![forest.trees[tree].clone()];
                let model = vec![fitted.trees()[tree].clone()];
                let one = LmdiPlus::new(&one, fitted.scale(), model).expect("one tree");
                one.score(&x.view(), &ScoreOptions::default(), &Silent).expect("scores")
            })
            .collect();
        for row in 0..40 {
            let sums: Vec<f64> =
                per_tree.iter().map(|s| s.get(row, 0, 0) + s.get(row, 2, 0)).collect();
            let mean = sums.iter().sum::<f64>() / 7.0;
            let variance = sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / 6.0;
            let expected = (variance / 7.0).sqrt();
            assert!((grouped[2 * row] - expected).abs() <= 1e-9 * largest, "{row}");
        }
    }
}
