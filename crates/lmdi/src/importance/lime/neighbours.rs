//! The neighbours: drawn from the background, and predicted.
//!
//! What is drawn does not depend on the row that is explained; only what counts as near does. So all rows share
//! one set of neighbours, drawn and predicted once: its codes are compared with those of each row.

use super::background::{Background, Bin, Draw};
use super::local_model::Neighbourhood;
use crate::forest::Predictor;
use crate::monitor::{Monitor, Silent};
use crate::random::{Generator, below, generator, normal, unit};
use crate::table::{Cells, MatrixView};
use crate::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;

/// Neighbours drawn and predicted at a time.
const CHUNK: usize = 1024;

/// Bins narrower than this many spreads are drawn from uniformly and thinned out, wider ones from the
/// whole normal distribution; either way about half of the draws are kept, or more.
const NARROW: f64 = 4.0;

/// Some of the neighbours.
#[derive(Debug)]
struct Chunk {
    n: usize,
    /// Unit by unit, neighbour by neighbour: the bin or level.
    codes: Vec<u32>,
    /// Neighbour by neighbour: what the model predicts of it.
    prediction: Vec<f64>,
}

/// All neighbours but the row itself.
#[derive(Debug)]
pub(super) struct Neighbours {
    chunks: Vec<Chunk>,
    n_outputs: usize,
}

impl Neighbours {
    /// Draws `n` neighbours and predicts them. Cells of units outside `used` stay zero: no tree reads
    /// them. Of what the model predicts, the numbers `explained` are kept.
    pub(super) fn draw(
        n: usize,
        background: &Background,
        used: &[usize],
        predictor: &Predictor,
        explained: Range<usize>,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Self> {
        let n_features = background.n_features();
        let mut is_used = vec![false; background.n_units()];
        used.iter().for_each(|&unit| is_used[unit] = true);
        let draw = |cells: &mut Vec<f64>, chunk: usize| {
            monitor.check()?;
            let n = CHUNK.min(n - chunk * CHUNK);
            let mut codes = vec![0; n * is_used.len()];
            cells.clear();
            cells.resize(n * n_features, 0.0);
            let units = background.units.iter().zip(&is_used).zip(codes.chunks_exact_mut(n));
            for (unit, (((columns, draw), &used), codes)) in units.enumerate() {
                let index = chunk * is_used.len() + unit;
                let mut random = generator(seed, index as u64);
                draw.draw(&mut random, codes);
                if used {
                    draw.fill(&mut random, codes, columns, cells);
                }
            }
            let view = MatrixView::strided(Cells::F64(cells), n, n_features, 1, n)?;
            let predicted = predictor.predict(&view, &Silent)?;
            let lines = predicted.chunks_exact(predicted.len() / n);
            let prediction = lines.flat_map(|line| &line[explained.clone()]).copied().collect();
            Ok::<Chunk, Error>(Chunk { n, codes, prediction })
        };
        let chunks = (0..n.div_ceil(CHUNK))
            .into_par_iter()
            .map_init(Vec::new, draw)
            .collect::<Result<Vec<_>>>()?;
        Ok(Self { chunks, n_outputs: explained.len() })
    }

    /// The neighbourhood of a row of cells, itself included, and what the model predicts of it.
    pub(super) fn around(
        &self,
        background: &Background,
        row: &[f64],
        prediction: &[f64],
    ) -> Neighbourhood {
        let n = 1 + self.chunks.iter().map(|chunk| chunk.n).sum::<usize>();
        let mut same = Vec::with_capacity(n * background.n_units());
        let mut cells = Vec::new();
        for (unit, (columns, draw)) in background.units.iter().enumerate() {
            cells.clear();
            cells.extend(columns.iter().map(|&column| row[column]));
            let own = draw.code(&cells);
            same.push(true);
            for chunk in &self.chunks {
                let codes = &chunk.codes[unit * chunk.n..(unit + 1) * chunk.n];
                same.extend(codes.iter().map(|&code| code == own));
            }
        }
        let mut all = Vec::with_capacity(n * self.n_outputs);
        all.extend_from_slice(prediction);
        self.chunks.iter().for_each(|chunk| all.extend_from_slice(&chunk.prediction));
        Neighbourhood {
            n_columns: background.n_units(),
            same,
            n_outputs: self.n_outputs,
            prediction: all,
        }
    }
}

impl Draw {
    /// Draws a code for each neighbour.
    fn draw(&self, random: &mut Generator, codes: &mut [u32]) {
        match self {
            Self::Bins { up_to, bins, .. } => {
                for code in codes {
                    let u = unit(random);
                    let bin = up_to.iter().position(|&end| u < end).unwrap_or(bins.len());
                    *code = bin as u32;
                }
            }
            Self::Levels { of_rows, .. } => {
                codes.fill_with(|| of_rows[below(random, of_rows.len())]);
            }
        }
    }

    /// Draws the cells that go with the codes; `cells` are column by column.
    fn fill(&self, random: &mut Generator, codes: &[u32], columns: &[usize], cells: &mut [f64]) {
        let n = codes.len();
        match self {
            Self::Bins { bins, .. } => {
                let cells = &mut cells[columns[0] * n..(columns[0] + 1) * n];
                for (cell, &code) in cells.iter_mut().zip(codes) {
                    *cell = bins.get(code as usize).map_or(f64::NAN, |bin| bin.draw(random));
                }
            }
            Self::Levels { cells: levels, .. } => {
                for (at, &column) in columns.iter().enumerate() {
                    let cells = &mut cells[column * n..(column + 1) * n];
                    for (cell, &code) in cells.iter_mut().zip(codes) {
                        *cell = levels[code as usize * columns.len() + at];
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
            if is_below_density(unit(random), 0.5 * z * z) {
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

/// Whether u < exp(-h). As 1 - h <= exp(-h) <= 1 - h + h^2 / 2, the exponential is seldom needed.
fn is_below_density(u: f64, h: f64) -> bool {
    let least = 1.0 - h;
    u < least || (u < least + 0.5 * h * h && u < libm::exp(-h))
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
