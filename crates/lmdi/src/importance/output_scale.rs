//! The scale on which the scores of a local method add up.

use crate::forest::predict::{logistic, softmax};

/// The scale on which scores add up, and how the sum becomes a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputScale {
    /// The sum is the prediction.
    Identity,
    /// The sum is a log-odds. With several outputs there is one per class against the rest, and
    /// the probabilities are these shares scaled to add up to one.
    LogOdds,
    /// The sums of all outputs become probabilities by softmax.
    Softmax,
    /// The sum is the logarithm of the prediction.
    Log,
}

impl OutputScale {
    /// Turns sums of scores (one per output) into the prediction of a row: a number, or the
    /// probability of every class.
    pub fn prediction_of(self, totals: &[f64], two_classes: bool) -> Vec<f64> {
        match (self, totals) {
            // Least squares may leave the range of probabilities by a little.
            (Self::Identity, [p]) if two_classes => {
                let p = p.clamp(0.0, 1.0);
                vec![1.0 - p, p]
            }
            (Self::Identity, [_, _, ..]) => {
                let mut p: Vec<f64> = totals.iter().map(|p| p.clamp(0.0, 1.0)).collect();
                let sum: f64 = p.iter().sum();
                if sum > 0.0 {
                    p.iter_mut().for_each(|p| *p /= sum);
                }
                p
            }
            (Self::Identity, _) => totals.to_vec(),
            (Self::Log, _) => totals.iter().map(|&eta| libm::exp(eta)).collect(),
            (Self::LogOdds, [eta]) => {
                let p = logistic(*eta);
                vec![1.0 - p, p]
            }
            (Self::LogOdds, _) => {
                let mut p: Vec<f64> = totals.iter().map(|&eta| logistic(eta)).collect();
                let sum: f64 = p.iter().sum();
                p.iter_mut().for_each(|p| *p /= sum);
                p
            }
            (Self::Softmax, _) => {
                let mut p = totals.to_vec();
                softmax(&mut p);
                p
            }
        }
    }
}
