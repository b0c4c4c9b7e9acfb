//! Trains and predicts on tables written by `benches/`, and prints how long it took.
//!
//! ```text
//! bench_train TRAIN TEST OUT key=value ...
//! ```
//!
//! A table is 64-bit little-endian words: rows, columns, classes (0 for a number), then the cells
//! column by column and the responses as 64-bit floats. Predictions of TEST go to OUT as 64-bit
//! floats (a number, or the probability of the last class). Standard output has four numbers: the
//! seconds of training and of prediction, then the processor seconds of each (NaN where the system
//! does not tell), which other work on the machine disturbs less.

use lmdi::forest::train::{
    BoostingParams, ForestParams, MaxFeatures, SplitFinder, TrainingSet, train_boosting,
    train_forest,
};
use lmdi::forest::{Ensemble, Predictor};
use lmdi::monitor::Silent;
use lmdi::table::{Matrix, Response};
use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

struct Table {
    x: Matrix,
    y: Vec<f64>,
    n_classes: usize,
}

fn read(path: &str) -> Result<Table, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let words: Vec<[u8; 8]> =
        bytes.chunks_exact(8).map(|word| word.try_into().expect("eight bytes")).collect();
    let size = |at: usize| u64::from_le_bytes(words[at]) as usize;
    let (rows, cols, n_classes) = (size(0), size(1), size(2));
    let mut numbers: Vec<f64> = words[3..].iter().map(|word| f64::from_le_bytes(*word)).collect();
    let y = numbers.split_off(rows * cols);
    Ok(Table { x: Matrix::from_column_major(numbers, rows, cols)?, y, n_classes })
}

/// The model asked for, under the names of scikit-learn's parameters.
fn train(table: &Table, options: &BTreeMap<&str, &str>) -> Result<Ensemble, Box<dyn Error>> {
    let number = |key: &str| options.get(key).map(|value| value.parse::<f64>()).transpose();
    let count = |key: &str| options.get(key).map(|value| value.parse::<usize>()).transpose();
    let codes: Vec<u32> = table.y.iter().map(|&y| y as u32).collect();
    let classes = table.n_classes > 0;
    let set = TrainingSet {
        x: table.x.view(),
        y: if classes {
            Response::Classes { codes: &codes, n_classes: table.n_classes }
        } else {
            Response::Numeric(&table.y)
        },
        weights: None,
        feature_names: &(0..table.x.cols()).map(|col| format!("x{col}")).collect::<Vec<_>>(),
        labels: &(0..table.n_classes).map(|class| class.to_string()).collect::<Vec<_>>(),
    };
    let max_features = match options.get("max_features") {
        None => MaxFeatures::All,
        Some(&"sqrt") => MaxFeatures::Sqrt,
        Some(share) => MaxFeatures::Fraction(share.parse()?),
    };
    let seed = count("seed")?.unwrap_or(0) as u64;
    let split_finder = match options.get("finder") {
        Some(&"histogram") => SplitFinder::Histogram,
        _ => SplitFinder::Exact,
    };
    match options.get("model") {
        Some(&"boosting") => {
            let defaults = BoostingParams::default();
            let params = defaults
                .with_n_rounds(count("trees")?.unwrap_or(100))
                .with_learning_rate(number("learning_rate")?.unwrap_or(0.1))
                .with_max_depth(count("max_depth")?)
                .with_min_samples_leaf(count("min_samples_leaf")?.unwrap_or(1))
                .with_max_leaf_nodes(count("max_leaf_nodes")?)
                .with_max_features(max_features)
                .with_seed(seed)
                .with_split_finder(split_finder);
            Ok(train_boosting(&set, &params, &Silent)?)
        }
        _ => {
            let defaults =
                if classes { ForestParams::classification() } else { ForestParams::regression() };
            let params = defaults
                .with_n_trees(count("trees")?.unwrap_or(100))
                .with_min_samples_leaf(count("min_samples_leaf")?.unwrap_or(1))
                .with_max_depth(count("max_depth")?)
                .with_max_leaf_nodes(count("max_leaf_nodes")?)
                .with_extra_trees(options.get("model") == Some(&"extra_trees"))
                .with_bootstrap(options.get("model") != Some(&"extra_trees"))
                .with_max_features(max_features)
                .with_seed(seed)
                .with_split_finder(split_finder);
            Ok(train_forest(&set, &params, &Silent)?)
        }
    }
}

/// Processor seconds of all threads so far, in the hundredths that Linux counts in.
fn processor_seconds() -> f64 {
    let read = || {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        // The name of the program, in parentheses, may hold spaces; user and system time are the
        // 14th and 15th field.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        let ticks = fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?;
        Some(ticks / 100.0)
    };
    read().unwrap_or(f64::NAN)
}

/// Runs `work`; its result, the seconds and the processor seconds it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64, f64) {
    let (started, processor) = (Instant::now(), processor_seconds());
    let result = work();
    (result, started.elapsed().as_secs_f64(), processor_seconds() - processor)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [train_path, test_path, out_path, options @ ..] = &arguments[..] else {
        return Err("usage: bench_train TRAIN TEST OUT key=value ...".into());
    };
    let options: BTreeMap<&str, &str> =
        options.iter().filter_map(|option| option.split_once('=')).collect();
    let threads = options.get("threads").map_or(Ok(1), |threads| threads.parse())?;
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    let (table, test) = (read(train_path)?, read(test_path)?);

    let (ensemble, train_seconds, train_processor) = timed(|| train(&table, &options));
    let ensemble = ensemble?;
    let (prediction, predict_seconds, predict_processor) =
        timed(|| Predictor::new(&ensemble).predict(&test.x.view(), &Silent));
    let prediction = prediction?;

    let width = ensemble.n_predictions();
    let last: Vec<u8> =
        prediction.chunks_exact(width).flat_map(|row| row[width - 1].to_le_bytes()).collect();
    std::fs::write(out_path, last)?;
    println!("{train_seconds} {predict_seconds} {train_processor} {predict_processor}");
    Ok(())
}
