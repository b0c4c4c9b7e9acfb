//! Ranking by score: features in the order of |score|.

use crate::importance::{Scores, rank_in_place};

/// The rank of every feature for every row by |score|, row by row: 1 to p, larger is more
/// important, ties share their mean rank. Several outputs are ranked by the sum of
/// |score|.
///
/// ```
/// use lmdi::{explanation::rank_by_score, importance::Scores};
/// let scores = Scores {
///     n_rows: 1, n_features: 3, n_outputs: 1,
///     values: vec![0.2, -0.9, 0.0], base: vec![1.0], standard_error: None,
/// };
/// assert_eq!(rank_by_score(&scores), [2.0, 3.0, 1.0]);
/// ```
pub fn rank_by_score(scores: &Scores) -> Vec<f64> {
    let p = scores.n_features;
    let mut ranks = vec![0.0; scores.n_rows * p];
    let mut sizes = Vec::with_capacity(p);
    for (row, line) in ranks.chunks_exact_mut(p.max(1)).enumerate().take(scores.n_rows) {
        sizes.clear();
        sizes.extend((0..p).map(|feature| (scores.size(row, feature), feature as u32)));
        rank_in_place(&mut sizes, |feature, rank| line[feature as usize] = rank);
    }
    ranks
}

/// The `k` features with the largest |score| of one row, largest first; the earlier feature first
/// where scores are equal.
pub fn top_features(scores: &Scores, row: usize, k: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.n_features).collect();
    order.sort_by(|&a, &b| scores.size(row, b).total_cmp(&scores.size(row, a)).then(a.cmp(&b)));
    order.truncate(k);
    order
}
