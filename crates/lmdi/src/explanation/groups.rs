//! Scores of groups.
//!
//! The score of a group is the sum of its members' signed scores, so that scores still add up. Standard
//! errors of a sum depend on how the members move together over the trees, which scores do not tell, so
//! groups of more than one feature have none here; [`LmdiPlus::group_standard_errors`] has them.
//!
//! [`LmdiPlus::group_standard_errors`]: crate::importance::LmdiPlus::group_standard_errors

use crate::Result;
use crate::importance::{Groups, Scores};

/// Scores of groups instead of features.
///
/// ```
/// use lmdi::{explanation::sum_groups, importance::{Groups, Scores}};
/// # fn main() -> lmdi::Result<()> {
/// let scores = Scores {
///     n_rows: 1, n_features: 3, n_outputs: 1,
///     values: vec![0.2, -0.9, 0.4], base: vec![1.0], standard_error: None,
/// };
/// // The last two features are the one-hot parts of one column.
/// let by_column = sum_groups(&scores, &Groups::new(vec![0, 1, 1], 2)?)?;
/// assert_eq!(by_column.values, [0.2, -0.5]);
/// # Ok(())
/// # }
/// ```
pub fn sum_groups(scores: &Scores, groups: &Groups) -> Result<Scores> {
    groups.check(scores.n_features)?;
    let k = scores.n_outputs;
    let width = groups.n_groups() * k;
    let mut size = vec![0_usize; groups.n_groups()];
    for &group in groups.of_features() {
        size[group as usize] += 1;
    }
    let add_up = |values: &[f64]| {
        let mut sums = vec![0.0; scores.n_rows * width];
        for row in 0..scores.n_rows {
            for (feature, &group) in groups.of_features().iter().enumerate() {
                for output in 0..k {
                    sums[row * width + group as usize * k + output] +=
                        values[(row * scores.n_features + feature) * k + output];
                }
            }
        }
        sums
    };
    let standard_error = scores.standard_error.as_ref().map(|errors| {
        let mut errors = add_up(errors);
        for (at, error) in errors.iter_mut().enumerate() {
            if size[at % width / k] != 1 {
                *error = f64::NAN;
            }
        }
        errors
    });
    Ok(Scores {
        n_rows: scores.n_rows,
        n_features: groups.n_groups(),
        n_outputs: k,
        values: add_up(&scores.values),
        base: scores.base.clone(),
        standard_error,
    })
}
