//! Cholesky factor of a small symmetric positive definite matrix, `S = L L'`.
//!
//! Sums run in a fixed order, so results are the same on every machine. Cost: n^3 / 6
//! multiplications to factor, n^2 to solve.

use crate::glm::linalg::vector::{Lanes, add_scaled, dot};
use crate::vectorised::{Vectorised, vectorised};

/// The lower triangle L of `S = L L'`.
#[derive(Debug, Clone)]
pub(crate) struct Cholesky {
    n: usize,
    /// L, row-major; above the diagonal is unspecified.
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factors the matrix whose lower triangle is in `lower` (row-major).
    ///
    /// No eigenvalue may be below `least`, up to rounding. Then no pivot is below it either, and
    /// one that rounding pushed lower is put back.
    pub(crate) fn new(mut lower: Vec<f64>, n: usize, least: f64) -> Self {
        vectorised(Factor { lower: &mut lower, n, least });
        Self { n, lower }
    }

    /// Replaces `z` by `L^-1 z`.
    #[inline(always)]
    pub(crate) fn solve_lower(&self, z: &mut [f64]) {
        for i in 0..self.n {
            let line = &self.lower[i * self.n..=i * self.n + i];
            z[i] = (z[i] - dot(&line[..i], &z[..i])) / line[i];
        }
    }

    /// Replaces each `z` of a batch by `L^-1 z`.
    pub(crate) fn solve_lower_batched<const N: usize>(&self, z: &mut [Lanes<N>]) {
        vectorised(SolveLower { factor: self, z });
    }

    /// Replaces each `z` of a batch by `L'^-1 z`.
    pub(crate) fn solve_upper_batched<const N: usize>(&self, z: &mut [Lanes<N>]) {
        vectorised(SolveUpper { factor: self, z });
    }

    /// Replaces `z` by `L'^-1 z`.
    #[inline(always)]
    pub(crate) fn solve_upper(&self, z: &mut [f64]) {
        for i in (0..self.n).rev() {
            let line = &self.lower[i * self.n..=i * self.n + i];
            z[i] /= line[i];
            let value = z[i];
            add_scaled(&mut z[..i], -value, &line[..i]);
        }
    }
}

struct Factor<'s> {
    lower: &'s mut [f64],
    n: usize,
    least: f64,
}

impl Vectorised for Factor<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { lower, n, least } = self;
        for i in 0..n {
            let (above, rest) = lower.split_at_mut(i * n);
            let line = &mut rest[..=i];
            for j in 0..i {
                let other = &above[j * n..=j * n + j];
                line[j] = (line[j] - dot(&line[..j], &other[..j])) / other[j];
            }
            let pivot = line[i] - dot(&line[..i], &line[..i]);
            line[i] = pivot.max(least).sqrt();
        }
    }
}

/// Rows that are solved together, so that their sums do not wait for one another.
const ROWS: usize = 4;

struct SolveLower<'s, const N: usize> {
    factor: &'s Cholesky,
    z: &'s mut [Lanes<N>],
}

impl<const N: usize> Vectorised for SolveLower<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { factor: Cholesky { n, lower }, z } = self;
        for first in (0..*n).step_by(ROWS) {
            let rows = ROWS.min(n - first);
            // Rows beyond the last repeat it.
            let line = |at: usize| &lower[(first + at.min(rows - 1)) * n..][..*n];
            let (above, rest) = z.split_at_mut(first);
            let [mut a, mut b, mut c, mut d] = [[0.0; N]; ROWS];
            let lines = line(0).iter().zip(line(1)).zip(line(2).iter().zip(line(3)));
            for (z, ((p, q), (r, s))) in above.iter().zip(lines) {
                add_lanes(&mut a, *p, z);
                add_lanes(&mut b, *q, z);
                add_lanes(&mut c, *r, z);
                add_lanes(&mut d, *s, z);
            }
            for (at, mut sum) in [a, b, c, d].into_iter().take(rows).enumerate() {
                let line = &line(at)[first..];
                for (entry, z) in line[..at].iter().zip(&rest[..at]) {
                    add_lanes(&mut sum, *entry, z);
                }
                let inverse = 1.0 / line[at];
                for lane in 0..N {
                    rest[at][lane] = (rest[at][lane] - sum[lane]) * inverse;
                }
            }
        }
    }
}

/// `sum += factor * z`.
#[inline(always)]
fn add_lanes<const N: usize>(sum: &mut Lanes<N>, factor: f64, z: &Lanes<N>) {
    for lane in 0..N {
        sum[lane] += factor * z[lane];
    }
}

struct SolveUpper<'s, const N: usize> {
    factor: &'s Cholesky,
    z: &'s mut [Lanes<N>],
}

impl<const N: usize> Vectorised for SolveUpper<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { factor: Cholesky { n, lower }, z } = self;
        for i in (0..*n).rev() {
            let (above, rest) = z.split_at_mut(i + 1);
            let mut sum = [0.0; N];
            for (j, z) in (i + 1..*n).zip(rest) {
                let entry = lower[j * n + i];
                for lane in 0..N {
                    sum[lane] += entry * z[lane];
                }
            }
            for lane in 0..N {
                above[i][lane] = (above[i][lane] - sum[lane]) / lower[i * n + i];
            }
        }
    }
}
