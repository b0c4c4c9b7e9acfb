//! The model's own predictions, as such and on the scale of the scores.
//!
//! Rows that a forest was trained on are predicted out of bag, by the trees that did not see them.
//! The caller knows them, or they are recognised by the leaves that the rows of each bootstrap fall
//! into ([`drew_from`]). A row that every tree saw is predicted by all of them, and counted. Any
//! other row, and any row of a model without bootstrap, is predicted by all trees.
//!
//! Scores add up on their own scale. Boosted models predict on that scale. A forest predicts shares
//! of votes, which may be 0 or 1, where log-odds are infinite. For log-odds, its share is kept half
//! a vote away from both ends: with T trees, between 1 / (2 T) and 1 - 1 / (2 T). The logarithm of
//! a predicted number that is not positive is NaN.

use crate::Result;
use crate::forest::predict::apply_link;
use crate::forest::{Aggregation, Ensemble, Link, drew_from, oob_prediction};
use crate::importance::{OutputScale, Scores};
use crate::monitor::Monitor;
use crate::table::MatrixView;

/// The trees that predicted rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PredictedBy {
    /// All of them.
    AllTrees,
    /// For each row those that did not see it in training.
    OutOfBag {
        /// Rows that every tree saw, which all trees predicted.
        seen_by_all: usize,
        /// How many trees predicted a row, on average.
        trees: f64,
    },
}

/// A model's own predictions of rows.
#[derive(Debug, Clone)]
pub struct ModelPredictions {
    /// Per row a number, or the probability of every class.
    pub values: Vec<f64>,
    /// The trees that predicted.
    pub by: PredictedBy,
    /// Raw outputs of all trees.
    raw: Vec<f64>,
    /// How many trees predicted each row, where that is not all of them.
    votes: Option<Vec<u32>>,
}

impl ModelPredictions {
    /// Predicts rows. `in_training` says that they are known to be the rows that the model was
    /// trained on, in their order. The monitor advances by one per row.
    pub fn of(
        ensemble: &Ensemble,
        x: &MatrixView<'_>,
        in_training: bool,
        monitor: &dyn Monitor,
    ) -> Result<Self> {
        let raw = ensemble.predict_raw(x, monitor)?;
        let mut values = apply_link(ensemble.link, ensemble.n_outputs, raw.clone());
        if !is_predicted_out_of_bag(ensemble, x, in_training, monitor)? {
            return Ok(Self { values, by: PredictedBy::AllTrees, raw, votes: None });
        }
        let out_of_bag = oob_prediction(ensemble, x, &Checks(monitor))?;
        let mut votes = out_of_bag.n_trees;
        let mut seen_by_all = 0;
        let width = ensemble.n_outputs;
        for (row, votes) in votes.iter_mut().enumerate() {
            if *votes == 0 {
                *votes = ensemble.trees.len() as u32;
                seen_by_all += 1;
            } else {
                let cells = row * width..(row + 1) * width;
                values[cells.clone()].copy_from_slice(&out_of_bag.prediction[cells]);
            }
        }
        let sum: f64 = votes.iter().map(|&votes| f64::from(votes)).sum();
        let trees = sum / votes.len().max(1) as f64;
        let by = PredictedBy::OutOfBag { seen_by_all, trees };
        Ok(Self { values, by, raw, votes: Some(votes) })
    }

    /// The predictions on a scale of scores, as many numbers per row as those have outputs.
    pub fn on_scale(&self, ensemble: &Ensemble, scale: OutputScale, outputs: usize) -> Vec<f64> {
        let is_raw = matches!(
            (ensemble.link, scale),
            (Link::Logit | Link::OneVsRest, OutputScale::LogOdds)
                | (Link::Softmax, OutputScale::Softmax)
                | (Link::Log, OutputScale::Log)
        );
        // Only plain averages are predicted out of bag.
        if is_raw {
            return last_outputs(&self.raw, ensemble.n_outputs, outputs);
        }
        let width = ensemble.n_predictions();
        let mut cells = last_outputs(&self.values, width, outputs);
        for (row, cells) in cells.chunks_exact_mut(outputs.max(1)).enumerate() {
            let votes = self.votes.as_ref().map_or(ensemble.trees.len() as u32, |votes| votes[row]);
            let least = 0.5 / f64::from(votes.max(1));
            let bounded = |share: f64| share.clamp(least, 1.0 - least);
            cells.iter_mut().for_each(|cell| {
                *cell = match scale {
                    OutputScale::Identity => *cell,
                    OutputScale::Log if *cell > 0.0 => libm::log(*cell),
                    OutputScale::Log => f64::NAN,
                    OutputScale::LogOdds => {
                        let share = bounded(*cell);
                        libm::log(share / (1.0 - share))
                    }
                    OutputScale::Softmax => libm::log(bounded(*cell)),
                };
            });
        }
        cells
    }

    /// The same by all trees, whether or not they saw the rows.
    pub fn by_all_trees(&self, ensemble: &Ensemble) -> Self {
        let raw = self.raw.clone();
        let values = apply_link(ensemble.link, ensemble.n_outputs, raw.clone());
        Self { values, by: PredictedBy::AllTrees, raw, votes: None }
    }
}

/// Whether rows are predicted out of bag: training rows of a forest, known by the caller or by the
/// leaves they fall into.
pub fn is_predicted_out_of_bag(
    ensemble: &Ensemble,
    x: &MatrixView<'_>,
    in_training: bool,
    monitor: &dyn Monitor,
) -> Result<bool> {
    Ok(has_out_of_bag(ensemble, x.rows())
        && (in_training || drew_from(ensemble, x, monitor)? == Some(true)))
}

/// Completes out-of-bag scores: rows that every tree saw have none, and are predicted by all trees.
/// `by_all` scores rows by all trees.
pub fn score_rows_seen_by_all(
    scores: &mut Scores,
    x: &MatrixView<'_>,
    by_all: impl FnOnce(&MatrixView<'_>) -> Result<Scores>,
) -> Result<()> {
    let k = scores.n_outputs;
    let is_unscored =
        |row: &usize| scores.base[row * k..(row + 1) * k].iter().any(|base| base.is_nan());
    let rows: Vec<usize> = (0..scores.n_rows).filter(is_unscored).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let cells: Vec<f64> =
        rows.iter().flat_map(|&row| (0..x.cols()).map(move |column| x.get(row, column))).collect();
    let found = by_all(&MatrixView::from_rows(&cells, rows.len(), x.cols())?)?;
    scores.replace_rows(&rows, &found);
    Ok(())
}

/// A monitor whose work can be stopped, but is not counted again.
struct Checks<'a>(&'a dyn Monitor);

impl Monitor for Checks<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// Whether a model can predict its training rows, of this number, out of bag.
fn has_out_of_bag(ensemble: &Ensemble, n_rows: usize) -> bool {
    ensemble.aggregation == Aggregation::Mean
        && ensemble.link == Link::Identity
        && ensemble.output_of_tree.is_empty()
        && ensemble.base_score.iter().all(|&base| base == 0.0)
        && ensemble
            .trees
            .iter()
            .all(|tree| tree.in_bag.as_ref().is_some_and(|in_bag| in_bag.len() == n_rows))
}

/// The last numbers of each row: of two outputs that tell the same, the last is explained.
fn last_outputs(cells: &[f64], width: usize, outputs: usize) -> Vec<f64> {
    let first = width.saturating_sub(outputs);
    cells.chunks_exact(width.max(1)).flat_map(|row| &row[first..]).copied().collect()
}
