//! Columns that give the target away.
//!
//! A column that follows from the target (a price in another currency, a code that is set once the
//! outcome is known) makes a model that looks perfect and is useless. Such a column is almost
//! perfectly correlated with the target: for numbers by Pearson's or Spearman's coefficient, for
//! classes by how well its order tells one class from the rest (2 AUROC - 1), or by its correlation
//! with belonging to the class.
//!
//! Time is columns x rows x log rows (times classes), in parallel over columns.

use super::{MatrixView, Response, metrics, rank_in_place};
use rayon::prelude::*;

/// A column that gives the target away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leak {
    /// The matrix column.
    pub feature: usize,
    /// How closely it follows the target, from 0 to 1.
    pub strength: f64,
}

/// Rows below which a perfect correlation may be chance.
const FEWEST_ROWS: usize = 20;

/// The columns whose correlation with the target is at least `least`, in their order. Missing cells
/// are left out; a column with fewer than half of its cells, or than 20, is not judged.
///
/// ```
/// use lmdi::table::{MatrixView, Response, leaks};
/// let y: Vec<f64> = (0..30).map(f64::from).collect();
/// // The logarithm of the target, and something else.
/// let cells: Vec<f64> = y.iter().flat_map(|y| [(y + 1.0).ln(), y % 7.0]).collect();
/// let x = MatrixView::from_rows(&cells, 30, 2)?;
/// let found = leaks(&x, &Response::Numeric(&y), 0.999);
/// assert_eq!(found.iter().map(|leak| leak.feature).collect::<Vec<_>>(), [0]);
/// # Ok::<(), lmdi::Error>(())
/// ```
pub fn leaks(x: &MatrixView<'_>, y: &Response<'_>, least: f64) -> Vec<Leak> {
    let of_column = |feature: usize| {
        let mut cells = Vec::new();
        x.column_into(feature, &mut cells);
        let present: Vec<usize> = (0..cells.len()).filter(|&row| !cells[row].is_nan()).collect();
        if present.len() < FEWEST_ROWS || present.len() * 2 < cells.len() {
            return None;
        }
        let cells: Vec<f64> = present.iter().map(|&row| cells[row]).collect();
        let strength = match y {
            Response::Numeric(y) => {
                let y: Vec<f64> = present.iter().map(|&row| y[row]).collect();
                let by_rank = correlation(&ranks(&cells), &ranks(&y)).abs();
                correlation(&cells, &y).abs().max(by_rank)
            }
            Response::Classes { codes, n_classes } => {
                let codes: Vec<u32> = present.iter().map(|&row| codes[row]).collect();
                let of_class = |class: usize| {
                    let order = 2.0 * metrics::auroc(&codes, class as u32, &cells, None) - 1.0;
                    let belongs: Vec<f64> = codes
                        .iter()
                        .map(|&code| f64::from(u8::from(code as usize == class)))
                        .collect();
                    order.abs().max(correlation(&cells, &belongs).abs())
                };
                // Of two classes the second says all.
                let first = usize::from(*n_classes == 2);
                (first..*n_classes).map(of_class).fold(0.0, f64::max)
            }
        };
        (strength >= least).then_some(Leak { feature, strength })
    };
    (0..x.cols()).into_par_iter().filter_map(of_column).collect()
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

    #[test]
    fn classes_are_given_away_by_order_and_by_parts() {
        let codes: Vec<u32> = (0..60).map(|row| row % 3).collect();
        // A part of the second class, cells that are lowest for the first, noise, and a column with
        // gaps.
        let cells: Vec<f64> = (0..60_u32)
            .flat_map(|row| {
                let part = f64::from(u8::from(row % 3 == 1));
                let order = if row % 3 == 0 { f64::from(row) - 100.0 } else { f64::from(row) };
                let gaps = if row < 31 { f64::NAN } else { part };
                [part, order, f64::from(row * 7 % 11), gaps]
            })
            .collect();
        let x = MatrixView::from_rows(&cells, 60, 4).expect("60 rows");
        let found = leaks(&x, &Response::Classes { codes: &codes, n_classes: 3 }, 0.999);
        assert_eq!(found.iter().map(|leak| leak.feature).collect::<Vec<_>>(), [0, 1]);
        assert!(found.iter().all(|leak| (leak.strength - 1.0).abs() < 1e-12));
    }

    #[test]
    fn few_rows_prove_nothing() {
        let y = [1.0, 2.0, 3.0];
        let x = MatrixView::from_rows(&y, 3, 1).expect("3 rows");
        assert_eq!(leaks(&x, &Response::Numeric(&y), 0.999), []);
    }
}
