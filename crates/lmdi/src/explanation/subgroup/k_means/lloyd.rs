//! Points go to the nearest centre, centres to the mean of their points, until nothing moves.
//!
//! A group that loses all its points takes the point that is farthest from its centre.

use super::{Cloud, KMeans};
use crate::Result;
use crate::monitor::Monitor;
use rayon::prelude::*;

/// Alternates until no point changes its group, at most `max_iterations` times.
pub(super) fn settle(
    cloud: &Cloud<'_>,
    mut centres: Vec<f64>,
    max_iterations: usize,
    monitor: &dyn Monitor,
) -> Result<KMeans> {
    let k = centres.len() / cloud.width;
    let mut labels = vec![u32::MAX; cloud.len()];
    let mut squares = vec![0.0; cloud.len()];
    let mut iterations = 0;
    let mut converged = false;
    while iterations < max_iterations && !converged {
        monitor.check()?;
        iterations += 1;
        let changed = assign(cloud, &centres, &mut labels, &mut squares);
        let refilled = refill(cloud, k, &mut labels, &mut squares);
        converged = !changed && !refilled;
        centres = means(cloud, k, &labels);
    }
    let inertia = inertia(cloud, &centres, &labels);
    Ok(KMeans { labels, centres, inertia, iterations, converged })
}

/// Assigns every point to its nearest centre (ties go to the first), and tells whether any changed.
fn assign(cloud: &Cloud<'_>, centres: &[f64], labels: &mut [u32], squares: &mut [f64]) -> bool {
    let k = centres.len() / cloud.width;
    let across = transposed(centres, cloud.width);
    let block = cloud.block();
    let changed: Vec<bool> = labels
        .par_chunks_mut(block)
        .zip(squares.par_chunks_mut(block))
        .enumerate()
        .map_init(
            || vec![0.0; k],
            |distances, (index, (labels, squares))| {
                let mut changed = false;
                for (at, (label, square)) in labels.iter_mut().zip(squares).enumerate() {
                    squared_distances(cloud.point(index * block + at), &across, distances);
                    let mut best = 0;
                    for group in 1..k {
                        if distances[group] < distances[best] {
                            best = group;
                        }
                    }
                    changed |= *label != best as u32;
                    *label = best as u32;
                    *square = distances[best];
                }
                changed
            },
        )
        .collect();
    changed.contains(&true)
}

/// Centres coordinate by coordinate, so that the distances to all of them are computed in one
/// batch.
pub(super) fn transposed(centres: &[f64], width: usize) -> Vec<f64> {
    let k = centres.len() / width;
    (0..width * k).map(|at| centres[at % k * width + at / k]).collect()
}

/// The squared distance of a point to every centre.
#[inline]
pub(super) fn squared_distances(point: &[f64], across: &[f64], distances: &mut [f64]) {
    distances.fill(0.0);
    for (value, centres) in point.iter().zip(across.chunks_exact(distances.len())) {
        for (distance, centre) in distances.iter_mut().zip(centres) {
            *distance += (value - centre) * (value - centre);
        }
    }
}

/// Gives each group without a point the one that is farthest from its centre and not alone in its
/// group.
fn refill(cloud: &Cloud<'_>, k: usize, labels: &mut [u32], squares: &mut [f64]) -> bool {
    let mut counts = vec![0_usize; k];
    labels.iter().for_each(|&label| counts[label as usize] += 1);
    let mut refilled = false;
    for group in 0..k {
        if counts[group] > 0 {
            continue;
        }
        let mut farthest: Option<usize> = None;
        for row in 0..cloud.len() {
            let spare = counts[labels[row] as usize] > 1 && squares[row] > 0.0;
            if spare && farthest.is_none_or(|best| squares[row] > squares[best]) {
                farthest = Some(row);
            }
        }
        let Some(row) = farthest else { break };
        counts[labels[row] as usize] -= 1;
        counts[group] = 1;
        labels[row] = group as u32;
        squares[row] = 0.0;
        refilled = true;
    }
    refilled
}

/// The mean of every group; a group without points stays at zero.
pub(super) fn means(cloud: &Cloud<'_>, k: usize, labels: &[u32]) -> Vec<f64> {
    let block = cloud.block();
    let parts: Vec<(Vec<f64>, Vec<f64>)> = labels
        .par_chunks(block)
        .enumerate()
        .map(|(index, labels)| {
            let (mut sums, mut counts) = (vec![0.0; k * cloud.width], vec![0.0; k]);
            for (at, &label) in labels.iter().enumerate() {
                let sum = &mut sums[label as usize * cloud.width..][..cloud.width];
                for (sum, value) in sum.iter_mut().zip(cloud.point(index * block + at)) {
                    *sum += value;
                }
                counts[label as usize] += 1.0;
            }
            (sums, counts)
        })
        .collect();
    let (mut sums, mut counts) = (vec![0.0; k * cloud.width], vec![0.0_f64; k]);
    for (part, counted) in parts {
        sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        counts.iter_mut().zip(counted).for_each(|(count, part)| *count += part);
    }
    for (sum, count) in sums.chunks_exact_mut(cloud.width).zip(counts) {
        sum.iter_mut().for_each(|sum| *sum /= count.max(1.0));
    }
    sums
}

/// The mean of all points.
pub(super) fn mean_of_all(cloud: &Cloud<'_>) -> Vec<f64> {
    means(cloud, 1, &vec![0; cloud.len()])
}

/// Sum of the squared distances of points to the centres of their groups.
pub(super) fn inertia(cloud: &Cloud<'_>, centres: &[f64], labels: &[u32]) -> f64 {
    let block = cloud.block();
    let parts: Vec<f64> = labels
        .par_chunks(block)
        .enumerate()
        .map(|(index, labels)| {
            let mut sum = 0.0;
            for (at, &label) in labels.iter().enumerate() {
                let centre = &centres[label as usize * cloud.width..][..cloud.width];
                for (a, b) in cloud.point(index * block + at).iter().zip(centre) {
                    sum += (a - b) * (a - b);
                }
            }
            sum
        })
        .collect();
    parts.iter().sum()
}
