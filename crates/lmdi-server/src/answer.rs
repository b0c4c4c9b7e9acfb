//! Answers as JSON. Numbers that are not finite, which JSON lacks, become null.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// An answer: one entry per row, in the order asked.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Answer<'a> {
    pub rows: Vec<Row<'a>>,
    /// Notes for the client, such as values that did not occur in training.
    pub notes: Vec<String>,
}

#[derive(Debug, serde::Serialize)]
pub(crate) struct Row<'a> {
    pub prediction: Prediction<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probabilities: Option<Named<'a, f64>>,
    #[serde(flatten)]
    pub explanation: Option<Explanation<'a>>,
}

/// A number, a label, or nothing where no tree may answer.
#[derive(Debug, serde::Serialize)]
#[serde(untagged)]
pub(crate) enum Prediction<'a> {
    Number(f64),
    Label(Option<&'a str>),
}

/// `explained` is `base` plus all scores; with `unexplained` it is what the model says, on the
/// scale of the scores.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Explanation<'a> {
    pub base: PerOutput<'a, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<PerOutput<'a, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unexplained: Option<PerOutput<'a, f64>>,
    pub scores: PerOutput<'a, Named<'a, f64>>,
    /// The sum of the scores that were not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<PerOutput<'a, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_errors: Option<PerOutput<'a, Named<'a, f64>>>,
}

/// One value, or one per class under its label.
#[derive(Debug, serde::Serialize)]
#[serde(untagged)]
pub(crate) enum PerOutput<'a, T> {
    One(T),
    PerClass(Named<'a, T>),
}

/// Values under names, in this order.
#[derive(Debug)]
pub(crate) struct Named<'a, T>(pub Vec<(&'a str, T)>);

impl<T: Serialize> Serialize for Named<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
