//! MDI, Saabas and local MDI of scikit-learn's forests and boosting: `testdata/mdi`.
//!
//! All to 1e-12, relative for numbers above 1 and absolutely below.
#![allow(clippy::unwrap_used)]

use lmdi::file::Model;
use lmdi::forest::{Aggregation, Tree};
use lmdi::importance::mdi::{MdiScale, mdi};
use lmdi::importance::{Groups, LocalMdi, Saabas, Scores};
use lmdi::monitor::Silent;
use lmdi::named::Named;
use lmdi::table::MatrixView;
use serde_json::Value;
use std::path::Path;

const TOLERANCE: f64 = 1e-12;

fn golden() -> serde_json::Map<String, Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/mdi/forests.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn numbers(values: &Value) -> Vec<f64> {
    match values {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

fn assert_close(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let close = (found - expected).abs() <= TOLERANCE * expected.abs().max(1.0);
        assert!(close, "{what}, number {at}: {found}, expected {expected}");
    }
}

fn check_scores(name: &str, found: &Scores, expected: &Value) {
    let expected = numbers(expected);
    // scikit-learn has a value for both of two classes; the second is explained.
    let n = found.n_rows * found.n_features;
    if found.n_outputs == 1 && expected.len() == 2 * n {
        let second: Vec<f64> = expected.into_iter().skip(1).step_by(2).collect();
        return assert_close(name, &found.values, &second);
    }
    assert_close(name, &found.values, &expected);
}

#[test]
fn values_are_those_of_scikit_learn() {
    for (name, case) in golden() {
        let model = Model::from_bytes(case["model"].to_string().as_bytes()).unwrap();
        let ensemble = &model.ensemble;
        let p = ensemble.n_features();
        let cells = numbers(&case["x"]);
        let x = MatrixView::from_rows(&cells, cells.len() / p, p).unwrap();

        let found = mdi(ensemble, &Groups::singles(p), MdiScale::Share).unwrap();
        assert_close(&name, &found.values, &numbers(&case["mdi"]));
        assert_eq!(found.values[p - 1], 0.0, "{name}: a constant column");

        let scores = Saabas::new(ensemble).unwrap().explain(&x, &Silent).unwrap();
        check_scores(&name, &scores, &case["saabas"]);
        let raw = ensemble.predict_raw(&x, &Silent).unwrap();
        let k = ensemble.n_outputs;
        for row in 0..scores.n_rows {
            for output in 0..scores.n_outputs {
                let expected = raw[row * k + if scores.n_outputs < k { 1 } else { output }];
                assert_close(&name, &[scores.total(row, output)], &[expected]);
            }
        }

        match (LocalMdi::new(ensemble), case.get("local_mdi")) {
            (Ok(explainer), Some(expected)) => {
                check_scores(&name, &explainer.explain(&x, &Silent).unwrap(), expected);
            }
            (Err(error), None) => assert!(error.to_string().contains("forests"), "{error}"),
            _ => panic!("{name}: local MDI is for forests only"),
        }
    }
}

#[test]
fn groups_add_up() {
    let case = &golden()["gini"];
    let model = Model::from_bytes(case["model"].to_string().as_bytes()).unwrap();
    let groups = Groups::new(vec![0, 1, 0, 1, 2], 3).unwrap();
    let single = mdi(&model.ensemble, &Groups::singles(5), MdiScale::Impurity).unwrap().values;
    let found = mdi(&model.ensemble, &groups, MdiScale::Impurity).unwrap().values;
    assert_close("groups", &found, &[single[0] + single[2], single[1] + single[3], single[4]]);
}

#[test]
fn a_model_without_impurities_is_refused() {
    let case = &golden()["gini"];
    let mut ensemble = Model::from_bytes(case["model"].to_string().as_bytes()).unwrap().ensemble;
    ensemble.trees[1].impurity.fill(f64::NAN);
    let error = mdi(&ensemble, &Groups::singles(5), MdiScale::Share).unwrap_err().to_string();
    assert!(error.contains("tree 1 does not tell the impurity"), "{error}");
    assert!(LocalMdi::new(&ensemble).unwrap_err().to_string().contains("tree 1"));
}

/// The deviation is that of the trees' importances around their mean, on the scale of the values.
#[test]
fn deviations_are_over_trees_and_on_the_scale_of_the_values() {
    for (name, case) in golden() {
        let model = Model::from_bytes(case["model"].to_string().as_bytes()).unwrap();
        let (whole, groups) = (&model.ensemble, Groups::singles(model.ensemble.n_features()));
        let is_mean = matches!(whole.aggregation, Aggregation::Mean);
        for scale in [MdiScale::Share, MdiScale::Impurity] {
            let trees =
                whole.trees.iter().filter(|tree| scale == MdiScale::Impurity || tree.n_nodes() > 1);
            // Of a forest each tree has shares of its own; of boosting only the sum.
            let of_tree = if is_mean { scale } else { MdiScale::Impurity };
            let trees: Vec<Vec<f64>> = trees
                .map(|tree| {
                    let mut alone = whole.clone();
                    alone.trees = vec![tree.clone()];
                    alone.output_of_tree.truncate(1);
                    mdi(&alone, &groups, of_tree).unwrap().values
                })
                .collect();
            let n = trees.len() as f64;
            let mean = |at: usize| trees.iter().map(|tree| tree[at]).sum::<f64>() / n;
            let total: f64 = (0..whole.n_features()).map(mean).sum();
            let by = if scale == MdiScale::Share { total } else { 1.0 };
            let deviation = |at: usize| {
                let squares = trees.iter().map(|tree| (tree[at] - mean(at)).powi(2));
                (squares.sum::<f64>() / n).sqrt() / by
            };
            let expected: Vec<f64> = (0..whole.n_features()).map(deviation).collect();
            assert_close(&name, &mdi(whole, &groups, scale).unwrap().deviation, &expected);
        }
    }
}

/// Where nothing is gained, nothing is shared out: zeros, and no division by zero.
#[test]
fn models_without_gains_have_no_importances() {
    let case = &golden()["gini"];
    let model = Model::from_bytes(case["model"].to_string().as_bytes()).unwrap();
    let pure = |tree: &mut Tree| tree.impurity.fill(0.0);
    let weightless = |tree: &mut Tree| tree.weight.fill(0.0);
    for change in [pure as fn(&mut Tree), weightless] {
        let mut ensemble = model.ensemble.clone();
        ensemble.trees.iter_mut().for_each(change);
        for scale in [MdiScale::Share, MdiScale::Impurity] {
            let found = mdi(&ensemble, &Groups::singles(5), scale).unwrap();
            assert_eq!((found.values, found.deviation), (vec![0.0; 5], vec![0.0; 5]));
        }
    }
}

#[test]
fn scales_are_known_by_name() {
    assert_eq!(
        MdiScale::ALL.iter().map(|scale| scale.name()).collect::<Vec<_>>(),
        ["share", "impurity"]
    );
}
