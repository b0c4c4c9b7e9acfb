//! Which column interacts with another one.

use super::PlotData;
use super::drawing::colour;
use crate::Result;

/// More rows say nothing more.
const MOST: usize = 4_000;
/// Rows of similar cells.
const PARTS: usize = 20;

/// The column that explains most of how a column's scores differ among rows with similar cells: the
/// one with the largest rank correlation with their distance from the mean of those rows.
pub fn strongest_interaction(data: &PlotData<'_>, column: usize) -> Result<Option<usize>> {
    data.check()?;
    let (rows, _) = data.sample(MOST);
    let cells = |at: usize| -> Vec<f64> {
        let layout = &data.columns.as_slice()[at];
        rows.iter().map(|&row| layout.cell(&data.rows.x, row)).collect()
    };
    let own = colour::shares(&cells(column));
    let bin = |share: f64| if share.is_nan() { PARTS } else { (share * PARTS as f64) as usize };
    let scores: Vec<f64> = rows.iter().map(|&row| data.score(row, column)).collect();
    let mut sums = vec![(0.0, 0.0); PARTS + 2];
    for (share, score) in own.iter().zip(&scores) {
        let (sum, n) = &mut sums[bin(*share)];
        *sum += score;
        *n += 1.0;
    }
    let left: Vec<f64> = own
        .iter()
        .zip(&scores)
        .map(|(share, score)| {
            let (sum, n) = sums[bin(*share)];
            score - sum / n
        })
        .collect();
    let strength = |at: usize| correlation(&colour::shares(&cells(at)), &left).abs();
    let others = (0..data.columns.len()).filter(|at| *at != column);
    let found = others.map(|at| (at, strength(at))).filter(|(_, size)| *size > 0.0);
    Ok(found.reduce(|best, one| if one.1 > best.1 { one } else { best }).map(|(at, _)| at))
}

/// Pearson's correlation over the pairs that are known; zero where one does not vary.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let pairs: Vec<(f64, f64)> = a
        .iter()
        .zip(b)
        .filter(|(a, b)| a.is_finite() && b.is_finite())
        .map(|(a, b)| (*a, *b))
        .collect();
    let n = pairs.len().max(1) as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (ma, mb) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in &pairs {
        ab += (a - ma) * (b - mb);
        aa += (a - ma) * (a - ma);
        bb += (b - mb) * (b - mb);
    }
    if aa > 0.0 && bb > 0.0 { ab / (aa * bb).sqrt() } else { 0.0 }
}
