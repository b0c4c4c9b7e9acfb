//! One size of `./bench scale`: `bench_scale train ROWS FEATURES TREES MODEL` trains and keeps a
//! forest, `bench_scale explain ROWS FEATURES MODEL` fits LMDI+ on it and scores every row. Both
//! print JSON.

use lmdi::file::Model;
use lmdi::forest::train::{ForestParams, MaxFeatures, SplitFinder, TrainingSet, train_forest};
use lmdi::importance::LmdiPlus;
use lmdi::importance::lmdi_plus::{LmdiPlusOptions, ScoreOptions};
use lmdi::monitor::Silent;
use lmdi::random::{generator, normal};
use lmdi::table::{Matrix, MatrixView, Response};
use lmdi::{Error, Result};
use serde_json::json;
use std::path::Path;

const SEED: u64 = 1;

/// Seconds that all fits of a process take together, and all scorings of its rows.
const SECONDS: f64 = 1.5;

/// Rows scored at a time.
const BATCH_ROWS: usize = 65_536;

/// Standard normal columns; a linear, a stepwise and an interaction term of the first five, and
/// noise.
fn simulate(rows: usize, features: usize) -> Result<(Matrix, Vec<f64>)> {
    let mut cells = Vec::with_capacity(rows * features);
    for column in 0..features {
        let mut random = generator(SEED, column as u64);
        cells.extend((0..rows).map(|_| normal(&mut random)));
    }
    let mut random = generator(SEED, features as u64);
    let y = (0..rows).map(|row| {
        let x = |column: usize| cells[column * rows + row];
        let step = if x(2) > 0.0 { 1.5 } else { 0.0 };
        let both = if x(3) > 0.0 && x(4) > 0.0 { 2.0 } else { 0.0 };
        x(0) + 0.5 * x(1) + step + both + normal(&mut random)
    });
    let y = y.collect();
    Ok((Matrix::from_column_major(cells, rows, features)?, y))
}

fn train(rows: usize, features: usize, trees: usize, path: &Path) -> Result<serde_json::Value> {
    let (x, y) = simulate(rows, features)?;
    let names: Vec<String> = (0..features).map(|column| format!("x{column}")).collect();
    let set = TrainingSet {
        x: x.view(),
        y: Response::Numeric(&y),
        weights: None,
        feature_names: &names,
        labels: &[],
    };
    let params = ForestParams::regression()
        .with_n_trees(trees)
        .with_max_leaf_nodes(Some(256))
        .with_min_samples_leaf(5)
        .with_max_features(MaxFeatures::Fraction(0.33))
        .with_split_finder(SplitFinder::Histogram)
        .with_seed(SEED);
    let (forest, seconds) = lmdi_bench::timed(|| train_forest(&set, &params, &Silent))?;
    let bytes = Model::new(forest).to_bytes()?;
    lmdi_bench::write(path, &bytes)?;
    Ok(json!({ "train_seconds": seconds, "model_bytes": bytes.len() }))
}

fn explain(rows: usize, features: usize, path: &Path) -> Result<serde_json::Value> {
    let ensemble = Model::from_bytes(&lmdi_bench::read(path)?)?.ensemble;
    let (x, y) = simulate(rows, features)?;
    let set = TrainingSet::new(x.view(), Response::Numeric(&y));
    let options = LmdiPlusOptions::paper();

    lmdi_bench::reset_peak();
    let held = lmdi_bench::resident_bytes();
    let fit = || LmdiPlus::fit(&ensemble, &set, &options, &Silent);
    let (explainer, fit_seconds) = lmdi_bench::best_within(SECONDS, 1, fit)?;
    let fit_peak = lmdi_bench::peak_bytes();

    lmdi_bench::reset_peak();
    let (largest_mean_score, score_seconds) =
        lmdi_bench::best_within(SECONDS, 2, || score_in_batches(&explainer, &set.x))?;
    let score_peak = lmdi_bench::peak_bytes();

    Ok(json!({
        "table_bytes": 8 * rows * (features + 1),
        "held": held,
        "fit_seconds": fit_seconds,
        "fit_peak": fit_peak,
        "score_seconds": score_seconds,
        "score_peak": score_peak,
        "largest_mean_score": largest_mean_score,
    }))
}

/// Scores all rows as a service would, a batch after the other, and gives the largest mean |score|.
fn score_in_batches(explainer: &LmdiPlus, x: &MatrixView<'_>) -> Result<f64> {
    let mut sums = vec![0.0; x.cols()];
    let mut start = 0;
    while start < x.rows() {
        let end = (start + BATCH_ROWS).min(x.rows());
        let batch = x.slice_rows(start..end);
        let scores = explainer.score(&batch, &ScoreOptions::default(), &Silent)?;
        for (sum, mean) in sums.iter_mut().zip(scores.mean_absolute(0)) {
            *sum += mean * batch.rows() as f64;
        }
        start = end;
    }
    Ok(sums.into_iter().fold(0.0, f64::max) / x.rows() as f64)
}

fn number(text: &str) -> Result<usize> {
    text.parse().map_err(|_| Error::Data(format!("{text:?} is no whole number")))
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let printed = match arguments.as_slice() {
        ["train", rows, features, trees, model] => {
            train(number(rows)?, number(features)?, number(trees)?, Path::new(model))?
        }
        ["explain", rows, features, model] => {
            explain(number(rows)?, number(features)?, Path::new(model))?
        }
        _ => return Err(Error::Data("see the first lines of this file for the arguments".into())),
    };
    println!("{printed}");
    Ok(())
}
