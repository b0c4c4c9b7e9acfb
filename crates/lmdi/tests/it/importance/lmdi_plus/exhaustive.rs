//! The default penalty search against an exhaustive one, which solves every candidate to 1e-9: small
//! generated tables, smooth, stepwise, collinear and mostly noise; one to six folds; leaves of 1 and
//! 5 rows; numbers and classes.

use lmdi::basis::{Basis, TreeRows, leaf_nodes};
use lmdi::forest::routing::Router;
use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
use lmdi::glm::{Family, GlmFit, GlmOptions, Measure, fit_glm};
use lmdi::monitor::Silent;
use lmdi::random::{below, generator, unit};
use lmdi::table::{MatrixView, Response};

/// Other choices are as good where their error is within this share of the strongest penalty's.
const TIE: f64 = 1e-6;

/// Cells row by row, their number of columns, and a response.
fn table(seed: u64, rows: usize) -> (Vec<f64>, usize, Vec<f64>) {
    let mut random = generator(seed, 0);
    let columns = 3 + below(&mut random, 8);
    let causes = if below(&mut random, 2) == 0 { columns } else { 2 };
    let noise = [0.05, 0.5, 3.0][below(&mut random, 3)];
    let stepwise = below(&mut random, 2) == 0;
    let mixture: Vec<f64> = (0..columns * causes).map(|_| unit(&mut random) - 0.5).collect();
    let (mut cells, mut response) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let cause: Vec<f64> = (0..causes).map(|_| 2.0 * unit(&mut random) - 1.0).collect();
        for column in 0..columns {
            let along = &mixture[column * causes..(column + 1) * causes];
            let mixed: f64 = along.iter().zip(&cause).map(|(a, b)| a * b).sum();
            cells.push(if causes == columns { cause[column] } else { mixed });
        }
        let (a, b) = (cause[0], cause[causes - 1]);
        let signal = if stepwise { f64::from(a > 0.2) + f64::from(b > -0.4) } else { a + a * b };
        response.push(signal + noise * (unit(&mut random) + unit(&mut random) - 1.0));
    }
    (cells, columns, response)
}

/// By how much the error of the default choice exceeds the smallest, as a share of that of the
/// strongest penalty.
fn behind(ours: &GlmFit, full: &GlmFit) -> f64 {
    let (Some(search), Some(chosen), Some(best)) = (&full.search, ours.chosen, full.chosen) else {
        return 0.0;
    };
    let error = |wanted| {
        let at = search.candidates.iter().position(|&candidate| candidate == wanted);
        search.mean_error(at.expect("a candidate of the same grid"))
    };
    (error(chosen) - error(best)) / search.mean_error(search.path(best.l1_ratio)[0])
}

/// The largest that [`behind`] is over the trees of a forest.
fn farthest_behind(seed: u64, rows: usize, n_folds: usize, leaf: usize, classes: bool) -> f64 {
    let (cells, columns, mut y) = table(seed, rows);
    if classes {
        let mean = y.iter().sum::<f64>() / rows as f64;
        y.iter_mut().for_each(|y| *y = f64::from(*y > mean));
    }
    let codes: Vec<u32> = y.iter().map(|&y| y as u32).collect();
    let response = if classes {
        Response::Classes { codes: &codes, n_classes: 2 }
    } else {
        Response::Numeric(&y)
    };
    let x = MatrixView::from_rows(&cells, rows, columns).expect("a matrix");
    let params = if classes { ForestParams::classification() } else { ForestParams::regression() };
    let params = params.with_n_trees(2).with_min_samples_leaf(leaf).with_seed(seed);
    let names: Vec<String> = (0..columns).map(|column| format!("x{column}")).collect();
    let labels = if classes { vec!["no".to_string(), "yes".to_string()] } else { Vec::new() };
    let set = TrainingSet { x, y: response, weights: None, feature_names: &names, labels: &labels };
    let forest = train_forest(&set, &params, &Silent).expect("a forest");
    let router = Router::new(&forest);
    let family = if classes { Family::Binomial } else { Family::Gaussian };
    let options = GlmOptions::reference(family).with_measure(Measure::Deviance);
    let exhaustive = options.clone().with_search_tolerance(1e-9);
    let weight = vec![1.0; rows];
    let mut farthest = 0.0_f64;
    for (index, tree) in forest.trees.iter().enumerate() {
        let basis = Basis::of(tree, &x, true);
        let leaves = leaf_nodes(&router, index, &x);
        // A single fold is that of the out-of-bag rows.
        let in_bag = |row: usize| tree.in_bag.as_ref().is_some_and(|bag| bag.count(row) > 0);
        let fold: Vec<u32> = (0..rows)
            .map(|row| if n_folds == 1 { u32::from(in_bag(row)) } else { (row % n_folds) as u32 })
            .collect();
        let rows = TreeRows::new(&x, &basis, &leaves, &weight, &fold, n_folds);
        let rows = if classes { rows.keep_sparse() } else { rows };
        let target = rows.gather(&y);
        let [ours, full] =
            [&options, &exhaustive].map(|options| fit_glm(&basis, &rows, &target, options));
        farthest = farthest.max(behind(&ours, &full));
    }
    farthest
}

/// Tables, folds and leaves of many kinds. Seeds are fixed and one table in fifty may have another
/// choice, because doubts are estimates.
fn check(n_tables: u64, most_folds: usize, classes: bool) {
    let mut others = Vec::new();
    for seed in 0..n_tables {
        let mut random = generator(seed, 1);
        let rows = 60 + below(&mut random, 200);
        let n_folds = 1 + below(&mut random, most_folds);
        let leaf = [1, 5][below(&mut random, 2)];
        let behind = farthest_behind(seed, rows, n_folds, leaf, classes);
        if behind > TIE {
            others.push(format!("table {seed}, {n_folds} folds, leaves of {leaf}: {behind:e}"));
        }
    }
    assert!(50 * others.len() as u64 <= n_tables, "behind the best: {others:#?}");
}

#[test]
fn least_squares_chooses_what_an_exhaustive_search_chooses() {
    check(100, 6, false);
}

#[test]
fn classes_choose_what_an_exhaustive_search_chooses() {
    check(12, 3, true);
}
