//! Permutation importances against scikit-learn and a direct computation (`testdata/permutation`).
//!
//! Both sides shuffle at random: means over 100 repetitions may differ by 5 standard errors.
#![allow(clippy::unwrap_used)]

use lmdi::file::Model;
use lmdi::forest::train::TrainingSet;
use lmdi::importance::permutation::{PermutationOptions, permutation, permutation_out_of_bag};
use lmdi::importance::{Groups, Importances, Metric};
use lmdi::monitor::{Monitor, Silent};
use lmdi::table::{MatrixView, Response};
use serde::Deserialize;
use std::path::Path;

const REPEATS: usize = 100;
const STANDARD_ERRORS: f64 = 5.0;

#[derive(Deserialize)]
struct Summary {
    mean: Vec<f64>,
    error: Vec<f64>,
}

#[derive(Deserialize)]
struct Case {
    metric: String,
    n_train: usize,
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    model: serde_json::Value,
    given: Summary,
    out_of_bag: Summary,
}

fn golden() -> Vec<Case> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/permutation/forests.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn metric(name: &str) -> Metric<'static> {
    match name {
        "r2" => Metric::R2,
        "accuracy" => Metric::Accuracy,
        "log-loss" => Metric::LogLoss,
        "auroc" => Metric::Auroc,
        other => panic!("unknown metric {other}"),
    }
}

/// Both means have a standard error, so their difference has one larger by the root of two.
fn assert_near(what: &str, found: &Importances, expected: &Summary) {
    for feature in 0..expected.mean.len() {
        let allowed = STANDARD_ERRORS * (2.0_f64).sqrt() * expected.error[feature];
        let difference = (found.values[feature] - expected.mean[feature]).abs();
        assert!(
            difference <= allowed,
            "{what}, feature {feature}: off by {difference}, {allowed} allowed"
        );
    }
    let last = expected.mean.len() - 1;
    assert_eq!(found.values[last], 0.0, "{what}: a constant column");
    assert_eq!(found.deviation[last], 0.0, "{what}: a constant column");
}

fn run(case: &Case, groups: &Groups, seed: u64, repeats: usize) -> [Importances; 2] {
    let ensemble = Model::from_bytes(case.model.to_string().as_bytes()).unwrap().ensemble;
    let p = ensemble.n_features();
    let (train, test) = case.x.split_at(case.n_train);
    let codes: Vec<u32> = case.y.iter().map(|&y| y as u32).collect();
    let response = |range: std::ops::Range<usize>| match case.metric.as_str() {
        "r2" => Response::Numeric(&case.y[range]),
        _ => Response::Classes { codes: &codes[range], n_classes: 2 },
    };
    let options =
        PermutationOptions::new(metric(&case.metric)).with_repeats(repeats).with_seed(seed);
    let cells = test.concat();
    let x = MatrixView::from_rows(&cells, test.len(), p).unwrap();
    let y = response(case.n_train..case.x.len());
    let given = permutation(&ensemble, &TrainingSet::new(x, y), groups, &options, &Silent).unwrap();
    let cells = train.concat();
    let x = MatrixView::from_rows(&cells, train.len(), p).unwrap();
    let y = response(0..case.n_train);
    let out_of_bag =
        permutation_out_of_bag(&ensemble, &TrainingSet::new(x, y), groups, &options, &Silent)
            .unwrap();
    [given, out_of_bag]
}

#[test]
fn importances_are_those_of_scikit_learn() {
    for case in golden() {
        let [given, out_of_bag] = run(&case, &Groups::singles(4), 9, REPEATS);
        assert_near(&format!("{} on new rows", case.metric), &given, &case.given);
        assert_near(&format!("{} out of bag", case.metric), &out_of_bag, &case.out_of_bag);
    }
}

/// A seed gives the same bytes on any number of threads, another seed others.
#[test]
fn threads_change_nothing() {
    let case = &golden()[0];
    let with = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(case, &Groups::singles(4), seed, 3))
    };
    assert_eq!(with(1, 5), with(3, 5));
    assert_ne!(with(1, 5), with(1, 6));
}

/// A constant column in a group changes nothing: the group is shuffled as one.
#[test]
fn groups_are_shuffled_together() {
    let case = &golden()[0];
    let [single, _] = run(case, &Groups::singles(4), 5, 20);
    let [grouped, _] = run(case, &Groups::new(vec![0, 1, 2, 0], 3).unwrap(), 5, 20);
    assert_eq!(single.values[0], grouped.values[0]);
    let [all, _] = run(case, &Groups::new(vec![0; 4], 1).unwrap(), 5, 20);
    // Rows shuffled as a whole predict other rows: worse than the mean.
    assert!(all.values[0] > single.values[0]);
}

#[test]
fn wrong_input_is_named() {
    struct Stopped;
    impl Monitor for Stopped {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let case = &golden()[0];
    let ensemble = Model::from_bytes(case.model.to_string().as_bytes()).unwrap().ensemble;
    let cells = case.x.concat();
    let x = MatrixView::from_rows(&cells, case.x.len(), 4).unwrap();
    let y = Response::Numeric(&case.y);
    let set = TrainingSet::new(x, y);
    let default = PermutationOptions::for_response(&y);
    let groups = Groups::singles(4);
    let message = |options: &PermutationOptions<'_>, monitor: &dyn Monitor| {
        permutation(&ensemble, &set, &groups, options, monitor).unwrap_err().to_string()
    };
    let wrong = default.with_metric(Metric::LogLoss);
    assert!(message(&wrong, &Silent).contains("expected r2"));
    assert!(message(&default.with_repeats(0), &Silent).contains("`repeats` is 0"));
    assert!(message(&default, &Stopped).contains("interrupted"));
    let error = permutation_out_of_bag(&ensemble, &set, &groups, &default, &Silent).unwrap_err();
    assert!(error.to_string().contains("rows of the training table"), "{error}");
}
