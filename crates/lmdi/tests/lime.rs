//! LIME against the package lime 0.2.0.1 (`testdata/lime`).
//!
//! The same neighbourhood gives lime's intercept, slopes and R2 to 1e-8.
//!
//! With neighbours of its own, the rank correlation of |slope| with lime is compared, row by row, with that of
//! lime with itself under another seed, each averaged over all pairs of six seeds. If both draw from the
//! same distribution, the difference has mean zero and rows are independent measurements of it: their mean must
//! be no more than three of its standard errors below zero, and the standard error so small that a loss of
//! 0.03 is seen. The slopes themselves are compared likewise, column by column.
#![allow(clippy::unwrap_used)]

mod random_models;

use lmdi::file::Model;
use lmdi::importance::Groups;
use lmdi::importance::lime::{Lime, LimeOptions, Neighbourhood, Selection};
use lmdi::importance::{Scores, rank_in_place};
use lmdi::monitor::{Monitor, Silent};
use lmdi::table::{Matrix, MatrixView};
use proptest::prelude::*;
use random_models::{Table, cases, kind};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

const TOLERANCE: f64 = 1e-8;

#[derive(Deserialize)]
struct Fit {
    selection: String,
    most: usize,
    intercept: f64,
    slopes: Vec<f64>,
    r2: f64,
}

#[derive(Deserialize)]
struct Case {
    same: Vec<Vec<u8>>,
    prediction: Vec<f64>,
    fits: Vec<Fit>,
}

/// Slopes, row by row.
type Slopes = Vec<Vec<f64>>;

#[derive(Deserialize)]
struct Forest {
    x: Vec<Vec<f64>>,
    model: serde_json::Value,
    slopes: Vec<Slopes>,
}

fn golden<T: for<'de> Deserialize<'de>>(file: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/lime").join(file);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn selection(name: &str) -> Selection {
    match name {
        "none" => Selection::None,
        "auto" => Selection::Auto,
        "highest_weights" => Selection::HighestWeights,
        "forward_selection" => Selection::ForwardSelection,
        "lasso_path" => Selection::LassoPath,
        other => panic!("unknown selection {other}"),
    }
}

#[test]
fn the_same_neighbourhood_gives_the_same_model() {
    for (index, case) in golden::<Vec<Case>>("neighbourhoods.json").into_iter().enumerate() {
        let neighbourhood = Neighbourhood {
            n_columns: case.same[0].len(),
            same: case.same.concat().into_iter().map(|same| same == 1).collect(),
            n_outputs: 1,
            prediction: case.prediction,
        };
        for fit in case.fits {
            let options = LimeOptions {
                selection: selection(&fit.selection),
                max_columns: Some(fit.most),
                ..LimeOptions::default()
            };
            let found = &neighbourhood.fit(&options)[0];
            let what = format!("case {index}, {} of {}", fit.selection, fit.most);
            assert!(
                (found.intercept - fit.intercept).abs() <= TOLERANCE * fit.intercept.abs().max(1.0),
                "{what}"
            );
            assert!((found.r2 - fit.r2).abs() <= TOLERANCE, "{what}");
            for (found, expected) in found.slopes.iter().zip(&fit.slopes) {
                assert!(
                    (found - expected).abs() <= TOLERANCE,
                    "{what}: {found}, expected {expected}"
                );
            }
        }
    }
}

fn ranks(line: &[f64]) -> Vec<f64> {
    let mut sizes: Vec<(f64, u32)> = line.iter().zip(0..).map(|(s, at)| (s.abs(), at)).collect();
    let mut ranks = vec![0.0; line.len()];
    rank_in_place(&mut sizes, |at, rank| ranks[at as usize] = rank);
    ranks
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = (a.len() + 1) as f64 / 2.0;
    let sum =
        |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum::<f64>();
    let (a, b) = (ranks(a), ranks(b));
    sum(&a, &b) / (sum(&a, &a) * sum(&b, &b)).sqrt()
}

#[test]
fn own_neighbours_rank_as_lime_does() {
    for (name, case) in golden::<BTreeMap<String, Forest>>("forests.json") {
        let ensemble = Model::from_bytes(case.model.to_string().as_bytes()).unwrap().ensemble;
        let cells = case.x.concat();
        let x = MatrixView::from_rows(&cells, case.x.len(), 6).unwrap();
        let rows = case.slopes[0].len();
        let own = |seed| -> Slopes {
            let options = LimeOptions { categorical: vec![5], seed, ..LimeOptions::default() };
            let lime = Lime::new(&ensemble, &x, options).unwrap();
            let scores = lime.score(&x.slice_rows(0..rows), &Silent).unwrap();
            assert_eq!(scores.n_outputs, 1, "{name}");
            (0..rows).map(|row| scores.row(row).to_vec()).collect()
        };
        let own: Vec<Slopes> = (0..case.slopes.len() as u64).map(own).collect();
        let differences: Vec<f64> = (0..rows)
            .map(|row| {
                let mut with_itself = Vec::new();
                let mut with_lime = Vec::new();
                for (at, lime) in case.slopes.iter().enumerate() {
                    let others = case.slopes[..at].iter();
                    with_itself.extend(others.map(|other| correlation(&lime[row], &other[row])));
                    with_lime.extend(own.iter().map(|own| correlation(&own[row], &lime[row])));
                }
                mean(&with_lime) - mean(&with_itself)
            })
            .collect();
        let (difference, error) = (mean(&differences), standard_error(&differences));
        assert!(error < 0.01, "{name}: a loss of 0.03 would not be seen, {error}");
        assert!(difference > -3.0 * error, "{name}: {difference} with an error of {error}");

        // The slopes are those of the same distribution, not only in the same order: differences of means
        // over seeds, in units of their errors, have a mean square of one, but for how few seeds there are.
        for feature in 0..6 {
            let squares: Vec<f64> = (0..rows)
                .map(|row| {
                    let of = |all: &[Slopes]| -> Vec<f64> {
                        all.iter().map(|lines| lines[row][feature]).collect()
                    };
                    let (a, b) = (of(&own), of(&case.slopes));
                    let error = standard_error(&a).hypot(standard_error(&b));
                    let t = (mean(&a) - mean(&b)) / error;
                    t * t
                })
                .collect();
            // The mean of the square of a t variable with n degrees of freedom is n / (n - 2).
            let freedom = 2.0 * (own.len() - 1) as f64;
            let (found, error) = (mean(&squares), standard_error(&squares));
            let off = (found - freedom / (freedom - 2.0)).abs();
            assert!(off < 4.0 * error, "{name}, column {feature}: {found}, error {error}");
        }
    }
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Of the mean.
fn standard_error(numbers: &[f64]) -> f64 {
    let (n, mean) = (numbers.len() as f64, mean(numbers));
    (numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0) / n).sqrt()
}

fn small() -> LimeOptions {
    LimeOptions { n_samples: 1500, ..LimeOptions::default() }
}

fn explain(table: &Table, model: &lmdi::forest::Ensemble, x: &Matrix, threads: usize) -> Scores {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        Lime::new(model, &table.x.view(), small()).unwrap().score(&x.view(), &Silent).unwrap()
    })
}

proptest! {
    #![proptest_config(cases(12))]

    /// Columns without a split get exactly zero; neither threads, nor batches, nor the order of rows
    /// change a byte; base plus scores is finite.
    #[test]
    fn scores_depend_on_the_row_only(kind in kind(), seed in any::<u64>()) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let scores = explain(&table, &model, &table.x, 1);
        prop_assert_eq!(&scores, &explain(&table, &model, &table.x, 3));
        let last = table.rows() - 1;
        let turned = explain(&table, &model, &table.x.take_rows(&[last, 0]), 2);
        prop_assert_eq!(turned.row(0), scores.row(last));
        prop_assert_eq!(turned.row(1), scores.row(0));
        for row in 0..scores.n_rows {
            for output in 0..scores.n_outputs {
                prop_assert!(scores.total(row, output).is_finite());
                for feature in 0..scores.n_features {
                    if model.trees.iter().all(|tree| !tree.feature.contains(&(feature as u32))) {
                        prop_assert_eq!(scores.get(row, feature, output), 0.0);
                    }
                }
            }
        }
    }
}

/// The 0/1 columns of one category are drawn as they occur, and the one that is set has the score.
#[test]
fn one_hot_columns_are_drawn_together() {
    let n = 90;
    let hot = |level: usize| (0..n).map(move |row| f64::from(u8::from(row % 3 == level)));
    let other: Vec<f64> = (0..n).map(|row| (row * 37 % 90) as f64).collect();
    let columns: Vec<Vec<f64>> = vec![hot(0).collect(), hot(1).collect(), hot(2).collect(), other];
    let y = (0..n).map(|row| [0.0, 1.0, 5.0][row % 3]).collect();
    let table = Table::numeric(columns, y);
    let model = table.train(random_models::Kind::Forest { classes: 0, bootstrap: true }, 1);
    let options =
        LimeOptions { together: Some(Groups::new(vec![0, 0, 0, 1], 2).unwrap()), ..small() };
    let lime = Lime::new(&model, &table.x.view(), options).unwrap();
    let scores = lime.score(&table.x.view(), &Silent).unwrap();
    for row in 0..6 {
        for level in 0..3 {
            assert_eq!(
                scores.get(row, level, 0) != 0.0,
                row % 3 == level,
                "row {row}, level {level}"
            );
        }
    }
    assert!(scores.get(2, 2, 0) > 2.0);
}

#[test]
fn wrong_input_is_named() {
    struct Stopped;
    impl Monitor for Stopped {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let table = Table::random(3, 0);
    let model = table.train(random_models::Kind::Forest { classes: 0, bootstrap: true }, 1);
    let x = table.x.view();
    let message = |options: LimeOptions| Lime::new(&model, &x, options).unwrap_err().to_string();
    assert!(message(LimeOptions { n_samples: 1, ..small() }).contains("`n_samples` is 1"));
    assert!(message(LimeOptions { kernel_width: Some(0.0), ..small() }).contains("`kernel_width`"));
    assert!(
        message(LimeOptions { categorical: vec![99], ..small() }).contains("`categorical` is 99")
    );
    let none = Lime::new(&model, &x.slice_rows(0..0), small()).unwrap_err().to_string();
    assert!(none.contains("background"), "{none}");
    let lime = Lime::new(&model, &x, small()).unwrap();
    assert!(lime.score(&x, &Stopped).unwrap_err().to_string().contains("interrupted"));
}
