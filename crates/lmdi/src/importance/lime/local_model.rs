//! The linear model around a row, from its neighbourhood.

use super::LimeOptions;
use super::selection::choose;
use crate::importance::moments::Moments;

/// The neighbours of a row as the linear model sees them. The first is the row itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbourhood {
    /// Number of columns (those drawn together count as one).
    pub n_columns: usize,
    /// Neighbour by neighbour, column by column: whether the column is in the row's bin or category.
    pub same: Vec<bool>,
    /// Number of outputs that are explained.
    pub n_outputs: usize,
    /// Neighbour by neighbour, what the model predicts.
    pub prediction: Vec<f64>,
}

/// The linear model of one output around a row.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalModel {
    /// Prediction where no column is in the row's bin.
    pub intercept: f64,
    /// What each column adds when it is; zero for columns that were not chosen.
    pub slopes: Vec<f64>,
    /// Share of the weighted variance of the predictions that the model explains.
    pub r2: f64,
}

impl Neighbourhood {
    /// The local model of every output, over all columns or those that `options` choose. Neither seed nor
    /// number of samples matter here.
    ///
    /// # Panics
    /// If the lengths of `same` and `prediction` do not fit together.
    pub fn fit(&self, options: &LimeOptions) -> Vec<LocalModel> {
        let columns: Vec<usize> = (0..self.n_columns).collect();
        fit(self, &columns, options)
    }
}

/// The local model of every output over some of `columns`.
pub(super) fn fit(
    neighbourhood: &Neighbourhood,
    columns: &[usize],
    options: &LimeOptions,
) -> Vec<LocalModel> {
    let width = options.kernel_width.unwrap_or(0.75 * (neighbourhood.n_columns as f64).sqrt());
    let moments = moments(neighbourhood, columns, width);
    (0..neighbourhood.n_outputs)
        .map(|output| {
            let most = options.max_columns.unwrap_or(usize::MAX);
            let chosen = choose(&moments, output, options.selection, most);
            let linear = moments.ridge(&chosen, output, options.alpha);
            let r2 = moments.r2(&chosen, output, &linear.slopes);
            let mut slopes = vec![0.0; neighbourhood.n_columns];
            for (&at, slope) in chosen.iter().zip(linear.slopes) {
                slopes[columns[at]] = slope;
            }
            LocalModel { intercept: linear.intercept, slopes, r2 }
        })
        .collect()
}

/// Weighted moments of the 0/1 columns. Products are counted over the columns that are 1 in a
/// neighbour, of which there are few.
fn moments(neighbourhood: &Neighbourhood, columns: &[usize], width: f64) -> Moments {
    let (k, q) = (neighbourhood.n_outputs, columns.len());
    let n = neighbourhood.prediction.len() / k;
    assert_eq!(neighbourhood.same.len(), n * neighbourhood.n_columns, "one entry a column");
    let mut position = vec![usize::MAX; neighbourhood.n_columns];
    for (at, &column) in columns.iter().enumerate() {
        position[column] = at;
    }
    let weight_at: Vec<f64> = (0..=neighbourhood.n_columns)
        .map(|apart| libm::exp(-(apart as f64) / (width * width)).sqrt())
        .collect();
    // Counted from the first prediction, so that large numbers keep their digits.
    let origin = neighbourhood.prediction[..k].to_vec();
    let mut total = 0.0;
    let mut gram = vec![0.0; q * q];
    let mut cross = vec![0.0; k * q];
    let mut sum = vec![0.0; k];
    let mut square = vec![0.0; k];
    let mut ones = Vec::with_capacity(q);
    for row in 0..n {
        let same =
            &neighbourhood.same[row * neighbourhood.n_columns..(row + 1) * neighbourhood.n_columns];
        let weight = weight_at[same.iter().filter(|&&same| !same).count()];
        ones.clear();
        let own = same.iter().zip(&position).filter(|(same, at)| **same && **at != usize::MAX);
        ones.extend(own.map(|(_, &at)| at));
        total += weight;
        for (at, &a) in ones.iter().enumerate() {
            let line = &mut gram[a * q..(a + 1) * q];
            for &b in &ones[..=at] {
                line[b] += weight;
            }
        }
        for output in 0..k {
            let y = neighbourhood.prediction[row * k + output] - origin[output];
            sum[output] += weight * y;
            square[output] += weight * y * y;
            for &a in &ones {
                cross[output * q + a] += weight * y;
            }
        }
    }
    let mean: Vec<f64> = (0..q).map(|a| gram[a * q + a] / total).collect();
    for a in 0..q {
        for b in 0..=a {
            let centred = gram[a * q + b] - total * mean[a] * mean[b];
            gram[a * q + b] = centred;
            gram[b * q + a] = centred;
        }
    }
    for output in 0..k {
        for a in 0..q {
            cross[output * q + a] -= mean[a] * sum[output];
        }
        square[output] = (square[output] - sum[output] * sum[output] / total).max(0.0);
    }
    let response_mean = sum.iter().zip(&origin).map(|(sum, origin)| sum / total + origin).collect();
    Moments { mean, gram, response_mean, cross, response_square: square }
}
