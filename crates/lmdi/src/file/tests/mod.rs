//! Tests of the model file: round trips, damage, hostile content, the kept fixture.
#![allow(clippy::unwrap_used)]

mod damage;
mod explainer;
mod hostile_binary;
mod hostile_json;
mod random_model;
mod round_trip;
mod schema;

use super::{Model, v1};
use crate::forest::{
    Aggregation, Comparison, Ensemble, Growth, Link, Missing, NONE, Outcome, Precision, Tree,
};

/// A split on column 0 with two leaves.
fn stump() -> Tree {
    Tree {
        feature: vec![0, NONE, NONE],
        threshold: vec![2.5, 0.0, 0.0],
        category_set: Vec::new(),
        missing: vec![Missing::Right; 3],
        left: vec![1, NONE, NONE],
        right: vec![2, NONE, NONE],
        value: vec![2.0, 1.0, 4.0],
        n_values: 1,
        weight: vec![3.0, 2.0, 1.0],
        impurity: vec![2.0, 0.0, f64::NAN],
        comparison: Comparison::LessEqual,
        precision: Precision::Single,
        category_sets: vec![],
        in_bag: None,
    }
}

/// One stump on one column.
fn small_model() -> Model {
    Model::new(Ensemble {
        feature_names: vec!["age".into()],
        trees: vec![stump()],
        output_of_tree: vec![],
        n_outputs: 1,
        aggregation: Aggregation::Mean,
        base_score: vec![0.0],
        link: Link::Identity,
        growth: Growth::Independent,
        outcome: Outcome::Number,
        class_weights: Default::default(),
    })
}

/// The bytes of a model that need not be valid.
fn encoded(model: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    v1::encode(model, &mut bytes).unwrap();
    bytes
}

/// Fails unless the bytes are refused with a message that holds `expected`.
#[track_caller]
fn refused(bytes: &[u8], expected: &str) {
    match Model::from_bytes(bytes) {
        Ok(_) => panic!("read without an error; expected {expected:?}"),
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains(expected), "{message:?} does not hold {expected:?}");
        }
    }
}
