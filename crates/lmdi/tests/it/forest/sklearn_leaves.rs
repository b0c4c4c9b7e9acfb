//! Rows, among them cells at and next to thresholds, reach the leaf scikit-learn sends them to.

use crate::support::golden::{ensemble, matrix, text};
use lmdi::monitor::Silent;
use serde::Deserialize;

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

/// A model of one tree, rows, and the leaf that each reaches.
#[derive(Deserialize)]
struct Case {
    name: String,
    model: serde_json::Value,
    rows: Vec<Vec<f64>>,
    leaves: Vec<usize>,
}

#[test]
fn rows_reach_the_leaf_of_scikit_learn() {
    let cases: Cases = serde_json::from_str(&text("glm_gaussian.json")).expect("a golden file");
    for case in cases.cases {
        let rows = matrix(&case.rows);
        let mut ensemble = ensemble(&case.model);
        let found = ensemble.apply(&rows.view(), &Silent).expect("routing");
        let found: Vec<usize> = found.iter().map(|&leaf| leaf as usize).collect();
        assert_eq!(found, case.leaves, "{}", case.name);

        let tree = ensemble.trees.remove(0);
        let mut cells = vec![0.0; rows.cols()];
        for (row, &expected) in case.leaves.iter().enumerate() {
            rows.view().rows_into(row..row + 1, &mut cells);
            assert_eq!(tree.leaf_of(&cells), expected, "{}, row {row}", case.name);
        }
    }
}
