//! The key `explainer`.

use super::arrays::{Number, Word, array};
use crate::file::Explainer;
use crate::file::codes::StrengthKind;
use crate::glm::Candidate;
use crate::importance::OutputScale;
use crate::importance::lmdi_plus::{RawTerm, TreeFit, TreeModel};
use crate::{Error, Result};
use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
pub(super) struct ExplainerOut<'a> {
    options: &'a str,
    scale: Word<OutputScale>,
    trees: ModelsOut<'a>,
    #[serde(with = "array", skip_serializing_if = "Vec::is_empty")]
    lowest: Vec<f64>,
    #[serde(with = "array", skip_serializing_if = "Vec::is_empty")]
    highest: Vec<f64>,
    #[serde(with = "array", skip_serializing_if = "<[f64]>::is_empty")]
    tree_sizes: &'a [f64],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kept: Vec<KeptV1>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExplainerIn {
    #[serde(default)]
    options: String,
    scale: Word<OutputScale>,
    trees: Vec<ModelV1>,
    #[serde(with = "array", default)]
    lowest: Vec<f64>,
    #[serde(with = "array", default)]
    highest: Vec<f64>,
    #[serde(with = "array", default)]
    tree_sizes: Vec<f64>,
    #[serde(default)]
    kept: Vec<KeptV1>,
}

/// What a ranking keeps of one tree.
#[derive(Serialize, Deserialize)]
struct KeptV1(#[serde(with = "array")] Vec<f64>);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelV1 {
    #[serde(default)]
    first_output: u32,
    #[serde(with = "array")]
    intercept: Vec<f64>,
    #[serde(with = "array")]
    step: Vec<f64>,
    #[serde(default)]
    raw: Vec<RawV1>,
    fits: Vec<FitV1>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawV1 {
    feature: u32,
    mean: Number,
    #[serde(with = "array")]
    slope: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FitV1 {
    #[serde(default)]
    penalty: Option<PenaltyV1>,
    iterations: usize,
    gap: Number,
    converged: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PenaltyV1 {
    form: Word<StrengthKind>,
    strength: Number,
    l1_ratio: Number,
}

/// The models, turned into their JSON form one at a time: one copy of a model exists, not of all.
struct ModelsOut<'a>(&'a [TreeModel]);

impl Serialize for ModelsOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.0.len()))?;
        for model in self.0 {
            sequence.serialize_element(&ModelV1::from(model))?;
        }
        sequence.end()
    }
}

impl<'a> From<&'a Explainer> for ExplainerOut<'a> {
    fn from(explainer: &'a Explainer) -> Self {
        Self {
            options: &explainer.options,
            scale: Word(explainer.scale),
            trees: ModelsOut(&explainer.trees),
            lowest: explainer.ranges.iter().map(|range| range[0]).collect(),
            highest: explainer.ranges.iter().map(|range| range[1]).collect(),
            tree_sizes: &explainer.tree_sizes,
            kept: explainer.kept.iter().cloned().map(KeptV1).collect(),
        }
    }
}

impl From<&TreeModel> for ModelV1 {
    fn from(model: &TreeModel) -> Self {
        let raw = model.raw.iter().map(|term| RawV1 {
            feature: term.feature,
            mean: Number(term.mean),
            slope: term.slope.clone(),
        });
        let fits = model.fits.iter().map(|fit| FitV1 {
            penalty: fit.chosen.map(|chosen| {
                let (form, strength) = StrengthKind::of(chosen.strength);
                PenaltyV1 {
                    form: Word(form),
                    strength: Number(strength),
                    l1_ratio: Number(chosen.l1_ratio),
                }
            }),
            iterations: fit.iterations,
            gap: Number(fit.gap),
            converged: fit.converged,
        });
        Self {
            first_output: model.first_output,
            intercept: model.intercept.clone(),
            step: model.step.to_vec(),
            raw: raw.collect(),
            fits: fits.collect(),
        }
    }
}

impl ExplainerIn {
    pub(super) fn into_explainer(self) -> Result<Explainer> {
        if self.lowest.len() != self.highest.len() {
            return Err(Error::Format(format!(
                "JSON: the explainer has {} smallest and {} largest cells; expected as many",
                self.lowest.len(),
                self.highest.len()
            )));
        }
        Ok(Explainer {
            options: self.options,
            scale: self.scale.0,
            trees: self.trees.into_iter().map(ModelV1::into_model).collect(),
            ranges: self
                .lowest
                .into_iter()
                .zip(self.highest)
                .map(|(low, high)| [low, high])
                .collect(),
            tree_sizes: self.tree_sizes,
            kept: self.kept.into_iter().map(|kept| kept.0).collect(),
        })
    }
}

impl ModelV1 {
    fn into_model(self) -> TreeModel {
        let raw = self.raw.into_iter().map(|term| RawTerm {
            feature: term.feature,
            mean: term.mean.0,
            slope: term.slope,
        });
        let fits = self.fits.into_iter().map(|fit| TreeFit {
            chosen: fit.penalty.map(|penalty| Candidate {
                strength: penalty.form.0.with(penalty.strength.0),
                l1_ratio: penalty.l1_ratio.0,
            }),
            iterations: fit.iterations,
            gap: fit.gap.0,
            converged: fit.converged,
        });
        TreeModel {
            first_output: self.first_output,
            // Beyond 32 bits the lengths cannot fit and the model is refused.
            n_outputs: u32::try_from(self.intercept.len()).unwrap_or(0),
            intercept: self.intercept,
            step: self.step.into(),
            raw: raw.collect(),
            fits: fits.collect(),
        }
    }
}
