//! How the rows of each class were weighted in training, in addition to row weights.
//!
//! A row of class c counted `factor_c` times in the gradients and node sums that the trees were grown
//! on. LMDI+ weights rows the same way, or it would explain a model that nobody trained.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Weights of classes in training.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub enum ClassWeights {
    /// All classes equally.
    #[default]
    Equal,
    /// One factor per class.
    Given(Vec<f64>),
    /// Inversely proportional to the number of training rows of the class.
    Balanced,
}

impl ClassWeights {
    /// The factor of every row, with mean one over the rows; `None` if all are equal.
    pub fn of_rows(&self, codes: &[u32], n_classes: usize) -> Option<Vec<f64>> {
        let by_class = match self {
            ClassWeights::Equal => return None,
            ClassWeights::Given(factors) => factors.clone(),
            ClassWeights::Balanced => {
                let mut counts = vec![0.0; n_classes];
                codes.iter().for_each(|&code| counts[code as usize] += 1.0);
                counts.into_iter().map(|count: f64| 1.0 / count).collect()
            }
        };
        let factors: Vec<f64> = codes.iter().map(|&code| by_class[code as usize]).collect();
        let mean = factors.iter().sum::<f64>() / factors.len() as f64;
        (mean > 0.0).then(|| factors.into_iter().map(|factor| factor / mean).collect())
    }

    /// Checks the factors of a model with this many classes (none for regression).
    pub(crate) fn check(&self, n_classes: usize) -> Result<()> {
        let factors: &[f64] = match self {
            ClassWeights::Equal => return Ok(()),
            ClassWeights::Balanced if n_classes > 0 => return Ok(()),
            ClassWeights::Balanced => &[],
            ClassWeights::Given(factors) => factors,
        };
        if factors.len() != n_classes || n_classes == 0 {
            return Err(Error::Model(format!(
                "{} class weights for {n_classes} classes",
                factors.len()
            )));
        }
        match factors.iter().find(|factor| !(factor.is_finite() && **factor >= 0.0)) {
            Some(factor) => Err(Error::Model(format!("a class weight is {factor}"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_factor_of_their_class_with_mean_one() {
        let codes = [0, 1, 1, 1];
        assert_eq!(ClassWeights::Equal.of_rows(&codes, 2), None);
        let given = ClassWeights::Given(vec![5.0, 1.0]).of_rows(&codes, 2);
        assert_eq!(given, Some(vec![2.5, 0.5, 0.5, 0.5]));
        // Both classes weigh the same in all; a class without rows does no harm.
        let balanced = ClassWeights::Balanced.of_rows(&codes, 3).expect("factors");
        assert!((balanced[0] - 2.0).abs() < 1e-15);
        assert!((balanced[1] - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(ClassWeights::Given(vec![0.0, 0.0]).of_rows(&codes, 2), None);
    }

    #[test]
    fn weights_that_are_none_are_refused() {
        assert!(ClassWeights::Equal.check(0).is_ok() && ClassWeights::Balanced.check(2).is_ok());
        assert!(ClassWeights::Given(vec![1.0, 0.0]).check(2).is_ok());
        for (weights, n_classes) in [
            (ClassWeights::Balanced, 0),
            (ClassWeights::Given(vec![]), 0),
            (ClassWeights::Given(vec![1.0]), 2),
            (ClassWeights::Given(vec![1.0, -1.0]), 2),
            (ClassWeights::Given(vec![f64::NAN, 1.0]), 2),
            (ClassWeights::Given(vec![f64::INFINITY, 1.0]), 2),
        ] {
            assert!(weights.check(n_classes).is_err(), "{weights:?}");
        }
    }
}
