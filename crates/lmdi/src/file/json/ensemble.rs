//! The key `ensemble`.
//!
//! The number of outputs is not written: it follows from the classes and the link.

use super::arrays::{Number, Word, array, optional_array};
use super::tree::{TreeV1, TreesOut};
use crate::file::codes::{AggregationKind, GrowthKind, LossKind};
use crate::forest::{Aggregation, ClassWeights, Ensemble, Growth, Link, Loss, Outcome};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
pub(super) struct EnsembleOut<'a> {
    feature_names: &'a [String],
    classes: Option<&'a [String]>,
    link: Word<Link>,
    growth: Word<GrowthKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trees_per_round: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<Word<LossKind>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tweedie_power: Option<Number>,
    aggregation: Word<AggregationKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    learning_rate: Option<Number>,
    #[serde(with = "array")]
    base_score: &'a [f64],
    #[serde(with = "array", skip_serializing_if = "<[u32]>::is_empty")]
    output_of_tree: &'a [u32],
    #[serde(skip_serializing_if = "Option::is_none")]
    class_weights: Option<WeightsV1>,
    trees: TreesOut<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EnsembleIn {
    feature_names: Vec<String>,
    #[serde(default)]
    classes: Option<Vec<String>>,
    #[serde(default)]
    link: Option<Word<Link>>,
    #[serde(default)]
    growth: Option<Word<GrowthKind>>,
    #[serde(default)]
    trees_per_round: Option<u32>,
    #[serde(default)]
    loss: Option<Word<LossKind>>,
    #[serde(default)]
    tweedie_power: Option<Number>,
    #[serde(default)]
    aggregation: Option<Word<AggregationKind>>,
    #[serde(default)]
    learning_rate: Option<Number>,
    #[serde(default, with = "optional_array")]
    base_score: Option<Vec<f64>>,
    #[serde(default, with = "array")]
    output_of_tree: Vec<u32>,
    #[serde(default)]
    class_weights: Option<WeightsV1>,
    trees: Vec<TreeV1>,
}

/// A number per class, or the word `balanced`.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WeightsV1 {
    Given(Vec<Number>),
    Rule(WeightRule),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WeightRule {
    Balanced,
}

impl WeightsV1 {
    fn of(weights: &ClassWeights) -> Option<Self> {
        match weights {
            ClassWeights::Equal => None,
            ClassWeights::Given(factors) => {
                Some(Self::Given(factors.iter().copied().map(Number).collect()))
            }
            ClassWeights::Balanced => Some(Self::Rule(WeightRule::Balanced)),
        }
    }
}

impl From<WeightsV1> for ClassWeights {
    fn from(weights: WeightsV1) -> Self {
        match weights {
            WeightsV1::Given(factors) => {
                ClassWeights::Given(factors.into_iter().map(|factor| factor.0).collect())
            }
            WeightsV1::Rule(WeightRule::Balanced) => ClassWeights::Balanced,
        }
    }
}

impl<'a> From<&'a Ensemble> for EnsembleOut<'a> {
    fn from(ensemble: &'a Ensemble) -> Self {
        let loss = ensemble.growth.loss();
        Self {
            feature_names: &ensemble.feature_names,
            classes: match &ensemble.outcome {
                Outcome::Number => None,
                Outcome::Classes(labels) => Some(labels),
            },
            link: Word(ensemble.link),
            growth: Word(GrowthKind::of(ensemble.growth)),
            trees_per_round: match ensemble.growth {
                Growth::Shrunk { trees_per_round, .. } => Some(trees_per_round),
                _ => None,
            },
            loss: loss.map(|loss| Word(LossKind::of(loss))),
            tweedie_power: match loss {
                Some(Loss::Tweedie { power }) => Some(Number(power)),
                _ => None,
            },
            aggregation: Word(AggregationKind::of(ensemble.aggregation)),
            learning_rate: match ensemble.aggregation {
                Aggregation::Mean => None,
                Aggregation::Sum { learning_rate } => Some(Number(learning_rate)),
            },
            base_score: &ensemble.base_score,
            output_of_tree: &ensemble.output_of_tree,
            class_weights: WeightsV1::of(&ensemble.class_weights),
            trees: TreesOut(&ensemble.trees),
        }
    }
}

impl EnsembleIn {
    pub(super) fn into_ensemble(self) -> Result<Ensemble> {
        let outcome = match self.classes {
            None => Outcome::Number,
            Some(labels) => Outcome::Classes(labels),
        };
        let link = self.link.map_or(Link::Identity, |word| word.0);
        let n_outputs = match (&outcome, link) {
            (Outcome::Classes(labels), Link::Identity | Link::Softmax | Link::OneVsRest) => {
                labels.len()
            }
            _ => 1,
        };
        let aggregation = self.aggregation.map_or(AggregationKind::Mean, |word| word.0);
        let aggregation = match (aggregation, self.learning_rate) {
            (AggregationKind::Mean, None) => Aggregation::Mean,
            (AggregationKind::Sum, rate) => {
                Aggregation::Sum { learning_rate: rate.map_or(1.0, |number| number.0) }
            }
            (AggregationKind::Mean, Some(_)) => {
                return Err(Error::Format(
                    "\"learning_rate\" is given, but the aggregation is \"mean\"; expected \"sum\""
                        .into(),
                ));
            }
        };
        let growth = self.growth.map_or(GrowthKind::Independent, |word| word.0);
        if self.trees_per_round.is_some() && !matches!(growth, GrowthKind::Shrunk) {
            return Err(Error::Format(
                "\"trees_per_round\" is given, but the growth is not \"shrunk\"".into(),
            ));
        }
        let loss = match (self.loss.map(|word| word.0), self.tweedie_power) {
            (Some(LossKind::Tweedie), Some(power)) => Some(LossKind::Tweedie.with(power.0)),
            (Some(LossKind::Tweedie), None) | (_, Some(_)) => {
                return Err(Error::Format(
                    "\"tweedie_power\" must be given exactly for the loss \"tweedie\"".into(),
                ));
            }
            (loss, None) => loss.map(|kind| kind.with(f64::NAN)),
        };
        let mut trees = Vec::with_capacity(self.trees.len());
        for (index, tree) in self.trees.into_iter().enumerate() {
            trees.push(tree.into_tree().map_err(|error| match error {
                Error::Format(what) => Error::Format(format!("tree {index}: {what}")),
                other => other,
            })?);
        }
        Ok(Ensemble {
            feature_names: self.feature_names,
            trees,
            output_of_tree: self.output_of_tree,
            n_outputs,
            aggregation,
            base_score: self.base_score.unwrap_or_else(|| vec![0.0; n_outputs]),
            link,
            growth: growth.with(loss, self.trees_per_round.unwrap_or(1))?,
            outcome,
            class_weights: self.class_weights.map_or(ClassWeights::Equal, ClassWeights::from),
        })
    }
}
