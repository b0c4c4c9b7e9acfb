//! What scores measure and add up to, in words.

use crate::forest::{Ensemble, Outcome};
use crate::importance::{LocalMethod, OutputScale};
use crate::table::Schema;
use crate::text::short_name;

/// The scores of one explainer, for describing them in words. Names come from data and are not
/// escaped here.
#[derive(Clone, Copy)]
pub struct Meaning<'a> {
    /// The model.
    pub ensemble: &'a Ensemble,
    /// The table it was trained on.
    pub schema: &'a Schema,
    /// What explains it.
    pub explainer: &'a dyn LocalMethod,
}

impl Meaning<'_> {
    /// The scale of the scores, such as `in units of price`.
    pub fn scale(&self, n_outputs: usize) -> String {
        if let Some(what) = self.explainer.adds_up_to()
            && !self.explainer.explains_predictions()
        {
            return format!("in units of the {what}");
        }
        let target = self.schema.target.as_ref();
        let name = target.map_or("the target".into(), |target| short_name(&target.name));
        let second = match &self.ensemble.outcome {
            Outcome::Classes(labels) => short_name(labels.last().map_or("", String::as_str)),
            Outcome::Number => String::new(),
        };
        match (self.explainer.scale(), n_outputs, &self.ensemble.outcome) {
            (OutputScale::Identity, _, Outcome::Number) => format!("in units of {name}"),
            (OutputScale::Identity, 1, _) => format!("in probability that {name} is {second}"),
            (OutputScale::Identity, ..) => "in probability of each class".into(),
            (OutputScale::LogOdds, 1, _) => format!("in log-odds that {name} is {second}"),
            (OutputScale::LogOdds, ..) => "in log-odds of each class against the rest".into(),
            (OutputScale::Softmax, ..) => "in log-odds of each class (softmax)".into(),
            (OutputScale::Log, ..) => format!("in the logarithm of {name}"),
        }
    }

    /// What a score of one output raises or lowers, such as `the odds that churn is yes`.
    pub fn moved(&self, output: usize, n_outputs: usize) -> String {
        if let Some(what) = self.explainer.adds_up_to()
            && !self.explainer.explains_predictions()
        {
            return format!("the {what}");
        }
        let target = self.schema.target.as_ref();
        let name = target.map_or("the target".into(), |target| short_name(&target.name));
        match (&self.ensemble.outcome, self.explainer.scale()) {
            (Outcome::Number, _) => format!("the prediction of {name}"),
            (Outcome::Classes(labels), scale) => {
                // One list of scores of two classes is that of the second.
                let at = if n_outputs == 1 { labels.len() - 1 } else { output };
                let label = labels.get(at).map_or(String::new(), |label| short_name(label));
                let what = match scale {
                    OutputScale::LogOdds | OutputScale::Softmax => "odds",
                    OutputScale::Identity | OutputScale::Log => "probability",
                };
                format!("the {what} that {name} is {label}")
            }
        }
    }

    /// What base, scores and the unexplained part add up to, such as `prediction`.
    pub fn total(&self) -> &'static str {
        if let Some(what) = self.explainer.adds_up_to()
            && !self.explainer.explains_predictions()
        {
            return what;
        }
        match (self.explainer.scale(), &self.ensemble.outcome) {
            (OutputScale::Identity, Outcome::Number) => "prediction",
            (OutputScale::Identity, Outcome::Classes(_)) => "probability",
            (OutputScale::LogOdds | OutputScale::Softmax, _) => "log-odds",
            (OutputScale::Log, _) => "logarithm of the prediction",
        }
    }
}
