//! Our boosting against scikit-learn's (`testdata/cart/make_boosting.py`).
//!
//! Exact finder: raw outputs within 1e-9 relative to their size. Histogram finder: within 1e-5,
//! because scikit-learn keeps gradients in 32 bits there.

#![allow(clippy::unwrap_used)]

use lmdi::forest::Growth;
use lmdi::forest::train::{BoostingParams, SplitFinder, TrainingSet, train_boosting};
use lmdi::monitor::Silent;
use lmdi::table::{Matrix, Response};
use serde::Deserialize;

#[derive(Deserialize)]
struct Suite {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    histogram: bool,
    n_classes: usize,
    x: Vec<Vec<Option<f64>>>,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
    raw: Vec<f64>,
}

#[test]
fn raw_outputs_equal_those_of_scikit_learn() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/cart/boosting.json");
    let suite: Suite = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(suite.cases.len(), 10);
    for case in &suite.cases {
        let cells = case.x.iter().flatten().map(|cell| cell.unwrap_or(f64::NAN)).collect();
        let x = Matrix::from_column_major(cells, case.y.len(), case.x.len()).unwrap();
        let codes: Vec<u32> = case.y.iter().map(|&y| y as u32).collect();
        let set = TrainingSet {
            x: x.view(),
            y: match case.n_classes {
                0 => Response::Numeric(&case.y),
                n_classes => Response::Classes { codes: &codes, n_classes },
            },
            weights: case.weights.as_deref(),
            feature_names: &(0..case.x.len()).map(|col| format!("x{col}")).collect::<Vec<_>>(),
            labels: &(0..case.n_classes).map(|class| class.to_string()).collect::<Vec<_>>(),
        };
        let common = BoostingParams::default()
            .with_n_rounds(8)
            .with_learning_rate(0.3)
            .with_min_samples_leaf(9);
        let params = if case.histogram {
            let split_finder = SplitFinder::Histogram;
            common.with_max_leaf_nodes(Some(6)).with_split_finder(split_finder)
        } else {
            let split_finder = SplitFinder::Exact;
            common.with_max_leaf_nodes(None).with_max_depth(Some(2)).with_split_finder(split_finder)
        };
        let model = train_boosting(&set, &params, &Silent).unwrap();
        assert_eq!(matches!(model.growth, Growth::SecondOrder(_)), case.histogram);
        let raw = model.predict_raw(&x.view(), &Silent).unwrap();
        assert_eq!(raw.len(), case.raw.len(), "{}", case.name);
        let tolerance = if case.histogram { 1e-5 } else { 1e-9 };
        for (at, (found, expected)) in raw.iter().zip(&case.raw).enumerate() {
            assert!(
                (found - expected).abs() <= tolerance * expected.abs().max(1.0),
                "{}: output {at} is {found}, expected {expected}",
                case.name
            );
        }
    }
}
