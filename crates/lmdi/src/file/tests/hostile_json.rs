//! JSON text that is well formed and wrong.

use super::{refused, small_model};
use crate::file::Model;

/// The text of [`small_model`] with one piece replaced.
fn replaced(old: &str, new: &str) -> Vec<u8> {
    let text = String::from_utf8(small_model().to_json().unwrap()).unwrap();
    assert!(text.contains(old), "{text}");
    text.replacen(old, new, 1).into_bytes()
}

#[test]
fn classes_and_their_shares_are_consistent() {
    let forest = |labels: &str, values: &str| {
        format!(
            r#"{{"format": "lmdi-model", "version": 1, "ensemble": {{
                "feature_names": ["x"], "classes": {labels},
                "trees": [{{"feature": [0, -1, -1], "threshold": [2.5, 0, 0],
                    "left": [1, -1, -1], "right": [2, -1, -1], "n_values": 2,
                    "value": {values}, "weight": [3, 2, 1]}}]}}}}"#
        )
        .into_bytes()
    };
    let fine = "[0.5, 0.5, 1, 0, 0.25, 0.75]";
    Model::from_bytes(&forest(r#"["a", "b"]"#, fine)).expect("consistent");
    refused(&forest(r#"["a", "a"]"#, fine), "two classes are called");
    refused(&forest(r#"["a", "b"]"#, "[0.5, 0.5, 1, 0, 2, -1]"), "no shares of the classes");
    refused(&forest(r#"["a", "b"]"#, "[0.5, 0.5, 1, 0, 1, 1]"), "no shares of the classes");
    refused(&forest(r#"["a", "b"]"#, "[0.5, 0.5, 3, 4, 5, 2]"), "add up to 7; expected 1");
}

#[test]
fn sums_that_overflow_are_refused() {
    let mut model = small_model();
    model.explainer = None;
    let mut tree = model.ensemble.trees[0].clone();
    tree.value.fill(1e308);
    model.ensemble.trees = vec![tree.clone()];
    assert!(model.ensemble.check().is_ok(), "one tree alone can be held");
    model.ensemble.trees = vec![tree.clone(), tree];
    let error = model.ensemble.check().expect_err("infinite").to_string();
    assert!(error.contains("more than a number can hold"), "{error}");
}

#[test]
fn values_are_checked() {
    refused(&replaced(r#""left":[1,-1,-1]"#, r#""left":[1,-2,-1]"#), "index -2; expected -1 or 0");
    refused(&replaced(r#""left":[1,"#, r#""left":[4294967295,"#), "index 4294967295");
    refused(&replaced(r#""left":[1,"#, r#""left":[1.5,"#), "expected i64");
    refused(&replaced(r#""left":[1,"#, r#""left":[0,"#), "tree 0: node 0 has child 0");
    refused(&replaced(r#""left":[1,-1,"#, r#""left":[1,"#), "array `left` of a tree has 2 entries");
    refused(&replaced(r#""threshold":[2.5"#, r#""threshold":[null"#), "node 0 has threshold NaN");
    refused(&replaced(r#""threshold":[2.5"#, r#""threshold":[1e999"#), "number out of range");
    refused(&replaced(r#""threshold":[2.5"#, r#""threshold":["2.5""#), "expected a number, null");
    refused(&replaced(r#""threshold":[2.5"#, r#""threshold":["nan:7ff""#), "16 hex digits");
    let finite = r#""threshold":["nan:3ff0000000000000""#;
    refused(&replaced(r#""threshold":[2.5"#, finite), "16 hex digits");
    refused(&replaced(r#""n_values":1"#, r#""n_values":0"#), "tree 0 has 0 values a node");
    refused(
        &replaced(r#""n_values":1"#, r#""n_values":18446744073709551615"#),
        "tree 0 has 18446744073709551615 values a node",
    );
    refused(&replaced(r#""n_values":1"#, r#""missing":[0,1,5]"#), "tree 0: missing has code 5");
    refused(&replaced(r#""n_values":1"#, r#""in_bag":[0,-1]"#), "expected u32");
    refused(
        &replaced(r#""comparison":"less_equal""#, r#""comparison":"<=""#),
        r#"is "<="; expected"#,
    );
    refused(&replaced(r#""link":"identity""#, r#""link":"softmax""#), "does not fit");
    refused(&replaced(r#""growth":"independent""#, r#""growth":"first_order""#), "no loss");
    let rate = r#""aggregation":"mean","learning_rate":0.1"#;
    refused(&replaced(r#""aggregation":"mean""#, rate), r#"the aggregation is "mean""#);
    refused(&replaced(r#""fingerprint":null"#, r#""fingerprint":"abc""#), "expected 64 hex digits");
}

#[test]
fn keys_are_checked() {
    refused(&replaced(r#""left":"#, r#""lift":"#), "unknown field `lift`, expected one of");
    refused(&replaced(r#""n_values":1,"#, r#""n_values":1,"n_values":1,"#), "duplicate field");
    refused(&replaced(r#","weight":[3.0,2.0,1.0]"#, ""), "missing field `weight`");
    refused(&replaced(r#""version":1,"#, ""), "missing field `version`");
    refused(&replaced(r#""seed":null"#, r#""sead":null"#), "unknown field `sead`");
    let escape = replaced(r#""seed":null"#, r#""\u001b[31m":null"#);
    refused(&escape, r"unknown field `\u{1b}[31m`");
}

#[test]
fn deep_nesting_is_refused() {
    let nested = ["{\"a\":", &"[".repeat(100_000)].concat();
    assert!(Model::from_bytes(nested.as_bytes()).is_err());
    let nested = [r#"{"format":"lmdi-model","version":1,"ensemble":"#, &"[".repeat(100_000)];
    assert!(Model::from_bytes(nested.concat().as_bytes()).is_err());
}
