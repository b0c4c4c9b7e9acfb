//! Quality of predictions: R², root mean squared and mean absolute error, AUROC, log-loss,
//! accuracy.
//!
//! All are weighted; without weights every row has weight one. Rows whose prediction is NaN (rows
//! with no out-of-bag tree) should be left out by the caller.

use crate::elementary::log_of_all;

/// The weight of a row.
fn weight(weights: Option<&[f64]>, row: usize) -> f64 {
    weights.map_or(1.0, |weights| weights[row])
}

/// Share of the variance of `y` that `prediction` explains: 1 is perfect, 0 is no better than the
/// mean. NaN if `y` does not vary.
///
/// ```
/// assert_eq!(lmdi::table::metrics::r2(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0], None), 1.0);
/// assert_eq!(lmdi::table::metrics::r2(&[1.0, 2.0, 3.0], &[2.0, 2.0, 2.0], None), 0.0);
/// ```
pub fn r2(y: &[f64], prediction: &[f64], weights: Option<&[f64]>) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (row, y) in y.iter().enumerate() {
        sum += weight(weights, row) * y;
        total += weight(weights, row);
    }
    let mean = sum / total;
    let (mut around_mean, mut around_prediction) = (0.0, 0.0);
    for (row, (y, predicted)) in y.iter().zip(prediction).enumerate() {
        around_mean += weight(weights, row) * (y - mean) * (y - mean);
        around_prediction += weight(weights, row) * (y - predicted) * (y - predicted);
    }
    if around_mean > 0.0 { 1.0 - around_prediction / around_mean } else { f64::NAN }
}

/// Root of the mean squared difference.
pub fn rmse(y: &[f64], prediction: &[f64], weights: Option<&[f64]>) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (row, (y, predicted)) in y.iter().zip(prediction).enumerate() {
        sum += weight(weights, row) * (y - predicted) * (y - predicted);
        total += weight(weights, row);
    }
    (sum / total).sqrt()
}

/// Mean of the absolute differences.
pub fn mean_absolute_error(y: &[f64], prediction: &[f64], weights: Option<&[f64]>) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (row, (y, predicted)) in y.iter().zip(prediction).enumerate() {
        sum += weight(weights, row) * (y - predicted).abs();
        total += weight(weights, row);
    }
    sum / total
}

/// Area under the ROC curve: the probability that a row of class `positive` scores above another
/// row, ties counting half. NaN if one of the two kinds is absent.
///
/// ```
/// assert_eq!(lmdi::table::metrics::auroc(&[0, 1, 0, 1], 1, &[0.1, 0.9, 0.4, 0.4], None), 0.875);
/// ```
pub fn auroc(codes: &[u32], positive: u32, scores: &[f64], weights: Option<&[f64]>) -> f64 {
    let mut order: Vec<usize> = (0..codes.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let (mut below, mut positives, mut area) = (0.0, 0.0, 0.0);
    for tied in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let (mut here_negative, mut here_positive) = (0.0, 0.0);
        for &row in tied {
            let side = if codes[row] == positive { &mut here_positive } else { &mut here_negative };
            *side += weight(weights, row);
        }
        area += here_positive * (below + 0.5 * here_negative);
        below += here_negative;
        positives += here_positive;
    }
    if below > 0.0 && positives > 0.0 { area / (below * positives) } else { f64::NAN }
}

/// Mean negative logarithm of the probability given to the true class. `probabilities` holds
/// `n_classes` numbers per row; they are kept away from 0 by the smallest step of a 64-bit number.
pub fn log_loss(
    codes: &[u32],
    probabilities: &[f64],
    n_classes: usize,
    weights: Option<&[f64]>,
) -> f64 {
    let of_row = |(&code, shares): (&u32, &[f64])| shares[code as usize].clamp(f64::EPSILON, 1.0);
    let mut logarithms: Vec<f64> =
        codes.iter().zip(probabilities.chunks(n_classes)).map(of_row).collect();
    log_of_all(&mut logarithms);
    let (mut sum, mut total) = (0.0, 0.0);
    for (row, logarithm) in logarithms.into_iter().enumerate() {
        sum -= weight(weights, row) * logarithm;
        total += weight(weights, row);
    }
    sum / total
}

/// Share of the rows whose most probable class (ties go to the first) is the true one.
pub fn accuracy(
    codes: &[u32],
    probabilities: &[f64],
    n_classes: usize,
    weights: Option<&[f64]>,
) -> f64 {
    let (mut hits, mut total) = (0.0, 0.0);
    for (row, (&code, shares)) in codes.iter().zip(probabilities.chunks(n_classes)).enumerate() {
        let mut best = 0;
        for class in 1..n_classes {
            if shares[class] > shares[best] {
                best = class;
            }
        }
        if best == code as usize {
            hits += weight(weights, row);
        }
        total += weight(weights, row);
    }
    hits / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_act_as_repetitions() {
        let (y, predicted) = ([1.0, 2.0, 4.0], [1.5, 2.0, 3.0]);
        let (y3, predicted3) = ([1.0, 2.0, 4.0, 4.0, 4.0], [1.5, 2.0, 3.0, 3.0, 3.0]);
        let weights = [1.0, 1.0, 3.0];
        assert!((r2(&y, &predicted, Some(&weights)) - r2(&y3, &predicted3, None)).abs() < 1e-15);
        assert!(
            (rmse(&y, &predicted, Some(&weights)) - rmse(&y3, &predicted3, None)).abs() < 1e-15
        );
        let (codes, codes3) = ([0, 1, 0], [0, 1, 0, 0, 0]);
        let (scores, scores3) = ([0.3, 0.5, 0.9], [0.3, 0.5, 0.9, 0.9, 0.9]);
        assert_eq!(auroc(&codes, 1, &scores, Some(&weights)), auroc(&codes3, 1, &scores3, None));
    }

    #[test]
    fn classes_by_hand() {
        let shares = [0.8, 0.2, 0.4, 0.6, 0.5, 0.5];
        assert_eq!(accuracy(&[0, 1, 0], &shares, 2, None), 1.0);
        assert_eq!(accuracy(&[0, 1, 1], &shares, 2, Some(&[1.0, 1.0, 2.0])), 0.5);
        let expected = -(0.8f64.ln() + 0.6f64.ln() + 0.5f64.ln()) / 3.0;
        assert!((log_loss(&[0, 1, 0], &shares, 2, None) - expected).abs() < 1e-15);
        assert!(auroc(&[1, 1], 1, &[0.1, 0.2], None).is_nan());
    }
}
