//! Stability: whether another fit of the model would give the same explanation.
//!
//! The model is fitted several times, with other seeds or on resampled rows, and each fit scores
//! the same rows. Two measures tell how far the fits agree on |score| (summed over outputs):
//!
//! - *unique features* (section 6 of the paper): for each row, how many different columns are among
//!   the top k % of any fit, as a share of all columns. Fewer is better. The top k % of p columns
//!   are `ceil(k p / 100)` columns.
//! - *rank correlation*: Spearman's correlation of the ranks of all columns between two fits,
//!   averaged over all pairs of fits; ties share their mean rank.
//!
//! Rows without a score in some fit are left out. Time is rows x columns x fits squared.

use super::order::top_features;
use crate::importance::{Scores, rank_in_place};
use crate::monitor::Monitor;
use crate::random::{below, generator};
use crate::{Error, Result};
use rayon::prelude::*;

/// How stable scores are.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// Number of fits.
    pub n_fits: usize,
    /// Number of rows that every fit has a score for.
    pub n_rows: usize,
    /// One entry per requested share of top columns.
    pub tops: Vec<TopStability>,
    /// Rank correlation of each row; NaN where a fit gives all columns the same score, and for rows
    /// without scores.
    pub correlation: Vec<f64>,
    /// Its mean over the rows that have one; NaN if none has.
    pub mean_correlation: f64,
    /// Mean absolute score of each column, fit by fit.
    pub importance: Vec<Vec<f64>>,
}

/// How stable the most important columns are.
#[derive(Debug, Clone, PartialEq)]
pub struct TopStability {
    /// The requested share, in percent.
    pub percent: f64,
    /// The number of columns in that share: the smallest possible number of different ones.
    pub n_top: usize,
    /// How many different columns are among the top ones of any fit, row by row; 0 for rows without
    /// scores.
    pub unique: Vec<u32>,
    /// Mean of that over rows.
    pub mean_unique: f64,
    /// The same as a share of all columns.
    pub unique_share: f64,
    /// Per column the share of rows in which it is among the top ones of every fit.
    pub always: Vec<f64>,
    /// Per column the share of rows in which it is among the top ones of some fit.
    pub ever: Vec<f64>,
}

/// Compares the scores of several fits for the same rows, for the top columns of each of
/// `percents`. The monitor advances by one per row.
///
/// ```
/// use lmdi::{explanation::stability, importance::Scores, monitor::Silent};
/// # fn main() -> lmdi::Result<()> {
/// let fit = |values: [f64; 4]| Scores { values: values.to_vec(), ..Scores::zero(1, 4, &[0.0]) };
/// let fits = [fit([9.0, 5.0, 1.0, 0.0]), fit([8.0, 1.0, 6.0, 0.0])];
/// let found = stability(&fits, &[50.0], &Silent)?;
/// // The two largest of four are columns 0 and 1, then 0 and 2: three different ones.
/// assert_eq!((found.tops[0].n_top, found.tops[0].mean_unique), (2, 3.0));
/// assert!((found.mean_correlation - 0.8).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
pub fn stability(fits: &[Scores], percents: &[f64], monitor: &dyn Monitor) -> Result<Stability> {
    check(fits, percents)?;
    let (n, p) = (fits[0].n_rows, fits[0].n_features);
    let n_tops: Vec<usize> = percents
        .iter()
        // Not above a whole number by rounding alone.
        .map(|percent| ((percent * p as f64 / 100.0 - 1e-9).ceil() as usize).clamp(1, p))
        .collect();
    let rows: Vec<RowStability> = (0..n)
        .into_par_iter()
        .map(|row| {
            if row % 256 == 0 {
                monitor.check()?;
            }
            let found = of_row(fits, row, &n_tops);
            monitor.advance(1);
            Ok(found)
        })
        .collect::<Result<_>>()?;
    let known = rows.iter().filter(|row| row.correlation.is_some()).count();
    let over_rows = |sum: f64| if known > 0 { sum / known as f64 } else { f64::NAN };
    let tops = percents.iter().zip(&n_tops).enumerate().map(|(at, (&percent, &n_top))| {
        let (mut always, mut ever) = (vec![0.0; p], vec![0.0; p]);
        let mut unique = vec![0; n];
        for (row, found) in rows.iter().enumerate() {
            let Some(columns) = found.tops.get(at) else { continue };
            unique[row] = columns.len() as u32;
            for &(column, times) in columns {
                ever[column as usize] += 1.0;
                always[column as usize] += f64::from(u8::from(times as usize == fits.len()));
            }
        }
        always.iter_mut().chain(&mut ever).for_each(|sum| *sum = over_rows(*sum));
        let mean_unique = over_rows(unique.iter().map(|&count| f64::from(count)).sum());
        let unique_share = mean_unique / p as f64;
        TopStability { percent, n_top, unique, mean_unique, unique_share, always, ever }
    });
    let tops = tops.collect();
    let correlation: Vec<f64> =
        rows.iter().map(|row| row.correlation.unwrap_or(f64::NAN)).collect();
    let defined = || correlation.iter().filter(|value| !value.is_nan());
    let mean_correlation = match defined().count() {
        0 => f64::NAN,
        count => defined().sum::<f64>() / count as f64,
    };
    let known_rows = || (0..n).filter(|&row| rows[row].correlation.is_some());
    let importance = fits.iter().map(|fit| match known {
        0 => vec![f64::NAN; p],
        _ => fit.mean_sizes(known_rows()),
    });
    let importance = importance.collect();
    let n_fits = fits.len();
    Ok(Stability { n_fits, n_rows: known, tops, correlation, mean_correlation, importance })
}

/// As many rows as the table has, drawn with replacement: the training rows of one more fit.
pub fn bootstrap_rows(n_rows: usize, seed: u64, fit: u64) -> Vec<usize> {
    // Trees draw from the generators 0, 1, 2, ... of a seed; fits from the other end.
    let mut generator = generator(seed, u64::MAX / 2 - fit);
    (0..n_rows).map(|_| below(&mut generator, n_rows)).collect()
}

fn check(fits: &[Scores], percents: &[f64]) -> Result<()> {
    if fits.len() < 2 {
        return Err(Error::Parameter {
            name: "fits",
            found: fits.len().to_string(),
            expected: "at least 2, to be compared".into(),
        });
    }
    let shape = |scores: &Scores| (scores.n_rows, scores.n_features, scores.n_outputs);
    if let Some(other) = fits.iter().find(|fit| shape(fit) != shape(&fits[0])) {
        return Err(Error::Shape {
            what: "scores of one fit".into(),
            found: other.values.len(),
            expected: fits[0].values.len(),
        });
    }
    if fits[0].n_features == 0 {
        return Err(Error::Data("there is no column to compare".into()));
    }
    match percents.iter().find(|percent| !(**percent > 0.0 && **percent <= 100.0)) {
        Some(percent) => Err(Error::Parameter {
            name: "top",
            found: percent.to_string(),
            expected: "a share in percent, above 0 and at most 100".into(),
        }),
        None => Ok(()),
    }
}

struct RowStability {
    /// For each share the columns among the top ones and in how many fits; empty without scores.
    tops: Vec<Vec<(u32, u32)>>,
    /// `None` without scores, NaN where it is not defined.
    correlation: Option<f64>,
}

fn of_row(fits: &[Scores], row: usize, n_tops: &[usize]) -> RowStability {
    if fits.iter().any(|fit| fit.row(row).iter().any(|score| !score.is_finite())) {
        return RowStability { tops: vec![], correlation: None };
    }
    let p = fits[0].n_features;
    let orders: Vec<Vec<usize>> = fits.iter().map(|fit| top_features(fit, row, p)).collect();
    let tops = n_tops.iter().map(|&n_top| {
        let mut times = vec![0_u32; p];
        for order in &orders {
            order[..n_top].iter().for_each(|&column| times[column] += 1);
        }
        let counted = times.iter().enumerate().filter(|(_, times)| **times > 0);
        counted.map(|(column, &times)| (column as u32, times)).collect()
    });
    let tops = tops.collect();
    let ranks: Vec<Vec<f64>> = fits
        .iter()
        .map(|fit| {
            let mut sizes: Vec<(f64, u32)> =
                (0..p).map(|column| (fit.size(row, column), column as u32)).collect();
            let mut ranks = vec![0.0; p];
            rank_in_place(&mut sizes, |column, rank| ranks[column as usize] = rank);
            ranks
        })
        .collect();
    let (mut sum, mut pairs) = (0.0, 0.0);
    for a in 0..ranks.len() {
        for b in a + 1..ranks.len() {
            sum += correlation_of(&ranks[a], &ranks[b]);
            pairs += 1.0;
        }
    }
    RowStability { tops, correlation: Some(sum / pairs) }
}

/// Pearson's correlation of two lists of ranks; NaN where one does not vary.
fn correlation_of(a: &[f64], b: &[f64]) -> f64 {
    let mean = (a.len() + 1) as f64 / 2.0;
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        ab += (a - mean) * (b - mean);
        aa += (a - mean) * (a - mean);
        bb += (b - mean) * (b - mean);
    }
    ab / (aa * bb).sqrt()
}
