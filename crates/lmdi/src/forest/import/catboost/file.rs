//! The parts of the file that are used.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Deserialize)]
pub(super) struct File {
    pub features_info: FeaturesInfo,
    #[serde(default)]
    pub model_info: ModelInfo,
    #[serde(default)]
    pub oblivious_trees: Vec<SymmetricTree>,
    #[serde(default)]
    pub trees: Vec<NestedNode>,
    pub scale_and_bias: (f64, Bias),
}

/// Old files have one bias, newer ones a list.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Bias {
    One(f64),
    Many(Vec<f64>),
}

#[derive(Deserialize, Default)]
pub(super) struct ModelInfo {
    #[serde(default)]
    pub catboost_version_info: String,
    pub class_params: Option<Names>,
    #[serde(default)]
    params: Value,
}

#[derive(Deserialize)]
pub(super) struct Names {
    #[serde(default)]
    pub class_names: Vec<Value>,
}

#[derive(Deserialize, Default)]
pub(super) struct Params {
    #[serde(default)]
    pub loss_function: LossFunction,
    #[serde(default)]
    pub data_processing_options: DataOptions,
}

#[derive(Deserialize, Default)]
pub(super) struct DataOptions {
    #[serde(default)]
    pub class_weights: Vec<f64>,
}

#[derive(Deserialize, Default)]
pub(super) struct LossFunction {
    #[serde(default, rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub params: BTreeMap<String, Value>,
}

impl ModelInfo {
    /// Training parameters, which some versions write as JSON within text.
    pub(super) fn params(&self) -> Params {
        let parsed = match &self.params {
            Value::String(text) => serde_json::from_str(text).ok(),
            other => Params::deserialize(other).ok(),
        };
        parsed.unwrap_or_default()
    }
}

#[derive(Deserialize)]
pub(super) struct FeaturesInfo {
    #[serde(default)]
    pub float_features: Vec<FloatFeature>,
    #[serde(default)]
    pub categorical_features: Vec<CategoricalFeature>,
    #[serde(default)]
    pub text_features: Vec<IgnoredAny>,
    #[serde(default)]
    pub embedding_features: Vec<IgnoredAny>,
    /// There if the model was saved with a pool.
    #[serde(default)]
    pub cat_features_hash: Vec<HashedCategory>,
}

#[derive(Deserialize)]
pub(super) struct FloatFeature {
    #[serde(flatten)]
    pub index: FeatureIndex,
    #[serde(default)]
    pub nan_value_treatment: String,
    #[serde(default)]
    pub borders: Option<Vec<f64>>,
}

#[derive(Deserialize)]
pub(super) struct CategoricalFeature {
    #[serde(flatten)]
    pub index: FeatureIndex,
    /// The hashes that one-hot splits compare with.
    #[serde(default)]
    pub values: Option<Vec<i64>>,
}

/// Number of a feature among those of its kind and among all.
#[derive(Deserialize)]
pub(super) struct FeatureIndex {
    pub feature_index: usize,
    pub flat_feature_index: usize,
    feature_name: Option<String>,
    feature_id: Option<String>,
}

impl FeatureIndex {
    /// Puts the feature's name, if it has one, in place of its number.
    pub(super) fn name(&self, name: &mut String) {
        let given = [&self.feature_name, &self.feature_id];
        if let Some(given) = given.into_iter().flatten().find(|name| !name.is_empty()) {
            name.clone_from(given);
        }
    }
}

#[derive(Deserialize)]
pub(super) struct HashedCategory {
    pub hash: u32,
    pub value: String,
}

#[derive(Deserialize)]
pub(super) struct SymmetricTree {
    #[serde(default)]
    pub splits: Option<Vec<SplitIn>>,
    pub leaf_values: Vec<f64>,
    #[serde(default)]
    pub leaf_weights: Vec<f64>,
}

#[derive(Deserialize)]
pub(super) struct NestedNode {
    pub split: Option<SplitIn>,
    pub left: Option<Box<NestedNode>>,
    pub right: Option<Box<NestedNode>>,
    pub value: Option<LeafValue>,
    pub weight: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum LeafValue {
    One(f64),
    Many(Vec<f64>),
}

#[derive(Deserialize)]
pub(super) struct SplitIn {
    pub split_type: String,
    pub border: Option<f64>,
    /// The place of the split in the list of all borders and categories.
    pub split_index: Option<usize>,
    pub float_feature_index: Option<usize>,
    pub cat_feature_index: Option<usize>,
    /// A hash, as a signed number.
    pub value: Option<i64>,
}

/// A class label or parameter as text: whole numbers without a point.
pub(super) fn label(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        other => other.as_f64().map_or_else(|| other.to_string(), crate::table::number_text),
    }
}
