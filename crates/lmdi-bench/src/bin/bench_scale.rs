//! One size of `./bench scale`: `bench_scale train MODEL NAME=NUMBER...` trains and keeps a forest,
//! `bench_scale explain MODEL NAME=NUMBER...` fits LMDI+ on it and scores every row. Both print
//! JSON. The names are the fields of [`Size`], in small letters.

use lmdi::file::Model;
use lmdi::forest::Tree;
use lmdi::forest::train::{ForestParams, MaxFeatures, SplitFinder, TrainingSet, train_forest};
use lmdi::importance::LmdiPlus;
use lmdi::importance::lmdi_plus::{LmdiPlusOptions, ScoreOptions};
use lmdi::monitor::Silent;
use lmdi::random::{below, generator, normal};
use lmdi::table::{Matrix, MatrixView, Response};
use lmdi::{Error, Result};
use serde_json::json;
use std::path::Path;

const SEED: u64 = 1;

/// Seconds of processor that all fits of a process take together, and all scorings of its rows.
const SECONDS: f64 = 1.5;

/// Rows scored at a time.
const BATCH_ROWS: usize = 65_536;

/// Levels of a categorical column, each of which is a column of zeros and ones.
const LEVELS: usize = 16;

/// What is trained and explained.
struct Size {
    rows: usize,
    /// Numeric columns.
    features: usize,
    /// Columns that encode categorical columns, [`LEVELS`] each.
    encoded: usize,
    trees: usize,
    /// Most leaves of a tree; 0 grows trees fully.
    leaves: usize,
    /// 0 for numbers.
    classes: usize,
}

impl Size {
    fn read(arguments: &[&str]) -> Result<Self> {
        let mut size =
            Self { rows: 20_000, features: 20, encoded: 0, trees: 100, leaves: 256, classes: 0 };
        for argument in arguments {
            let (name, number) = argument.split_once('=').unwrap_or((argument, ""));
            let number = number
                .parse()
                .map_err(|_| Error::Data(format!("{argument:?} does not set a whole number")))?;
            match name {
                "rows" => size.rows = number,
                "features" => size.features = number,
                "encoded" => size.encoded = number,
                "trees" => size.trees = number,
                "leaves" => size.leaves = number,
                "classes" => size.classes = number,
                other => return Err(Error::Data(format!("{other:?} is nothing that is measured"))),
            }
        }
        Ok(size)
    }

    fn columns(&self) -> usize {
        self.features + self.encoded
    }
}

/// A simulated table.
struct Table {
    x: Matrix,
    y: Vec<f64>,
    /// The response cut into classes of equal size.
    classes: Vec<u32>,
}

/// Standard normal columns, and columns of zeros and ones for the levels of categories; a linear, a
/// stepwise and an interaction term of the first five, effects of levels, and noise.
fn simulate(size: &Size) -> Result<Table> {
    let rows = size.rows;
    let mut cells = Vec::with_capacity(rows * size.columns());
    for column in 0..size.features {
        let mut random = generator(SEED, column as u64);
        cells.extend((0..rows).map(|_| normal(&mut random)));
    }
    let mut of_levels = vec![0.0; rows];
    for category in 0..size.encoded.div_ceil(LEVELS) {
        let mut random = generator(SEED + 1, category as u64);
        let level: Vec<usize> = (0..rows).map(|_| below(&mut random, LEVELS)).collect();
        for at in 0..LEVELS.min(size.encoded - category * LEVELS) {
            cells.extend(level.iter().map(|&level| if level == at { 1.0 } else { 0.0 }));
        }
        for (sum, &level) in of_levels.iter_mut().zip(&level) {
            *sum += level as f64 / LEVELS as f64;
        }
    }
    let mut random = generator(SEED, size.features as u64);
    let y: Vec<f64> = (0..rows)
        .map(|row| {
            let x = |column: usize| cells[column * rows + row];
            let step = if x(2) > 0.0 { 1.5 } else { 0.0 };
            let both = if x(3) > 0.0 && x(4) > 0.0 { 2.0 } else { 0.0 };
            x(0) + 0.5 * x(1) + step + both + of_levels[row] + normal(&mut random)
        })
        .collect();
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by(|&a, &b| y[a].total_cmp(&y[b]));
    let mut classes = vec![0; rows];
    for (rank, row) in order.into_iter().enumerate() {
        classes[row] = (rank * size.classes / rows) as u32;
    }
    Ok(Table { x: Matrix::from_column_major(cells, rows, size.columns())?, y, classes })
}

impl Table {
    fn response(&self, size: &Size) -> Response<'_> {
        match size.classes {
            0 => Response::Numeric(&self.y),
            n_classes => Response::Classes { codes: &self.classes, n_classes },
        }
    }
}

fn train(size: &Size, path: &Path) -> Result<serde_json::Value> {
    let table = simulate(size)?;
    let names: Vec<String> = (0..size.columns()).map(|column| format!("x{column}")).collect();
    let labels: Vec<String> = (0..size.classes).map(|class| format!("c{class}")).collect();
    let set = TrainingSet {
        x: table.x.view(),
        y: table.response(size),
        weights: None,
        feature_names: &names,
        labels: &labels,
    };
    let params = match size.classes {
        0 => ForestParams::regression(),
        _ => ForestParams::classification(),
    };
    let params = params
        .with_n_trees(size.trees)
        .with_max_leaf_nodes(Some(size.leaves).filter(|&leaves| leaves > 0))
        .with_min_samples_leaf(if size.leaves == 256 { 5 } else { 1 })
        .with_max_features(MaxFeatures::Fraction(0.33))
        .with_split_finder(SplitFinder::Histogram)
        .with_seed(SEED);
    let start = lmdi_bench::scheduled_seconds();
    let forest = train_forest(&set, &params, &Silent)?;
    let seconds = lmdi_bench::scheduled_seconds() - start;
    let leaves: usize = forest.trees.iter().map(Tree::n_leaves).sum();
    let bytes = Model::new(forest).to_bytes()?;
    lmdi_bench::write(path, &bytes)?;
    Ok(json!({ "train_seconds": seconds, "model_bytes": bytes.len(), "leaves": leaves }))
}

fn explain(size: &Size, path: &Path) -> Result<serde_json::Value> {
    let ensemble = Model::from_bytes(&lmdi_bench::read(path)?)?.ensemble;
    let table = simulate(size)?;
    let set = TrainingSet::new(table.x.view(), table.response(size));
    let options = LmdiPlusOptions::default();

    lmdi_bench::reset_peak();
    let held = lmdi_bench::resident_bytes();
    let fit = || LmdiPlus::fit(&ensemble, &set, &options, &Silent);
    let (explainer, fit_seconds) = processor_seconds(fit)?;
    let fit_peak = lmdi_bench::peak_bytes();

    lmdi_bench::reset_peak();
    let (largest_mean_score, score_seconds) =
        processor_seconds(|| score_in_batches(&explainer, &set.x))?;
    let score_peak = lmdi_bench::peak_bytes();

    Ok(json!({
        "table_bytes": 8 * size.rows * (size.columns() + 1),
        "held": held,
        "fit_seconds": fit_seconds,
        "fit_peak": fit_peak,
        "score_seconds": score_seconds,
        "score_peak": score_peak,
        "largest_mean_score": largest_mean_score,
    }))
}

/// The last result of `work`, and the least seconds that all threads together spent on it: growth is what
/// counts, and other work on the machine must not look like it.
fn processor_seconds<T>(mut work: impl FnMut() -> Result<T>) -> Result<(T, f64)> {
    let first = lmdi_bench::scheduled_seconds();
    let mut made = work()?;
    let mut now = lmdi_bench::scheduled_seconds();
    let mut least = now - first;
    while now - first < SECONDS {
        drop(made);
        let start = lmdi_bench::scheduled_seconds();
        made = work()?;
        now = lmdi_bench::scheduled_seconds();
        least = least.min(now - start);
    }
    Ok((made, least))
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

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let printed = match arguments.as_slice() {
        ["train", model, size @ ..] => train(&Size::read(size)?, Path::new(model))?,
        ["explain", model, size @ ..] => explain(&Size::read(size)?, Path::new(model))?,
        _ => return Err(Error::Data("see the first lines of this file for the arguments".into())),
    };
    println!("{printed}");
    Ok(())
}
