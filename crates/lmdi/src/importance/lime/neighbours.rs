//! Drawing the neighbours of a row.

use super::CHUNK;
use super::background::{Background, Bin, Draw, bin_of};
use crate::random::{Generator, below, generator, unit};

/// Bins narrower than this many spreads are drawn from uniformly and thinned out, wider ones from the
/// whole normal distribution; either way about half of the draws are kept, or more.
const NARROW: f64 = 4.0;

impl Background {
    /// Draws one chunk of the neighbours of `row`: their cells, and for every unit whether it fell into
    /// the row's own bin or category. The first neighbour of the first chunk is the row itself.
    pub(super) fn draw(
        &self,
        row: &[f64],
        seed: u64,
        chunk: usize,
        same: &mut [bool],
        cells: &mut [f64],
    ) {
        let mut random = generator(seed ^ hash(row), chunk as u64);
        let own: Vec<usize> = self
            .units
            .iter()
            .map(|(columns, draw)| match draw {
                Draw::Bins { ends, .. } => bin_of(ends, row[columns[0]]),
                Draw::Rows(_) => 0,
            })
            .collect();
        let lines = cells.chunks_exact_mut(row.len()).zip(same.chunks_exact_mut(self.n_units()));
        for (sample, (cells, same)) in lines.enumerate() {
            if chunk * CHUNK + sample == 0 {
                cells.copy_from_slice(row);
                same.fill(true);
                continue;
            }
            for ((columns, draw), (same, &own)) in self.units.iter().zip(same.iter_mut().zip(&own))
            {
                match draw {
                    Draw::Bins { up_to, bins, .. } => {
                        let u = unit(&mut random);
                        let bin = up_to.iter().position(|&end| u < end).unwrap_or(bins.len());
                        *same = bin == own;
                        cells[columns[0]] =
                            bins.get(bin).map_or(f64::NAN, |bin| bin.draw(&mut random));
                    }
                    Draw::Rows(rows) => {
                        let width = columns.len();
                        let from = below(&mut random, rows.len() / width) * width;
                        *same = true;
                        for (&column, &cell) in columns.iter().zip(&rows[from..from + width]) {
                            cells[column] = cell;
                            *same &= cell == row[column] || (cell.is_nan() && row[column].is_nan());
                        }
                    }
                }
            }
        }
    }
}

impl Bin {
    fn draw(&self, random: &mut Generator) -> f64 {
        self.mean + self.spread * normal_between(random, self.low, self.high)
    }
}

/// A standard normal number between `low <= 0` and `high >= 0`.
fn normal_between(random: &mut Generator, low: f64, high: f64) -> f64 {
    let width = high - low;
    if width == 0.0 {
        return 0.0;
    }
    loop {
        if width < NARROW {
            let z = low + width * unit(random);
            if unit(random) < libm::exp(-0.5 * z * z) {
                return z;
            }
        } else {
            let z = normal(random);
            if z >= low && z <= high {
                return z;
            }
        }
    }
}

/// A standard normal number, by the polar method.
fn normal(random: &mut Generator) -> f64 {
    loop {
        let (u, v) = (2.0 * unit(random) - 1.0, 2.0 * unit(random) - 1.0);
        let s = u * u + v * v;
        if s > 0.0 && s < 1.0 {
            return u * (-2.0 * libm::log(s) / s).sqrt();
        }
    }
}

/// A number that stands for the cells of a row.
fn hash(row: &[f64]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for cell in row {
        // All missing cells, and zeros of either sign, are alike.
        let bits = if cell.is_nan() { u64::MAX } else { (cell + 0.0).to_bits() };
        hash = (hash ^ bits).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 29;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance of the cut normal distribution, by the textbook integrals taken numerically.
    #[test]
    fn draws_follow_the_cut_normal_distribution() {
        for (low, high) in [(-0.5, 1.2), (-3.0, 3.0), (0.0, 6.0), (-1e9, 0.0), (-2.0, 0.0)] {
            let (from, to) = (f64::max(low, -9.0), f64::min(high, 9.0));
            let steps = 100_000;
            let mut sums = [0.0; 3];
            for step in 0..steps {
                let z = from + (to - from) * (step as f64 + 0.5) / steps as f64;
                let density = libm::exp(-0.5 * z * z);
                for (power, sum) in sums.iter_mut().enumerate() {
                    *sum += density * z.powi(power as i32);
                }
            }
            let mean = sums[1] / sums[0];
            let variance = sums[2] / sums[0] - mean * mean;
            let mut random = generator(1, 2);
            let n = 40_000;
            let draws: Vec<f64> = (0..n).map(|_| normal_between(&mut random, low, high)).collect();
            assert!(draws.iter().all(|&z| z >= low && z <= high));
            let found = draws.iter().sum::<f64>() / n as f64;
            let spread = draws.iter().map(|z| (z - found) * (z - found)).sum::<f64>() / n as f64;
            assert!(
                (found - mean).abs() < 5.0 * (variance / n as f64).sqrt(),
                "{low} {high}: {found} {mean}"
            );
            assert!(
                (spread - variance).abs() < 0.05 * variance,
                "{low} {high}: {spread} {variance}"
            );
        }
    }
}
