//! From the probabilities of classes to one of them.
//!
//! The most probable class is predicted; ties go to the first. With two classes, the second, called
//! the positive one, can have a threshold instead: it is predicted if its probability is at least
//! that. If errors have different costs, the cheapest threshold is `cost of a false positive /
//! (that + cost of a false negative)`, where the expected costs of both decisions are equal.

use super::predict::most_probable;
use crate::{Error, Result};

/// The class predicted from probabilities; `None` for a row without a prediction.
///
/// ```
/// use lmdi::forest::decision::class_of;
/// assert_eq!(class_of(&[0.6, 0.4], None), Some(0));
/// assert_eq!(class_of(&[0.6, 0.4], Some(0.3)), Some(1));
/// assert_eq!(class_of(&[f64::NAN, 0.4], None), None);
/// ```
pub fn class_of(probabilities: &[f64], threshold: Option<f64>) -> Option<usize> {
    let most = most_probable(probabilities)?;
    match (threshold, probabilities) {
        (Some(threshold), [_, positive]) => Some(usize::from(*positive >= threshold)),
        _ => Some(most),
    }
}

/// The threshold at which both answers cost the same on average.
///
/// ```
/// use lmdi::forest::decision::threshold_of_costs;
/// // To miss a churning customer costs four times as much as a needless call.
/// assert_eq!(threshold_of_costs(1.0, 4.0), Ok(0.2));
/// ```
pub fn threshold_of_costs(false_positive: f64, false_negative: f64) -> Result<f64> {
    let is_cost = |cost: f64| cost.is_finite() && cost >= 0.0;
    let sum = false_positive + false_negative;
    if is_cost(false_positive) && is_cost(false_negative) && sum > 0.0 && sum.is_finite() {
        return Ok(false_positive / sum);
    }
    Err(Error::Parameter {
        name: "costs",
        found: format!("{false_positive} and {false_negative}"),
        expected: "two finite numbers of at least 0, not both 0".into(),
    })
}

/// Fails on an invalid threshold, or one for a model without exactly two classes.
pub fn check_threshold(threshold: f64, n_classes: usize) -> Result<()> {
    let fail = |found: String, expected: &str| {
        Err(Error::Parameter { name: "threshold", found, expected: expected.into() })
    };
    if !(0.0..=1.0).contains(&threshold) {
        return fail(threshold.to_string(), "a probability from 0 to 1");
    }
    match n_classes {
        2 => Ok(()),
        0 | 1 => fail("given for a model of numbers".into(), "a model of two classes"),
        n => fail(format!("given for a model of {n} classes"), "a model of two classes"),
    }
}
