//! How well a model, or the linear models that explain it, predict a sample of rows.

use crate::file::Quality;
use crate::forest::decision::class_of;
use crate::study::Sample;
use crate::table::metrics::{auroc, log_loss, r2, rmse};
use crate::table::{Response, TargetCells};
use crate::text::short_number;
use std::fmt;

/// Whose predictions were measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predictor {
    /// The model's.
    Model,
    /// Those of the linear models of LMDI+, which the scores add up to.
    LmdiPlus,
}

/// Measures of predictions on one sample of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// Whose predictions.
    pub predictor: Predictor,
    /// Of which rows.
    pub sample: Sample,
    /// How many rows had a prediction.
    pub n_rows: usize,
    /// Name and value of every measure, the most informative first. A value is NaN if it is not
    /// defined.
    pub measures: Vec<(&'static str, f64)>,
}

impl Assessment {
    /// Measures predictions. Rows without a prediction, which every tree saw, do not count. Classes
    /// are those of [`class_of`].
    pub fn measure(
        predictor: Predictor,
        sample: Sample,
        truth: &TargetCells,
        predictions: &[f64],
        weights: Option<&[f64]>,
        threshold: Option<f64>,
    ) -> Self {
        let width = predictions.len() / truth.response().len().max(1);
        let rows: Vec<usize> =
            (0..truth.response().len()).filter(|&row| !predictions[row * width].is_nan()).collect();
        let truth = truth.take(&rows);
        let predictions: Vec<f64> = rows
            .iter()
            .flat_map(|&row| &predictions[row * width..(row + 1) * width])
            .copied()
            .collect();
        let weights: Option<Vec<f64>> =
            weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
        let weights = weights.as_deref();
        let measures = measures(truth.response(), &predictions, weights, threshold);
        Self { predictor, sample, n_rows: rows.len(), measures }
    }

    /// The measures as a model file keeps them. A file keeps only measures on rows that the
    /// predictor did not see.
    pub fn records(&self) -> Vec<Quality> {
        let Some(sample) = self.name_in_file() else { return vec![] };
        let record = |&(measure, value): &(&str, f64)| Quality {
            sample: sample.into(),
            measure: measure.into(),
            value,
        };
        self.measures.iter().map(record).collect()
    }

    fn name_in_file(&self) -> Option<&'static str> {
        match (self.predictor, self.sample) {
            (Predictor::Model, Sample::Training) => Some(OUT_OF_BAG),
            (Predictor::Model, Sample::HoldOut) => Some(HOLD_OUT),
            (Predictor::LmdiPlus, Sample::HoldOut) => Some(Self::LMDI_PLUS),
            _ => None,
        }
    }

    /// Which model predicted which sample, in words.
    pub fn title(&self) -> &'static str {
        match (self.predictor, self.sample) {
            (Predictor::Model, Sample::Training) => "out-of-bag",
            (Predictor::Model, Sample::HoldOut) => "hold-out",
            (Predictor::Model, Sample::FittedOn) => "rows of the explainer",
            (Predictor::Model, Sample::Test | Sample::Unspecified) => "given rows",
            (Predictor::LmdiPlus, Sample::HoldOut) => "LMDI+ on the hold-out",
            (Predictor::LmdiPlus, Sample::Training | Sample::FittedOn) => {
                "LMDI+ on the rows it was fitted to"
            }
            (Predictor::LmdiPlus, Sample::Test | Sample::Unspecified) => "LMDI+ on the given rows",
        }
    }

    /// The baseline that predicts these rows at least as well: their mean, or chance. `None` if the
    /// model is better.
    pub fn matched_by(&self) -> Option<&'static str> {
        match *self.measures.first()? {
            ("r2", value) if value <= 0.0 => Some("the mean"),
            ("auroc", value) if value <= 0.5 => Some("chance"),
            _ => None,
        }
    }

    /// The name in a model file of hold-out rows as predicted by LMDI+.
    pub const LMDI_PLUS: &'static str = "lmdi_plus";

    /// How far LMDI+ falls short of the model on the hold-out, if by much; `of_model` are the
    /// qualities in the model's file. For other rows there is nothing to compare with.
    pub fn shortfall(&self, of_model: &[Quality]) -> Option<Shortfall> {
        // Of R2 and AUROC: less is lost by chance alone on a few hundred rows.
        const FAR: f64 = 0.1;
        if self.predictor != Predictor::LmdiPlus || self.sample != Sample::HoldOut {
            return None;
        }
        let &(measure, lmdi_plus) = self.measures.first()?;
        let of_model = of_model.iter().find(|q| q.sample == HOLD_OUT && q.measure == measure)?;
        let model = of_model.value;
        (model - lmdi_plus > FAR).then_some(Shortfall { measure, lmdi_plus, model })
    }
}

/// Name and value of every measure of predictions; the first tells most.
pub(super) fn measures(
    truth: Response<'_>,
    predictions: &[f64],
    weights: Option<&[f64]>,
    threshold: Option<f64>,
) -> Vec<(&'static str, f64)> {
    match truth {
        Response::Numeric(y) => {
            vec![("r2", r2(y, predictions, weights)), ("rmse", rmse(y, predictions, weights))]
        }
        Response::Classes { codes, n_classes } => vec![
            ("auroc", mean_auroc(codes, predictions, n_classes, weights)),
            ("log_loss", log_loss(codes, predictions, n_classes, weights)),
            ("accuracy", hits(codes, predictions, n_classes, weights, threshold)),
        ],
    }
}

const OUT_OF_BAG: &str = "oob";
const HOLD_OUT: &str = "holdout";

/// LMDI+ predicts far worse than the model it explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shortfall {
    /// What was measured.
    pub measure: &'static str,
    /// The value of LMDI+.
    pub lmdi_plus: f64,
    /// The value of the model.
    pub model: f64,
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "LMDI+ predicts these rows far worse than the model ({} {} against {}), so its scores miss much of \
             what the model knows. --method tree-shap explains the model's predictions exactly.",
            measure_title(self.measure),
            short_number(self.lmdi_plus),
            short_number(self.model)
        )
    }
}

/// Share of the rows whose predicted class is the true one.
fn hits(
    codes: &[u32],
    probabilities: &[f64],
    n_classes: usize,
    weights: Option<&[f64]>,
    threshold: Option<f64>,
) -> f64 {
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    let (mut hits, mut total) = (0.0, 0.0);
    for (row, (&code, shares)) in codes.iter().zip(probabilities.chunks(n_classes)).enumerate() {
        let is_hit = class_of(shares, threshold) == Some(code as usize);
        hits += if is_hit { weight(row) } else { 0.0 };
        total += weight(row);
    }
    hits / total
}

/// AUROC of the second class of two; of more classes the mean of each against the rest.
fn mean_auroc(codes: &[u32], probabilities: &[f64], n: usize, weights: Option<&[f64]>) -> f64 {
    let of_class = |class: usize| {
        let scores: Vec<f64> = probabilities.chunks_exact(n).map(|row| row[class]).collect();
        auroc(codes, class as u32, &scores, weights)
    };
    if n == 2 { of_class(1) } else { (0..n).map(of_class).sum::<f64>() / n as f64 }
}

/// The title of a measure in a model file.
pub fn measure_title(measure: &str) -> &str {
    match measure {
        "r2" => "R2",
        "rmse" => "RMSE",
        "auroc" => "AUROC",
        "log_loss" => "log-loss",
        other => other,
    }
}

/// The title of a sample in a model file.
pub fn sample_title(sample: &str) -> &str {
    match sample {
        OUT_OF_BAG => "out-of-bag",
        HOLD_OUT => "hold-out",
        Assessment::LMDI_PLUS => "LMDI+ on the hold-out",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_a_prediction_do_not_count() {
        let truth = TargetCells::Numbers(vec![1.0, 2.0, 9.0]);
        let predictions = [1.0, 2.0, f64::NAN];
        let found = Assessment::measure(
            Predictor::Model,
            Sample::Training,
            &truth,
            &predictions,
            None,
            None,
        );
        assert_eq!((found.n_rows, found.measures[0].1), (2, 1.0));
    }

    #[test]
    fn several_classes_are_averaged_one_against_the_rest() {
        let truth = TargetCells::Classes { codes: vec![0, 1, 2], n_classes: 3 };
        let sure = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let measure = |truth: &TargetCells, shares: &[f64], threshold| {
            let (who, sample) = (Predictor::Model, Sample::HoldOut);
            Assessment::measure(who, sample, truth, shares, None, threshold).measures
        };
        let found = measure(&truth, &sure, None);
        assert_eq!((found[0].1, found[2].1), (1.0, 1.0));
        let two = TargetCells::Classes { codes: vec![0, 1], n_classes: 2 };
        let shares = [0.9, 0.1, 0.7, 0.3];
        assert_eq!(measure(&two, &shares, None)[2].1, 0.5);
        assert_eq!(measure(&two, &shares, Some(0.2))[2].1, 1.0, "the threshold decides");
    }

    #[test]
    fn only_the_hold_out_is_called_so() {
        let truth = TargetCells::Numbers(vec![1.0, 2.0]);
        let of = |sample| {
            Assessment::measure(Predictor::LmdiPlus, sample, &truth, &[0.0; 2], None, None)
        };
        let model = Quality { sample: "holdout".into(), measure: "r2".into(), value: 0.9 };
        for sample in [Sample::Training, Sample::FittedOn, Sample::Test, Sample::Unspecified] {
            assert!(!of(sample).title().contains("hold-out"), "{sample:?}");
            assert!(of(sample).records().is_empty(), "{sample:?}");
            assert_eq!(of(sample).shortfall(std::slice::from_ref(&model)), None, "{sample:?}");
        }
        let held_out = of(Sample::HoldOut);
        assert_eq!(held_out.records()[0].sample, "lmdi_plus");
        assert_eq!(sample_title("lmdi_plus"), held_out.title());
        assert!(held_out.shortfall(&[model]).is_some());
    }
}
