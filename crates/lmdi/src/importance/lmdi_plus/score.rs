//! Scoring rows.
//!
//! The steps of a tree are added while its rows walk down, so a row costs one walk and one addition
//! per split. (Sums per leaf, computed in advance, would save few of the additions, because paths
//! seldom split twice on a feature, and take far more memory than the tree.) The raw terms of all
//! trees collapse to one slope and one offset per feature: `sum_t s_t (x - mean_t) = (x - c) sum_t
//! s_t - sum_t s_t (mean_t - c)`, where c, the mean in the first tree, keeps the digits of columns
//! far from zero. Rows are scored in blocks, in parallel; for every row trees are added in their
//! order and each from the root down, so blocks and threads change nothing.

use super::model::LmdiPlus;
use crate::forest::InBag;
use crate::forest::routing::{Block, LANES};
use crate::importance::{Scores, TreeSubset};
use crate::monitor::Monitor;
use crate::setters::setters;
use crate::table::MatrixView;
use crate::{Error, Result};
use rayon::prelude::*;

/// Options of scoring.
///
/// ```
/// use lmdi::importance::lmdi_plus::ScoreOptions;
/// assert!(ScoreOptions::default().with_standard_error(true).standard_error);
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct ScoreOptions<'e> {
    /// Which trees are used.
    pub trees: TreeSubset<'e>,
    /// Whether to compute the standard error of each score over the trees (forests only).
    pub standard_error: bool,
}

impl<'e> ScoreOptions<'e> {
    setters! {
        with_trees(trees: TreeSubset<'e>),
        with_standard_error(standard_error: bool),
    }
}

/// The raw terms of all trees together: per feature and output.
struct Collapsed {
    /// Per feature, where cells and means are counted from.
    centre: Vec<f64>,
    slope: Vec<f64>,
    offset: Vec<f64>,
    /// Sums of s^2, s^2 mean and s^2 mean^2, for the spread over trees.
    square: Vec<[f64; 3]>,
}

impl LmdiPlus {
    /// Scores rows. The monitor advances by one per row.
    pub fn score(
        &self,
        x: &MatrixView<'_>,
        options: &ScoreOptions<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Scores> {
        self.router().check_columns(x)?;
        let mut scores = Scores::zero(x.rows(), self.n_features, &vec![0.0; self.n_outputs]);
        let with_error = options.standard_error && self.averages;
        let mut squares = if with_error { vec![0.0; scores.values.len()] } else { Vec::new() };
        let collapsed = self.collapse();
        let base = self.base();
        let bags = self.bags(options.trees, x.rows())?;
        let wants_in_bag = matches!(options.trees, TreeSubset::InBag(_));
        let width = self.n_features * self.n_outputs;
        let rows = self.rows_per_block(x.rows());
        let error_width = if with_error { width } else { 0 };
        scores
            .values
            .par_chunks_mut((rows * width).max(1))
            .zip(scores.base.par_chunks_mut(rows * self.n_outputs))
            .zip(Chunks::of(&mut squares, rows * error_width, x.rows().div_ceil(rows)))
            .enumerate()
            .try_for_each_init(
                || (self.router().block(), Vec::new(), Vec::new()),
                |(block, leaves, sums), (index, ((values, bases), squares))| {
                    monitor.check()?;
                    let range = index * rows..((index + 1) * rows).min(x.rows());
                    let n = range.len();
                    block.read(x, range.clone());
                    leaves.resize(n, 0_u32);
                    match &bags {
                        None => {
                            self.add_all_trees(
                                block, leaves, sums, values, squares, &collapsed, x, range,
                            );
                            for row in bases.chunks_exact_mut(self.n_outputs) {
                                row.copy_from_slice(&base);
                            }
                        }
                        Some(bags) => {
                            let subset = Subset { bags, wants_in_bag };
                            self.add_some_trees(
                                block, leaves, values, squares, bases, &subset, x, range,
                            );
                        }
                    }
                    monitor.advance(n as u64);
                    Ok(())
                },
            )?;
        if with_error {
            scores.standard_error = Some(squares);
        }
        Ok(scores)
    }

    /// The linear predictor of every row, row by row, one number per output.
    pub fn predict_raw(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Vec<f64>> {
        let scores = self.score(x, &ScoreOptions::default(), monitor)?;
        Ok((0..scores.n_rows)
            .flat_map(|row| (0..scores.n_outputs).map(move |output| (row, output)))
            .map(|(row, output)| scores.total(row, output))
            .collect())
    }

    /// Turns linear predictors (one per output) into the prediction of a row: a number, or the
    /// probability of every class.
    pub fn prediction_of(&self, totals: &[f64]) -> Vec<f64> {
        self.scale.prediction_of(totals, self.two_classes)
    }

    /// Few enough rows that their sums stay in the second-level cache (half a megabyte) while tree
    /// after tree adds to them, and no fewer, because every block fetches every tree again.
    fn rows_per_block(&self, n_rows: usize) -> usize {
        let near = (1usize << 16).div_ceil((self.n_features * self.n_outputs).max(1));
        near.max(4 * LANES).next_multiple_of(LANES).min(self.router().rows_per_shared_block(n_rows))
    }

    fn collapse(&self) -> Collapsed {
        let k = self.n_outputs;
        let n = self.n_features * k;
        let mut all = Collapsed {
            centre: vec![f64::NAN; self.n_features],
            slope: vec![0.0; n],
            offset: vec![0.0; n],
            square: vec![[0.0; 3]; n],
        };
        for tree in &self.trees {
            for term in &tree.raw {
                let centre = &mut all.centre[term.feature as usize];
                if centre.is_nan() {
                    *centre = term.mean;
                }
                let mean = term.mean - *centre;
                for (output, &slope) in term.slope.iter().enumerate() {
                    let at = term.feature as usize * k + tree.first_output as usize + output;
                    all.slope[at] += slope;
                    all.offset[at] += slope * mean;
                    let square = slope * slope;
                    let parts = [square, square * mean, square * mean * mean];
                    for (sum, part) in all.square[at].iter_mut().zip(parts) {
                        *sum += part;
                    }
                }
            }
        }
        all
    }

    pub(super) fn bags<'e>(
        &self,
        subset: TreeSubset<'e>,
        rows: usize,
    ) -> Result<Option<Vec<&'e InBag>>> {
        let ensemble = match subset {
            TreeSubset::All => return Ok(None),
            TreeSubset::OutOfBag(ensemble) | TreeSubset::InBag(ensemble) => ensemble,
        };
        if !self.averages || ensemble.trees.len() != self.trees.len() {
            return Err(Error::Data(
                "scores on in-bag or out-of-bag trees are defined for the forest LMDI+ was fitted to".into(),
            ));
        }
        let bags: Option<Vec<&InBag>> =
            ensemble.trees.iter().map(|tree| tree.in_bag.as_ref()).collect();
        let bags = bags.ok_or_else(|| {
            Error::Data("this model does not tell which rows each tree was grown on".into())
        })?;
        if let Some(bag) = bags.iter().find(|bag| bag.len() != rows) {
            return Err(Error::Data(format!(
                "the model was trained on {} rows but {rows} were given; in-bag and out-of-bag scores are \
                 for the training rows in their original order",
                bag.len()
            )));
        }
        Ok(Some(bags))
    }

    #[expect(clippy::too_many_arguments, reason = "one block's inputs and outputs")]
    fn add_all_trees(
        &self,
        block: &Block,
        leaves: &mut [u32],
        sums: &mut Vec<f64>,
        values: &mut [f64],
        squares: &mut [f64],
        collapsed: &Collapsed,
        x: &MatrixView<'_>,
        range: std::ops::Range<usize>,
    ) {
        let (p, k) = (self.n_features, self.n_outputs);
        let width = p * k;
        sums.clear();
        // The spare column of a group is there to be written, not read.
        let group = LANES * (width + k);
        sums.resize(range.len().div_ceil(LANES) * group, 0.0);
        for index in 0..self.trees.len() {
            self.steps.add_tree(index, block, sums, leaves);
            if !squares.is_empty() {
                self.add_squares(index, leaves, squares, x, range.start);
            }
        }
        let n_trees = self.trees.len() as f64;
        let mut cells: Vec<[f64; LANES]> = Vec::new();
        for (first, sums) in range.clone().step_by(LANES).zip(sums.chunks_exact(group)) {
            let rows = first..range.end.min(first + LANES);
            x.lanes_into(rows.clone(), |cell| cell, p, &mut cells);
            let (sums, _) = sums.as_chunks::<LANES>();
            for (at, sums) in sums[..width].iter().enumerate() {
                let (slope, offset) = (collapsed.slope[at], collapsed.offset[at]);
                // NaN where the cell is missing or no tree has a raw term.
                let centre = collapsed.centre[at / k];
                let cells = cells[at / k].map(|cell| self.bounded(at / k, cell) - centre);
                let raw = cells.map(|x| if x.is_nan() { 0.0 } else { slope * x - offset });
                for (lane, row) in rows.clone().enumerate() {
                    let at = (row - range.start) * width + at;
                    values[at] = (sums[lane] + raw[lane]) * self.factor;
                }
                if squares.is_empty() {
                    continue;
                }
                let [a, b, c] = collapsed.square[at];
                let raw = cells.map(|x| if x.is_nan() { 0.0 } else { (a * x - 2.0 * b) * x + c });
                for (lane, row) in rows.clone().enumerate() {
                    let at = (row - range.start) * width + at;
                    let sum = (squares[at] + raw[lane]).max(0.0);
                    squares[at] = standard_error(values[at], sum, n_trees);
                }
            }
        }
    }

    /// Adds what the squared scores of one tree need beyond the squared raw terms: with step sum u
    /// and raw term v, (u + v)^2 - v^2 = u (u + 2 v), which is zero off the row's path.
    fn add_squares(
        &self,
        index: usize,
        leaves: &[u32],
        squares: &mut [f64],
        x: &MatrixView<'_>,
        first_row: usize,
    ) {
        let tree = &self.trees[index];
        let (k, tree_outputs) = (self.n_outputs, tree.n_outputs as usize);
        let width = self.n_features * k;
        let mut sums = vec![0.0; self.n_features * tree_outputs];
        for (row, &leaf) in leaves.iter().enumerate() {
            for (feature, node) in self.paths[index].above(leaf) {
                for output in 0..tree_outputs {
                    let step = tree.step.get(node * tree_outputs + output);
                    sums[feature * tree_outputs + output] += step;
                }
            }
            for (feature, _) in self.paths[index].above(leaf) {
                let cell = self.bounded(feature, x.get(first_row + row, feature));
                let term = tree.raw.binary_search_by_key(&(feature as u32), |term| term.feature);
                for output in 0..tree_outputs {
                    // Zero from the second split on the feature on: it has been counted.
                    let sum = std::mem::take(&mut sums[feature * tree_outputs + output]);
                    let raw = match term {
                        Ok(at) if !cell.is_nan() => {
                            tree.raw[at].slope[output] * (cell - tree.raw[at].mean)
                        }
                        _ => 0.0,
                    };
                    let at = feature * k + tree.first_output as usize + output;
                    squares[row * width + at] += sum * (sum + 2.0 * raw);
                }
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one block's inputs and outputs")]
    fn add_some_trees(
        &self,
        block: &Block,
        leaves: &mut [u32],
        values: &mut [f64],
        squares: &mut [f64],
        bases: &mut [f64],
        subset: &Subset<'_, '_>,
        x: &MatrixView<'_>,
        range: std::ops::Range<usize>,
    ) {
        let k = self.n_outputs;
        let width = self.n_features * k;
        let mut counted = vec![0_u32; range.len()];
        let mut tree_score = vec![0.0; width];
        for (index, tree) in self.trees.iter().enumerate() {
            self.router().positions(index, block, leaves);
            for (row, table_row) in range.clone().enumerate() {
                if (subset.bags[index].count(table_row) > 0) != subset.wants_in_bag {
                    continue;
                }
                counted[row] += 1;
                tree_score.fill(0.0);
                self.add_tree(
                    index,
                    leaves[row],
                    |feature| x.get(table_row, feature),
                    &mut tree_score,
                );
                for (at, &score) in tree_score.iter().enumerate() {
                    values[row * width + at] += score;
                    if let Some(square) = squares.get_mut(row * width + at) {
                        *square += score * score;
                    }
                }
                for (output, intercept) in tree.intercept.iter().enumerate() {
                    bases[row * k + tree.first_output as usize + output] += intercept;
                }
            }
        }
        for (row, &count) in counted.iter().enumerate() {
            // A row that no chosen tree knows has no score: NaN, which no one mistakes for zero.
            let n = f64::from(count);
            for score in &mut values[row * width..(row + 1) * width] {
                *score /= n;
            }
            for base in &mut bases[row * k..(row + 1) * k] {
                *base /= n;
            }
            for at in row * width..((row + 1) * width).min(squares.len()) {
                squares[at] = standard_error(values[at], squares[at], n);
            }
        }
    }

    /// Adds the scores of one tree for a row to `out` (features x outputs). `leaf` is the position where
    /// the row ends in the compiled tree.
    pub(super) fn add_tree(
        &self,
        index: usize,
        leaf: u32,
        cell: impl Fn(usize) -> f64,
        out: &mut [f64],
    ) {
        let tree = &self.trees[index];
        let (k, tree_outputs) = (self.n_outputs, tree.n_outputs as usize);
        let first = tree.first_output as usize;
        for (feature, node) in self.paths[index].above(leaf) {
            let at = feature * k + first;
            for (output, score) in out[at..at + tree_outputs].iter_mut().enumerate() {
                *score += tree.step.get(node * tree_outputs + output);
            }
        }
        for term in &tree.raw {
            let cell = self.bounded(term.feature as usize, cell(term.feature as usize));
            if !cell.is_nan() {
                let at = term.feature as usize * k + first;
                for (score, slope) in out[at..at + tree_outputs].iter_mut().zip(&term.slope) {
                    *score += slope * (cell - term.mean);
                }
            }
        }
    }
}

struct Subset<'b, 'e> {
    bags: &'b [&'e InBag],
    wants_in_bag: bool,
}

/// Standard error of a mean over `n` trees from the mean and the sum of squares.
pub(super) fn standard_error(mean: f64, squares: f64, n: f64) -> f64 {
    if n < 2.0 {
        return f64::NAN;
    }
    ((squares - n * mean * mean).max(0.0) / (n * (n - 1.0))).sqrt()
}

/// Splits a slice into chunks of equal size, or hands out empty slices when there is nothing to fill.
struct Chunks;

impl Chunks {
    fn of(slice: &mut [f64], size: usize, count: usize) -> rayon::vec::IntoIter<&mut [f64]> {
        let chunks: Vec<&mut [f64]> = if size == 0 {
            (0..count).map(|_| Default::default()).collect()
        } else {
            slice.chunks_mut(size).collect()
        };
        chunks.into_par_iter()
    }
}
