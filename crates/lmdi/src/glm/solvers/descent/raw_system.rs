//! The small elastic net of the raw columns that is left of a direct step once stumps and intercept
//! are eliminated, for several problems at once.
//!
//! With S the Schur complement (l2 included), c its right-hand side without the l1 penalty, b the
//! slopes and z their step, it minimises
//!
//! ```text
//! 1/2 z' S z - c' z + l1 |b + z|_1
//! ```
//!
//! for given signs of the stumps' slopes. Its columns are nearly sums of stumps, so that many leave
//! or change their sign together; a step that stops at each would need a factorisation of all
//! columns for every one of them. Here a round takes signs s as given, solves `S z = c - l1 s` over
//! the columns with a sign, the others at zero, and then revises the signs: a slope that crossed
//! zero goes there, and a column at zero whose gradient exceeds l1 enters. Rounds end when no sign
//! changes. That is mostly soon, but not certain, so the caller's line search has the last word.
//!
//! Cost for r columns: r^3 / 6 per round, little beside the elimination of stumps.

use crate::glm::linalg::vector::{COLUMNS, Lanes, per_lane, products};
use crate::vectorised::{Vectorised, vectorised};

/// A pivot below this share of a column's curvature is rounding: the column depends on the others.
const REPLACED: f64 = 1e-10;

/// Rounds after which the last step is taken as it is.
const MOST_ROUNDS: usize = 12;

/// A gradient that exceeds l1 by less than this share does so by rounding.
const ROUNDING: f64 = 1e-9;

/// The system, its factors and its solution.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawSystem<const N: usize> {
    /// S, of which the lower triangle is set, row by row.
    pub(crate) matrix: Vec<Lanes<N>>,
    /// c.
    pub(crate) pull: Vec<Lanes<N>>,
    /// Slopes and curvatures of the columns.
    pub(crate) slope: Vec<Lanes<N>>,
    pub(crate) curvature: Vec<Lanes<N>>,
    /// z.
    pub(crate) step: Vec<Lanes<N>>,
    sign: Vec<Lanes<N>>,
    /// L of L D L', and the inverse of D: zero where a column takes no part.
    factor: Vec<Lanes<N>>,
    pivot: Vec<Lanes<N>>,
    /// `c - S z`.
    gradient: Vec<Lanes<N>>,
}

impl<const N: usize> RawSystem<N> {
    /// A system of so many columns, to be filled.
    #[inline(always)]
    pub(crate) fn begin(&mut self, width: usize) {
        self.matrix.resize(width * width, [0.0; N]);
        self.factor.resize(width * width, [0.0; N]);
        self.pull.clear();
        self.slope.clear();
        self.curvature.clear();
    }

    /// Finds the step. Returns by how much the curvature along it exceeds the objective's first fall
    /// along it: zero where all columns keep their signs.
    #[inline(always)]
    pub(crate) fn solve(&mut self, l1: &Lanes<N>) -> Lanes<N> {
        self.sign.clear();
        self.sign.extend(self.slope.iter().map(|slope| slope.map(sign)));
        for _ in 0..MOST_ROUNDS {
            self.step_for_signs(l1);
            self.find_gradient();
            if !self.revise_signs(l1) {
                break;
            }
        }
        let mut excess = [0.0; N];
        for j in 0..self.slope.len() {
            let (slope, step) = (self.slope[j], self.step[j]);
            let (taken, gradient) = (self.sign[j], self.gradient[j]);
            let more: Lanes<N> = per_lane(|lane| {
                let start = sign_at_start(slope[lane], step[lane]);
                let more = step[lane] * (l1[lane] * start - gradient[lane]);
                if taken[lane] != start { more } else { 0.0 }
            });
            excess = per_lane(|lane| excess[lane] + more[lane]);
        }
        excess
    }

    /// The step under the present signs.
    #[inline(always)]
    fn step_for_signs(&mut self, l1: &Lanes<N>) {
        let width = self.slope.len();
        self.pivot.clear();
        self.step.clear();
        for j in 0..width {
            let sign = self.sign[j];
            let (curvature, pull) = (self.curvature[j], self.pull[j]);
            // The least that a pivot must be; none where the column is not active.
            self.pivot.push(per_lane(|lane| {
                if sign[lane] != 0.0 { REPLACED * curvature[lane] } else { f64::INFINITY }
            }));
            self.step.push(per_lane(|lane| pull[lane] - l1[lane] * sign[lane]));
        }
        for j in 0..width {
            let (sign, slope) = (self.sign[j], self.slope[j]);
            // A slope that goes to zero leaves its part to the others.
            let gone: Lanes<N> = per_lane(|lane| if sign[lane] == 0.0 { slope[lane] } else { 0.0 });
            if gone == [0.0; N] {
                continue;
            }
            for i in 0..width {
                let (row, column) = (i.max(j), i.min(j));
                let (entry, step) = (self.matrix[row * width + column], self.step[i]);
                self.step[i] = per_lane(|lane| step[lane] + entry[lane] * gone[lane]);
            }
        }
        self.factorise();
        self.substitute();
        for j in 0..width {
            let (sign, slope) = (self.sign[j], self.slope[j]);
            for lane in 0..N {
                if sign[lane] == 0.0 {
                    self.step[j][lane] = -slope[lane];
                }
            }
        }
    }

    /// `c - S z`.
    #[inline(always)]
    fn find_gradient(&mut self) {
        let width = self.slope.len();
        let Self { matrix, gradient, step: steps, pull, .. } = self;
        gradient.clear();
        gradient.extend_from_slice(pull);
        for j in 0..width {
            let step = steps[j];
            let line = &matrix[j * width..j * width + j + 1];
            let mut sum = [0.0; N];
            let before = gradient[..j].iter_mut().zip(&steps[..j]);
            for (entry, (gradient, other)) in line[..j].iter().zip(before) {
                sum = per_lane(|lane| sum[lane] + entry[lane] * other[lane]);
                *gradient = per_lane(|lane| gradient[lane] - entry[lane] * step[lane]);
            }
            let (own, diagonal) = (gradient[j], line[j]);
            gradient[j] = per_lane(|lane| own[lane] - (sum[lane] + diagonal[lane] * step[lane]));
        }
    }

    /// Revises the signs after a step; returns whether any changed.
    #[inline(always)]
    fn revise_signs(&mut self, l1: &Lanes<N>) -> bool {
        let mut changed = false;
        for j in 0..self.slope.len() {
            let (slope, step, gradient) = (self.slope[j], self.step[j], self.gradient[j]);
            let old = self.sign[j];
            let entered: Lanes<N> = per_lane(|lane| {
                let enters = gradient[lane].abs() > l1[lane] * (1.0 + ROUNDING);
                if enters { sign(gradient[lane]) } else { 0.0 }
            });
            let kept: Lanes<N> = per_lane(|lane| {
                let crossed = (slope[lane] + step[lane]) * old[lane] < 0.0;
                if crossed { 0.0 } else { old[lane] }
            });
            let new = per_lane(|lane| if old[lane] == 0.0 { entered[lane] } else { kept[lane] });
            changed |= new != old;
            self.sign[j] = new;
        }
        changed
    }

    /// Factors the matrix as L D L'; a column whose pivot is too small takes no part.
    #[inline(always)]
    fn factorise(&mut self) {
        let width = self.slope.len();
        let Self { matrix, factor, pivot, .. } = self;
        // Compiled on its own: inside the whole descent too few registers are left for its sums.
        vectorised(Factorise { width, matrix, factor, pivot });
    }

    /// From a right-hand side in `step` to the solution.
    #[inline(always)]
    fn substitute(&mut self) {
        let width = self.slope.len();
        let Self { factor, step: steps, pivot, .. } = self;
        for j in 0..width {
            let line = &factor[j * width..j * width + j];
            let mut sum = steps[j];
            for (entry, step) in line.iter().zip(&steps[..j]) {
                sum = per_lane(|lane| sum[lane] - entry[lane] * step[lane]);
            }
            steps[j] = sum;
        }
        for (step, pivot) in steps.iter_mut().zip(pivot) {
            *step = per_lane(|lane| step[lane] * pivot[lane]);
        }
        for j in (0..width).rev() {
            let step = steps[j];
            let line = &factor[j * width..j * width + j];
            for (entry, other) in line.iter().zip(&mut steps[..j]) {
                *other = per_lane(|lane| other[lane] - entry[lane] * step[lane]);
            }
        }
    }
}

/// The work of [`RawSystem::factorise`], sixteen entries at a time, so that their sums do not wait for
/// one another.
struct Factorise<'t, const N: usize> {
    width: usize,
    /// The lower triangle, row by row.
    matrix: &'t [Lanes<N>],
    factor: &'t mut [Lanes<N>],
    /// The least that each pivot must be, and then the inverse of D.
    pivot: &'t mut [Lanes<N>],
}

impl<const N: usize> Vectorised for Factorise<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { width, matrix, factor, pivot } = self;
        for first in (0..width).step_by(COLUMNS) {
            let rows = COLUMNS.min(width - first);
            // Rows beyond the last repeat it.
            let row = |at: usize| at.min(rows - 1) * width;
            let (above, here) = factor.split_at_mut(first * width);
            // Entries are l_ji d_i until the rows are complete.
            for column in (0..first).step_by(COLUMNS) {
                let by = std::array::from_fn(|at| &here[row(at)..][..column]);
                let of = std::array::from_fn(|to| &above[(column + to) * width..][..column]);
                let sums = products(by, of, column);
                for at in 0..rows {
                    let from = &matrix[(first + at) * width + column..][..COLUMNS];
                    let line = &mut here[at * width + column..][..COLUMNS];
                    for to in 0..COLUMNS {
                        let mut entry: Lanes<N> =
                            per_lane(|lane| from[to][lane] - sums[at][to][lane]);
                        let factors = &above[(column + to) * width + column..][..to];
                        for (before, factor) in line[..to].iter().zip(factors) {
                            for lane in 0..N {
                                entry[lane] -= before[lane] * factor[lane];
                            }
                        }
                        line[to] = entry;
                    }
                }
            }
            for at in 0..rows {
                let (done, line) = here.split_at_mut(at * width);
                let line = &mut line[..first + at];
                let from = &matrix[(first + at) * width + first..][..=at];
                for (to, &entry) in from[..at].iter().enumerate() {
                    let mut entry = entry;
                    let factors = &done[to * width..][..first + to];
                    for (before, factor) in line[..first + to].iter().zip(factors) {
                        for lane in 0..N {
                            entry[lane] -= before[lane] * factor[lane];
                        }
                    }
                    line[first + to] = entry;
                }
                let mut diagonal = from[at];
                for (entry, pivot) in line.iter_mut().zip(pivot.iter()) {
                    let factor: Lanes<N> = per_lane(|lane| entry[lane] * pivot[lane]);
                    for lane in 0..N {
                        diagonal[lane] -= entry[lane] * factor[lane];
                    }
                    *entry = factor;
                }
                let least = pivot[first + at];
                pivot[first + at] =
                    per_lane(
                        |lane| {
                            if diagonal[lane] > least[lane] { 1.0 / diagonal[lane] } else { 0.0 }
                        },
                    );
            }
        }
    }
}

/// The sign of a slope; that of its step where it starts at zero.
#[inline(always)]
pub(crate) fn sign_at_start(slope: f64, step: f64) -> f64 {
    if slope == 0.0 { sign(step) } else { sign(slope) }
}

/// -1, 0 or 1.
#[inline(always)]
pub(crate) fn sign(number: f64) -> f64 {
    // Two comparisons, which work on all lanes at once.
    let positive = if number > 0.0 { 1.0 } else { 0.0 };
    if number < 0.0 { -1.0 } else { positive }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{generator, unit};

    const WIDTH: usize = 7;
    const L1: Lanes<2> = [0.7, 0.2];

    /// Correlated columns at random slopes, some of them zero.
    fn system(seed: u64) -> RawSystem<2> {
        let mut random = generator(seed, 0);
        let mut draw = || 2.0 * unit(&mut random) - 1.0;
        let mut system = RawSystem::default();
        system.begin(WIDTH);
        let cells: Vec<Lanes<2>> = (0..12 * WIDTH).map(|_| [draw(), draw()]).collect();
        for j in 0..WIDTH {
            for k in 0..=j {
                let mut sum = if j == k { [0.5; 2] } else { [0.0; 2] };
                for row in cells.chunks_exact(WIDTH) {
                    (0..2).for_each(|lane| sum[lane] += row[j][lane] * row[k][lane]);
                }
                system.matrix[j * WIDTH + k] = sum;
            }
            system.pull.push([3.0 * draw(), 3.0 * draw()]);
            let slope = [draw(), draw()];
            system.slope.push(slope.map(|b| if b.abs() < 0.3 { 0.0 } else { b }));
            system.curvature.push(system.matrix[j * WIDTH + j]);
        }
        system
    }

    #[test]
    fn the_step_ends_where_all_columns_meet_their_conditions() {
        let (mut left, mut entered) = (0, 0);
        for seed in 0..200 {
            let mut system = system(seed);
            system.solve(&L1);
            for j in 0..WIDTH {
                for lane in 0..2 {
                    let (start, l1) = (system.slope[j][lane], L1[lane]);
                    let (end, gradient) = (start + system.step[j][lane], system.gradient[j][lane]);
                    left += usize::from(start != 0.0 && end == 0.0);
                    entered += usize::from(start == 0.0 && end != 0.0);
                    let violation = if end == 0.0 {
                        (gradient.abs() - l1).max(0.0)
                    } else {
                        (gradient - l1 * end.signum()).abs()
                    };
                    assert!(violation < 1e-8, "seed {seed}, column {j}: {violation}");
                }
            }
        }
        assert!(left > 100 && entered > 100, "{left} left, {entered} entered");
    }

    #[test]
    fn the_curvature_is_that_along_the_step() {
        for seed in 0..50 {
            let mut system = system(seed);
            let excess = system.solve(&L1);
            for lane in 0..2 {
                let (mut fall, mut curvature) = (0.0, 0.0);
                for j in 0..WIDTH {
                    let (slope, step) = (system.slope[j][lane], system.step[j][lane]);
                    let pull = system.pull[j][lane];
                    fall += step * (pull - L1[lane] * sign_at_start(slope, step));
                    curvature += step * (pull - system.gradient[j][lane]);
                }
                let found = fall + excess[lane];
                assert!((found - curvature).abs() < 1e-8, "seed {seed}: {found}, {curvature}");
            }
        }
    }
}
