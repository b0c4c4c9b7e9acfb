//! Expected moments against sums over all neighbours there are, one by one.

use super::*;
use crate::forest::train::{ForestParams, TrainingSet, train_forest};
use crate::importance::Groups;
use crate::importance::lime::LimeOptions;
use crate::importance::lime::background::Draw;
use crate::monitor::Silent;
use crate::random::{below, generator, unit};
use crate::table::{Matrix, Response};

/// Points of a bin of a numeric column. A threshold cuts the distribution between two of them.
const POINTS: usize = 1000;

/// A possible outcome of a unit: its cells, its code and its probability.
struct Outcome {
    cells: Vec<f64>,
    code: u32,
    share: f64,
}

fn outcomes(draw: &Draw, width: usize) -> Vec<Outcome> {
    match draw {
        Draw::Levels { cells, of_rows, counts, .. } => (0..counts.len())
            .map(|level| Outcome {
                cells: cells[level * width..(level + 1) * width].to_vec(),
                code: level as u32,
                share: counts[level] as f64 / of_rows.len() as f64,
            })
            .collect(),
        Draw::Bins { up_to, bins, .. } => {
            let mut found = Vec::new();
            let mut start = 0.0;
            for (code, bin) in bins.iter().enumerate() {
                let share = up_to[code] - start;
                start = up_to[code];
                let z =
                    |at: usize| bin.low + (bin.high - bin.low) * (at as f64 + 0.5) / POINTS as f64;
                let density = |at: usize| libm::exp(-0.5 * z(at) * z(at));
                let total: f64 = (0..POINTS).map(density).sum();
                found.extend((0..POINTS).map(|at| Outcome {
                    cells: vec![bin.mean + bin.spread * z(at)],
                    code: code as u32,
                    share: share * density(at) / total,
                }));
            }
            let code = bins.len() as u32;
            found.push(Outcome { cells: vec![f64::NAN], code, share: 1.0 - start });
            found
        }
    }
}

/// Rows of the product of all outcomes: cells, which units have the row's code, probability.
fn neighbours(background: &Background, row: &[f64]) -> Vec<(Vec<f64>, Vec<bool>, f64)> {
    let mut found = vec![(vec![0.0; row.len()], Vec::new(), 1.0)];
    for (columns, draw) in &background.units {
        let own: Vec<f64> = columns.iter().map(|&column| row[column]).collect();
        let own = draw.code(&own);
        let outcomes = outcomes(draw, columns.len());
        found = found
            .into_iter()
            .flat_map(|(cells, same, share)| {
                outcomes.iter().map(move |outcome| {
                    let (mut cells, mut same) = (cells.clone(), same.clone());
                    for (&column, &cell) in columns.iter().zip(&outcome.cells) {
                        cells[column] = cell;
                    }
                    same.push(outcome.code == own);
                    (cells, same, share * outcome.share)
                })
            })
            .collect();
    }
    found
}

/// The moments by their definition: weighted sums over neighbours and the row itself.
fn moments_one_by_one(
    neighbours: &[(Vec<f64>, Vec<bool>, f64)],
    predictions: &[f64],
    ratio: f64,
    n: f64,
    own_prediction: f64,
) -> Moments {
    let q = neighbours[0].1.len();
    let mut rows: Vec<(f64, Vec<f64>, f64)> = neighbours
        .iter()
        .zip(predictions)
        .map(|((_, same, share), &y)| {
            let apart = same.iter().filter(|same| !**same).count();
            let z = same.iter().map(|&same| f64::from(u8::from(same))).collect();
            (n * share * ratio.powi(apart as i32), z, y)
        })
        .collect();
    rows.push((1.0, vec![1.0; q], own_prediction));
    let total: f64 = rows.iter().map(|row| row.0).sum();
    let mean: Vec<f64> =
        (0..q).map(|a| rows.iter().map(|(w, z, _)| w * z[a]).sum::<f64>() / total).collect();
    let y_mean = rows.iter().map(|(w, _, y)| w * y).sum::<f64>() / total;
    let product = |a: usize, b: usize| {
        rows.iter().map(|(w, z, _)| w * (z[a] - mean[a]) * (z[b] - mean[b])).sum::<f64>()
    };
    let cross =
        |a: usize| rows.iter().map(|(w, z, y)| w * (z[a] - mean[a]) * (y - y_mean)).sum::<f64>();
    Moments {
        gram: (0..q * q).map(|at| product(at / q, at % q)).collect(),
        cross: (0..q).map(cross).collect(),
        mean,
        response_mean: vec![y_mean],
        response_square: vec![f64::NAN],
    }
}

fn close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    let size = expected.iter().fold(1e-3, |size: f64, x| size.max(x.abs()));
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance * size, "{what}: {found}, {expected}");
    }
}

/// Compares the moments around some rows of a table, with two classes or none.
fn compare(columns: Vec<Vec<f64>>, classes: bool, options: &LimeOptions, tolerance: f64) {
    let (n, p) = (columns[0].len(), columns.len());
    let mut random = generator(7, p as u64);
    let y: Vec<f64> = (0..n)
        .map(|row| {
            let signal: f64 =
                columns.iter().map(|column| column[row]).filter(|x| x.is_finite()).sum();
            signal + columns[0][row].max(0.0) * columns[p - 1][row] + 0.1 * unit(&mut random)
        })
        .collect();
    let codes: Vec<u32> = y.iter().map(|&y| u32::from(y > 1.0)).collect();
    let x = Matrix::from_column_major(columns.concat(), n, p).expect("a table");
    let names: Vec<String> = (0..p).map(|column| format!("x{column}")).collect();
    let labels = ["no".to_string(), "yes".to_string()];
    let (response, params, labels, explained) = if classes {
        let response = Response::Classes { codes: &codes, n_classes: 2 };
        (response, ForestParams::classification(), &labels[..], 1..2)
    } else {
        (Response::Numeric(&y), ForestParams::regression(), &[][..], 0..1)
    };
    let set =
        TrainingSet { x: x.view(), y: response, weights: None, feature_names: &names, labels };
    let forest = train_forest(&set, &params.with_n_trees(3), &Silent).expect("a forest");
    let background = Background::learn(&x.view(), options);
    let units: Vec<usize> = (0..background.n_units()).collect();
    let expectation =
        Expectation::new(&forest, &background, explained.clone()).expect("a sum over trees");
    let predict = |cells: &[f64]| -> Vec<f64> {
        let view = crate::table::MatrixView::from_rows(cells, cells.len() / p, p).expect("rows");
        let found = forest.predict(&view, &Silent).expect("predictions");
        let width = if classes { 2 } else { 1 };
        found.into_iter().skip(explained.start).step_by(width).collect()
    };
    // A row with a level that no background row has, and rows of the table; one lane is empty.
    let mut rows: Vec<Vec<f64>> =
        (0..LANES - 2).map(|row| columns.iter().map(|column| column[row]).collect()).collect();
    rows.push(vec![1234.5; p]);
    let lines: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let width = options.width_for(background.n_units());
    let mut scratch = Scratch::default();
    let expected = expectation.around::<LANES>(&background, &lines, width, &mut scratch);
    let ratio = libm::exp(-0.5 / (width * width));
    for (lane, row) in rows.iter().enumerate().step_by(2) {
        let own = predict(row);
        let all = neighbours(&background, row);
        let cells: Vec<f64> = all.iter().flat_map(|(cells, ..)| cells.iter().copied()).collect();
        let wanted = moments_one_by_one(&all, &predict(&cells), ratio, 4999.0, own[0]);
        let found = expected[lane].moments(&units, 4999.0, &own);
        let alone = expectation.around::<1>(&background, &lines[lane..=lane], width, &mut scratch);
        let alone = alone[0].moments(&units, 4999.0, &own);
        assert_eq!((&alone.mean, &alone.cross), (&found.mean, &found.cross), "a row on its own");
        close(&found.mean, &wanted.mean, 1e-12, "mean");
        close(&found.gram, &wanted.gram, 1e-11, "gram");
        close(&found.response_mean, &wanted.response_mean, tolerance, "response mean");
        close(&found.cross, &wanted.cross, tolerance, "cross");
    }
}

fn categories(n: usize, levels: usize, seed: u64) -> Vec<f64> {
    let mut random = generator(seed, 1);
    (0..n).map(|_| below(&mut random, levels) as f64).collect()
}

#[test]
fn categories_are_exact() {
    let columns: Vec<Vec<f64>> = (0..4).map(|column| categories(60, 3 + column, 5)).collect();
    let options = LimeOptions::default().with_categorical(vec![0, 1, 2, 3]);
    compare(columns.clone(), false, &options, 1e-11);
    compare(columns, true, &options.with_kernel_width(0.6), 1e-11);
}

#[test]
fn columns_drawn_together_are_exact() {
    let level = categories(80, 70, 3);
    let hot =
        |at: usize| level.iter().map(move |&level| f64::from(u8::from(level as usize % 5 == at)));
    let mut columns: Vec<Vec<f64>> = (0..5).map(|at| hot(at).collect()).collect();
    // More levels than bits of a word, in two columns.
    columns.push(level.clone());
    columns.push(level.iter().map(|level| level * level % 11.0).collect());
    columns.push(categories(80, 3, 9));
    let together = Groups::new(vec![0, 0, 0, 0, 0, 1, 1, 2], 3).expect("three groups");
    let options = LimeOptions::default().with_together(together).with_categorical(vec![7]);
    compare(columns, false, &options, 1e-11);
}

#[test]
fn numeric_columns_are_as_close_as_their_points() {
    let mut random = generator(2, 1);
    let mut numeric: Vec<f64> = (0..90).map(|_| 4.0 * unit(&mut random) - 1.0).collect();
    // Missing cells, a bin of a single value, and a long tail.
    numeric[3] = f64::NAN;
    numeric[40] = f64::NAN;
    numeric[10..40].fill(0.25);
    numeric[50] = 60.0;
    let columns = vec![numeric, categories(90, 4, 8), categories(90, 3, 9)];
    let options = LimeOptions::default().with_categorical(vec![1, 2]);
    compare(columns, false, &options, 1e-3);
}

#[test]
fn other_models_are_left_to_drawn_neighbours() {
    let x = Matrix::from_column_major((0..40).map(f64::from).collect(), 40, 1).expect("a table");
    let y: Vec<f64> = (0..40).map(|i| f64::from(i / 20)).collect();
    let names = ["x".to_string()];
    let set = TrainingSet::regression(x.view(), &y, &names);
    let mut forest = train_forest(&set, &ForestParams::regression(), &Silent).expect("a forest");
    let background = Background::learn(&x.view(), &LimeOptions::default());
    assert!(Expectation::new(&forest, &background, 0..1).is_some());
    forest.link = Link::Log;
    assert!(Expectation::new(&forest, &background, 0..1).is_none());
    forest.link = Link::Identity;
    forest.trees[0].missing.fill(crate::forest::Missing::ZeroLeft);
    assert!(Expectation::new(&forest, &background, 0..1).is_none());
}
