//! Weighted means and standard deviations of the columns of a table, some rows at a time.
//!
//! Cost: one pass over the columns, and a second over those whose mean is far from that of their
//! first cells.

use crate::table::MatrixView;
use crate::vectorised::{Vectorised, vectorised};
use std::ops::Range;

/// Sums that are computed in parallel lanes, because a single one waits for each of its additions.
const PARTIAL_SUMS: usize = 8;

/// Cells whose mean is the first guess at the mean of all.
const GUESSED_FROM: u32 = 256;

/// A guess this many standard deviations off has cost too many digits.
const FAR: f64 = 3.0;

/// Rows whose weights stay near the processor while column after column is summed.
const ROWS: usize = 2048;

/// Weighted means and standard deviations of the cells that are not missing, of some columns. Sums
/// are taken around a guess at the mean, and once more around the mean they give if the guess was
/// far off, so that a large mean does not swallow a small spread. Rows of weight zero do not count.
pub(super) struct ColumnMoments<'a> {
    x: MatrixView<'a>,
    columns: &'a [u32],
    weight: &'a [f64],
    moments: Vec<Moments>,
    buffer: Vec<f64>,
}

impl<'a> ColumnMoments<'a> {
    pub(super) fn new(x: MatrixView<'a>, columns: &'a [u32], weight: &'a [f64]) -> Self {
        let around_guess = |&column: &u32| Moments::around(guess(&x, column, weight));
        let moments = columns.iter().map(around_guess).collect();
        Self { x, columns, weight, moments, buffer: Vec::new() }
    }

    /// A whole number of portions of rows, at least as many: what [`add`](Self::add) takes, so that
    /// sums do not depend on how many rows are added at a time.
    pub(super) fn whole_portions(rows: usize) -> usize {
        rows.max(1).next_multiple_of(ROWS)
    }

    /// Adds some rows.
    pub(super) fn add(&mut self, rows: Range<usize>) {
        for start in rows.clone().step_by(ROWS) {
            let portion = start..rows.end.min(start + ROWS);
            let x = self.x.slice_rows(portion.clone());
            for (moments, &column) in self.moments.iter_mut().zip(self.columns) {
                let cells = x.column_cells(column as usize, &mut self.buffer);
                vectorised(AddCells { moments, cells, weight: &self.weight[portion.clone()] });
            }
        }
    }

    /// Mean and standard deviation of each column once all rows are added; `None` where no cell
    /// counts.
    pub(super) fn finish(self) -> Vec<Option<(f64, f64)>> {
        let again = |column: &u32, centre: f64| {
            let moments = vec![Moments::around(centre)];
            let columns = std::slice::from_ref(column);
            let mut one = ColumnMoments { columns, moments, buffer: Vec::new(), ..self };
            one.add(0..self.weight.len());
            one.moments.pop()
        };
        let settle = |(first, column): (&Moments, &u32)| {
            let second = if first.total <= 0.0 {
                return None;
            } else if !first.mean().is_finite() {
                again(column, running_mean(&self.x, *column, self.weight))
            } else if first.is_far() {
                again(column, first.mean())
            } else {
                None
            };
            let moments = second.as_ref().unwrap_or(first);
            Some((moments.mean(), moments.variance().sqrt()))
        };
        self.moments.iter().zip(self.columns).map(settle).collect()
    }
}

/// The mean of the first cells that count.
fn guess(x: &MatrixView<'_>, column: u32, weight: &[f64]) -> f64 {
    let (mut n, mut sum) = (0, 0.0);
    for (row, &w) in weight.iter().enumerate() {
        let cell = x.get(row, column as usize);
        if w > 0.0 && !cell.is_nan() {
            n += 1;
            sum += cell;
            if n == GUESSED_FROM {
                break;
            }
        }
    }
    sum / f64::from(n)
}

/// Sums of weights and of weighted first and second powers of the distance from a centre.
struct Moments {
    centre: f64,
    total: f64,
    drift: f64,
    squares: f64,
}

impl Moments {
    fn around(centre: f64) -> Self {
        Self { centre, total: 0.0, drift: 0.0, squares: 0.0 }
    }

    fn mean(&self) -> f64 {
        self.centre + self.drift / self.total
    }

    fn variance(&self) -> f64 {
        ((self.squares - self.drift * self.drift / self.total) / self.total).max(0.0)
    }

    fn is_far(&self) -> bool {
        let off = self.drift / self.total;
        off * off > FAR * FAR * self.variance()
    }
}

struct AddCells<'r> {
    moments: &'r mut Moments,
    cells: &'r [f64],
    weight: &'r [f64],
}

impl Vectorised for AddCells<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut sums = PartialSums::default();
        let (cells, last_cells) = self.cells.as_chunks();
        let (weights, last_weights) = self.weight.as_chunks();
        for (cells, weights) in cells.iter().zip(weights) {
            sums.add(self.moments.centre, cells, weights);
        }
        let (mut cells, mut weights) = ([0.0; PARTIAL_SUMS], [0.0; PARTIAL_SUMS]);
        cells[..last_cells.len()].copy_from_slice(last_cells);
        weights[..last_weights.len()].copy_from_slice(last_weights);
        sums.add(self.moments.centre, &cells, &weights);
        self.moments.total += sums.total.iter().sum::<f64>();
        self.moments.drift += sums.drift.iter().sum::<f64>();
        self.moments.squares += sums.squares.iter().sum::<f64>();
    }
}

#[derive(Default)]
struct PartialSums {
    total: [f64; PARTIAL_SUMS],
    drift: [f64; PARTIAL_SUMS],
    squares: [f64; PARTIAL_SUMS],
}

impl PartialSums {
    /// One operation on all sums after the other, which the compiler turns into vectors.
    #[inline(always)]
    fn add(&mut self, centre: f64, cells: &[f64; PARTIAL_SUMS], weights: &[f64; PARTIAL_SUMS]) {
        let (mut w, mut term) = ([0.0; PARTIAL_SUMS], [0.0; PARTIAL_SUMS]);
        for k in 0..PARTIAL_SUMS {
            let counts = (weights[k] > 0.0) & !cells[k].is_nan();
            w[k] = if counts { weights[k] } else { 0.0 };
            term[k] = if counts { cells[k] - centre } else { 0.0 };
        }
        for (total, w) in self.total.iter_mut().zip(&w) {
            *total += w;
        }
        for k in 0..PARTIAL_SUMS {
            w[k] *= term[k];
            self.drift[k] += w[k];
        }
        for k in 0..PARTIAL_SUMS {
            self.squares[k] += w[k] * term[k];
        }
    }
}

/// The mean where a sum of cells overflows.
fn running_mean(x: &MatrixView<'_>, column: u32, weight: &[f64]) -> f64 {
    let (mut total, mut mean) = (0.0, 0.0);
    for (row, &w) in weight.iter().enumerate() {
        let cell = x.get(row, column as usize);
        if w > 0.0 && !cell.is_nan() {
            total += w;
            mean += (cell - mean) * (w / total);
        }
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{generator, unit};
    use proptest::prelude::*;

    /// Mean and standard deviation by two plain passes over the cells that count, around the first.
    fn plain(cells: &[f64], weight: &[f64]) -> Option<(f64, f64)> {
        let counted: Vec<(f64, f64)> = (cells.iter().copied().zip(weight.iter().copied()))
            .filter(|(cell, w)| *w > 0.0 && !cell.is_nan())
            .collect();
        let (first, _) = *counted.first()?;
        let total: f64 = counted.iter().map(|(_, w)| w).sum();
        let mean = first + counted.iter().map(|(x, w)| w * (x - first)).sum::<f64>() / total;
        let square: f64 = counted.iter().map(|(x, w)| w * (x - mean) * (x - mean)).sum();
        Some((mean, (square / total).sqrt()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn moments_are_those_of_two_plain_passes(
            seed in any::<u64>(),
            rows in prop_oneof![1..20_usize, 1..3 * ROWS],
            far in prop_oneof![Just(0.0), Just(-1e3), Just(1e9)],
            trend in prop_oneof![Just(0.0), Just(1e-2), Just(1e3)],
            missing in prop_oneof![Just(0.0), Just(0.3), Just(1.0)],
            parts in 1..4_usize,
        ) {
            let mut random = generator(seed, 0);
            // Rising cells are far from a guess at their mean by the first ones.
            let columns: Vec<Vec<f64>> = (0..2)
                .map(|_| (0..rows).map(|row| {
                    let cell = far + trend * row as f64 + unit(&mut random);
                    if unit(&mut random) < missing { f64::NAN } else { cell }
                }).collect())
                .collect();
            let weight: Vec<f64> = (0..rows).map(|_| (3.0 * unit(&mut random)).floor()).collect();
            let cells = columns.concat();
            let x = MatrixView::strided(crate::table::Cells::F64(&cells), rows, 2, 1, rows).expect("two columns");

            let mut whole = ColumnMoments::new(x, &[0, 1], &weight);
            whole.add(0..rows);
            let whole = whole.finish();
            let mut in_parts = ColumnMoments::new(x, &[0, 1], &weight);
            let step = ColumnMoments::whole_portions(parts * ROWS);
            for start in (0..rows).step_by(step) {
                in_parts.add(start..rows.min(start + step));
            }
            prop_assert_eq!(&in_parts.finish(), &whole);

            for (found, cells) in whole.into_iter().zip(&columns) {
                let expected = plain(cells, &weight);
                prop_assert_eq!(found.is_some(), expected.is_some());
                if let (Some((mean, deviation)), Some((plain_mean, plain_deviation))) = (found, expected) {
                    let exact = 1e-15 * far.abs();
                    prop_assert!((mean - plain_mean).abs() <= 1e-12 * plain_deviation + 2.0 * exact);
                    prop_assert!((deviation - plain_deviation).abs() <= 1e-11 * plain_deviation + 2.0 * exact);
                }
            }
        }
    }
}
