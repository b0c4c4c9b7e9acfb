//! A fit on rows in batches is the fit on the same rows in memory, however they are split and merged.

mod least_squares;
mod newton;

use crate::support::random_models::{Kind, Table};
use lmdi::forest::Ensemble;
use lmdi::importance::LmdiPlus;
use lmdi::importance::lmdi_plus::streaming::{
    PassStatistics, SolvedTrees, StreamedFit, StreamedRows,
};
use lmdi::importance::lmdi_plus::{FitOn, FoldBy, LmdiPlusOptions, ScoreOptions, Validation};
use lmdi::monitor::Silent;
use lmdi::random::{below, generator, unit};
use lmdi::table::Response;

/// A table with noise, a missing cell here and there, and weights or not.
fn table(seed: u64, n_classes: usize) -> Table {
    let mut random = generator(seed, 1);
    let rows = 150 + below(&mut random, 250);
    let p = 2 + below(&mut random, 4);
    let columns: Vec<Vec<f64>> = (0..p)
        .map(|col| {
            let offset = [0.0, 1e3, -5.0][below(&mut random, 3)];
            (0..rows)
                .map(|_| match (col, unit(&mut random)) {
                    (1, u) if u < 0.05 => f64::NAN,
                    (1, u) => (4.0 * u).floor(),
                    (_, u) => offset + u,
                })
                .collect()
        })
        .collect();
    let signal: Vec<f64> = (0..rows)
        .map(|row| {
            let first = columns[0][row] - columns[0][0];
            let step = if columns[1][row] > 1.0 { 1.0 } else { 0.0 };
            2.0 * first + step + unit(&mut random)
        })
        .collect();
    let mut table = if n_classes == 0 {
        Table::numeric(columns, signal.iter().map(|y| 40.0 + y).collect())
    } else {
        let mut sorted = signal.clone();
        sorted.sort_by(f64::total_cmp);
        let code = |y: &f64| {
            (1..n_classes).filter(|class| *y > sorted[class * rows / n_classes]).count() as u32
        };
        Table::classes(columns, signal.iter().map(code).collect(), n_classes)
    };
    if below(&mut random, 2) == 0 {
        table.weights = Some((0..rows).map(|_| (4.0 * unit(&mut random)).floor()).collect());
    }
    table
}

/// The model as a stream of rows knows it: not which rows each tree was grown on.
fn model(table: &Table, kind: Kind, seed: u64) -> Ensemble {
    let mut model = table.train(kind, seed);
    model.trees.iter_mut().for_each(|tree| tree.in_bag = None);
    model
}

fn in_batches(options: &LmdiPlusOptions) -> LmdiPlusOptions {
    options
        .clone()
        .with_fit_on(FitOn::Uniform)
        .with_validation(Validation::Folds)
        .with_fold_by(FoldBy::Cells)
}

/// Sums up some rows of a table.
fn part(fit: &StreamedFit, table: &Table, rows: &[usize]) -> PassStatistics {
    let x = table.x.take_rows(rows);
    let weights: Option<Vec<f64>> =
        table.weights.as_ref().map(|weights| rows.iter().map(|&row| weights[row]).collect());
    let y: Vec<f64> = rows.iter().filter_map(|&row| table.y.get(row).copied()).collect();
    let codes: Vec<u32> = rows.iter().filter_map(|&row| table.codes.get(row).copied()).collect();
    let response = match table.n_classes {
        0 => Response::Numeric(&y),
        n_classes => Response::Classes { codes: &codes, n_classes },
    };
    let mut statistics = fit.statistics();
    let rows = StreamedRows { x: x.view(), response, weights: weights.as_deref(), hashes: None };
    fit.accumulate(&mut statistics, &rows).expect("sums");
    statistics
}

/// Fits in batches: rows shuffled and split, parts merged in another order, all through bytes.
fn streamed(table: &Table, mut fit: StreamedFit, seed: u64) -> LmdiPlus {
    let mut random = generator(seed, 2);
    while !fit.is_finished() {
        let mut order: Vec<usize> = (0..table.rows()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, below(&mut random, at + 1));
        }
        let mut parts: Vec<Vec<usize>> = vec![Vec::new(); 1 + below(&mut random, 6)];
        let n = parts.len();
        // Some parts are empty, some are large.
        order.into_iter().for_each(|row| parts[below(&mut random, n).min(row % n)].push(row));
        let parts: Vec<Vec<u8>> =
            parts.iter().map(|rows| part(&fit, table, rows).to_bytes().expect("bytes")).collect();
        let read = |bytes: &Vec<u8>| PassStatistics::from_bytes(bytes).expect("read");
        let mut merged = read(&parts[0]);
        parts[1..].iter().rev().for_each(|bytes| merged.merge(&read(bytes)).expect("merged"));
        assert_eq!(merged.rows(), table.rows() as u64);
        // Trees are solved one by one, as if on machines of their own, in another order.
        let mut solved: Vec<SolvedTrees> = merged
            .split()
            .iter()
            .map(|one| {
                let bytes = fit.solve(one).expect("solved").to_bytes().expect("bytes");
                SolvedTrees::from_bytes(&bytes).expect("read")
            })
            .collect();
        solved.reverse();
        fit.advance(solved).expect("next pass");
    }
    fit.finish().expect("an explainer")
}

fn scores(table: &Table, explainer: &LmdiPlus) -> Vec<f64> {
    let scores = explainer.score(&table.x.view(), &ScoreOptions::default(), &Silent);
    let scores = scores.expect("scores");
    scores.values.iter().chain(&scores.base).copied().collect()
}
