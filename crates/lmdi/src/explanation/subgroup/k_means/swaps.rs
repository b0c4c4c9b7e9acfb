//! Moves a centre from where it matters little to where it lowers the sum more.
//!
//! k-means gets stuck with two centres in one cloud of points and one between two clouds. The loss
//! from removing a centre is how much farther its points are from the second nearest one. In turn,
//! one of the three centres with the smallest loss is removed, another is drawn as at the start,
//! and all settle again. A change that lowers the sum is kept, until several tries in a row have
//! failed.

use super::{Cloud, KMeans, KMeansOptions, lloyd, seeding, settle};
use crate::Result;
use crate::monitor::Monitor;
use crate::random::generator;

/// Centres that are tried to do without.
const LEAST_MISSED: usize = 3;
/// Tries without success after which to stop, beside one for each group.
const TRIES: usize = 8;
/// A sum is lower when it falls by more than this share.
const LEAST_GAIN: f64 = 1e-10;

/// The groups, or better ones.
pub(super) fn better(
    cloud: &Cloud<'_>,
    mut best: KMeans,
    options: &KMeansOptions,
    monitor: &dyn Monitor,
) -> Result<KMeans> {
    let k = best.centres.len() / cloud.width;
    if k < 2 || k < options.k || best.inertia <= 0.0 {
        return Ok(best);
    }
    // Restarts draw from the generators 0, 1, 2, ...
    let mut generator = generator(options.seed, u64::MAX - 1);
    let mut order = least_missed(cloud, &best);
    let mut failed = 0;
    while failed < TRIES + k.min(24) {
        monitor.check()?;
        let group = order[failed % order.len().min(LEAST_MISSED)];
        let mut centres = best.centres.clone();
        centres.drain(group * cloud.width..(group + 1) * cloud.width);
        let centres = seeding::draw(cloud, centres, k, &mut generator, monitor)?;
        let tried = settle(cloud, centres, options.max_iterations, monitor)?;
        if tried.inertia < best.inertia * (1.0 - LEAST_GAIN) {
            best = tried;
            order = least_missed(cloud, &best);
            failed = 0;
        } else {
            failed += 1;
        }
    }
    Ok(best)
}

/// Groups by how much the sum would grow without their centre, the least first.
fn least_missed(cloud: &Cloud<'_>, found: &KMeans) -> Vec<usize> {
    let k = found.centres.len() / cloud.width;
    let across = lloyd::transposed(&found.centres, cloud.width);
    let mut missed = vec![0.0_f64; k];
    let mut distances = vec![0.0; k];
    for (row, &label) in found.labels.iter().enumerate() {
        lloyd::squared_distances(cloud.point(row), &across, &mut distances);
        let own = label as usize;
        let others = distances.iter().enumerate().filter(|(group, _)| *group != own);
        let second = others.fold(f64::INFINITY, |least, (_, &distance)| least.min(distance));
        missed[own] += second - distances[own];
    }
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|&a, &b| missed[a].total_cmp(&missed[b]).then(a.cmp(&b)));
    order
}
