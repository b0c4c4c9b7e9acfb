//! The table of `./bench large`: trains a fully grown forest, fits LMDI+ and scores every row, all
//! in one process, as `lmdi explain` does. Prints JSON: seconds, processor seconds and peak memory
//! of each stage.
//!
//! ```text
//! bench_large NAME=NUMBER...      rows=327000 trees=100
//! ```

use lmdi::forest::Tree;
use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
use lmdi::importance::LmdiPlus;
use lmdi::importance::lmdi_plus::{LmdiPlusOptions, ScoreOptions};
use lmdi::monitor::Silent;
use lmdi::random::{Generator, below, generator, normal};
use lmdi::table::Matrix;
use lmdi::{Error, Result};
use serde_json::{Map, Value, json};

const SEED: u64 = 1;

/// Rows scored at a time.
const BATCH_ROWS: usize = 65_536;

/// Levels of the categorical columns: airlines, airports of departure and destinations.
const LEVELS: [usize; 3] = [16, 3, 64];

/// Different values of the numeric columns: month, day, weekday, planned hour and minute of departure
/// and arrival, number of the flight, distance, and the plane.
const VALUES: [usize; 10] = [12, 28, 7, 24, 60, 24, 60, 4_000, 2_500, 600];

/// A table like that of a year of flights: times, dates and distances in whole numbers, categories
/// as columns of zeros and ones, and the delay at arrival in whole minutes.
fn simulate(rows: usize) -> Result<(Matrix, Vec<f64>)> {
    let mut random = generator(SEED, 0);
    let n_columns = VALUES.len() + 2 + LEVELS.iter().sum::<usize>();
    let mut cells = Vec::with_capacity(rows * n_columns);
    for values in VALUES {
        cells.extend((0..rows).map(|_| below(&mut random, values) as f64));
    }
    // Delay at departure: mostly small, with a long tail.
    let delay = |random: &mut Generator| 6.0 * normal(random) + 12.0 * normal(random).exp();
    cells.extend((0..rows).map(|_| delay(&mut random).round()));
    // Time in the air follows the distance.
    for row in 0..rows {
        let minutes = 20.0 + cells[8 * rows + row] / 8.0 + 8.0 * normal(&mut random);
        cells.push(minutes.round());
    }
    let mut effect = vec![0.0; rows];
    for levels in LEVELS {
        let of_level: Vec<f64> = (0..levels).map(|_| 5.0 * normal(&mut random)).collect();
        // Some levels are frequent, others rare.
        let level: Vec<usize> =
            (0..rows).map(|_| below(&mut random, levels).min(below(&mut random, levels))).collect();
        for at in 0..levels {
            cells.extend(level.iter().map(|&level| f64::from(u8::from(level == at))));
        }
        effect.iter_mut().zip(&level).for_each(|(effect, &level)| *effect += of_level[level]);
    }
    let response = |row: usize| {
        let at = |column: usize| cells[column * rows + row];
        let evening = if at(3) > 16.0 { 6.0 } else { 0.0 };
        let summer = if at(0) > 5.0 && at(0) < 8.0 { 4.0 } else { 0.0 };
        let noise = 12.0 * normal(&mut random);
        (at(10) + 0.02 * at(11) - 0.01 * at(8) + evening + summer + effect[row] + noise).round()
    };
    let y = (0..rows).map(response).collect();
    Ok((Matrix::from_column_major(cells, rows, n_columns)?, y))
}

/// Runs a stage; keeps its seconds, processor seconds and peak memory under its name.
fn stage<T>(
    kept: &mut Map<String, Value>,
    name: &str,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    lmdi_bench::reset_peak();
    let processor = lmdi_bench::processor_seconds();
    let (made, seconds) = lmdi_bench::timed(work)?;
    kept.insert(format!("{name}_seconds"), json!(seconds));
    kept.insert(format!("{name}_processor"), json!(lmdi_bench::processor_seconds() - processor));
    kept.insert(format!("{name}_peak"), json!(lmdi_bench::peak_bytes()));
    Ok(made)
}

fn main() -> Result<()> {
    let (mut rows, mut trees) = (327_000, 100);
    for argument in std::env::args().skip(1) {
        let (name, number) = argument.split_once('=').unwrap_or((&argument, ""));
        let number = number
            .parse()
            .map_err(|_| Error::Data(format!("{argument:?} does not set a whole number")))?;
        match name {
            "rows" => rows = number,
            "trees" => trees = number,
            other => return Err(Error::Data(format!("{other:?} is nothing that can be set"))),
        }
    }
    let mut kept = Map::new();
    let (x, y) = stage(&mut kept, "table", || simulate(rows))?;
    let names: Vec<String> = (0..x.cols()).map(|column| format!("x{column}")).collect();
    let set = TrainingSet::regression(x.view(), &y, &names);
    let params = ForestParams::regression().with_n_trees(trees).with_seed(SEED);
    let forest = stage(&mut kept, "train", || train_forest(&set, &params, &Silent))?;
    let leaves: usize = forest.trees.iter().map(Tree::n_leaves).sum();
    let options = LmdiPlusOptions::default();
    let explainer = stage(&mut kept, "fit", || LmdiPlus::fit(&forest, &set, &options, &Silent))?;
    let sum = stage(&mut kept, "score", || {
        let mut sum = 0.0;
        for start in (0..rows).step_by(BATCH_ROWS) {
            let batch = set.x.slice_rows(start..(start + BATCH_ROWS).min(rows));
            let scores = explainer.score(&batch, &ScoreOptions::default(), &Silent)?;
            sum += scores.mean_absolute(0).iter().sum::<f64>() * batch.rows() as f64;
        }
        Ok(sum / rows as f64)
    })?;
    let shape = json!({ "rows": rows, "columns": x.cols(), "trees": trees, "leaves": leaves,
        "mean_score": sum });
    kept.extend(shape.as_object().cloned().unwrap_or_default());
    println!("{}", Value::Object(kept));
    Ok(())
}
