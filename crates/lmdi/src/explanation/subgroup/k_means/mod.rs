//! k-means: k groups of points that minimise the sum of squared distances to the centres of the
//! groups.
//!
//! Each restart draws centres by greedy k-means++ ([`seeding`]), lets points and centres settle in
//! turn (Lloyd, [`lloyd`]) and then moves single points as long as that lowers the sum, the centres
//! following at once (Hartigan, [`moves`]): every result of the last step is also one of Lloyd's,
//! but not the other way round. The restart with the smallest sum wins; ties go to the earliest.
//! Finally, one of its centres is moved elsewhere if that lowers the sum ([`swaps`]).
//!
//! A restart has its own random generator, and sums over rows are computed block by block in the
//! order of the rows, so that threads change nothing. Time is restarts x iterations x rows x groups
//! x coordinates.

mod lloyd;
mod moves;
mod seeding;
mod swaps;

use crate::monitor::Monitor;
use crate::random::generator;
use crate::setters::setters;
use crate::{Error, Result};
use rayon::prelude::*;

/// How points are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KMeansOptions {
    /// Number of groups.
    pub k: usize,
    /// Number of restarts; the best result is used.
    pub restarts: usize,
    /// Maximum number of rounds per start.
    pub max_iterations: usize,
    /// Same seed, same groups.
    pub seed: u64,
}

impl KMeansOptions {
    setters! {
        with_restarts(restarts: usize),
        with_max_iterations(max_iterations: usize),
        with_seed(seed: u64),
    }

    /// Ten restarts of at most 300 rounds.
    pub fn new(k: usize) -> Self {
        Self { k, restarts: 10, max_iterations: 300, seed: 0 }
    }
}

/// Points in groups.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeans {
    /// The group of every point.
    pub labels: Vec<u32>,
    /// The mean of every group, group by group.
    pub centres: Vec<f64>,
    /// Sum of the squared distances of all points to the means of their groups.
    pub inertia: f64,
    /// Rounds of the start that won.
    pub iterations: usize,
    /// Whether that start converged.
    pub converged: bool,
}

impl KMeans {
    /// Number of groups: fewer than requested if there are fewer distinct points.
    pub fn n_groups(&self, n_coordinates: usize) -> usize {
        self.centres.len() / n_coordinates.max(1)
    }
}

/// Points to be grouped: row by row, all finite.
#[derive(Clone, Copy)]
pub(super) struct Cloud<'a> {
    pub values: &'a [f64],
    pub width: usize,
}

impl Cloud<'_> {
    pub fn len(&self) -> usize {
        self.values.len() / self.width
    }

    pub fn point(&self, row: usize) -> &[f64] {
        &self.values[row * self.width..(row + 1) * self.width]
    }

    /// Rows of one block: enough to be worth a thread, and by the number of rows alone.
    fn block(&self) -> usize {
        self.len().div_ceil(256).max(512)
    }
}

/// Groups points, given row by row. The monitor advances by one per restart.
///
/// ```
/// use lmdi::explanation::subgroup::{KMeansOptions, k_means};
/// # fn main() -> lmdi::Result<()> {
/// let points = [0.0, 0.1, 5.0, 5.1]; // four points on a line
/// let found = k_means(&points, 1, &KMeansOptions::new(2), &lmdi::monitor::Silent)?;
/// assert!(found.labels[0] == found.labels[1] && found.labels[1] != found.labels[2]);
/// assert!((found.inertia - 0.01).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
pub fn k_means(
    points: &[f64],
    n_coordinates: usize,
    options: &KMeansOptions,
    monitor: &dyn Monitor,
) -> Result<KMeans> {
    search(points, n_coordinates, options, true, monitor)
}

/// k-means with or without the swaps at the end, which cost about as much as all restarts.
pub(super) fn search(
    points: &[f64],
    n_coordinates: usize,
    options: &KMeansOptions,
    swaps: bool,
    monitor: &dyn Monitor,
) -> Result<KMeans> {
    let cloud = Cloud { values: points, width: n_coordinates.max(1) };
    let n = cloud.len();
    let whole_number = |name, found: usize, least: usize, most: usize| {
        if (least..=most).contains(&found) {
            return Ok(());
        }
        let expected = format!("a whole number from {least} to {most}");
        Err(Error::Parameter { name, found: found.to_string(), expected })
    };
    if n == 0 || points.len() != n * cloud.width {
        return Err(Error::Data(format!(
            "there are {} numbers for points of {n_coordinates} coordinates; expected at least one \
             whole point",
            points.len()
        )));
    }
    whole_number("k", options.k, 1, n.min(MOST_GROUPS))?;
    whole_number("restarts", options.restarts, 1, 1_000_000)?;
    whole_number("max_iterations", options.max_iterations, 1, 1_000_000)?;
    if let Some(at) = points.iter().position(|value| !value.is_finite()) {
        return Err(Error::Data(format!(
            "coordinate {} of point {} is {}; every coordinate must be a finite number",
            at % cloud.width,
            at / cloud.width,
            points[at]
        )));
    }
    // Distances do not change, but keep their digits where points lie far from zero.
    let mean = lloyd::mean_of_all(&cloud);
    let centred: Vec<f64> =
        points.iter().enumerate().map(|(at, value)| value - mean[at % cloud.width]).collect();
    let cloud = Cloud { values: &centred, width: cloud.width };
    let starts: Vec<Result<KMeans>> = (0..options.restarts)
        .into_par_iter()
        .map(|restart| {
            let found = one_start(&cloud, options, restart as u64, monitor)?;
            monitor.advance(1);
            Ok(found)
        })
        .collect();
    let mut best: Option<KMeans> = None;
    for start in starts {
        let start = start?;
        if best.as_ref().is_none_or(|best| start.inertia < best.inertia) {
            best = Some(start);
        }
    }
    let mut best = best.ok_or(Error::Interrupted)?;
    if swaps {
        best = swaps::better(&cloud, best, options, monitor)?;
    }
    for (at, centre) in best.centres.iter_mut().enumerate() {
        *centre += mean[at % cloud.width];
    }
    Ok(best)
}

/// More groups than this describe nothing, and would be slow to find.
const MOST_GROUPS: usize = 10_000;

fn one_start(
    cloud: &Cloud<'_>,
    options: &KMeansOptions,
    restart: u64,
    monitor: &dyn Monitor,
) -> Result<KMeans> {
    let mut generator = generator(options.seed, restart);
    let centres = seeding::draw(cloud, vec![], options.k, &mut generator, monitor)?;
    settle(cloud, centres, options.max_iterations, monitor)
}

/// From centres to groups that neither Lloyd nor Hartigan betters.
fn settle(
    cloud: &Cloud<'_>,
    centres: Vec<f64>,
    max_iterations: usize,
    monitor: &dyn Monitor,
) -> Result<KMeans> {
    let mut settled = lloyd::settle(cloud, centres, max_iterations, monitor)?;
    let rounds = max_iterations.saturating_sub(settled.iterations).max(1);
    settled.iterations += moves::settle(cloud, &mut settled, rounds, monitor)?;
    Ok(settled)
}
