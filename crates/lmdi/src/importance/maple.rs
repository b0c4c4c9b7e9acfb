//! MAPLE: a ridge regression around each row, weighted by how often rows share its leaves (Plumb and
//! others, 2018).
//!
//! ```text
//! weight of training row i for x = sum over trees of  [i in x's leaf] / (training rows in that leaf)
//! local model = ridge regression of y on the chosen columns with these weights, alpha = 0.001
//! ```
//!
//! Columns are ordered by the impurity of the roots that split on them, and as many are kept as predict
//! validation rows best; columns that no tree splits on stay out and get exactly zero. The score of column k is `slope_k (x_k - mean_k)`, the mean being over training rows;
//! base plus scores is the local model's prediction, on the scale of the response (numbers, or the chance
//! of a class: the second of two). Missing cells sit at the mean.
//!
//! Without validation rows, up to 200 training rows spread over the table serve, each predicted without its
//! own weight. Memory: the training rows, and a number a training row and tree. Cost of a row: T lookups,
//! and m q^2 / 2 + q^3 / 6 for m training rows that share a leaf with it and q chosen columns.

use super::moments::Moments;
use super::{Scores, check_cells, check_response};
use crate::basis::leaf_nodes;
use crate::forest::routing::Router;
use crate::forest::{Ensemble, NONE};
use crate::monitor::Monitor;
use crate::table::{MatrixView, Response};
use crate::{Error, Result};
use rayon::prelude::*;

/// Training rows that stand in for validation rows, at most.
const VALIDATION_ROWS: usize = 200;

/// What a user can choose.
#[derive(Debug, Clone, PartialEq)]
pub struct MapleOptions {
    /// Strength of the ridge penalty.
    pub alpha: f64,
    /// How many columns the local models have; `None` finds the number that predicts best.
    pub n_columns: Option<usize>,
}

impl Default for MapleOptions {
    fn default() -> Self {
        Self { alpha: 0.001, n_columns: None }
    }
}

/// The training rows that fall into each leaf of one tree.
#[derive(Debug)]
struct LeafRows {
    /// Where each node's rows begin; one more than nodes.
    start: Vec<u32>,
    rows: Vec<u32>,
}

/// A model and its training rows, ready to explain rows.
#[derive(Debug)]
pub struct Maple {
    router: Router,
    leaves: Vec<LeafRows>,
    /// Cells of the training rows less the column means, row by row; missing ones are zero.
    cells: Vec<f64>,
    mean: Vec<f64>,
    /// Responses, output by output.
    target: Vec<Vec<f64>>,
    /// Columns from the most to the least important, and how many of them are used.
    order: Vec<usize>,
    n_columns: usize,
    alpha: f64,
}

impl Maple {
    /// Takes training rows and chooses columns. `validation` are rows and responses that the choice is
    /// measured on.
    ///
    /// ```
    /// # use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
    /// # use lmdi::{monitor::Silent, table::{Matrix, Response}};
    /// use lmdi::importance::maple::{Maple, MapleOptions};
    /// # fn main() -> lmdi::Result<()> {
    /// # let x = Matrix::from_column_major((0..40).map(f64::from).collect(), 40, 1)?;
    /// # let y: Vec<f64> = (0..40).map(|i| f64::from(i) / 4.0).collect();
    /// # let y = Response::Numeric(&y);
    /// # let set = TrainingSet { x: x.view(), y, weights: None,
    /// #     feature_names: &["age".to_string()], labels: &[] };
    /// let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
    /// let maple = Maple::fit(&forest, &x.view(), &y, None, &MapleOptions::default(), &Silent)?;
    /// let scores = maple.score(&x.view(), &Silent)?;
    /// assert!(scores.get(39, 0, 0) > 1.0 && scores.get(0, 0, 0) < -1.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn fit(
        ensemble: &Ensemble,
        x: &MatrixView<'_>,
        response: &Response<'_>,
        validation: Option<(&MatrixView<'_>, &Response<'_>)>,
        options: &MapleOptions,
        monitor: &dyn Monitor,
    ) -> Result<Self> {
        ensemble.check()?;
        let p = ensemble.n_features();
        for (x, response) in std::iter::once((x, response)).chain(validation) {
            if x.cols() != p {
                return Err(Error::Shape {
                    what: "columns of the table".into(),
                    found: x.cols(),
                    expected: p,
                });
            }
            if x.rows() == 0 {
                return Err(Error::Data("MAPLE needs training rows; there is none".into()));
            }
            check_response(ensemble, response, x.rows())?;
            check_cells(x, &ensemble.feature_names)?;
        }
        if !(options.alpha.is_finite() && options.alpha >= 0.0) {
            return Err(Error::Parameter {
                name: "alpha",
                found: options.alpha.to_string(),
                expected: "a finite number not below 0".into(),
            });
        }
        if options.n_columns.is_some_and(|n| n == 0 || n > p) {
            return Err(Error::Parameter {
                name: "n_columns",
                found: format!("{:?}", options.n_columns),
                expected: format!("1 to {p}"),
            });
        }
        let router = Router::new(ensemble);
        let trees = 0..ensemble.trees.len();
        let leaves = trees
            .into_par_iter()
            .map(|tree| {
                monitor.check()?;
                Ok(LeafRows::new(&leaf_nodes(&router, tree, x), ensemble.trees[tree].n_nodes()))
            })
            .collect::<Result<Vec<_>>>()?;
        let (cells, mean) = centred(x);
        let order = root_order(ensemble);
        let mut maple = Self {
            router,
            leaves,
            cells,
            mean,
            target: targets(response),
            n_columns: options.n_columns.unwrap_or(p).min(order.len()),
            order,
            alpha: options.alpha,
        };
        if options.n_columns.is_none() && maple.order.len() > 1 {
            maple.n_columns = match validation {
                Some((rows, response)) => {
                    maple.best_count(rows, &targets(response), None, monitor)?
                }
                None => {
                    let step = x.rows().div_ceil(VALIDATION_ROWS);
                    let own: Vec<usize> = (0..x.rows()).step_by(step).collect();
                    let mut cells = vec![0.0; own.len() * p];
                    for (&row, line) in own.iter().zip(cells.chunks_exact_mut(p)) {
                        x.rows_into(row..row + 1, line);
                    }
                    let rows = MatrixView::from_rows(&cells, own.len(), p)?;
                    let pick = |y: &Vec<f64>| own.iter().map(|&row| y[row]).collect();
                    let target: Vec<Vec<f64>> = maple.target.iter().map(pick).collect();
                    maple.best_count(&rows, &target, Some(&own), monitor)?
                }
            };
        }
        Ok(maple)
    }

    /// The chosen columns, from the most to the least important.
    pub fn columns(&self) -> &[usize] {
        &self.order[..self.n_columns]
    }

    /// The weight of every training row in the local model of each row of `x`, row by row.
    pub fn weights(&self, x: &MatrixView<'_>) -> Result<Vec<f64>> {
        self.router.check_columns(x)?;
        let n = self.n_training();
        let mut all = vec![0.0; x.rows() * n];
        let leaves = self.leaves_of(x);
        for (row, weights) in all.chunks_exact_mut(n).enumerate() {
            for (training, weight) in self.shared(&leaves[row * self.leaves.len()..], None) {
                weights[training as usize] = weight;
            }
        }
        Ok(all)
    }

    /// Explains rows. The monitor advances by one per row.
    pub fn score(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.router.check_columns(x)?;
        let (p, k) = (self.mean.len(), self.target.len());
        let mut scores = Scores::zero(x.rows(), p, &vec![0.0; k]);
        let block = self.router.rows_per_block();
        for start in (0..x.rows()).step_by(block) {
            monitor.check()?;
            let rows = x.slice_rows(start..(start + block).min(x.rows()));
            let leaves = self.leaves_of(&rows);
            let end = start + rows.rows();
            scores.values[start * p * k..end * p * k]
                .par_chunks_mut((p * k).max(1))
                .zip(scores.base[start * k..end * k].par_chunks_mut(k))
                .enumerate()
                .try_for_each(|(row, (values, bases))| {
                    monitor.check()?;
                    let shared = self.shared(&leaves[row * self.leaves.len()..], None);
                    let moments = self.moments(&shared, self.columns());
                    let all: Vec<usize> = (0..self.n_columns).collect();
                    for (output, base) in bases.iter_mut().enumerate() {
                        let linear = moments.ridge(&all, output, self.alpha);
                        // Cells are counted from the training means, where scores are zero.
                        *base = linear.intercept;
                        for (&column, slope) in self.columns().iter().zip(&linear.slopes) {
                            let cell = rows.get(row, column);
                            if !cell.is_nan() {
                                values[column * k + output] = slope * (cell - self.mean[column]);
                            }
                        }
                    }
                    monitor.advance(1);
                    Ok::<(), Error>(())
                })?;
        }
        Ok(scores)
    }

    fn n_training(&self) -> usize {
        self.target[0].len()
    }

    /// The leaf of each row in each tree, row by row.
    fn leaves_of(&self, x: &MatrixView<'_>) -> Vec<u32> {
        let n_trees = self.leaves.len();
        let mut all = vec![0; x.rows() * n_trees];
        for tree in 0..n_trees {
            for (row, leaf) in leaf_nodes(&self.router, tree, x).into_iter().enumerate() {
                all[row * n_trees + tree] = leaf;
            }
        }
        all
    }

    /// Training rows that share a leaf, rising, with their weights; without the row `left_out`.
    fn shared(&self, leaves: &[u32], left_out: Option<usize>) -> Vec<(u32, f64)> {
        let mut weight = vec![0.0; self.n_training()];
        let mut rows = Vec::new();
        for (tree, &leaf) in self.leaves.iter().zip(leaves) {
            let inside = tree.of(leaf);
            let others = inside.iter().filter(|&&row| Some(row as usize) != left_out);
            let count = others.clone().count() as f64;
            for &row in others {
                if weight[row as usize] == 0.0 {
                    rows.push(row);
                }
                weight[row as usize] += 1.0 / count;
            }
        }
        rows.sort_unstable();
        rows.into_iter().map(|row| (row, weight[row as usize])).collect()
    }

    /// Weighted moments of some columns of training rows, in two passes.
    fn moments(&self, shared: &[(u32, f64)], columns: &[usize]) -> Moments {
        let (p, q, k) = (self.mean.len(), columns.len(), self.target.len());
        let line = |row: u32| &self.cells[row as usize * p..(row as usize + 1) * p];
        let total: f64 = shared.iter().map(|(_, w)| w).sum();
        let share = if total > 0.0 { 1.0 / total } else { 0.0 };
        let mut mean = vec![0.0; q];
        let mut response_mean = vec![0.0; k];
        for &(row, w) in shared {
            let cells = line(row);
            for (mean, &column) in mean.iter_mut().zip(columns) {
                *mean += w * share * cells[column];
            }
            for (mean, y) in response_mean.iter_mut().zip(&self.target) {
                *mean += w * share * y[row as usize];
            }
        }
        let mut gram = vec![0.0; q * q];
        let mut cross = vec![0.0; k * q];
        let mut response_square = vec![0.0; k];
        let mut centred = vec![0.0; q];
        for &(row, w) in shared {
            let cells = line(row);
            for ((centred, &column), mean) in centred.iter_mut().zip(columns).zip(&mean) {
                *centred = cells[column] - mean;
            }
            for a in 0..q {
                let scaled = w * centred[a];
                for (sum, b) in gram[a * q..=a * q + a].iter_mut().zip(&centred) {
                    *sum += scaled * b;
                }
            }
            for output in 0..k {
                let y = w * (self.target[output][row as usize] - response_mean[output]);
                response_square[output] +=
                    y * (self.target[output][row as usize] - response_mean[output]);
                for (sum, x) in cross[output * q..(output + 1) * q].iter_mut().zip(&centred) {
                    *sum += y * x;
                }
            }
        }
        for a in 0..q {
            for b in 0..a {
                gram[b * q + a] = gram[a * q + b];
            }
        }
        Moments { mean, gram, response_mean, cross, response_square }
    }

    /// The number of columns whose local models predict rows best; the smallest of equals. `own` are the
    /// training rows that the rows are.
    fn best_count(
        &self,
        x: &MatrixView<'_>,
        target: &[Vec<f64>],
        own: Option<&[usize]>,
        monitor: &dyn Monitor,
    ) -> Result<usize> {
        let p = self.order.len();
        let leaves = self.leaves_of(x);
        let errors: Vec<Vec<f64>> = (0..x.rows())
            .into_par_iter()
            .map(|row| {
                monitor.check()?;
                let left_out = own.map(|own| own[row]);
                let shared = self.shared(&leaves[row * self.leaves.len()..], left_out);
                let moments = self.moments(&shared, &self.order);
                let cell = |at: usize| {
                    let column = self.order[at];
                    let cell = x.get(row, column);
                    if cell.is_nan() { 0.0 } else { cell - self.mean[column] }
                };
                let mut errors = vec![0.0; p];
                let columns: Vec<usize> = (0..p).collect();
                for (count, error) in errors.iter_mut().enumerate() {
                    for (output, target) in target.iter().enumerate() {
                        let chosen = &columns[..=count];
                        let linear = moments.ridge(chosen, output, self.alpha);
                        let raw: f64 =
                            chosen.iter().zip(&linear.slopes).map(|(&at, b)| b * cell(at)).sum();
                        let miss = target[row] - linear.intercept - raw;
                        *error += miss * miss;
                    }
                }
                Ok(errors)
            })
            .collect::<Result<_>>()?;
        let total = |count: usize| errors.iter().map(|errors| errors[count]).sum::<f64>();
        let mut best = (0, total(0));
        for count in 1..p {
            let error = total(count);
            if error < best.1 {
                best = (count, error);
            }
        }
        Ok(best.0 + 1)
    }
}

impl LeafRows {
    fn new(leaf_of_row: &[u32], n_nodes: usize) -> Self {
        let mut start = vec![0_u32; n_nodes + 1];
        for &leaf in leaf_of_row {
            start[leaf as usize + 1] += 1;
        }
        for node in 0..n_nodes {
            start[node + 1] += start[node];
        }
        let mut next = start.clone();
        let mut rows = vec![0; leaf_of_row.len()];
        for (row, &leaf) in leaf_of_row.iter().enumerate() {
            rows[next[leaf as usize] as usize] = row as u32;
            next[leaf as usize] += 1;
        }
        Self { start, rows }
    }

    fn of(&self, leaf: u32) -> &[u32] {
        &self.rows[self.start[leaf as usize] as usize..self.start[leaf as usize + 1] as usize]
    }
}

/// Columns by the summed impurity of the roots that split on them, the earlier of equals first. Roots of
/// unknown impurity count one; columns that no tree splits on are left out.
fn root_order(ensemble: &Ensemble) -> Vec<usize> {
    let mut score = vec![0.0; ensemble.n_features()];
    let mut used = vec![false; ensemble.n_features()];
    for tree in &ensemble.trees {
        for &feature in tree.feature.iter().filter(|&&feature| feature != NONE) {
            used[feature as usize] = true;
        }
    }
    for tree in ensemble.trees.iter().filter(|tree| !tree.is_leaf(0)) {
        let impurity = tree.impurity[0];
        score[tree.feature[0] as usize] += if impurity.is_finite() { impurity } else { 1.0 };
    }
    let mut order: Vec<usize> = (0..score.len()).filter(|&column| used[column]).collect();
    order.sort_by(|&a, &b| f64::total_cmp(&score[b], &score[a]).then(a.cmp(&b)));
    order
}

/// Cells less their column's mean, row by row, missing ones zero; and the means.
fn centred(x: &MatrixView<'_>) -> (Vec<f64>, Vec<f64>) {
    let p = x.cols();
    let mut cells = vec![0.0; x.rows() * p];
    let mut means = Vec::with_capacity(p);
    let mut column = Vec::new();
    for at in 0..p {
        x.column_into(at, &mut column);
        let present = column.iter().filter(|cell| !cell.is_nan());
        let count = present.clone().count().max(1) as f64;
        let mean = present.map(|cell| cell / count).sum::<f64>();
        for (row, cell) in column.iter().enumerate().filter(|(_, cell)| !cell.is_nan()) {
            cells[row * p + at] = cell - mean;
        }
        means.push(mean);
    }
    (cells, means)
}

/// The numbers that each output's local models are fitted to.
fn targets(response: &Response<'_>) -> Vec<Vec<f64>> {
    match response {
        Response::Numeric(y) => vec![y.to_vec()],
        Response::Classes { codes, n_classes } => {
            let first = if *n_classes == 2 { 1 } else { 0 };
            let is =
                |class: u32| codes.iter().map(|&code| f64::from(u8::from(code == class))).collect();
            (first..*n_classes as u32).map(is).collect()
        }
    }
}
