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
