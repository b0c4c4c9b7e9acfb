//! LIME against the package lime 0.2.0.1 (`testdata/lime`).
//!
//! The same neighbourhood gives lime's intercept, slopes and R2 to 1e-8.
//!
//! With neighbours of its own, the mean rank correlation of |slope| with lime is compared with that
//! of lime with itself under another seed, on the same rows. If both draw from the same
//! distribution the difference is zero but for what was drawn. Its standard error follows from the
//! draws: seeds are independent (rows that share neighbours are not), so on our side it is the
//! spread over seeds, on lime's, whose every seed meets every other, the jackknife that leaves one
//! seed out after the other. The difference must be no more than three standard errors below zero,
//! and these so small that a loss of 0.03 is seen. The slopes themselves are compared likewise,
//! column by column.
#![allow(clippy::unwrap_used)]

use crate::support::random_models::{Table, cases, kind};
use lmdi::file::Model;
use lmdi::importance::Groups;
use lmdi::importance::lime::{Lime, LimeOptions, Neighbourhood, Selection};
use lmdi::importance::{Scores, rank_in_place};
use lmdi::monitor::{Monitor, Silent};
use lmdi::table::{Matrix, MatrixView};
use proptest::prelude::*;
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
            same: (0..case.same[0].len())
                .flat_map(|column| case.same.iter().map(move |line| line[column] == 1))
                .collect(),
            n_outputs: 1,
            prediction: case.prediction,
        };
        for fit in case.fits {
            let options = LimeOptions::default()
                .with_selection(selection(&fit.selection))
                .with_max_columns(Some(fit.most));
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

/// Seeds of our own: a multiple of lime's number.
const OWN_SEEDS: u64 = 48;

/// The mean over rows of the rank correlation of two sets of slopes.
fn agreement(a: &Slopes, b: &Slopes) -> f64 {
    mean(&a.iter().zip(b).map(|(a, b)| correlation(a, b)).collect::<Vec<_>>())
}

/// How much better we agree with lime than lime with itself, and the standard error of that.
fn gain_in_agreement(own: &[Slopes], lime: &[Slopes]) -> (f64, f64) {
    let with_lime: Vec<Vec<f64>> =
        own.iter().map(|own| lime.iter().map(|lime| agreement(own, lime)).collect()).collect();
    let with_itself: Vec<Vec<f64>> =
        lime.iter().map(|a| lime.iter().map(|b| agreement(a, b)).collect()).collect();
    let gain_without = |left_out: Option<usize>| {
        let kept: Vec<usize> = (0..lime.len()).filter(|&seed| Some(seed) != left_out).collect();
        let pairs =
            kept.iter().flat_map(|&a| kept.iter().filter(move |&&b| b < a).map(move |&b| (a, b)));
        let itself: Vec<f64> = pairs.map(|(a, b)| with_itself[a][b]).collect();
        let ours: Vec<f64> =
            with_lime.iter().flat_map(|own| kept.iter().map(|&at| own[at])).collect();
        mean(&ours) - mean(&itself)
    };
    let of_own_seeds: Vec<f64> = with_lime.iter().map(|own| mean(own)).collect();
    let left_out: Vec<f64> = (0..lime.len()).map(|seed| gain_without(Some(seed))).collect();
    let jackknife = (lime.len() - 1) as f64 * standard_error(&left_out);
    (gain_without(None), standard_error(&of_own_seeds).hypot(jackknife))
}

/// Per group of as many of our seeds as lime has, and row: the square of the difference of the mean
/// slopes of a column, in units of its standard error.
fn squared_differences(own: &[Slopes], lime: &[Slopes], column: usize) -> Vec<Vec<f64>> {
    let square = |own: &[Slopes], row: usize| {
        let of =
            |all: &[Slopes]| -> Vec<f64> { all.iter().map(|lines| lines[row][column]).collect() };
        let (a, b) = (of(own), of(lime));
        let t = (mean(&a) - mean(&b)) / standard_error(&a).hypot(standard_error(&b));
        t * t
    };
    let rows = 0..lime[0].len();
    own.chunks_exact(lime.len())
        .map(|own| rows.clone().map(|row| square(own, row)).collect())
        .collect()
}

#[test]
fn own_neighbours_rank_as_lime_does() {
    for (name, case) in golden::<BTreeMap<String, Forest>>("forests.json") {
        let ensemble = Model::from_bytes(case.model.to_string().as_bytes()).unwrap().ensemble;
        let cells = case.x.concat();
        let x = MatrixView::from_rows(&cells, case.x.len(), 6).unwrap();
        let rows = case.slopes[0].len();
        let own = |seed| -> Slopes {
            let options = LimeOptions::default()
                .with_n_samples(5000)
                .with_categorical(vec![5])
                .with_seed(seed);
            let lime = Lime::new(&ensemble, &x, options).unwrap();
            let scores = lime.explain(&x.slice_rows(0..rows), &Silent).unwrap();
            assert_eq!(scores.n_outputs, 1, "{name}");
            (0..rows).map(|row| scores.row(row).to_vec()).collect()
        };
        let own: Vec<Slopes> = (0..OWN_SEEDS).map(own).collect();
        let (gain, error) = gain_in_agreement(&own, &case.slopes);
        println!(
            "{name}: agreement with lime less that of lime with itself {gain:.4}, error {error:.4}"
        );
        assert!(error < 0.01, "{name}: a loss of 0.03 would not be seen, {error}");
        assert!(gain > -3.0 * error, "{name}: {gain} with an error of {error}");

        // The slopes are those of the same distribution, not only in the same order: differences of
        // means over seeds, in units of their errors, have a mean square of one, but for how few
        // seeds there are.
        for column in 0..6 {
            let squares = squared_differences(&own, &case.slopes, column);
            let by_group: Vec<f64> = squares.iter().map(|group| mean(group)).collect();
            let by_row: Vec<f64> = (0..rows)
                .map(|row| mean(&squares.iter().map(|group| group[row]).collect::<Vec<_>>()))
                .collect();
            // The mean of the square of a t variable with n degrees of freedom is n / (n - 2).
            let freedom = 2.0 * (case.slopes.len() - 1) as f64;
            let error = standard_error(&by_group).hypot(standard_error(&by_row));
            let off = (mean(&by_group) - freedom / (freedom - 2.0)).abs();
            println!("{name}, column {column}: mean square off by {off:.2}, error {error:.2}");
            assert!(off < 4.0 * error, "{name}, column {column}: {off}, error {error}");
        }
    }
}

/// Expected values are what lime's runs average to: the mean square of the difference of lime's mean
/// over seeds, in units of its error, is that of a t variable. They are also closer to a run of lime
/// than another run is.
#[test]
fn expected_values_are_the_mean_of_limes_runs() {
    for (name, case) in golden::<BTreeMap<String, Forest>>("forests.json") {
        let ensemble = Model::from_bytes(case.model.to_string().as_bytes()).unwrap().ensemble;
        let cells = case.x.concat();
        let x = MatrixView::from_rows(&cells, case.x.len(), 6).unwrap();
        let (rows, seeds) = (case.slopes[0].len(), case.slopes.len());
        let options = LimeOptions::default().with_categorical(vec![5]);
        let lime = Lime::new(&ensemble, &x, options).unwrap();
        let scores = lime.explain(&x.slice_rows(0..rows), &Silent).unwrap();
        for column in 0..6 {
            let squares: Vec<f64> = (0..rows)
                .map(|row| {
                    let of_seeds: Vec<f64> =
                        case.slopes.iter().map(|lines| lines[row][column]).collect();
                    let off = scores.get(row, column, 0) - mean(&of_seeds);
                    off * off / standard_error(&of_seeds).powi(2)
                })
                .collect();
            let freedom = (seeds - 1) as f64;
            let off = (mean(&squares) - freedom / (freedom - 2.0)).abs();
            let error = standard_error(&squares);
            println!("{name}, column {column}: mean square off by {off:.2}, error {error:.2}");
            assert!(off < 4.0 * error, "{name}, column {column}: {off}, error {error}");
        }
        let own: Slopes = (0..rows).map(|row| scores.row(row).to_vec()).collect();
        let with_lime = mean(&case.slopes.iter().map(|b| agreement(&own, b)).collect::<Vec<_>>());
        let pairs = (0..seeds).flat_map(|a| (0..a).map(move |b| (a, b)));
        let with_itself: Vec<f64> =
            pairs.map(|(a, b)| agreement(&case.slopes[a], &case.slopes[b])).collect();
        println!("{name}: agreement with lime {with_lime:.4}, its own {:.4}", mean(&with_itself));
        assert!(with_lime > mean(&with_itself), "{name}: {with_lime} {}", mean(&with_itself));
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
    LimeOptions::default().with_n_samples(1500)
}

fn explain(lime: &Lime, x: &Matrix, threads: usize) -> Scores {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| lime.explain(&x.view(), &Silent).unwrap())
}

proptest! {
    #![proptest_config(cases(12))]

    /// Columns without a split get exactly zero; neither threads, nor batches, nor the order of
    /// rows change a byte; base plus scores is finite.
    #[test]
    fn scores_depend_on_the_row_only(
        kind in kind(),
        seed in any::<u64>(),
        samples in prop::option::of(Just(1500_usize)),
    ) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let options = small().with_n_samples(samples);
        let lime = || Lime::new(&model, &table.x.view(), options.clone()).unwrap();
        let scores = explain(&lime(), &table.x, 1);
        prop_assert_eq!(&scores, &explain(&lime(), &table.x, 3));
        let last = table.rows() - 1;
        let turned = explain(&lime(), &table.x.take_rows(&[last, 0]), 2);
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
    let model =
        table.train(crate::support::random_models::Kind::Forest { classes: 0, bootstrap: true }, 1);
    for samples in [None, Some(1500)] {
        let together = Groups::new(vec![0, 0, 0, 1], 2).unwrap();
        let options = LimeOptions::default().with_n_samples(samples).with_together(together);
        let lime = Lime::new(&model, &table.x.view(), options).unwrap();
        let scores = lime.explain(&table.x.view(), &Silent).unwrap();
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
    let model =
        table.train(crate::support::random_models::Kind::Forest { classes: 0, bootstrap: true }, 1);
    let x = table.x.view();
    let message = |options: LimeOptions| Lime::new(&model, &x, options).unwrap_err().to_string();
    assert!(message(small().with_n_samples(1)).contains("`n_samples` is 1"));
    assert!(message(small().with_kernel_width(Some(0.0))).contains("`kernel_width`"));
    assert!(message(small().with_categorical(vec![99])).contains("`categorical` is 99"));
    let none = Lime::new(&model, &x.slice_rows(0..0), small()).unwrap_err().to_string();
    assert!(none.contains("background"), "{none}");
    let lime = Lime::new(&model, &x, small()).unwrap();
    assert!(lime.explain(&x, &Stopped).unwrap_err().to_string().contains("interrupted"));
}
