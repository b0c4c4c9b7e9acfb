//! Models of other libraries: every row reaches the leaf, and has the raw output, that the library
//! says.
//!
//! Models and expected values are made by `testdata/import/make.py`. Leaves must be equal; raw
//! outputs may differ by 1e-6 of the sum of the sizes of what is added up, for the libraries add in
//! 32 bits.
#![allow(clippy::unwrap_used)]

use crate::support::imported::{load, names};
use lmdi::forest::import::{Library, Rounds, detect, read};
use lmdi::forest::{Aggregation, Ensemble};
use lmdi::monitor::Silent;

/// Base and values on the way to each raw output of a row, by size.
fn size_of_terms(ensemble: &Ensemble, leaves: &[u32], output: usize) -> f64 {
    let factor = match ensemble.aggregation {
        Aggregation::Mean => 1.0 / ensemble.trees.len() as f64,
        Aggregation::Sum { learning_rate } => learning_rate,
    };
    let mut size = ensemble.base_score[output].abs();
    for (tree, (model, &leaf)) in ensemble.trees.iter().zip(leaves).enumerate() {
        let values = model.value_of(leaf as usize);
        match ensemble.output_of_tree.get(tree) {
            Some(&own) if own as usize == output => size += factor * values[0].abs(),
            Some(_) => {}
            None => size += factor * values[output].abs(),
        }
    }
    size
}

#[test]
fn leaves_and_raw_outputs_are_those_of_the_library() {
    let names = names();
    let mut rows = 0;
    let mut wrong = Vec::new();
    for name in &names {
        let case = load(name);
        let ensemble = &case.model.ensemble;
        let k = ensemble.n_outputs;
        let n_trees = ensemble.trees.len();
        assert_eq!(case.model.rounds_used, case.expected.rounds, "{name}");
        let fast = ensemble.apply(&case.x.view(), &Silent).unwrap();
        let raw = ensemble.predict_raw(&case.x.view(), &Silent).unwrap();
        for (row, expected) in case.expected.leaf.iter().enumerate() {
            let leaves = &fast[row * n_trees..(row + 1) * n_trees];
            assert_eq!(expected.len(), n_trees, "{name}");
            let cells: Vec<f64> =
                (0..case.x.cols()).map(|column| case.x.column(column)[row]).collect();
            for (tree, (&leaf, &expected)) in leaves.iter().zip(expected).enumerate() {
                let found = case.model.node_ids[tree][leaf as usize];
                if found != expected {
                    wrong.push(format!(
                        "{name}: row {row} {cells:?}, tree {tree}: leaf {found}, not {expected}"
                    ));
                }
                let slow = ensemble.trees[tree].leaf_of(&cells);
                assert_eq!(slow as u32, leaf, "{name}: row {row}, tree {tree}");
            }
            for output in 0..k {
                let (found, expected) = (raw[row * k + output], case.expected.margin[row][output]);
                let size = size_of_terms(ensemble, leaves, output);
                let close = (found - expected).abs() <= 1e-6 * size.max(expected.abs());
                if !close {
                    wrong.push(format!(
                        "{name}: row {row}, output {output}: {found}, not {expected}"
                    ));
                }
            }
            rows += 1;
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(names.len() > 80 && rows > 10_000, "{} cases, {rows} rows", names.len());
}

#[test]
fn what_surrounds_the_trees_is_read_too() {
    let stopped = load("xgboost-3.2.0-stopped");
    let best = stopped.model.best_iteration.unwrap();
    assert_eq!(stopped.model.rounds_used, best + 1);
    assert!(stopped.model.rounds > best + 1);
    let all = read(&stopped.bytes, Rounds::All).unwrap();
    assert_eq!(all.ensemble.trees.len(), stopped.model.rounds);
    let two = read(&stopped.bytes, Rounds::First(2)).unwrap();
    assert_eq!(two.ensemble.trees.len(), 2);
    assert_eq!(two.ensemble.trees[1].value, all.ensemble.trees[1].value);
    assert!(read(&stopped.bytes, Rounds::First(1000)).is_err());
    assert!(read(&stopped.bytes, Rounds::First(0)).is_err());

    for (name, library, version, objective) in [
        ("xgboost-3.2.0-tweedie", Library::XgBoost, "3.2.0", "reg:tweedie"),
        ("lightgbm-4.7.0-sigmoid", Library::LightGbm, "format v4", "binary sigmoid:0.7"),
        ("catboost-1.2.10-logloss", Library::CatBoost, "1.2.10", "Logloss"),
    ] {
        let case = load(name);
        assert_eq!(detect(&case.bytes).unwrap(), Some(library));
        assert_eq!((&*case.model.version, &*case.model.objective), (version, objective), "{name}");
    }
    let labels = load("catboost-1.2.10-logloss").model.ensemble.outcome;
    let expected = lmdi::forest::Outcome::Classes(vec!["nay".into(), "yea".into()]);
    assert_eq!(labels, expected);
    // Levels in the order of the codes that pandas gave them.
    let schema = load("lightgbm-4.7.0-named").model.schema();
    let encoding = lmdi::table::Encoding::Codes;
    let levels = |names: &[&str]| encoding(names.iter().map(|&name| name.into()).collect());
    assert_eq!(schema.columns[0].encoding, levels(&["3", "7", "10"]));
    assert_eq!(schema.columns[2].encoding, levels(&["", "a b", "b", "x", "z", "été"]));
    let named = load("xgboost-3.2.0-named_json").model.schema();
    assert_eq!(named.columns[1].encoding, levels(&["", "a b", "b", "e", "x", "z"]));
    assert_eq!(named.columns[2].encoding, schema.columns[0].encoding);
}
