//! The number of groups: the largest for which resampled rows give the same groups.
//!
//! The method of Ben-Hur, Elisseeff and Guyon (2002, algorithm 1): for each number of groups, many
//! pairs of samples of 80 % of the rows are grouped separately, and the two groupings of a pair are
//! compared on the rows that both have. Their similarity is the cosine of the angle between the
//! sets of pairs of rows that share a group: `S12 / sqrt(S1 S2)`, where S counts such pairs in the
//! first, the second and both groupings. Real groups are found again; groups that only cut a cloud
//! into pieces are not.
//!
//! The paper chooses by eye, from the distributions of the similarity: the largest number before
//! they move away from one. Here it is the largest number of groups for which at least
//! [`STABLE_SHARE`] of the pairs have a similarity above [`ALIKE`]. If there is none, it is the one
//! with the largest mean, and [`Choice::stable`] says so.

use super::k_means::{KMeansOptions, search};
use crate::Result;
use crate::monitor::{Monitor, Silent};
use crate::random::{generator, subset};
use rand::Rng;
use rayon::prelude::*;

/// Similarity above which two groupings count as the same.
pub const ALIKE: f64 = 0.9;
/// Share of the pairs that must be similar for a number of groups to be stable.
pub const STABLE_SHARE: f64 = 0.9;
/// Larger tables are sampled down to this many rows.
pub const MOST_ROWS: usize = 2_000;
/// Share of the rows in each sample of a pair.
const SAMPLE: f64 = 0.8;
/// Restarts of each grouping.
const RESTARTS: usize = 2;

/// The similarity of the two groupings of each pair of samples, for one number of groups.
#[derive(Debug, Clone, PartialEq)]
pub struct CountCandidate {
    /// The number of groups.
    pub k: usize,
    /// The similarity of every pair, rising.
    pub similarities: Vec<f64>,
    /// Their mean.
    pub mean: f64,
    /// The share of pairs above [`ALIKE`].
    pub alike: f64,
}

/// The number of groups, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The number chosen.
    pub k: usize,
    /// Whether groupings with it are stable; if not, no number of groups is.
    pub stable: bool,
    /// Number of rows that were used.
    pub rows: usize,
    /// What was found for each number, from 2.
    pub candidates: Vec<CountCandidate>,
}

/// Chooses among 2 to `most` groups by `pairs` pairs of samples each. The monitor advances by one
/// per pair.
pub(super) fn choose(
    points: &[f64],
    width: usize,
    most: usize,
    pairs: usize,
    seed: u64,
    monitor: &dyn Monitor,
) -> Result<Choice> {
    let n = points.len() / width;
    let sampled;
    let (points, rows) = if n > MOST_ROWS {
        let rows = subset(&mut generator(seed, u64::MAX), n, MOST_ROWS);
        sampled = take(points, width, &rows);
        (&sampled[..], MOST_ROWS)
    } else {
        (points, n)
    };
    let size = ((SAMPLE * rows as f64).round() as usize).clamp(1, rows);
    let most = most.min(size);
    let units: Vec<(usize, usize)> =
        (2..=most).flat_map(|k| (0..pairs).map(move |pair| (k, pair))).collect();
    let similarities: Vec<Result<f64>> = units
        .par_iter()
        .map(|&(k, pair)| {
            monitor.check()?;
            // Restarts of the grouping itself draw from the generators 0, 1, 2, ...
            let unit = (1 << 32) + (k * pairs + pair) as u64;
            let mut draws = generator(seed, unit);
            let samples = [(); 2].map(|()| subset(&mut draws, rows, size));
            let mut labels = Vec::with_capacity(2);
            for sample in &samples {
                let seed = draws.next_u64();
                let options = KMeansOptions { restarts: RESTARTS, seed, ..KMeansOptions::new(k) };
                let sampled = take(points, width, sample);
                labels.push(search(&sampled, width, &options, false, &Silent)?.labels);
            }
            monitor.advance(1);
            Ok(similarity(&samples[0], &labels[0], &samples[1], &labels[1], k))
        })
        .collect();
    let mut candidates = Vec::new();
    let mut similarities = similarities.into_iter();
    for k in 2..=most {
        let mut of_k = similarities.by_ref().take(pairs).collect::<Result<Vec<f64>>>()?;
        of_k.sort_by(f64::total_cmp);
        let n = of_k.len().max(1) as f64;
        let mean = of_k.iter().sum::<f64>() / n;
        let alike = of_k.iter().filter(|&&similarity| similarity > ALIKE).count() as f64 / n;
        candidates.push(CountCandidate { k, similarities: of_k, mean, alike });
    }
    let stable = candidates.iter().rev().find(|candidate| candidate.alike >= STABLE_SHARE);
    let best = stable.or_else(|| {
        let better =
            |best: &&CountCandidate, other: &&CountCandidate| best.mean.total_cmp(&other.mean);
        // The first of equals: `max_by` would take the last.
        candidates.iter().rev().max_by(|a, b| better(a, b))
    });
    Ok(Choice { k: best.map_or(1, |best| best.k), stable: stable.is_some(), rows, candidates })
}

fn take(points: &[f64], width: usize, rows: &[u32]) -> Vec<f64> {
    rows.iter().flat_map(|&row| &points[row as usize * width..][..width]).copied().collect()
}

/// The similarity of two groupings on the rows that both have; rows are rising.
fn similarity(rows_a: &[u32], labels_a: &[u32], rows_b: &[u32], labels_b: &[u32], k: usize) -> f64 {
    let mut both = vec![0.0_f64; k * k];
    let (mut a, mut b) = (0, 0);
    while a < rows_a.len() && b < rows_b.len() {
        match rows_a[a].cmp(&rows_b[b]) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => {
                both[labels_a[a] as usize * k + labels_b[b] as usize] += 1.0;
                (a, b) = (a + 1, b + 1);
            }
        }
    }
    let pairs = |n: f64| n * (n - 1.0);
    let first: f64 = (0..k).map(|i| pairs((0..k).map(|j| both[i * k + j]).sum())).sum();
    let second: f64 = (0..k).map(|j| pairs((0..k).map(|i| both[i * k + j]).sum())).sum();
    let shared: f64 = both.iter().map(|&n| pairs(n)).sum();
    if first > 0.0 && second > 0.0 { shared / (first * second).sqrt() } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_by_counting_pairs() {
        let (rows_a, a) = ([0, 1, 2, 4, 5, 7], [0, 0, 1, 1, 2, 2]);
        let (rows_b, b) = ([1, 2, 3, 4, 5, 7], [1, 1, 0, 0, 2, 2]);
        // Rows 1, 2, 4, 5, 7 are in both; pairs of a: {2,4} {5,7}, of b: {1,2} {5,7}.
        assert_eq!(similarity(&rows_a, &a, &rows_b, &b, 3), 0.5);
        assert_eq!(similarity(&rows_a, &a, &rows_a, &a, 3), 1.0);
    }
}
