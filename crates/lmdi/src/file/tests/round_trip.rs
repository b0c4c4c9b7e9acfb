//! A model read back is the model that was saved, bit for bit.

use super::random_model::recipe;
use super::{small_model, stump};
use crate::file::{Metadata, Model};
use crate::forest::{Ensemble, InBag};
use crate::table::Fingerprint;
use proptest::prelude::*;

/// Moves the numbers of a model, as bits, out of it: what is left compares with `==`.
fn bits_and_rest(model: &Model) -> (Vec<u64>, Model) {
    let mut rest = model.clone();
    let mut bits = Vec::new();
    let mut drain = |numbers: &mut Vec<f64>| {
        bits.push(numbers.len() as u64);
        bits.extend(numbers.drain(..).map(f64::to_bits));
    };
    for tree in &mut rest.ensemble.trees {
        for numbers in [&mut tree.threshold, &mut tree.value, &mut tree.weight, &mut tree.impurity]
        {
            drain(numbers);
        }
    }
    drain(&mut rest.ensemble.base_score);
    for model in rest.explainer.iter_mut().flat_map(|explainer| &mut explainer.trees) {
        drain(&mut model.intercept);
        drain(&mut std::mem::take(&mut model.step).to_vec());
        for term in &mut model.raw {
            drain(&mut vec![std::mem::take(&mut term.mean)]);
            drain(&mut term.slope);
        }
        for fit in &mut model.fits {
            drain(&mut vec![std::mem::take(&mut fit.gap)]);
        }
    }
    for quality in &mut rest.metadata.quality {
        drain(&mut vec![quality.value]);
        quality.value = 0.0;
    }
    (bits, rest)
}

#[track_caller]
fn assert_same(found: &Model, expected: &Model) {
    assert_eq!(bits_and_rest(found), bits_and_rest(expected));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn binary(recipe in recipe()) {
        let model = recipe.model();
        let bytes = model.to_bytes().unwrap();
        let read = Model::from_bytes(&bytes).unwrap();
        assert_same(&read, &model);
        prop_assert_eq!(read.to_bytes().unwrap(), bytes);
    }

    #[test]
    fn json(recipe in recipe()) {
        let model = recipe.model();
        let text = model.to_json().unwrap();
        let read = Model::from_bytes(&text).unwrap();
        assert_same(&read, &model);
        prop_assert_eq!(read.to_json().unwrap(), text);
    }
}

#[test]
fn metadata_is_kept() {
    let mut model = small_model();
    model.metadata = Metadata {
        training_options: "n_trees = 10".into(),
        seed: Some(u64::MAX),
        training_rows: Some(3),
        fingerprint: Some(Fingerprint([7; 32])),
        ..Metadata::of_this_library()
    };
    for bytes in [model.to_bytes().unwrap(), model.to_json().unwrap()] {
        assert_same(&Model::from_bytes(&bytes).unwrap(), &model);
    }
}

#[test]
fn needlessly_wide_counts_stay_wide_in_binary_and_become_narrow_in_json() {
    let mut model = small_model();
    model.ensemble.trees[0].in_bag = Some(InBag::Wide(vec![1, 2]));
    assert_same(&Model::from_bytes(&model.to_bytes().unwrap()).unwrap(), &model);
    let read = Model::from_bytes(&model.to_json().unwrap()).unwrap();
    assert_eq!(read.ensemble.trees[0].in_bag, Some(InBag::Narrow(vec![1, 2])));
}

#[test]
fn json_may_be_indented_and_leave_out_what_has_a_default() {
    let text = br#"
    { "version": 1, "ensemble": {
        "trees": [ {
            "value": [2, 1, 4.0], "weight": [3e0, 2, 1], "impurity": [2.0, 0, null],
            "left": [1, -1, -1], "right": [2, -1, -1],
            "feature": [0, -1, -1], "threshold": [2.5, 0, 0], "in_bag": null
        } ],
        "feature_names": ["age"] },
      "format": "lmdi-model" }"#;
    assert_same(&Model::from_bytes(text).unwrap(), &small_model());
}

#[test]
fn a_model_that_could_not_be_read_back_is_not_written() {
    let mut model = small_model();
    model.ensemble.trees[0].left[0] = 7;
    assert!(model.to_bytes().is_err());
    assert!(model.to_json().is_err());

    let mut model = small_model();
    model.metadata.training_rows = Some(3);
    model.ensemble.trees[0].in_bag = Some(InBag::Narrow(vec![1, 2]));
    let message = model.to_bytes().unwrap_err().to_string();
    assert!(message.contains("2 training rows, the metadata says 3"), "{message}");

    let mut other = stump();
    other.in_bag = Some(InBag::Narrow(vec![1]));
    let trees = vec![model.ensemble.trees[0].clone(), other];
    let model = Model::new(Ensemble { trees, ..model.ensemble });
    let message = model.to_bytes().unwrap_err().to_string();
    assert!(message.contains("tree 1 has in-bag counts of 1 rows"), "{message}");
}
