//! Columns that give the target away.
//!
//! A column that follows from the target (a price in another currency, a code that is set once the
//! outcome is known) makes a model look perfect although it is useless. Such a column is almost
//! perfectly correlated with the target: for regression by Pearson's or Spearman's coefficient, for
//! two classes by how well its order separates them (2 AUROC - 1), or by its correlation with the
//! class indicator.
//!
//! With more classes, a column that separates one from the rest is often an honest measurement, and
//! a class of a few rows can be separated by chance. There a column must separate all classes. In
//! its order, neighbours of different classes are then as few as there are borders between classes;
//! the strength is how far their number is below that of a random order. A categorical column has
//! no order: its strength is the accuracy of predicting each level's most frequent class, beyond
//! the share of the most frequent class.
//!
//! Time is columns x rows x log rows, in parallel over columns.

use super::{MatrixView, Response, metrics, rank_in_place};
use rayon::prelude::*;

/// A column that gives the target away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leak {
    /// The column, by its place in the table.
    pub column: usize,
    /// How closely it follows the target, from 0 to 1.
    pub strength: f64,
}

/// Rows below which a perfect correlation may be chance.
const FEWEST_ROWS: usize = 20;

/// The columns whose correlation with the target is at least `least`, in their order. `origins` has
/// the column of each matrix column, rising; several make a categorical one. Missing cells are left
/// out; a column with fewer than half of its cells, or than 20, is not considered.
///
/// ```
/// use lmdi::table::{MatrixView, Response, leaks};
/// let y: Vec<f64> = (0..30).map(f64::from).collect();
/// // The logarithm of the target, and something else.
/// let cells: Vec<f64> = y.iter().flat_map(|y| [(y + 1.0).ln(), y % 7.0]).collect();
/// let x = MatrixView::from_rows(&cells, 30, 2)?;
/// let found = leaks(&x, &[0, 1], &Response::Numeric(&y), 0.999);
/// assert_eq!(found.iter().map(|leak| leak.column).collect::<Vec<_>>(), [0]);
/// # Ok::<(), lmdi::Error>(())
/// ```
pub fn leaks(x: &MatrixView<'_>, origins: &[usize], y: &Response<'_>, least: f64) -> Vec<Leak> {
    let columns: Vec<(usize, Vec<usize>)> = origins
        .chunk_by(|a, b| a == b)
        .scan(0, |first, of| {
            let features = (*first..*first + of.len()).collect();
            *first += of.len();
            Some((of[0], features))
        })
        .collect();
    let of_column = |(column, features): &(usize, Vec<usize>)| {
        let of_features = || features.iter().filter_map(|&at| of_feature(x, at, y));
        let strength = match y {
            Response::Classes { codes, n_classes } if *n_classes > 2 && features.len() > 1 => {
                Some(of_levels(x, features, codes, *n_classes))
            }
            _ => of_features().reduce(f64::max),
        }?;
        (strength >= least).then_some(Leak { column: *column, strength })
    };
    columns.par_iter().filter_map(of_column).collect()
}

/// How closely a matrix column follows the target; none where too few of its cells are there.
fn of_feature(x: &MatrixView<'_>, feature: usize, y: &Response<'_>) -> Option<f64> {
    let mut cells = Vec::new();
    x.column_into(feature, &mut cells);
    let present: Vec<usize> = (0..cells.len()).filter(|&row| !cells[row].is_nan()).collect();
    if present.len() < FEWEST_ROWS || present.len() * 2 < cells.len() {
        return None;
    }
    let cells: Vec<f64> = present.iter().map(|&row| cells[row]).collect();
    Some(match y {
        Response::Numeric(y) => {
            let y: Vec<f64> = present.iter().map(|&row| y[row]).collect();
            let by_rank = correlation(&ranks(&cells), &ranks(&y)).abs();
            correlation(&cells, &y).abs().max(by_rank)
        }
        Response::Classes { codes, n_classes } => {
            let codes: Vec<u32> = present.iter().map(|&row| codes[row]).collect();
            if *n_classes > 2 {
                return Some(of_order(&cells, &codes, *n_classes));
            }
            // Of two classes the second says all.
            let order = 2.0 * metrics::auroc(&codes, 1, &cells, None) - 1.0;
            let belongs: Vec<f64> = codes.iter().map(|&code| f64::from(code == 1)).collect();
            order.abs().max(correlation(&cells, &belongs).abs())
        }
    })
}

/// How far the order of cells sorts the classes, from 0 (as a random order) to 1 (one run of rows per
/// class). Rows with equal cells count as in the mean of all their orders.
fn of_order(cells: &[f64], codes: &[u32], n_classes: usize) -> f64 {
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.sort_by(|&a, &b| cells[a].total_cmp(&cells[b]));
    let counted = |rows: &[usize]| {
        let mut counts = vec![0.0; n_classes];
        rows.iter().for_each(|&row| counts[codes[row] as usize] += 1.0);
        counts
    };
    // Expected pairs of unlike neighbours in a random order of n rows: n - sum of n_c^2 / n.
    let unlike = |counts: &[f64]| {
        let n: f64 = counts.iter().sum();
        n - counts.iter().map(|of| of * of).sum::<f64>() / n
    };
    let groups: Vec<Vec<f64>> =
        order.chunk_by(|&a, &b| cells[a] == cells[b]).map(counted).collect();
    let between = groups.windows(2).map(|pair| {
        let sizes: f64 = pair.iter().map(|of| of.iter().sum::<f64>()).product();
        1.0 - pair[0].iter().zip(&pair[1]).map(|(a, b)| a * b).sum::<f64>() / sizes
    });
    let found = groups.iter().map(|of| unlike(of)).sum::<f64>() + between.sum::<f64>();
    let all = counted(&order);
    let borders = all.iter().filter(|&&of| of > 0.0).count() as f64 - 1.0;
    let room = unlike(&all) - borders;
    if room > 0.0 { (1.0 - (found - borders) / room).clamp(0.0, 1.0) } else { 0.0 }
}

/// How much better than the most frequent class the levels of a categorical column tell the class.
fn of_levels(x: &MatrixView<'_>, parts: &[usize], codes: &[u32], n_classes: usize) -> f64 {
    // A cell that has no part, being missing or unknown, is a level of its own.
    let mut counts = vec![vec![0_usize; n_classes]; parts.len() + 1];
    let mut level = vec![parts.len(); codes.len()];
    let mut cells = Vec::new();
    for (place, &feature) in parts.iter().enumerate() {
        x.column_into(feature, &mut cells);
        cells.iter().enumerate().filter(|(_, cell)| **cell > 0.0).for_each(|(row, _)| {
            level[row] = place;
        });
    }
    let mut all = vec![0_usize; n_classes];
    for (&level, &code) in level.iter().zip(codes) {
        counts[level][code as usize] += 1;
        all[code as usize] += 1;
    }
    let most = |of: &[usize]| of.iter().copied().max().unwrap_or(0);
    let right: usize = counts.iter().map(|of| most(of)).sum();
    let (n, usual) = (codes.len(), most(&all));
    if n < FEWEST_ROWS || usual == n { 0.0 } else { (right - usual) as f64 / (n - usual) as f64 }
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut sizes: Vec<(f64, u32)> =
        values.iter().enumerate().map(|(row, &value)| (value, row as u32)).collect();
    let mut ranks = vec![0.0; values.len()];
    rank_in_place(&mut sizes, |row, rank| ranks[row as usize] = rank);
    ranks
}

/// Pearson's correlation; 0 where one of the two does not vary.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (mean_a, mean_b) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        ab += (a - mean_a) * (b - mean_b);
        aa += (a - mean_a) * (a - mean_a);
        bb += (b - mean_b) * (b - mean_b);
    }
    if aa > 0.0 && bb > 0.0 { ab / (aa.sqrt() * bb.sqrt()) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(found: &[Leak]) -> Vec<usize> {
        found.iter().map(|leak| leak.column).collect()
    }

    #[test]
    fn two_classes_are_given_away_by_order_and_by_parts() {
        let codes: Vec<u32> = (0..60).map(|row| row % 2).collect();
        // The class, cells that are lower for the first, noise, and a column with gaps.
        let cells: Vec<f64> = (0..60_u32)
            .flat_map(|row| {
                let part = f64::from(row % 2);
                let order = f64::from(row) - 100.0 * (1.0 - part);
                let gaps = if row < 31 { f64::NAN } else { part };
                [part, order, f64::from(row * 7 % 11), gaps]
            })
            .collect();
        let x = MatrixView::from_rows(&cells, 60, 4).expect("60 rows");
        let y = Response::Classes { codes: &codes, n_classes: 2 };
        let found = leaks(&x, &[0, 1, 2, 3], &y, 0.999);
        assert_eq!(columns(&found), [0, 1]);
        assert!(found.iter().all(|leak| (leak.strength - 1.0).abs() < 1e-12));
    }

    #[test]
    fn more_classes_are_given_away_by_what_tells_all_of_them_apart() {
        let codes: Vec<u32> = (0..100).map(|row| row % 5).collect();
        // A code of the class with noise below its steps, cells that tell the first class only, the
        // parts of a category that names the class (one of them left out), a part of one class, and
        // a constant.
        let cells: Vec<f64> = (0..100_u32)
            .flat_map(|row| {
                let class = row % 5;
                let is = |of: u32| f64::from(class == of);
                let code = f64::from((class * 3) % 5) + f64::from(row % 7) / 10.0;
                let first = if class == 0 { -1.0 } else { f64::from(row * 37 % 101) };
                [code, first, is(0), is(1), is(2), is(3), is(4), 7.0]
            })
            .collect();
        let x = MatrixView::from_rows(&cells, 100, 8).expect("100 rows");
        let y = Response::Classes { codes: &codes, n_classes: 5 };
        let found = leaks(&x, &[0, 1, 2, 2, 2, 2, 3, 4], &y, 0.999);
        assert_eq!(columns(&found), [0, 2]);
        assert!(found.iter().all(|leak| (leak.strength - 1.0).abs() < 1e-12));
        let of = of_order(&[1.0, 1.0, 1.0, 1.0], &[0, 1, 2, 3], 4);
        assert_eq!(of, 0.0, "equal cells say nothing");
    }

    #[test]
    fn a_class_of_one_row_gives_nothing_away() {
        let mut codes: Vec<u32> = (0..80).map(|row| row % 3).collect();
        codes[0] = 3;
        let cells: Vec<f64> =
            (0..80).map(|row| if row == 0 { -5.0 } else { f64::from(row * 31 % 83) }).collect();
        let x = MatrixView::from_rows(&cells, 80, 1).expect("80 rows");
        let y = Response::Classes { codes: &codes, n_classes: 4 };
        assert_eq!(leaks(&x, &[0], &y, 0.999), []);
    }

    #[test]
    fn few_rows_prove_nothing() {
        let y = [1.0, 2.0, 3.0];
        let x = MatrixView::from_rows(&y, 3, 1).expect("3 rows");
        assert_eq!(leaks(&x, &[0], &Response::Numeric(&y), 0.999), []);
    }
}
