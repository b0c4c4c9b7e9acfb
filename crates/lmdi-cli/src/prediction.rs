//! Predictions as columns of a result: a number, or a label and the probability of every label.

use lmdi::forest::Outcome;
use lmdi::table::{Column, Labels, Values};

/// The label with the largest probability, the first of equal ones, as in the accuracy that training
/// reports; `None` for a row without a prediction.
pub fn most_probable(row: &[f64]) -> Option<usize> {
    if row.iter().any(|p| p.is_nan()) {
        return None;
    }
    Some((1..row.len()).fold(0, |best, at| if row[at] > row[best] { at } else { best }))
}

/// The columns `prediction` and, for classes, `probability:LABEL`.
pub fn columns(outcome: &Outcome, predictions: Vec<f64>) -> Vec<Column> {
    let labels = match outcome {
        Outcome::Number => {
            let values = Values::Numbers(predictions);
            return vec![Column { name: "prediction".into(), values }];
        }
        Outcome::Classes(labels) => labels,
    };
    let rows = || predictions.chunks_exact(labels.len());
    let chosen: Labels =
        rows().map(|row| most_probable(row).map(|class| labels[class].as_str())).collect();
    let mut columns = vec![Column { name: "prediction".into(), values: Values::Labels(chosen) }];
    for (class, label) in labels.iter().enumerate() {
        let probability = rows().map(|row| row[class]).collect();
        let name = format!("probability:{label}");
        columns.push(Column { name, values: Values::Numbers(probability) });
    }
    columns
}
