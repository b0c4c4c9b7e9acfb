//! Two protocols that several experiments share: keep the top features and retrain, and count
//! unique top features over seeds.

use crate::data::{Answers, Part, Split};
use crate::ensemble::EnsembleKind;
use crate::methods::{Explained, Method, Sizes, order, top_count};
use crate::run::{Context, Measurement};
use anyhow::Result;
use lmdi::explanation::stability;
use lmdi::importance::Scores;
use lmdi::random::Generator;
use lmdi::table::Matrix;
use lmdi::table::metrics::{auroc, r2};
use lmdi_io::interrupt::UntilInterrupted;
use rand::Rng;

/// The measure of selection at a share of features.
pub fn kept(percent: usize) -> String {
    format!("kept_{percent}")
}

/// The measure of stability at a share of features.
pub fn unique(percent: usize) -> String {
    format!("unique_{percent}")
}

/// Selection (section 4.3): of every training row only the top features by its own sizes are kept,
/// a forest is retrained (the paper's, or in the authors' code scikit-learn's default), and R² or AUROC is measured on the test rows as they are.
/// `model` is what the methods explain.
pub fn selection(
    split: &Split,
    model: EnsembleKind,
    methods: &[Method],
    percents: &[usize],
    context: &Context,
    draws: &mut Generator,
) -> Result<Vec<Measurement>> {
    let train = &split.train;
    let ensemble = model.train(train, draws.next_u64(), &UntilInterrupted)?;
    let seed = draws.next_u64();
    let explained = Explained::new(&ensemble, train, context, seed);
    let sizes = explained.sizes(methods, &train.view(), &UntilInterrupted)?;
    let model = context.protocol.pick(EnsembleKind::Forest, EnsembleKind::DefaultForest);
    let retrained = draws.next_u64();
    let mut measured = Vec::new();
    for (method, sizes) in methods.iter().zip(&sizes) {
        for &percent in percents {
            let masked = Part { x: mask(&train.x, sizes, percent), answers: train.answers.clone() };
            let value = performance(&masked, &split.test, model, retrained)?;
            measured.push(Measurement { method: method.name(), measure: kept(percent), value });
        }
    }
    Ok(measured)
}

/// The training rows with all but their top features replaced: by the column's mean, in a column of
/// two values by the other value.
fn mask(x: &Matrix, sizes: &Sizes, percent: usize) -> Matrix {
    let (rows, cols) = (x.rows(), x.cols());
    let count = top_count(percent, cols);
    let mut keeps = vec![false; rows * cols];
    for (row, sizes) in sizes.rows().enumerate() {
        for &feature in &order(sizes)[..count] {
            keeps[feature * rows + row] = true;
        }
    }
    let mut cells = Vec::with_capacity(rows * cols);
    for col in 0..cols {
        let column = x.column(col);
        let mean = column.iter().sum::<f64>() / rows as f64;
        let pair = two_values(column);
        let instead = |cell: f64| match pair {
            Some([a, b]) => {
                if cell == a {
                    b
                } else {
                    a
                }
            }
            None => mean,
        };
        let keeps = &keeps[col * rows..(col + 1) * rows];
        cells.extend(
            column.iter().zip(keeps).map(|(&cell, &keep)| if keep { cell } else { instead(cell) }),
        );
    }
    Matrix::from_column_major(cells, rows, cols).expect("as many cells as before")
}

/// The two values of a column that has no others.
fn two_values(column: &[f64]) -> Option<[f64; 2]> {
    let a = *column.first()?;
    let b = *column.iter().find(|&&cell| cell != a)?;
    column.iter().all(|&cell| cell == a || cell == b).then_some([a, b])
}

/// R² or AUROC on the test part of a forest trained on another.
pub fn performance(train: &Part, test: &Part, forest: EnsembleKind, seed: u64) -> Result<f64> {
    let forest = forest.train(train, seed, &UntilInterrupted)?;
    let predicted = forest.predict(&test.view(), &UntilInterrupted)?;
    Ok(match &test.answers {
        Answers::Numbers(y) => r2(y, &predicted, None),
        Answers::Classes(codes) => {
            let second: Vec<f64> = predicted.chunks_exact(2).map(|shares| shares[1]).collect();
            auroc(codes, 1, &second, None)
        }
    })
}

/// Fits whose top features are compared.
const FITS: usize = 5;

/// Stability (section 5): five models from five seeds explain all rows; measured is the number of
/// different features among the top ones of a row, as a share of all features, averaged over rows.
pub fn stable(
    split: &Split,
    model: EnsembleKind,
    methods: &[Method],
    percents: &[usize],
    context: &Context,
    draws: &mut Generator,
) -> Result<Vec<Measurement>> {
    let all = stacked(&split.train.x, &split.test.x);
    let mut fits: Vec<Vec<Scores>> = methods.iter().map(|_| Vec::with_capacity(FITS)).collect();
    for _ in 0..FITS {
        let ensemble = model.train(&split.train, draws.next_u64(), &UntilInterrupted)?;
        let explained = Explained::new(&ensemble, &split.train, context, draws.next_u64());
        let sizes = explained.sizes(methods, &all.view(), &UntilInterrupted)?;
        for (fits, sizes) in fits.iter_mut().zip(sizes) {
            fits.push(sizes.into_scores());
        }
    }
    let p = all.cols();
    // `stability` rounds up: half a feature less than the number is rounded to it.
    let share = |&percent: &usize| {
        let count = context.protocol.compared_count(percent, p);
        (count as f64 - 0.5) * 100.0 / p as f64
    };
    let shares: Vec<f64> = percents.iter().map(share).collect();
    let mut measured = Vec::new();
    for (method, fits) in methods.iter().zip(&fits) {
        let found = stability(fits, &shares, &UntilInterrupted)?;
        for (&percent, top) in percents.iter().zip(&found.tops) {
            let (measure, value) = (unique(percent), top.unique_share);
            measured.push(Measurement { method: method.name(), measure, value });
        }
    }
    Ok(measured)
}

/// The rows of both, those of the first before.
fn stacked(a: &Matrix, b: &Matrix) -> Matrix {
    let cells = (0..a.cols()).flat_map(|col| a.column(col).iter().chain(b.column(col))).copied();
    Matrix::from_column_major(cells.collect(), a.rows() + b.rows(), a.cols())
        .expect("the cells of both")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_the_top_features_are_replaced() {
        let cells = [[1.0, 2.0, 6.0], [0.0, 1.0, 0.0], [5.0, 7.0, 9.0]].concat();
        let x = Matrix::from_column_major(cells, 3, 3).expect("nine cells");
        let sizes = Sizes {
            n_features: 3,
            values: [[3.0, 1.0, 2.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]].concat(),
        };
        // A third of three features is one.
        let masked = mask(&x, &sizes, 30);
        assert_eq!(masked.column(0), [1.0, 3.0, 3.0]);
        assert_eq!(masked.column(1), [1.0, 1.0, 1.0]);
        assert_eq!(masked.column(2), [7.0, 7.0, 9.0]);
        assert_eq!(mask(&x, &sizes, 100), x);
    }

    #[test]
    fn stacked_rows_keep_their_columns() {
        let a = Matrix::from_column_major(vec![1.0, 2.0], 1, 2).expect("two cells");
        let b = Matrix::from_column_major(vec![3.0, 4.0, 5.0, 6.0], 2, 2).expect("four cells");
        let both = stacked(&a, &b);
        assert_eq!((both.column(0), both.column(1)), (&[1.0, 3.0, 4.0][..], &[2.0, 5.0, 6.0][..]));
    }
}
