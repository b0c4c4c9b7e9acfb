//! The parts of the file that are used. Parameters are numbers written as text.

use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::str::FromStr;

#[derive(serde::Deserialize)]
pub(super) struct File {
    pub learner: Learner,
    #[serde(default)]
    pub version: Vec<u32>,
}

#[derive(serde::Deserialize)]
pub(super) struct Learner {
    #[serde(default)]
    pub attributes: BTreeMap<String, String>,
    #[serde(default)]
    pub feature_names: Vec<String>,
    #[serde(default)]
    pub feature_types: Vec<String>,
    pub gradient_booster: Booster,
    pub learner_model_param: LearnerParam,
    pub objective: Objective,
}

#[derive(serde::Deserialize)]
pub(super) struct Booster {
    #[serde(default)]
    pub name: String,
    pub model: Option<BoosterModel>,
    /// Inside `dart`.
    pub gbtree: Option<Box<Booster>>,
    #[serde(default)]
    pub weight_drop: Vec<f64>,
}

/// All fields have defaults, so that a booster of another kind is refused by its name.
#[derive(serde::Deserialize)]
pub(super) struct BoosterModel {
    #[serde(default)]
    pub gbtree_model_param: TreeModelParam,
    #[serde(default)]
    pub iteration_indptr: Vec<usize>,
    #[serde(default)]
    pub tree_info: Vec<i64>,
    #[serde(default)]
    pub trees: Vec<TreeIn>,
    pub cats: Option<Cats>,
}

#[derive(serde::Deserialize, Default)]
pub(super) struct TreeModelParam {
    #[serde(default)]
    pub num_parallel_tree: Text<usize>,
}

#[derive(serde::Deserialize)]
pub(super) struct LearnerParam {
    pub base_score: String,
    #[serde(default)]
    pub num_class: Text<usize>,
    pub num_feature: Text<usize>,
    pub num_target: Option<Text<usize>>,
}

#[derive(serde::Deserialize)]
pub(super) struct Objective {
    pub name: String,
    pub tweedie_regression_param: Option<TweedieParam>,
    pub reg_loss_param: Option<RegressionParam>,
}

#[derive(serde::Deserialize)]
pub(super) struct RegressionParam {
    #[serde(default = "one")]
    pub scale_pos_weight: Text<f64>,
}

fn one() -> Text<f64> {
    Text(1.0)
}

#[derive(serde::Deserialize)]
pub(super) struct TweedieParam {
    pub tweedie_variance_power: Text<f64>,
}

/// Names of the categories of every feature.
#[derive(serde::Deserialize)]
pub(super) struct Cats {
    #[serde(default)]
    pub enc: Vec<Levels>,
}

/// Numbers, or the bytes of texts and where each begins.
#[derive(serde::Deserialize)]
pub(super) struct Levels {
    #[serde(default)]
    pub offsets: Vec<usize>,
    #[serde(default)]
    pub values: Vec<f64>,
}

#[derive(serde::Deserialize)]
pub(super) struct TreeIn {
    #[serde(default)]
    pub tree_param: TreeParam,
    pub left_children: Vec<i64>,
    pub right_children: Vec<i64>,
    pub split_indices: Vec<u32>,
    /// Thresholds at splits, values at leaves; NaN at some versions' splits by categories.
    #[serde(deserialize_with = "numbers_or_null")]
    pub split_conditions: Vec<f64>,
    /// Of trees whose leaves hold vectors: those of all leaves, whose places are in `right_children`.
    #[serde(default, deserialize_with = "numbers_or_null")]
    pub leaf_weights: Vec<f64>,
    /// Vectors of all nodes, where there are no such places (before version 3.2).
    #[serde(default, deserialize_with = "numbers_or_null")]
    pub base_weights: Vec<f64>,
    pub default_left: Vec<Flag>,
    #[serde(deserialize_with = "numbers_or_null")]
    pub sum_hessian: Vec<f64>,
    #[serde(default)]
    pub split_type: Vec<u8>,
    #[serde(default)]
    pub categories: Vec<i64>,
    #[serde(default)]
    pub categories_nodes: Vec<usize>,
    #[serde(default)]
    pub categories_segments: Vec<usize>,
    #[serde(default)]
    pub categories_sizes: Vec<usize>,
}

#[derive(serde::Deserialize, Default)]
pub(super) struct TreeParam {
    #[serde(default)]
    pub size_leaf_vector: Text<usize>,
}

/// XGBoost writes `NaN` and `Infinity` into its JSON, which are no JSON: `null` in their place.
pub(super) fn without_nan(json: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::new();
    let (mut copied, mut at) = (0, 0);
    let mut in_text = false;
    while at < json.len() {
        let rest = &json[at..];
        let length = match json[at] {
            b'\\' if in_text => 2,
            b'"' => {
                in_text = !in_text;
                1
            }
            b'N' | b'I' | b'-' if !in_text => {
                let words: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];
                let word = words.into_iter().find(|word| rest.starts_with(word));
                if let Some(word) = word {
                    out.extend_from_slice(&json[copied..at]);
                    out.extend_from_slice(b"null");
                    copied = at + word.len();
                }
                word.map_or(1, <[u8]>::len)
            }
            _ => 1,
        };
        at += length;
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.extend_from_slice(&json[copied..]);
    Cow::Owned(out)
}

/// Numbers, and NaN for `null`.
fn numbers_or_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    let numbers = Vec::<Option<f64>>::deserialize(deserializer)?;
    Ok(numbers.into_iter().map(|number| number.unwrap_or(f64::NAN)).collect())
}

/// A number written as text.
#[derive(Default)]
pub(super) struct Text<T>(pub T);

impl<'de, T: FromStr> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = text.trim().parse();
        number
            .map(Text)
            .map_err(|_| de::Error::custom(format!("{text:?} is not a number it can be")))
    }
}

/// True or false, or 1 or 0.
pub(super) struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FlagVisitor;

        impl Visitor<'_> for FlagVisitor {
            type Value = Flag;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("true, false, 1 or 0")
            }

            fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Flag, E> {
                Ok(Flag(flag))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Flag, E> {
                Ok(Flag(number != 0))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Flag, E> {
                Ok(Flag(number != 0))
            }
        }

        deserializer.deserialize_any(FlagVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_outside_text_become_null() {
        let json = br#"{"NaN \" NaN": [NaN, -Infinity, 1, -2, Infinity], "I": "-Infinity"}"#;
        let expected = br#"{"NaN \" NaN": [null, null, 1, -2, null], "I": "-Infinity"}"#;
        assert_eq!(&*without_nan(json), expected);
        assert!(matches!(without_nan(b"[1, 2]"), Cow::Borrowed(_)));
    }
}
