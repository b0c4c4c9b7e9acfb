//! How good a model is on rows it was not grown on.

use crate::terminal::{Align, TextTable, count, short_number};
use lmdi::file::Quality;
use lmdi::table::metrics::{accuracy, auroc, log_loss, r2, rmse};
use lmdi::table::{Response, TargetCells};

/// Quality on one sample of rows.
pub struct Sample {
    /// What was measured on: `oob` or `holdout` rows, or `lmdi_plus` on the latter.
    pub name: &'static str,
    /// How many rows it was measured on.
    pub rows: usize,
    /// Measures by name.
    pub measures: Vec<(&'static str, f64)>,
}

impl Sample {
    /// Measures predictions (`n` numbers a row) against the truth. Rows without a prediction (every
    /// tree saw them) do not count.
    pub fn measure(
        name: &'static str,
        truth: &TargetCells,
        predictions: &[f64],
        weights: Option<&[f64]>,
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
        let measures = match truth.response() {
            Response::Numeric(y) => {
                vec![("r2", r2(y, &predictions, weights)), ("rmse", rmse(y, &predictions, weights))]
            }
            Response::Classes { codes, n_classes } => vec![
                ("auroc", mean_auroc(codes, &predictions, n_classes, weights)),
                ("log_loss", log_loss(codes, &predictions, n_classes, weights)),
                ("accuracy", accuracy(codes, &predictions, n_classes, weights)),
            ],
        };
        Self { name, rows: rows.len(), measures }
    }

    /// The measures as a model file keeps them.
    pub fn records(&self) -> impl Iterator<Item = Quality> {
        self.measures.iter().map(|&(measure, value)| Quality {
            sample: self.name.into(),
            measure: measure.into(),
            value,
        })
    }
}

/// AUROC of the second class of two; of more classes the mean of each against the rest.
fn mean_auroc(codes: &[u32], probabilities: &[f64], n: usize, weights: Option<&[f64]>) -> f64 {
    let of_class = |class: usize| {
        let scores: Vec<f64> = probabilities.chunks_exact(n).map(|row| row[class]).collect();
        auroc(codes, class as u32, &scores, weights)
    };
    if n == 2 { of_class(1) } else { (0..n).map(of_class).sum::<f64>() / n as f64 }
}

/// The measures of several samples side by side.
pub fn table(samples: &[Sample]) -> String {
    let mut titles = vec![("quality", Align::Left), ("rows", Align::Right)];
    if let Some(first) = samples.first() {
        titles.extend(first.measures.iter().map(|&(name, _)| (title(name), Align::Right)));
    }
    let mut table = TextTable::new(&titles);
    for sample in samples {
        let values = sample.measures.iter().map(|&(_, value)| short_number(value));
        table.row(
            [sample_title(sample.name).to_owned(), count(sample.rows as u64)]
                .into_iter()
                .chain(values),
        );
    }
    table.to_string()
}

/// What to tell where LMDI+ predicts the hold-out far worse than the model it explains, whose qualities are given.
pub fn far_below(lmdi_plus: &Sample, of_model: &[Quality]) -> Option<String> {
    // Of R2 and AUROC: less is lost by chance alone on a few hundred rows.
    const FAR: f64 = 0.1;
    let &(measure, reached) = lmdi_plus.measures.first()?;
    let model = of_model.iter().find(|q| q.sample == "holdout" && q.measure == measure)?.value;
    (model - reached > FAR).then(|| {
        format!(
            "LMDI+ predicts these rows far worse than the model ({} {} against {}). Scores explain the\n\
             predictions of LMDI+, so they tell little about the model here. Another penalty may come closer:\n\
             try --glm lasso or --glm ridge.",
            title(measure),
            short_number(reached),
            short_number(model)
        )
    })
}

/// A measure as people write it.
pub fn title(measure: &str) -> &str {
    match measure {
        "r2" => "R2",
        "rmse" => "RMSE",
        "auroc" => "AUROC",
        "log_loss" => "log-loss",
        other => other,
    }
}

/// A sample as people write it.
pub fn sample_title(sample: &str) -> &str {
    match sample {
        "oob" => "out-of-bag",
        "holdout" => "hold-out",
        "lmdi_plus" => "LMDI+ on the hold-out",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_a_prediction_do_not_count() {
        let truth = TargetCells::Numbers(vec![1.0, 2.0, 9.0]);
        let sample = Sample::measure("oob", &truth, &[1.0, 2.0, f64::NAN], None);
        assert_eq!((sample.rows, sample.measures[0].1), (2, 1.0));
    }

    #[test]
    fn several_classes_are_averaged_one_against_the_rest() {
        let truth = TargetCells::Classes { codes: vec![0, 1, 2], n_classes: 3 };
        let sure = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let sample = Sample::measure("holdout", &truth, &sure, None);
        assert_eq!((sample.measures[0].1, sample.measures[2].1), (1.0, 1.0));
    }
}
