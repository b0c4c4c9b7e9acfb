//! Ways to put what the trees say about a row together.
//!
//! | measure | size of a feature |
//! |---|---|
//! | `auroc_by_score` | the size of the mean score, as in the paper |
//! | `auroc_by_rank` | the mean rank over the trees that use the feature, as in the paper |
//! | `auroc_by_all_ranks` | the mean rank over all trees; features that a tree does not use share its lowest rank |
//! | `auroc_by_mean_size` | the mean of the score's size |

use crate::methods::Sizes;
use lmdi::Result;
use lmdi::explanation::rank_by_score;
use lmdi::forest::Ensemble;
use lmdi::importance::LmdiPlus;
use lmdi::importance::lmdi_plus::ScoreOptions;
use lmdi::monitor::Monitor;
use lmdi::table::MatrixView;

/// Names of the measures with headings for people, the paper's two first.
pub const WAYS: [(&str, &str); 4] = [
    ("auroc_by_rank", "by rank"),
    ("auroc_by_score", "by score"),
    ("auroc_by_all_ranks", "by rank over all trees"),
    ("auroc_by_mean_size", "by mean size"),
];

/// The sizes by each of [`WAYS`].
pub fn combine(
    explainer: &LmdiPlus,
    ensemble: &Ensemble,
    rows: &MatrixView<'_>,
    monitor: &dyn Monitor,
) -> Result<[Sizes; 4]> {
    let score = |explainer: &LmdiPlus| explainer.score(rows, &ScoreOptions::default(), monitor);
    let mut one = Ensemble { trees: Vec::new(), ..ensemble.clone() };
    let mut ranks = vec![0.0; rows.rows() * rows.cols()];
    let mut sizes = ranks.clone();
    for (tree, model) in ensemble.trees.iter().zip(explainer.trees()) {
        one.trees = vec![tree.clone()];
        let scores = score(&LmdiPlus::new(&one, explainer.scale(), vec![model.clone()])?)?;
        add(&mut ranks, &rank_by_score(&scores));
        add(&mut sizes, &Sizes::of(&scores).values);
    }
    let n_features = rows.cols();
    Ok([
        Sizes { n_features, values: explainer.rank_by_rank(rows, monitor)? },
        Sizes::of(&score(explainer)?),
        Sizes { n_features, values: ranks },
        Sizes { n_features, values: sizes },
    ])
}

fn add(sums: &mut [f64], terms: &[f64]) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += term;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Answers, Part};
    use crate::ensemble::EnsembleKind;
    use crate::methods::order;
    use crate::simulate::normal::normal;
    use lmdi::importance::lmdi_plus::LmdiPlusOptions;
    use lmdi::monitor::Silent;
    use lmdi::random::generator;
    use lmdi::table::Matrix;

    /// One tree leaves nothing to combine: all ways order the features that it uses alike. With
    /// more trees a mean of sizes is no smaller than the size of the mean.
    #[test]
    fn one_tree_says_the_same_in_all_ways() {
        let (rows, cols) = (60, 4);
        let cells = normal(&mut generator(7, 0), rows * cols);
        let y = (0..rows).map(|row| 2.0 * cells[row] - cells[rows + row]).collect();
        let x = Matrix::from_column_major(cells, rows, cols).expect("a matrix");
        let part = Part { x, answers: Answers::Numbers(y) };
        for trees in [1, 6] {
            let ensemble = EnsembleKind::Trees(trees).train(&part, 3, &Silent).expect("a forest");
            let options = LmdiPlusOptions::default();
            let fit = LmdiPlus::fit(&ensemble, &part.set(), &options, &Silent).expect("a fit");
            let [rank, score, all_ranks, size] =
                combine(&fit, &ensemble, &part.view(), &Silent).expect("sizes");
            for (mean_size, score) in size.values.iter().zip(&score.values) {
                assert!(mean_size / trees as f64 >= score - 1e-12);
            }
            if trees == 1 {
                assert_eq!(size.values, score.values);
                for ((rank, score), all) in rank.rows().zip(score.rows()).zip(all_ranks.rows()) {
                    assert_eq!(order(all), order(score));
                    assert_eq!(order(rank)[0], order(score)[0]);
                }
            }
        }
    }
}
