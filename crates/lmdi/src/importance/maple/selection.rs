//! Choosing the columns of MAPLE: the order by roots, and how many of them predict best.

use super::leaves::SharedLeaves;
use super::training::TrainingRows;
use crate::Result;
use crate::forest::{Ensemble, NONE};
use crate::monitor::Monitor;
use crate::table::MatrixView;
use rayon::prelude::*;

/// Rows that the choice is measured on.
pub(super) struct Measured<'a> {
    pub(super) x: MatrixView<'a>,
    /// Responses, output by output.
    pub(super) target: &'a [Vec<f64>],
    /// The training rows that they are, if they are such: each is predicted without its own weight.
    pub(super) own: Option<&'a [usize]>,
}

/// Columns by the summed impurity of the roots that split on them; ties go to the earlier. Roots of
/// unknown impurity count one; columns that no tree splits on are left out.
pub(super) fn root_order(ensemble: &Ensemble) -> Vec<usize> {
    let mut score = vec![0.0; ensemble.n_features()];
    let mut used = vec![false; ensemble.n_features()];
    for tree in &ensemble.trees {
        for &feature in tree.feature.iter().filter(|&&feature| feature != NONE) {
            used[feature as usize] = true;
        }
    }
    for tree in ensemble.trees.iter().filter(|tree| !tree.is_leaf(0)) {
        let impurity = tree.impurity[0];
        score[tree.feature[0] as usize] += if impurity.is_finite() { impurity } else { 1.0 };
    }
    let mut order: Vec<usize> = (0..score.len()).filter(|&column| used[column]).collect();
    order.sort_by(|&a, &b| f64::total_cmp(&score[b], &score[a]).then(a.cmp(&b)));
    order
}

/// The number of columns, taken in their order, whose local models predict rows best; the smallest of
/// equals.
pub(super) fn best_count(
    leaves: &SharedLeaves,
    training: &TrainingRows,
    order: &[usize],
    alpha: f64,
    rows: &Measured<'_>,
    monitor: &dyn Monitor,
) -> Result<usize> {
    let leaf_of_row = leaves.of_rows(&rows.x);
    let errors: Vec<Vec<f64>> = (0..rows.x.rows())
        .into_par_iter()
        .map(|row| {
            monitor.check()?;
            let shared = leaves.weights(&leaf_of_row, row, rows.own.map(|own| own[row]));
            let moments = training.moments(&shared, order);
            let cell = |&column: &usize| {
                let cell = rows.x.get(row, column);
                if cell.is_nan() { 0.0 } else { cell - training.mean[column] }
            };
            let cells: Vec<f64> = order.iter().map(cell).collect();
            let mut errors = vec![0.0; order.len()];
            for (output, target) in rows.target.iter().enumerate() {
                let predictions = moments.nested_ridge_predictions(output, alpha, &cells);
                for (error, prediction) in errors.iter_mut().zip(predictions) {
                    let miss = target[row] - prediction;
                    *error += miss * miss;
                }
            }
            Ok(errors)
        })
        .collect::<Result<_>>()?;
    let total = |count: usize| errors.iter().map(|errors| errors[count]).sum::<f64>();
    let mut best = (0, total(0));
    for count in 1..order.len() {
        let error = total(count);
        if error < best.1 {
            best = (count, error);
        }
    }
    Ok(best.0 + 1)
}
