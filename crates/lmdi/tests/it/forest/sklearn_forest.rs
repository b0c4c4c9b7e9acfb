//! Models exported from scikit-learn route and predict as they do there: `testdata/sklearn_forest`.
//!
//! Leaves must be the same. Predictions may differ by rounding (sums in another order), at most
//! 1e-12 relative to numbers above 1 and absolutely below.
#![allow(clippy::unwrap_used)]

use lmdi::file::Model;
use lmdi::monitor::Silent;
use lmdi::table::MatrixView;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

const TOLERANCE: f64 = 1e-12;

fn golden(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/sklearn_forest")
        .join(format!("{name}.json"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The numbers of an array of arrays, row by row; `null` is NaN.
fn numbers(rows: &Value) -> Vec<f64> {
    let cells = rows.as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap());
    cells.map(|cell| if cell.is_null() { f64::NAN } else { cell.as_f64().unwrap() }).collect()
}

fn check(name: &str) {
    let golden = golden(name);
    let model = Model::from_bytes(golden["model"].to_string().as_bytes()).unwrap();
    let ensemble = &model.ensemble;
    let cells = numbers(&golden["x"]);
    let n_rows = cells.len() / ensemble.n_features();
    let x = MatrixView::from_rows(&cells, n_rows, ensemble.n_features()).unwrap();

    let leaves: Vec<f64> =
        ensemble.apply(&x, &Silent).unwrap().into_iter().map(f64::from).collect();
    assert_eq!(leaves, numbers(&golden["leaves"]), "{name}");

    let found = ensemble.predict(&x, &Silent).unwrap();
    let expected = numbers(&golden["prediction"]);
    assert_eq!(found.len(), expected.len(), "{name}");
    for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let close = (found - expected).abs() <= TOLERANCE * expected.abs().max(1.0);
        assert!(close, "{name}, prediction {at}: {found}, expected {expected}");
    }

    let n_train = golden["n_train"].as_u64().unwrap() as usize;
    if golden["weighted"] == Value::Bool(false) {
        check_in_bag(name, &model, &leaves, n_train);
    }
}

/// Without weights, the weight of a leaf is the number of draws of the training rows in it.
fn check_in_bag(name: &str, model: &Model, leaves: &[f64], n_train: usize) {
    let trees = &model.ensemble.trees;
    for (index, tree) in trees.iter().enumerate() {
        let Some(in_bag) = &tree.in_bag else { continue };
        assert_eq!(in_bag.len(), n_train, "{name}");
        let mut drawn = vec![0.0; tree.n_nodes()];
        for row in 0..n_train {
            drawn[leaves[row * trees.len() + index] as usize] += f64::from(in_bag.count(row));
        }
        for node in (0..tree.n_nodes()).filter(|&node| tree.is_leaf(node)) {
            assert_eq!(drawn[node], tree.weight[node], "{name}: tree {index}, leaf {node}");
        }
    }
}

#[test]
fn forests() {
    check("forest_regression");
    check("forest_three_classes");
    check("extra_trees_two_classes");
}

#[test]
fn a_tree_with_weights() {
    check("tree_weighted");
}

#[test]
fn gradient_boosting() {
    check("boosting_regression");
    check("boosting_two_classes");
    check("boosting_three_classes");
}
