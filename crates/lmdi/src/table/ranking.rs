//! Ranks of numbers, with ties.

/// Gives every feature of `sizes` its rank, 1 for the smallest size; ties share their mean rank.
/// Reorders `sizes`.
///
/// ```
/// use lmdi::table::rank_in_place;
/// let mut sizes = vec![(0.5, 0), (2.0, 1), (0.5, 2)];
/// let mut ranks = [0.0; 3];
/// rank_in_place(&mut sizes, |feature, rank| ranks[feature as usize] = rank);
/// assert_eq!(ranks, [1.5, 3.0, 1.5]);
/// ```
pub fn rank_in_place(sizes: &mut [(f64, u32)], mut give: impl FnMut(u32, f64)) {
    sizes.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut from = 0;
    while from < sizes.len() {
        let mut to = from + 1;
        while to < sizes.len() && sizes[to].0 == sizes[from].0 {
            to += 1;
        }
        // Ranks from + 1 to `to`, shared.
        let rank = 0.5 * (from + 1 + to) as f64;
        for &(_, feature) in &sizes[from..to] {
            give(feature, rank);
        }
        from = to;
    }
}
