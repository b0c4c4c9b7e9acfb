//! MAPLE against its definition written out with numpy (`testdata/maple`): weights to 1e-12, slopes
//! and intercepts to 1e-8, the same columns.
#![allow(clippy::unwrap_used)]

use crate::support::random_models::{Kind, Table, cases, kind};
use lmdi::file::Model;
use lmdi::forest::train::TrainingSet;
use lmdi::importance::maple::{Maple, MapleOptions};
use lmdi::monitor::Silent;
use lmdi::table::{MatrixView, Response};
use proptest::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
struct Explained {
    weights: Vec<f64>,
    intercept: f64,
    slopes: Vec<f64>,
}

#[derive(Deserialize)]
struct Case {
    n_train: usize,
    n_validation: usize,
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    model: serde_json::Value,
    columns: Vec<usize>,
    explained: Vec<Explained>,
}

#[test]
fn local_models_are_those_of_numpy() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/maple/forests.json");
    let golden: BTreeMap<String, Case> =
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    for (name, case) in golden {
        let ensemble = Model::from_bytes(case.model.to_string().as_bytes()).unwrap().ensemble;
        let cells = case.x.concat();
        let x = MatrixView::from_rows(&cells, case.x.len(), 4).unwrap();
        let codes: Vec<u32> = case.y.iter().map(|&y| y as u32).collect();
        let response = |from: usize, to: usize| match name.as_str() {
            "regression" => Response::Numeric(&case.y[from..to]),
            _ => Response::Classes { codes: &codes[from..to], n_classes: 2 },
        };
        let (train, end) = (case.n_train, case.n_train + case.n_validation);
        let validation = TrainingSet::new(x.slice_rows(train..end), response(train, end));
        let options = MapleOptions::default();
        let set = TrainingSet::new(x.slice_rows(0..train), response(0, train));
        let maple = Maple::fit(&ensemble, &set, Some(&validation), &options, &Silent).unwrap();
        assert_eq!(maple.columns(), case.columns, "{name}");
        let rows = x.slice_rows(end..x.rows());
        let weights = maple.weights(&rows).unwrap();
        let scores = maple.explain(&rows, &Silent).unwrap();
        let mean = |column: usize| {
            case.x[..train].iter().map(|row| row[column]).sum::<f64>() / train as f64
        };
        for (row, expected) in case.explained.iter().enumerate() {
            for (found, expected) in weights[row * train..].iter().zip(&expected.weights) {
                assert!(
                    (found - expected).abs() < 1e-12,
                    "{name}: weight {found}, expected {expected}"
                );
            }
            let mut base = expected.intercept;
            for (column, slope) in expected.slopes.iter().enumerate() {
                base += slope * mean(column);
                let score = slope * (rows.get(row, column) - mean(column));
                let found = scores.get(row, column, 0);
                assert!(
                    (found - score).abs() < 1e-8,
                    "{name}, row {row}: {found}, expected {score}"
                );
            }
            assert!((scores.base[row] - base).abs() < 1e-8, "{name}, row {row}");
        }
    }
}

proptest! {
    #![proptest_config(cases(40))]

    /// Any model: finite scores, exactly zero without a split, the same bytes for rows in another
    /// order and any number of threads.
    #[test]
    fn scores_depend_on_the_row_only(kind in kind(), seed in any::<u64>()) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let explain = |rows: &[usize], threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let options = MapleOptions::default();
                Maple::fit(&model, &table.set(), None, &options, &Silent).expect("rows")
                    .explain(&table.x.take_rows(rows).view(), &Silent).expect("scores")
            })
        };
        let forwards: Vec<usize> = (0..table.rows()).collect();
        let backwards: Vec<usize> = (0..table.rows()).rev().collect();
        let scores = explain(&forwards, 1);
        prop_assert!(scores.values.iter().chain(&scores.base).all(|number| number.is_finite()));
        for feature in 0..scores.n_features {
            if model.trees.iter().all(|tree| !tree.feature.contains(&(feature as u32))) {
                let k = scores.n_outputs;
                let mut cells = (0..table.rows()).flat_map(|row| &scores.row(row)[feature * k..(feature + 1) * k]);
                prop_assert!(cells.all(|&score| score == 0.0));
            }
        }
        let turned = explain(&backwards, 3);
        for row in 0..table.rows() {
            prop_assert_eq!(turned.row(row), scores.row(table.rows() - 1 - row));
        }
    }
}

#[test]
fn wrong_input_is_named() {
    let table = Table::random(3, 0);
    let model = table.train(Kind::Forest { classes: 0, bootstrap: true }, 1);
    let message = |options: MapleOptions| {
        Maple::fit(&model, &table.set(), None, &options, &Silent).unwrap_err().to_string()
    };
    assert!(
        message(MapleOptions::default().with_alpha(-1.0).with_n_columns(None))
            .contains("`alpha` is -1")
    );
    assert!(
        message(MapleOptions::default().with_alpha(1.0).with_n_columns(Some(0)))
            .contains("`n_columns`")
    );
}
