//! One tree as Python hands it over: arrays with one entry per node.

use lmdi::Error;
use lmdi::forest::{CategorySet, Comparison, InBag, Missing, NONE, Precision, Tree};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// The arrays of a tree. Negative numbers stand for "none" in `feature`, `left`, `right` and
/// `category_set`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct TreeArrays<'py> {
    feature: PyReadonlyArray1<'py, i64>,
    threshold: PyReadonlyArray1<'py, f64>,
    left: PyReadonlyArray1<'py, i64>,
    right: PyReadonlyArray1<'py, i64>,
    missing_left: PyReadonlyArray1<'py, bool>,
    /// Node by node.
    value: PyReadonlyArray1<'py, f64>,
    weight: PyReadonlyArray1<'py, f64>,
    impurity: PyReadonlyArray1<'py, f64>,
    /// Whether cells are rounded to 32 bits before they are compared.
    single: bool,
    category_set: Option<PyReadonlyArray1<'py, i64>>,
    /// Members that go left and known categories, as 64-bit words.
    category_sets: Vec<(Vec<u64>, Vec<u64>)>,
    in_bag: Option<PyReadonlyArray1<'py, u32>>,
}

impl TreeArrays<'_> {
    /// The tree; whether it is sound is for [`lmdi::forest::Ensemble::check`] to say.
    pub fn tree(&self) -> PyResult<Tree> {
        let nodes = self.feature.as_slice()?.len();
        let value = self.value.as_slice()?.to_vec();
        let category_set = match &self.category_set {
            Some(sets) => indices(sets.as_slice()?)?,
            None => Vec::new(),
        };
        let missing = self.missing_left.as_slice()?;
        let set = |(members, known): &(Vec<u64>, Vec<u64>)| CategorySet {
            members: members.clone(),
            members_go_left: true,
            known: Some(known.clone()),
        };
        Ok(Tree {
            feature: indices(self.feature.as_slice()?)?,
            threshold: self.threshold.as_slice()?.to_vec(),
            category_set,
            missing: missing
                .iter()
                .map(|&left| if left { Missing::Left } else { Missing::Right })
                .collect(),
            left: indices(self.left.as_slice()?)?,
            right: indices(self.right.as_slice()?)?,
            n_values: value.len() / nodes.max(1),
            value,
            weight: self.weight.as_slice()?.to_vec(),
            impurity: self.impurity.as_slice()?.to_vec(),
            comparison: Comparison::LessEqual,
            precision: if self.single { Precision::Single } else { Precision::Double },
            category_sets: self.category_sets.iter().map(set).collect(),
            in_bag: match &self.in_bag {
                Some(counts) => Some(InBag::from_counts(counts.as_slice()?.to_vec())),
                None => None,
            },
        })
    }
}

fn indices(numbers: &[i64]) -> PyResult<Vec<u32>> {
    let index = |&number: &i64| match u32::try_from(number) {
        Ok(index) => Ok(index),
        Err(_) if number < 0 => Ok(NONE),
        Err(_) => Err(crate::boundary::errors::exception(Error::Model(format!(
            "an index of a tree is {number}; expected one below 2^32"
        )))),
    };
    numbers.iter().map(index).collect()
}
