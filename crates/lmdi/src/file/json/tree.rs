//! One entry of the key `trees`.

use super::arrays::{Word, array, optional_array};
use crate::file::codes::Coded;
use crate::forest::{CategorySet, Comparison, InBag, Missing, NONE, Precision, Tree};
use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TreeV1 {
    #[serde(with = "array")]
    feature: Vec<u32>,
    #[serde(with = "array")]
    threshold: Vec<f64>,
    #[serde(with = "array")]
    left: Vec<u32>,
    #[serde(with = "array")]
    right: Vec<u32>,
    #[serde(default = "one")]
    n_values: usize,
    #[serde(with = "array")]
    value: Vec<f64>,
    #[serde(with = "array")]
    weight: Vec<f64>,
    #[serde(default, with = "optional_array", skip_serializing_if = "Option::is_none")]
    impurity: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missing: Option<Vec<u8>>,
    #[serde(default, with = "optional_array", skip_serializing_if = "Option::is_none")]
    category_set: Option<Vec<u32>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    category_sets: Vec<CategorySetV1>,
    #[serde(default = "less_equal")]
    comparison: Word<Comparison>,
    #[serde(default = "single")]
    precision: Word<Precision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    in_bag: Option<Vec<u32>>,
}

/// The members are words of 64 bits and not a list of codes, so that a short text cannot ask for
/// a large set.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CategorySetV1 {
    members: Vec<u64>,
    members_go_left: bool,
    #[serde(default)]
    known: Option<Vec<u64>>,
}

fn one() -> usize {
    1
}

fn less_equal() -> Word<Comparison> {
    Word(Comparison::LessEqual)
}

fn single() -> Word<Precision> {
    Word(Precision::Single)
}

/// The trees, turned into their JSON form one at a time: one copy of a tree exists, not of all.
pub(super) struct TreesOut<'a>(pub(super) &'a [Tree]);

impl Serialize for TreesOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.0.len()))?;
        for tree in self.0 {
            sequence.serialize_element(&TreeV1::from(tree))?;
        }
        sequence.end()
    }
}

/// `None` when every entry is what a reader puts in for a missing array.
fn unless_all<T: Clone>(items: &[T], is_default: impl Fn(&T) -> bool) -> Option<Vec<T>> {
    if items.iter().all(is_default) { None } else { Some(items.to_vec()) }
}

impl From<&Tree> for TreeV1 {
    fn from(tree: &Tree) -> Self {
        let codes: Vec<u8> = tree.missing.iter().map(|missing| missing.code()).collect();
        Self {
            feature: tree.feature.clone(),
            threshold: tree.threshold.clone(),
            left: tree.left.clone(),
            right: tree.right.clone(),
            n_values: tree.n_values,
            value: tree.value.clone(),
            weight: tree.weight.clone(),
            impurity: unless_all(&tree.impurity, |x| x.to_bits() == f64::NAN.to_bits()),
            missing: unless_all(&codes, |&code| code == Missing::Right.code()),
            category_set: unless_all(&tree.category_set, |&set| set == NONE),
            category_sets: tree
                .category_sets
                .iter()
                .map(|set| CategorySetV1 {
                    members: set.members.clone(),
                    members_go_left: set.members_go_left,
                    known: set.known.clone(),
                })
                .collect(),
            comparison: Word(tree.comparison),
            precision: Word(tree.precision),
            in_bag: tree.in_bag.as_ref().map(|in_bag| match in_bag {
                InBag::Narrow(counts) => counts.iter().map(|&count| u32::from(count)).collect(),
                InBag::Wide(counts) => counts.clone(),
            }),
        }
    }
}

impl TreeV1 {
    pub(super) fn into_tree(self) -> crate::Result<Tree> {
        let n = self.feature.len();
        let missing = match self.missing {
            None => vec![Missing::Right; n],
            Some(codes) => {
                codes.into_iter().map(Missing::from_code).collect::<crate::Result<Vec<_>>>()?
            }
        };
        Ok(Tree {
            feature: self.feature,
            threshold: self.threshold,
            category_set: self.category_set.unwrap_or_default(),
            missing,
            left: self.left,
            right: self.right,
            value: self.value,
            n_values: self.n_values,
            weight: self.weight,
            impurity: self.impurity.unwrap_or_else(|| vec![f64::NAN; n]),
            comparison: self.comparison.0,
            precision: self.precision.0,
            category_sets: self
                .category_sets
                .into_iter()
                .map(|set| CategorySet {
                    members: set.members,
                    members_go_left: set.members_go_left,
                    known: set.known,
                })
                .collect(),
            in_bag: self.in_bag.map(InBag::from_counts),
        })
    }
}
