//! Two models on the same rows: their predictions, quality and importances.
//!
//! Rows are matched by their position in the table, and columns by name, so that the two models may
//! use different columns. Time is rows x columns.

use super::{Assessment, Predictor};
use crate::explanation::PredictedBy;
use crate::importance::Importances;
use crate::study::{Explained, Sample, Study};
use crate::{Error, Result};

/// Two models compared on the same rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelComparison {
    /// The share of each column in both models, the largest share first.
    pub shares: Vec<ComparedShare>,
    /// Measures of both on the rows; empty if the truth is unknown.
    pub measures: Vec<ComparedMeasure>,
    /// Whether the measures hold for new rows: no row is predicted by trees that were trained on
    /// it. `None` if that is unknown.
    pub is_fair: Option<bool>,
    /// How many rows have a prediction by both models.
    pub n_rows: usize,
    /// Difference of the two predictions of each row: the second model's number minus the first's;
    /// with two classes, the same for the probability of the second class; with more classes, the
    /// probability that moves to another class. NaN without a prediction.
    pub differences: Vec<f64>,
    /// Mean size of the differences; NaN without a row.
    pub mean_difference: f64,
    /// Share of the rows that both put into the same class; `None` for regression.
    pub same_class: Option<f64>,
}

/// The share of a column in the summed mean |score|, in each model.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedShare {
    /// The column.
    pub name: String,
    /// Its share in the first model; `None` if the model does not use it.
    pub own: Option<f64>,
    /// Its share in the second.
    pub other: Option<f64>,
}

/// A measure of both models on the same rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedMeasure {
    /// What was measured, as [`Assessment::measures`] names it.
    pub name: &'static str,
    /// Of the first model.
    pub own: f64,
    /// Of the second.
    pub other: f64,
}

impl ModelComparison {
    /// Compares two studies on the rows that both explained.
    pub fn of(own: (&Study, &Explained), other: (&Study, &Explained)) -> Result<Self> {
        check(own, other)?;
        let (explained, others) = (own.1, other.1);
        let width = explained.prediction_width();
        let pair = |row: usize| (explained.prediction(row), others.prediction(row));
        let difference = |row| match pair(row) {
            ([a], [b]) => b - a,
            ([_, a], [_, b]) => b - a,
            (a, b) => a.iter().zip(b).map(|(a, b)| (b - a).abs()).sum::<f64>() / 2.0,
        };
        let differences: Vec<f64> = (0..explained.rows.len()).map(difference).collect();
        let known: Vec<usize> =
            (0..differences.len()).filter(|&row| !differences[row].is_nan()).collect();
        let mean = |sum: f64| if known.is_empty() { f64::NAN } else { sum / known.len() as f64 };
        let mean_difference = mean(known.iter().map(|&row| differences[row].abs()).sum());
        let same = |row: &&usize| explained.class(**row) == others.class(**row);
        let same_class = (width > 1).then(|| mean(known.iter().filter(same).count() as f64));
        Ok(Self {
            shares: shares(explained, others)?,
            measures: measures(explained, others, &known),
            is_fair: match [is_new(explained), is_new(others)] {
                [Some(false), _] | [_, Some(false)] => Some(false),
                [Some(true), Some(true)] => Some(true),
                _ => None,
            },
            n_rows: known.len(),
            differences,
            mean_difference,
            same_class,
        })
    }
}

/// Whether rows are new to the trees that predict them; none where that is not known.
fn is_new(explained: &Explained) -> Option<bool> {
    match (explained.predicted_by, explained.rows.sample) {
        (PredictedBy::OutOfBag { .. }, _) | (_, Sample::HoldOut | Sample::Test) => Some(true),
        (_, Sample::Training | Sample::FittedOn) => Some(false),
        (_, Sample::Unspecified) => None,
    }
}

fn check(own: (&Study, &Explained), other: (&Study, &Explained)) -> Result<()> {
    if own.1.rows.places != other.1.rows.places {
        return Err(Error::Shape {
            what: "rows that the second model explains".into(),
            found: other.1.rows.len(),
            expected: own.1.rows.len(),
        });
    }
    let predicts = |study: &Study| match study.labels() {
        [] => "numbers".to_owned(),
        labels => format!("the classes {}", quoted(labels)),
    };
    if own.0.labels() != other.0.labels() {
        return Err(Error::Parameter {
            name: "compare_model",
            found: format!("a model that predicts {}", predicts(other.0)),
            expected: format!("one that predicts {}, as the first does", predicts(own.0)),
        });
    }
    Ok(())
}

/// A few labels, as a message shows them.
fn quoted(labels: &[String]) -> String {
    const MOST: usize = 10;
    let shown: Vec<String> = labels.iter().take(MOST).map(|label| format!("{label:?}")).collect();
    let more = if labels.len() > MOST { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn shares(own: &Explained, other: &Explained) -> Result<Vec<ComparedShare>> {
    let of = |explained: &Explained| -> Result<Vec<f64>> {
        let sizes = Importances::of_scores(&explained.scores)?.values;
        let sum: f64 = sizes.iter().sum();
        Ok(sizes.into_iter().map(|size| if sum > 0.0 { size / sum } else { 0.0 }).collect())
    };
    let (own_shares, other_shares) = (of(own)?, of(other)?);
    let place = |names: &[String], name: &str| names.iter().position(|other| other == name);
    let mut found: Vec<ComparedShare> = (own.grouping.names.iter().zip(own_shares))
        .map(|(name, share)| ComparedShare {
            name: name.clone(),
            own: Some(share),
            other: place(&other.grouping.names, name).map(|at| other_shares[at]),
        })
        .collect();
    for (name, &share) in other.grouping.names.iter().zip(&other_shares) {
        if place(&own.grouping.names, name).is_none() {
            found.push(ComparedShare { name: name.clone(), own: None, other: Some(share) });
        }
    }
    let larger = |share: &ComparedShare| share.own.unwrap_or(0.0).max(share.other.unwrap_or(0.0));
    found.sort_by(|a, b| larger(b).total_cmp(&larger(a)));
    Ok(found)
}

/// Measures on the rows that both models predict.
fn measures(own: &Explained, other: &Explained, known: &[usize]) -> Vec<ComparedMeasure> {
    let of = |explained: &Explained| {
        let rows = &own.rows;
        let truth = rows.target.as_ref()?.take(known);
        let predictions: Vec<f64> =
            known.iter().flat_map(|&row| explained.prediction(row)).copied().collect();
        let weights: Option<Vec<f64>> =
            rows.weights.as_ref().map(|weights| known.iter().map(|&row| weights[row]).collect());
        let (who, threshold) = (Predictor::Model, explained.threshold);
        let weights = weights.as_deref();
        Some(Assessment::measure(who, rows.sample, &truth, &predictions, weights, threshold))
    };
    match (of(own), of(other)) {
        (Some(a), Some(b)) => (a.measures.iter().zip(&b.measures))
            .map(|(&(name, own), &(_, other))| ComparedMeasure { name, own, other })
            .collect(),
        _ => vec![],
    }
}
