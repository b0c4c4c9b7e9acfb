//! The neutral ensemble: trees and how their values become a prediction.
//!
//! The raw output of a row is `base + rate * sum of tree values` (boosting) or `base + mean of tree
//! values` (forests); the [`Link`] turns it into a prediction. A tree either has one value per
//! output, or one value that belongs to the output `output_of_tree` names.

use super::{ClassWeights, NONE, Tree};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// How tree values are combined.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Aggregation {
    /// The mean over trees (forests).
    Mean,
    /// The sum over trees, times the learning rate (boosting).
    Sum {
        /// Factor on every tree value.
        learning_rate: f64,
    },
}

/// From the raw output to the prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Link {
    /// The raw output is the prediction (a mean, or class shares).
    Identity,
    /// One raw output, the log-odds of the second class.
    Logit,
    /// One raw output per class; probabilities are their softmax.
    Softmax,
    /// The raw output is the logarithm of the mean.
    Log,
    /// One raw output per class, its log-odds against all others. Each class was learned
    /// separately, so the probabilities need not add up to one.
    OneVsRest,
}

/// The loss a boosted ensemble descends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Loss {
    /// Half the squared error.
    SquaredError,
    /// Log-loss of two classes, or of each class against all others.
    Logistic,
    /// Log-loss of three or more classes.
    Multinomial,
    /// Poisson deviance with a log link.
    Poisson,
    /// Gamma deviance with a log link.
    Gamma,
    /// Tweedie deviance with a log link.
    Tweedie {
        /// The variance is the mean to this power; between 1 and 2.
        power: f64,
    },
    /// Any other loss, such as those for ranking, survival, quantiles and absolute errors, or a
    /// custom one. It is unknown what the trees were fitted to.
    Other,
}

/// How the trees were grown; LMDI+ takes its response from it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Growth {
    /// Each tree was grown on the response itself.
    Independent,
    /// Tree t was grown on the gradient of the loss at the margin of the trees before it.
    FirstOrder(Loss),
    /// As `FirstOrder`, with rows weighted by the second derivative (Newton boosting).
    SecondOrder(Loss),
    /// As `SecondOrder`, but each tree's learning rate is inside its values and not known
    /// separately (XGBoost, LightGBM, CatBoost).
    Shrunk {
        /// The loss.
        loss: Loss,
        /// How many trees in a row saw the same margin: one per class, or one small forest per round.
        trees_per_round: u32,
    },
}

impl Growth {
    /// The loss of boosted trees.
    pub fn loss(self) -> Option<Loss> {
        match self {
            Growth::Independent => None,
            Growth::FirstOrder(loss) | Growth::SecondOrder(loss) | Growth::Shrunk { loss, .. } => {
                Some(loss)
            }
        }
    }
}

/// What the ensemble predicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// A number.
    Number,
    /// One of these labels, two or more.
    Classes(Vec<String>),
}

/// Trees with everything needed to predict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ensemble {
    /// The columns of the matrix the trees were grown on.
    pub feature_names: Vec<String>,
    /// The trees.
    pub trees: Vec<Tree>,
    /// For trees with one value in an ensemble with several outputs: the output each belongs to.
    /// Empty when every tree has a value for every output.
    pub output_of_tree: Vec<u32>,
    /// Length of the raw output.
    pub n_outputs: usize,
    /// How tree values are combined.
    pub aggregation: Aggregation,
    /// Raw output before any tree.
    pub base_score: Vec<f64>,
    /// From raw output to prediction.
    pub link: Link,
    /// How the trees were grown.
    pub growth: Growth,
    /// What is predicted.
    pub outcome: Outcome,
    /// How the rows of each class were weighted in training.
    pub class_weights: ClassWeights,
}

impl Ensemble {
    /// Number of columns a row must have.
    pub fn n_features(&self) -> usize {
        self.feature_names.len()
    }

    /// Whether each tree was grown on the residuals of the trees before it.
    pub fn is_boosted(&self) -> bool {
        !matches!(self.growth, Growth::Independent)
    }

    /// Factor on the sum over trees: one over their number, or the learning rate.
    pub fn factor(&self) -> f64 {
        match self.aggregation {
            Aggregation::Mean => 1.0 / self.trees.len().max(1) as f64,
            Aggregation::Sum { learning_rate } => learning_rate,
        }
    }

    /// Whether trees are averaged, so that their spread gives a standard error.
    pub fn averages_trees(&self) -> bool {
        matches!(self.aggregation, Aggregation::Mean)
    }

    /// Checks every invariant the algorithms rely on.
    pub fn check(&self) -> Result<()> {
        let fail = |what: String| Err(Error::Model(what));
        if self.feature_names.len() >= NONE as usize {
            return fail("too many columns".into());
        }
        if self.trees.is_empty() {
            return fail("an ensemble has no tree".into());
        }
        if self.n_outputs == 0 || self.base_score.len() != self.n_outputs {
            return fail(format!(
                "an ensemble with {} outputs has {} base scores",
                self.n_outputs,
                self.base_score.len()
            ));
        }
        if self.base_score.iter().any(|score| !score.is_finite()) {
            return fail("a base score is not finite".into());
        }
        if let Aggregation::Sum { learning_rate } = self.aggregation
            && !learning_rate.is_finite()
        {
            return fail(format!("the learning rate is {learning_rate}"));
        }
        if let Growth::Shrunk { trees_per_round: 0, .. } = self.growth {
            return fail("a round of boosting has no tree".into());
        }
        if let Some(Loss::Tweedie { power }) = self.growth.loss()
            && !(1.0..=2.0).contains(&power)
        {
            return fail(format!("the tweedie power is {power}; expected 1 to 2"));
        }
        let expected_values = if self.output_of_tree.is_empty() { self.n_outputs } else { 1 };
        if !self.output_of_tree.is_empty() && self.output_of_tree.len() != self.trees.len() {
            return fail("output_of_tree must name one output per tree".into());
        }
        if self.output_of_tree.iter().any(|&output| output as usize >= self.n_outputs) {
            return fail("output_of_tree names an output that does not exist".into());
        }
        let outputs = match (&self.outcome, self.link) {
            (Outcome::Number, Link::Identity | Link::Log) => 1,
            (Outcome::Classes(labels), Link::Logit) if labels.len() == 2 => 1,
            (Outcome::Classes(labels), Link::Identity | Link::Softmax | Link::OneVsRest)
                if labels.len() >= 2 =>
            {
                labels.len()
            }
            (Outcome::Number, link) => {
                return fail(format!("link {link:?} does not fit an outcome that is a number"));
            }
            (Outcome::Classes(labels), link) => {
                return fail(format!("link {link:?} does not fit {} classes", labels.len()));
            }
        };
        if outputs != self.n_outputs {
            return fail(format!("found {} outputs; expected {outputs}", self.n_outputs));
        }
        if let Outcome::Classes(labels) = &self.outcome {
            let mut known = HashSet::new();
            if let Some(twice) = labels.iter().find(|label| !known.insert(label.as_str())) {
                return fail(format!("two classes are called {twice:?}"));
            }
        }
        self.class_weights.check(match &self.outcome {
            Outcome::Number => 0,
            Outcome::Classes(labels) => labels.len(),
        })?;
        let mut in_bag_rows = None;
        for (index, tree) in self.trees.iter().enumerate() {
            if let Some(in_bag) = &tree.in_bag {
                let expected = *in_bag_rows.get_or_insert(in_bag.len());
                if in_bag.len() != expected {
                    return fail(format!(
                        "tree {index} has in-bag counts of {} rows; a tree before it of {expected}",
                        in_bag.len()
                    ));
                }
            }
            if tree.n_values != expected_values {
                return fail(format!(
                    "tree {index} has {} values a node; expected {expected_values}",
                    tree.n_values
                ));
            }
            tree.check(self.n_features()).map_err(|error| match error {
                Error::Model(what) => Error::Model(format!("tree {index}: {what}")),
                other => other,
            })?;
        }
        self.check_sum()
    }

    /// Fails if the raw output of some row could be infinite: trees whose values are finite can
    /// still add up to more than a number can hold.
    fn check_sum(&self) -> Result<()> {
        let largest = |values: &[f64]| values.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        let rate = match self.aggregation {
            Aggregation::Mean => 1.0,
            Aggregation::Sum { learning_rate } => learning_rate.abs(),
        };
        let sum: f64 = self.trees.iter().map(|tree| largest(&tree.value)).sum();
        if (largest(&self.base_score) + rate.max(1.0) * sum).is_finite() {
            return Ok(());
        }
        Err(Error::Model("the values of the trees add up to more than a number can hold".into()))
    }

    /// Fails if the leaves of a forest of classes hold no shares of the classes: negative ones, or
    /// such that do not add up to one over the trees.
    pub fn check_shares(&self) -> Result<()> {
        let is_forest = matches!(self.outcome, Outcome::Classes(_))
            && self.link == Link::Identity
            && self.averages_trees()
            && self.output_of_tree.is_empty()
            && self.base_score.iter().all(|score| *score == 0.0);
        if !is_forest {
            return Ok(());
        }
        /// Shares that were written with few digits.
        const TOLERANCE: f64 = 1e-3;
        let mut total = 0.0;
        for (index, tree) in self.trees.iter().enumerate() {
            let mut sums = (0..tree.n_nodes()).filter(|&node| tree.is_leaf(node)).map(|node| {
                let shares = tree.value_of(node);
                let negative = shares.iter().any(|share| *share < -TOLERANCE);
                if negative { f64::NAN } else { shares.iter().sum::<f64>() }
            });
            let first = sums.next().unwrap_or(f64::NAN);
            if first.is_nan() || sums.any(|sum| sum.is_nan() || (sum - first).abs() > TOLERANCE) {
                return Err(Error::Model(format!(
                    "tree {index}: the values of a leaf are no shares of the classes"
                )));
            }
            total += first;
        }
        let mean = total / self.trees.len() as f64;
        if (mean - 1.0).abs() <= TOLERANCE {
            return Ok(());
        }
        Err(Error::Model(format!("the shares of the classes add up to {mean}; expected 1")))
    }
}
