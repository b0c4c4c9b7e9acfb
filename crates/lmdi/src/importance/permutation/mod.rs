//! Permutation importance: how much worse predictions get when a feature's cells are shuffled.
//!
//! ```text
//! importance_k = metric(y, f(x)) - metric(y, f(x with column k shuffled)),   mean over repetitions
//! ```
//!
//! [`permutation`] shuffles the columns of a given table and predicts it with the whole model.
//! [`permutation_out_of_bag`] is Breiman's measure: each tree of a forest predicts the rows it did
//! not see, shuffled among themselves, and the drops are averaged over trees.
//!
//! A group of features is shuffled as one: its cells of a row stay together. A group that no tree splits
//! on gets exactly zero. Each group and repetition draws from its own generator, so that threads change
//! nothing.

mod given;
mod out_of_bag;

pub use given::permutation;
pub use out_of_bag::permutation_out_of_bag;

use super::{Groups, Metric};
use crate::forest::train::TrainingSet;
use crate::forest::{Ensemble, NONE, Outcome, Tree};
use crate::random::{below, generator};
use crate::setters::setters;
use crate::table::Response;
use crate::text::counted;
use crate::{Error, Result};

/// The options.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PermutationOptions<'m> {
    /// The metric to compare.
    pub metric: Metric<'m>,
    /// Number of times that each group is shuffled.
    pub repeats: usize,
    /// Random seed.
    pub seed: u64,
}

impl<'m> PermutationOptions<'m> {
    /// Five repetitions, by this metric.
    ///
    /// ```
    /// use lmdi::importance::{Metric, permutation::PermutationOptions};
    /// let options = PermutationOptions::new(Metric::AbsoluteError).with_repeats(20);
    /// assert_eq!((options.repeats, options.seed), (20, 0));
    /// ```
    pub fn new(metric: Metric<'m>) -> Self {
        Self { metric, repeats: 5, seed: 0 }
    }

    setters! {
        with_metric(metric: Metric<'m>),
        with_repeats(repeats: usize),
        with_seed(seed: u64),
    }
}

impl PermutationOptions<'_> {
    /// Five repetitions, by R2 for numbers and log-loss for classes.
    pub fn for_response(response: &Response<'_>) -> Self {
        Self::new(match response {
            Response::Numeric(_) => Metric::R2,
            Response::Classes { .. } => Metric::LogLoss,
        })
    }
}

/// Fails on inputs that do not belong together, before any work.
fn check(
    ensemble: &Ensemble,
    rows: &TrainingSet<'_>,
    groups: &Groups,
    options: &PermutationOptions<'_>,
) -> Result<()> {
    let (x, response, weights) = (&rows.x, &rows.y, rows.weights);
    ensemble.check()?;
    if x.cols() != ensemble.n_features() {
        return Err(Error::Shape {
            what: "columns of the table".into(),
            found: x.cols(),
            expected: ensemble.n_features(),
        });
    }
    groups.check(x.cols())?;
    if options.repeats == 0 {
        return Err(Error::Parameter {
            name: "repeats",
            found: "0".into(),
            expected: "at least 1".into(),
        });
    }
    if x.rows() < 2 {
        return Err(Error::Data(format!(
            "{} cannot be shuffled; give at least two",
            counted(x.rows(), "row")
        )));
    }
    super::check_response(ensemble, response, x.rows())?;
    super::check_weights(weights, x.rows())?;
    options.metric.check(response)
}

/// The groups that a tree splits on.
fn groups_used<'t>(trees: impl Iterator<Item = &'t Tree>, groups: &Groups) -> Vec<bool> {
    let mut used = vec![false; groups.n_groups()];
    for tree in trees {
        for &feature in tree.feature.iter().filter(|&&feature| feature != NONE) {
            used[groups.of_features()[feature as usize] as usize] = true;
        }
    }
    used
}

/// The features of every group.
fn members(groups: &Groups) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); groups.n_groups()];
    for (feature, &group) in groups.of_features().iter().enumerate() {
        members[group as usize].push(feature);
    }
    members
}

/// `0..n` in random order.
fn shuffled(n: usize, seed: u64, index: u64) -> Vec<u32> {
    let mut random = generator(seed, index);
    let mut order: Vec<u32> = (0..n as u32).collect();
    for at in (1..n).rev() {
        order.swap(at, below(&mut random, at + 1));
    }
    order
}

/// Number of predictions a row.
fn n_predictions(ensemble: &Ensemble) -> usize {
    match &ensemble.outcome {
        Outcome::Number => 1,
        Outcome::Classes(labels) => labels.len(),
    }
}
