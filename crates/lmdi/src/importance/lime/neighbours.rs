//! The neighbours: drawn from the background, and predicted.
//!
//! The draws do not depend on the explained row; only the weights do. So all rows share one set of
//! neighbours, drawn and predicted once. Its codes are compared with those of each row.

use super::background::{Background, Draw};
use super::local_model::Neighbourhood;
use super::narrow_bins::NarrowBins;
use crate::forest::Predictor;
use crate::monitor::{Monitor, Silent};
use crate::random::{Generator, below, generator, unit};
use crate::table::{Cells, MatrixView};
use crate::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;

/// Neighbours drawn and predicted at a time.
const CHUNK: usize = 1024;

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
                    // Ends rise: those that are not above the number are the first ones.
                    let bin: u32 = up_to.iter().map(|&end| u32::from(u >= end)).sum();
                    *code = bin.min(bins.len() as u32);
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
                if let Some(narrow) = NarrowBins::new(bins) {
                    return narrow.fill(random, codes, cells);
                }
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
