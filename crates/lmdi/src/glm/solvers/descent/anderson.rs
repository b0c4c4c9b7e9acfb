//! Anderson extrapolation of a descent.
//!
//! On nearly dependent columns, sweeps make steps in the same few directions, each shorter than the
//! last by a constant factor. Of the last points x_0 .. x_K the combination with weights c that sum
//! to one and make `sum c_k (x_k+1 - x_k)` shortest lies where such a series ends:
//!
//! ```text
//! (D'D) z = 1,   c = z / sum z,   D = (x_1 - x_0, ..., x_K - x_K-1),   x = sum c_k x_k+1
//! ```
//!
//! Residual sums are linear in the point, so they are combined with the same weights. Slopes that
//! are zero in all points stay zero. The caller keeps the result only where the objective is lower.
//!
//! Cost: K^2 / 2 products of coefficient vectors and K of whole points for every K sweeps.

use crate::glm::linalg::vector::{Lanes, per_lane};
use crate::glm::solvers::descent::coordinate_descent::Point;

/// Differences that are combined.
const DIFFERENCES: usize = 3;

/// Added to the diagonal, as a share of the largest entry.
const REGULARISED: f64 = 1e-10;

/// The last points of a descent.
#[derive(Debug)]
pub(crate) struct AndersonAcceleration<const N: usize> {
    points: Vec<Point<N>>,
    filled: usize,
}

impl<const N: usize> AndersonAcceleration<N> {
    pub(crate) fn new() -> Self {
        Self { points: Vec::with_capacity(DIFFERENCES + 1), filled: 0 }
    }

    /// Notes a point; returns whether there are enough of them to extrapolate.
    #[inline(always)]
    pub(crate) fn note(&mut self, point: &Point<N>) -> bool {
        if self.filled == self.points.len() {
            self.points.push(point.clone());
        } else {
            self.points[self.filled].copy_from(point);
        }
        self.filled += 1;
        self.filled == DIFFERENCES + 1
    }

    /// Moves `point` to where the noted points lead, and forgets them.
    #[inline(always)]
    pub(crate) fn extrapolate(&mut self, point: &mut Point<N>) {
        self.filled = 0;
        let weights = self.weights();
        point.combine(&self.points[1..], &weights);
    }

    #[inline(always)]
    fn weights(&self) -> [Lanes<N>; DIFFERENCES] {
        let mut products = [[[0.0; N]; DIFFERENCES]; DIFFERENCES];
        let kinds: [for<'p> fn(&'p Point<N>) -> &'p Vec<Lanes<N>>; 2] = [|p| &p.stump, |p| &p.raw];
        for slopes in kinds {
            let columns: [&[Lanes<N>]; DIFFERENCES + 1] =
                std::array::from_fn(|k| slopes(&self.points[k]).as_slice());
            for i in 0..columns[0].len() {
                let steps: [Lanes<N>; DIFFERENCES] = std::array::from_fn(|k| {
                    per_lane(|lane| columns[k + 1][i][lane] - columns[k][i][lane])
                });
                for j in 0..DIFFERENCES {
                    for k in 0..=j {
                        for lane in 0..N {
                            products[j][k][lane] += steps[j][lane] * steps[k][lane];
                        }
                    }
                }
            }
        }
        let mut weights = [[0.0; N]; DIFFERENCES];
        for lane in 0..N {
            let matrix = std::array::from_fn(|j| {
                std::array::from_fn(|k| products[j.max(k)][j.min(k)][lane])
            });
            for (weight, c) in weights.iter_mut().zip(combination(matrix)) {
                weight[lane] = c;
            }
        }
        weights
    }
}

/// Weights that sum to one, from the products of the differences.
fn combination(mut matrix: [[f64; DIFFERENCES]; DIFFERENCES]) -> [f64; DIFFERENCES] {
    let largest = (0..DIFFERENCES).fold(0.0_f64, |largest, k| largest.max(matrix[k][k]));
    let last = std::array::from_fn(|k| f64::from(k + 1 == DIFFERENCES));
    if largest <= 0.0 {
        return last;
    }
    for (k, row) in matrix.iter_mut().enumerate() {
        row[k] += REGULARISED * largest;
    }
    let mut z = [1.0; DIFFERENCES];
    for pivot in 0..DIFFERENCES {
        for row in pivot + 1..DIFFERENCES {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            for k in pivot..DIFFERENCES {
                matrix[row][k] -= factor * matrix[pivot][k];
            }
            z[row] -= factor * z[pivot];
        }
    }
    for row in (0..DIFFERENCES).rev() {
        for k in row + 1..DIFFERENCES {
            z[row] -= matrix[row][k] * z[k];
        }
        z[row] /= matrix[row][row];
    }
    let sum: f64 = z.iter().sum();
    if sum.is_finite() && sum != 0.0 { z.map(|z| z / sum) } else { last }
}
