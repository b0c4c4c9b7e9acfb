//! Where k-means starts from: greedy k-means++ (Arthur and Vassilvitskii 2007).
//!
//! The first centre is a random point. Each next one is the best of `2 + ln k` points, drawn with
//! probability proportional to the squared distance to the nearest centre so far: the one that
//! leaves the smallest sum of such squares.

use super::Cloud;
use crate::Result;
use crate::monitor::Monitor;
use crate::random::{Generator, below, unit};
use rayon::prelude::*;

/// Draws centres beside those that are there until there are `k`; fewer where there are fewer
/// different points.
pub(super) fn draw(
    cloud: &Cloud<'_>,
    mut centres: Vec<f64>,
    k: usize,
    generator: &mut Generator,
    monitor: &dyn Monitor,
) -> Result<Vec<f64>> {
    let n = cloud.len();
    let trials = 2 + libm::log(k as f64) as usize;
    if centres.is_empty() {
        centres.extend_from_slice(cloud.point(below(generator, n)));
    }
    let mut nearest = Squares { squares: vec![f64::INFINITY; n], sums: vec![] };
    for centre in centres.chunks_exact(cloud.width) {
        nearest = closer(cloud, centre, &nearest.squares);
    }
    while centres.len() < k * cloud.width {
        monitor.check()?;
        let total: f64 = nearest.sums.iter().sum();
        if total <= 0.0 {
            break;
        }
        let drawn: Vec<usize> =
            (0..trials).map(|_| pick(cloud, &nearest, unit(generator) * total)).collect();
        let mut best: Option<(f64, usize, Squares)> = None;
        for row in drawn {
            let squares = closer(cloud, cloud.point(row), &nearest.squares);
            let left: f64 = squares.sums.iter().sum();
            if best.as_ref().is_none_or(|(least, ..)| left < *least) {
                best = Some((left, row, squares));
            }
        }
        let Some((_, row, squares)) = best else { break };
        centres.extend_from_slice(cloud.point(row));
        nearest = squares;
    }
    Ok(centres)
}

/// Per point the square of its distance to the nearest centre, and their sums block by block.
struct Squares {
    squares: Vec<f64>,
    sums: Vec<f64>,
}

/// The squares once there is this centre too.
fn closer(cloud: &Cloud<'_>, centre: &[f64], so_far: &[f64]) -> Squares {
    let block = cloud.block();
    let mut squares = vec![0.0; so_far.len()];
    let sums = squares
        .par_chunks_mut(block)
        .zip(so_far.par_chunks(block))
        .enumerate()
        .map(|(index, (squares, so_far))| {
            let mut sum = 0.0;
            for (at, (square, &so_far)) in squares.iter_mut().zip(so_far).enumerate() {
                let point = cloud.point(index * block + at);
                let mut distance = 0.0;
                for (a, b) in point.iter().zip(centre) {
                    distance += (a - b) * (a - b);
                }
                *square = distance.min(so_far);
                sum += *square;
            }
            sum
        })
        .collect();
    Squares { squares, sums }
}

/// The point at which the running sum of the squares passes `at`.
fn pick(cloud: &Cloud<'_>, squares: &Squares, mut at: f64) -> usize {
    let block = cloud.block();
    let mut last = 0;
    for (index, &sum) in squares.sums.iter().enumerate() {
        if at >= sum {
            at -= sum;
            continue;
        }
        let from = index * block;
        for (row, &square) in squares.squares.iter().enumerate().skip(from).take(block) {
            if square > 0.0 {
                last = row;
                if at < square {
                    return row;
                }
            }
            at -= square;
        }
        return last;
    }
    // Rounding took the sum to its very end: the last point that is no centre.
    squares.squares.iter().rposition(|&square| square > 0.0).unwrap_or(last)
}
