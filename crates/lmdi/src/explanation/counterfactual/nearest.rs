//! The nearest candidates of a point, by exhaustive search.
//!
//! Candidates are stored in groups, so that one vector instruction serves several of them, each
//! summed coordinate by coordinate as [`Points::distance`] does. A group is dropped as soon as
//! every partial sum exceeds the k-th best: terms are not negative, so a sum never decreases, even
//! with rounding.

use super::space::{Coordinate, Distance, Points};

const LANES: usize = 8;
/// Coordinates between two looks at whether to go on.
const STEP: usize = 8;

pub(super) struct Nearest {
    coordinates: Vec<Coordinate>,
    distance: Distance,
    /// Group by group, coordinate by coordinate, one number per candidate.
    lanes: Vec<[f64; LANES]>,
    rows: Vec<usize>,
    sides: Vec<u32>,
}

impl Nearest {
    /// Takes these candidates of `points`, in ascending order, with the side that each lies on.
    pub fn new(points: &Points<'_>, rows: Vec<usize>, sides: Vec<u32>, distance: Distance) -> Self {
        let width = points.coordinates.len();
        let mut lanes = vec![[0.0; LANES]; rows.len().div_ceil(LANES) * width];
        for (at, &row) in rows.iter().enumerate() {
            let group = &mut lanes[at / LANES * width..][..width];
            for (lanes, &value) in group.iter_mut().zip(points.candidate(row)) {
                lanes[at % LANES] = value;
            }
        }
        Self { coordinates: points.coordinates.clone(), distance, lanes, rows, sides }
    }

    /// The `k` nearest candidates that `fits` accepts by side and row, the nearest first, the
    /// earlier first where distances are equal.
    pub fn search(&self, query: &[f64], k: usize, fits: impl Fn(u32, usize) -> bool) -> Vec<usize> {
        let width = self.coordinates.len();
        // Sorted by distance, then row; never longer than k.
        let mut best: Vec<(f64, usize)> = Vec::new();
        for group in 0..self.rows.len().div_ceil(LANES) {
            let worst = if best.len() == k { best[k - 1].0 } else { f64::INFINITY };
            let Some(sums) = self.sums(query, &self.lanes[group * width..][..width], worst) else {
                continue;
            };
            for (lane, &sum) in sums.iter().enumerate() {
                let at = group * LANES + lane;
                let full = best.len() == k;
                if at >= self.rows.len() || (full && sum >= best[k - 1].0) {
                    continue;
                }
                let row = self.rows[at];
                if !fits(self.sides[at], row) {
                    continue;
                }
                if full {
                    best.pop();
                }
                // Rows come in rising order, so equal distances stay in it.
                let place = best.partition_point(|&(other, _)| other <= sum);
                best.insert(place, (sum, row));
            }
        }
        best.into_iter().map(|(_, row)| row).collect()
    }

    /// Sums of a group; `None` once all are beyond `worst`.
    fn sums(&self, query: &[f64], group: &[[f64; LANES]], worst: f64) -> Option<[f64; LANES]> {
        let mut sums = [0.0; LANES];
        let coordinates = self.coordinates.chunks(STEP);
        for ((coordinates, lanes), query) in
            coordinates.zip(group.chunks(STEP)).zip(query.chunks(STEP))
        {
            for ((coordinate, lanes), &query) in coordinates.iter().zip(lanes).zip(query) {
                for (sum, &value) in sums.iter_mut().zip(lanes) {
                    *sum += self.distance.term(coordinate.difference(query, value));
                }
            }
            if sums.iter().all(|&sum| sum > worst) {
                return None;
            }
        }
        Some(sums)
    }
}
