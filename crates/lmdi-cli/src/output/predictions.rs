//! Predictions as columns of a result: a number, or a label and the probability of every label.

use super::terminal::shortened;
use lmdi::forest::Outcome;
use lmdi::forest::decision::class_of;
use lmdi::table::{Column, Labels, Values};
use lmdi::text::short_number;

/// A prediction in words: a number, or the label and its probability.
pub fn text(labels: &[String], prediction: &[f64], threshold: Option<f64>) -> String {
    match class_of(prediction, threshold).and_then(|class| Some((class, labels.get(class)?))) {
        Some((class, label)) => format!("{} ({:.2})", shortened(label), prediction[class]),
        None => short_number(prediction[0]),
    }
}

/// The columns `prediction` and, for classes, `probability:LABEL`.
pub fn columns(outcome: &Outcome, predictions: Vec<f64>, threshold: Option<f64>) -> Vec<Column> {
    let labels = match outcome {
        Outcome::Number => {
            let values = Values::Numbers(predictions);
            return vec![Column { name: "prediction".into(), values }];
        }
        Outcome::Classes(labels) => labels,
    };
    let rows = || predictions.chunks_exact(labels.len());
    let label = |row: &[f64]| class_of(row, threshold).map(|class| labels[class].as_str());
    let chosen: Labels = rows().map(label).collect();
    let mut columns = vec![Column { name: "prediction".into(), values: Values::Labels(chosen) }];
    for (class, label) in labels.iter().enumerate() {
        let probability = rows().map(|row| row[class]).collect();
        let name = format!("probability:{label}");
        columns.push(Column { name, values: Values::Numbers(probability) });
    }
    columns
}

/// What scores add up to as a prediction: the column `explained_prediction`, or for classes
/// `explained_probability:LABEL`.
pub fn explained_columns(outcome: &Outcome, predictions: &[f64]) -> Vec<Column> {
    let named = |(at, name): (usize, String), width: usize| {
        let cells = predictions.iter().skip(at).step_by(width).copied().collect();
        Column { name, values: Values::Numbers(cells) }
    };
    match outcome {
        Outcome::Number => vec![named((0, "explained_prediction".into()), 1)],
        Outcome::Classes(labels) => {
            let names = labels.iter().map(|label| format!("explained_probability:{label}"));
            names.enumerate().map(|name| named(name, labels.len())).collect()
        }
    }
}
