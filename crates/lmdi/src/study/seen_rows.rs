//! Whether given rows look like rows that the model was trained on.
//!
//! A model recognises its training table by a fingerprint of the whole table. A part of the table,
//! or the table with a few rows changed, has another fingerprint and would pass for new rows. But a
//! model's error is far smaller on rows that it was trained on, and its file records the error on
//! unseen rows: out of bag, or on the hold-out. Fingerprints of single rows are deliberately not
//! kept: a model file would reveal whose rows it was trained on.
//!
//! Cost: one pass over the predictions.

use super::{Assessment, Explained, Predictor, Sample, measure_title, sample_title};
use crate::explanation::PredictedBy;
use crate::file::Quality;
use crate::text::short_number;
use std::fmt;

/// Rows from which on an error tells.
const FEWEST_ROWS: usize = 30;
/// The error on new rows is hardly ever a smaller share than this of that on rows left out: normal
/// residuals of 30 rows give a root mean square error this small in one case of two thousand.
const FAR_BELOW: f64 = 0.6;

/// An error that is far smaller than on unseen rows.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenRows {
    /// What was measured.
    pub measure: &'static str,
    /// The error on the given rows.
    pub here: f64,
    /// The error on rows that the model did not see.
    pub unseen: f64,
    /// What these are called.
    pub sample: String,
}

impl SeenRows {
    /// Compares the model's error on given rows that are not known to be training rows with the
    /// error in its file.
    pub fn of(explained: &Explained, of_model: &[Quality]) -> Option<Self> {
        let rows = &explained.rows;
        let is_given = matches!(rows.sample, Sample::FittedOn | Sample::Test | Sample::Unspecified);
        if !is_given || explained.predicted_by != PredictedBy::AllTrees {
            return None;
        }
        let (truth, weights) = (rows.target.as_ref()?, rows.weights.as_deref());
        let (predictions, threshold) = (&explained.predictions, explained.threshold);
        let who = Predictor::Model;
        let found = Assessment::measure(who, rows.sample, truth, predictions, weights, threshold);
        let errors = ["rmse", "log_loss"];
        let &(measure, here) = found.measures.iter().find(|(name, _)| errors.contains(name))?;
        let left_out =
            of_model.iter().filter(|q| q.measure == measure && q.sample != Assessment::LMDI_PLUS);
        // Of out-of-bag and hold-out rows those that the model predicts better.
        let unseen = left_out.min_by(|a, b| a.value.total_cmp(&b.value))?;
        let is_far = found.n_rows >= FEWEST_ROWS && here < FAR_BELOW * unseen.value;
        let sample = unseen.sample.clone();
        is_far.then_some(Self { measure, here, unseen: unseen.value, sample })
    }
}

impl fmt::Display for SeenRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "The model predicts these rows far better than rows that it did not see ({} {} against {} {}), as \
             if it had been trained on them. If it was, on all or some, figures on these rows say nothing about \
             new ones.",
            measure_title(self.measure),
            short_number(self.here),
            short_number(self.unseen),
            sample_title(&self.sample)
        )
    }
}
