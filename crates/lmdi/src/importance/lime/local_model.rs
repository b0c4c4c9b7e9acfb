//! The linear model around a row, from its neighbourhood.

use super::LimeOptions;
use super::levels::Levels;
use super::selection::choose;
use crate::importance::moments::{Linear, Moments};

/// The neighbours of a row as the linear model sees them. The first is the row itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbourhood {
    /// Number of columns (those drawn together count as one).
    pub n_columns: usize,
    /// Column by column, neighbour by neighbour: whether the column is in the row's bin or category.
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
        let moments = drawn_moments(self, &columns, options.width_for(self.n_columns));
        (0..self.n_outputs)
            .map(|output| {
                let (chosen, linear) = choose_and_fit(&moments, output, options);
                let r2 = moments.r2(&chosen, output, &linear.slopes);
                let mut slopes = vec![0.0; self.n_columns];
                for (&column, slope) in chosen.iter().zip(linear.slopes) {
                    slopes[column] = slope;
                }
                LocalModel { intercept: linear.intercept, slopes, r2 }
            })
            .collect()
    }
}

/// The columns of one output's model, and the model.
pub(super) fn choose_and_fit(
    moments: &Moments,
    output: usize,
    options: &LimeOptions,
) -> (Vec<usize>, Linear) {
    let most = options.max_columns.unwrap_or(usize::MAX);
    let chosen = choose(moments, output, options.selection, most);
    let linear = moments.ridge(&chosen, output, options.alpha);
    (chosen, linear)
}

/// Neighbours whose products with a column are summed in one batch.
const LANES: usize = 8;

/// Weighted moments of the 0/1 columns over drawn neighbours.
pub(super) fn drawn_moments(
    neighbourhood: &Neighbourhood,
    columns: &[usize],
    width: f64,
) -> Moments {
    let (k, q) = (neighbourhood.n_outputs, columns.len());
    let n = neighbourhood.prediction.len() / k;
    assert_eq!(neighbourhood.same.len(), n * neighbourhood.n_columns, "one entry per column");
    let same = |column: usize| &neighbourhood.same[column * n..(column + 1) * n];
    let levels = Levels::new((0..neighbourhood.n_columns).map(same), n);
    let weight_at: Vec<f64> = (0..=neighbourhood.n_columns)
        .map(|apart| libm::exp(-(apart as f64) / (width * width)).sqrt())
        .collect();
    let weight = levels.weights_of(&weight_at);
    let total: f64 = weight.iter().sum();
    let bits: Vec<Vec<u64>> = columns.iter().map(|&column| levels.bits(same(column))).collect();
    let mut gram = vec![0.0; q * q];
    for a in 0..q {
        for b in 0..=a {
            gram[a * q + b] = levels.weight_of_both(&bits[a], &bits[b], &weight_at);
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
    let mut cross = Vec::with_capacity(k * q);
    let mut response_mean = Vec::with_capacity(k);
    let mut response_square = Vec::with_capacity(k);
    let mut weighted = vec![0.0; n];
    for output in 0..k {
        // Counted from the first prediction, so that large numbers keep their digits.
        let origin = neighbourhood.prediction[output];
        let (mut sum, mut square) = (0.0, 0.0);
        let predictions = neighbourhood.prediction.iter().skip(output).step_by(k);
        for ((weighted, &weight), prediction) in weighted.iter_mut().zip(&weight).zip(predictions) {
            let y = prediction - origin;
            *weighted = weight * y;
            sum += *weighted;
            square += *weighted * y;
        }
        let products = columns
            .iter()
            .zip(&mean)
            .map(|(&column, mean)| sum_where(same(column), &weighted) - mean * sum);
        cross.extend(products);
        response_mean.push(sum / total + origin);
        response_square.push((square - sum * sum / total).max(0.0));
    }
    Moments { mean, gram, response_mean, cross, response_square }
}

/// The sum of the numbers that are marked.
fn sum_where(marked: &[bool], numbers: &[f64]) -> f64 {
    let (marks, last_marks) = marked.as_chunks::<LANES>();
    let (chunks, last_numbers) = numbers.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (marks, numbers) in marks.iter().zip(chunks) {
        for ((sum, &mark), number) in sums.iter_mut().zip(marks).zip(numbers) {
            *sum += f64::from(u8::from(mark)) * number;
        }
    }
    let last: f64 =
        last_marks.iter().zip(last_numbers).filter(|(mark, _)| **mark).map(|(_, x)| x).sum();
    sums.iter().sum::<f64>() + last
}
