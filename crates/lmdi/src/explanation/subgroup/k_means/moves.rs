//! Single points change groups as long as that lowers the sum of squares (Hartigan).
//!
//! A point that leaves a group of n points at squared distance d from its mean lowers the sum by `d
//! n / (n - 1)`; one that joins raises it by `d n / (n + 1)`. Both means follow at once, so rows
//! are taken one after another, in their order.

use super::{Cloud, KMeans, lloyd};
use crate::Result;
use crate::monitor::Monitor;

/// A move must lower the sum by more than this share, so that rounding cannot turn points in
/// circles.
const LEAST_GAIN: f64 = 1e-10;
/// Rows between two looks at whether to stop.
const ROWS: usize = 4096;

/// Moves points until none gains; the number of rounds it took, at most `max_rounds`.
pub(super) fn settle(
    cloud: &Cloud<'_>,
    settled: &mut KMeans,
    max_rounds: usize,
    monitor: &dyn Monitor,
) -> Result<usize> {
    let k = settled.centres.len() / cloud.width;
    let mut counts = vec![0.0_f64; k];
    settled.labels.iter().for_each(|&label| counts[label as usize] += 1.0);
    let mut distances = vec![0.0; k];
    let mut rounds = 0;
    let mut moved = true;
    while moved && rounds < max_rounds {
        moved = false;
        rounds += 1;
        let mut across = lloyd::transposed(&settled.centres, cloud.width);
        for row in 0..cloud.len() {
            if row % ROWS == 0 {
                monitor.check()?;
            }
            let from = settled.labels[row] as usize;
            if counts[from] < 2.0 {
                continue;
            }
            let point = cloud.point(row);
            lloyd::squared_distances(point, &across, &mut distances);
            let freed = distances[from] * counts[from] / (counts[from] - 1.0);
            let mut best = (freed, from);
            for (to, &distance) in distances.iter().enumerate() {
                let cost = distance * counts[to] / (counts[to] + 1.0);
                if to != from && cost < best.0 {
                    best = (cost, to);
                }
            }
            let (cost, to) = best;
            if to == from || freed - cost <= LEAST_GAIN * freed {
                continue;
            }
            for (centres, value) in across.chunks_exact_mut(k).zip(point) {
                centres[from] -= (value - centres[from]) / (counts[from] - 1.0);
                centres[to] += (value - centres[to]) / (counts[to] + 1.0);
            }
            counts[from] -= 1.0;
            counts[to] += 1.0;
            settled.labels[row] = to as u32;
            moved = true;
        }
        settled.centres = lloyd::means(cloud, k, &settled.labels);
    }
    settled.converged = !moved;
    settled.inertia = lloyd::inertia(cloud, &settled.centres, &settled.labels);
    Ok(rounds)
}
