//! Our exact trees against scikit-learn's (`testdata/cart/make.py`).
//!
//! Both trees are walked together. At every node they must hold the same rows with the same weight,
//! impurity and value (relative tolerance 1e-12). Where they split differently, the decreases of
//! both splits are computed here from the rows and must agree to 1e-12 of the node's impurity: a
//! tie. The walk goes on below a tie if both splits make the same two groups of rows. Two splits of
//! one column that make the same groups must have the same threshold and missing direction.

#![allow(clippy::unwrap_used)]

use lmdi::forest::train::{Criterion, ForestParams, MaxFeatures, TrainingSet, train_forest};
use lmdi::forest::{Missing, Tree};
use lmdi::monitor::Silent;
use lmdi::table::{Matrix, Response};
use serde::Deserialize;

const TOLERANCE: f64 = 1e-12;

#[derive(Deserialize)]
struct Suite {
    cases: Vec<Case>,
}

#[derive(Deserialize, Default)]
struct Shape {
    max_depth: Option<usize>,
    min_samples_leaf: Option<usize>,
    min_samples_split: Option<usize>,
    max_leaf_nodes: Option<usize>,
    min_impurity_decrease: Option<f64>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    criterion: String,
    parameters: Shape,
    n_classes: usize,
    x: Vec<Vec<Option<f64>>>,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
    left: Vec<i64>,
    right: Vec<i64>,
    feature: Vec<i64>,
    threshold: Vec<Option<f64>>,
    missing_left: Vec<bool>,
    weight: Vec<f64>,
    impurity: Vec<f64>,
    value: Vec<Vec<f64>>,
}

impl Case {
    fn cell(&self, row: usize, col: usize) -> f64 {
        self.x[col][row].unwrap_or(f64::NAN)
    }

    fn weight_of(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// Weight times impurity of a group of rows, from its definition.
    fn cost(&self, rows: &[usize]) -> f64 {
        let total: f64 = rows.iter().map(|&row| self.weight_of(row)).sum();
        let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
            rows.iter().map(|&row| self.weight_of(row) * f(self.y[row])).sum()
        };
        match self.criterion.as_str() {
            "squared_error" => {
                let mean = sum(&|y| y) / total;
                sum(&|y| (y - mean) * (y - mean))
            }
            "poisson" => {
                let mean = sum(&|y| y) / total;
                sum(&|y| if y > 0.0 { y * (y / mean).ln() } else { 0.0 })
            }
            name => (0..self.n_classes)
                .map(|class| {
                    let share = sum(&|y| f64::from(u8::from(y == class as f64))) / total;
                    match name {
                        "gini" => total * share * (1.0 - share),
                        _ if share > 0.0 => -total * share * share.log2(),
                        _ => 0.0,
                    }
                })
                .sum(),
        }
    }

    fn expected_goes_left(&self, node: usize, row: usize) -> bool {
        let x = self.cell(row, self.feature[node] as usize);
        if x.is_nan() {
            return self.missing_left[node];
        }
        x <= self.threshold[node].unwrap_or(f64::INFINITY)
    }

    fn grow(&self) -> Tree {
        let rows = self.y.len();
        let cells = (0..self.x.len()).flat_map(|col| (0..rows).map(move |row| (row, col)));
        let cells = cells.map(|(row, col)| self.cell(row, col)).collect();
        let x = Matrix::from_column_major(cells, rows, self.x.len()).unwrap();
        let codes: Vec<u32> = self.y.iter().map(|&y| y as u32).collect();
        let numeric = self.n_classes == 0;
        let set = TrainingSet {
            x: x.view(),
            y: if numeric {
                Response::Numeric(&self.y)
            } else {
                Response::Classes { codes: &codes, n_classes: self.n_classes }
            },
            weights: self.weights.as_deref(),
            feature_names: &(0..self.x.len()).map(|c| format!("x{c}")).collect::<Vec<_>>(),
            labels: &(0..self.n_classes).map(|c| c.to_string()).collect::<Vec<_>>(),
        };
        let shape = &self.parameters;
        let params = ForestParams::regression()
            .with_n_trees(1)
            .with_criterion(match self.criterion.as_str() {
                "squared_error" => Criterion::SquaredError,
                "poisson" => Criterion::Poisson,
                "gini" => Criterion::Gini,
                _ => Criterion::Entropy,
            })
            .with_max_depth(shape.max_depth)
            .with_min_samples_split(shape.min_samples_split.unwrap_or(2))
            .with_min_samples_leaf(shape.min_samples_leaf.unwrap_or(1))
            .with_max_leaf_nodes(shape.max_leaf_nodes)
            .with_min_impurity_decrease(shape.min_impurity_decrease.unwrap_or(0.0))
            .with_max_features(MaxFeatures::All)
            .with_bootstrap(false);
        let forest = train_forest(&set, &params, &Silent).unwrap();
        forest.check().unwrap();
        forest.trees.into_iter().next().unwrap()
    }

    /// Compares the subtrees at a node of each tree; counts nodes compared and walks given up.
    fn compare(&self, ours: &Tree, node: usize, theirs: usize, rows: &[usize], seen: &mut Seen) {
        let name = &self.name;
        seen.compared += 1;
        let close = |a: f64, b: f64, scale: f64, what: &str| {
            let most = TOLERANCE * scale.max(b.abs());
            assert!((a - b).abs() <= most, "{name}: node {node}: {what} {a}, expected {b}");
        };
        close(ours.weight[node], self.weight[theirs], 0.0, "weight");
        close(ours.impurity[node], self.impurity[theirs], 1.0, "impurity");
        for (a, b) in ours.value_of(node).iter().zip(&self.value[theirs]) {
            close(*a, *b, 1.0, "value");
        }
        assert_eq!(ours.is_leaf(node), self.left[theirs] < 0, "{name}: node {node}: leaf or not");
        if ours.is_leaf(node) {
            return;
        }
        let ours_left =
            |row: &usize| ours.goes_left(node, self.cell(*row, ours.feature[node] as usize));
        let theirs_left = |row: &usize| self.expected_goes_left(theirs, *row);
        let (our_l, our_r): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| ours_left(row));
        let (their_l, their_r): (Vec<usize>, Vec<usize>) =
            rows.iter().partition(|row| theirs_left(row));
        let (mut next_l, mut next_r) = (self.left[theirs] as usize, self.right[theirs] as usize);
        let same = i64::from(ours.feature[node]) == self.feature[theirs]
            && ours.threshold[node] == self.threshold[theirs].unwrap_or(f64::INFINITY)
            && (ours.missing[node] == Missing::Left) == self.missing_left[theirs];
        if !same {
            // One column that makes the same two groups is no tie: it has one threshold only.
            let same_column = i64::from(ours.feature[node]) == self.feature[theirs];
            assert!(
                !(same_column && our_l == their_l),
                "{name}: node {node}: {:?} at {}, expected missing left {} at {:?}",
                ours.missing[node],
                ours.threshold[node],
                self.missing_left[theirs],
                self.threshold[theirs]
            );
            let decrease = |l: &[usize], r: &[usize]| self.cost(rows) - self.cost(l) - self.cost(r);
            let (a, b) = (decrease(&our_l, &our_r), decrease(&their_l, &their_r));
            let most = TOLERANCE * self.cost(rows);
            assert!((a - b).abs() <= most, "{name}: node {node}: no tie, {a} against {b}");
            seen.ties += 1;
            if our_l == their_r {
                std::mem::swap(&mut next_l, &mut next_r);
            } else if our_l != their_l {
                seen.given_up += 1;
                return;
            }
        }
        self.compare(ours, ours.left[node] as usize, next_l, &our_l, seen);
        self.compare(ours, ours.right[node] as usize, next_r, &our_r, seen);
    }
}

#[derive(Default)]
struct Seen {
    compared: usize,
    ties: usize,
    given_up: usize,
}

#[test]
fn trees_equal_those_of_scikit_learn() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/cart/trees.json");
    let suite: Suite = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(suite.cases.len() >= 40);
    let mut total = Seen::default();
    let mut n_nodes = 0;
    for case in &suite.cases {
        let rows: Vec<usize> = (0..case.y.len()).filter(|&row| case.weight_of(row) > 0.0).collect();
        case.compare(&case.grow(), 0, 0, &rows, &mut total);
        n_nodes += case.left.len();
    }
    println!(
        "{} of {n_nodes} nodes compared, {} ties, {} walks given up",
        total.compared, total.ties, total.given_up
    );
    assert!(total.compared * 100 >= n_nodes * 90, "too much of the suite hides below ties");
}
