//! MAPLE: a ridge regression around each row, weighted by how often rows share its leaves (Plumb and
//! others, 2018).
//!
//! ```text
//! weight of training row i for x = sum over trees of  [i in x's leaf] / (training rows in that leaf)
//! local model = ridge regression of y on the chosen columns with these weights, alpha = 0.001
//! ```
//!
//! Columns are ordered by the summed impurity of the roots that split on them. The number kept is
//! the one that predicts validation rows best. Columns that no tree splits on stay out and get
//! exactly zero. The score of column k is `slope_k (x_k - mean_k)`, with the mean over training
//! rows. Base plus scores is the local model's prediction, on the scale of the response (a number,
//! or the probability of a class: the second of two). Missing cells are set to the mean.
//!
//! Without validation rows, up to 200 training rows spread over the table take their place, each
//! predicted with its own weight set to zero. Memory: the training rows, and one number per
//! training row and tree. Cost of a row: T lookups, and m q^2 / 2 + q^3 / 6 for m training rows
//! that share a leaf with it and q chosen columns. A validation row costs the same with all
//! columns, for all numbers of columns together.

mod leaves;
mod selection;
mod training;

use super::{Scores, check_cells, check_response};
use crate::forest::Ensemble;
use crate::forest::train::TrainingSet;
use crate::monitor::Monitor;
use crate::setters::setters;
use crate::table::MatrixView;
use crate::{Error, Result};
use leaves::SharedLeaves;
use rayon::prelude::*;
use selection::{Measured, best_count, root_order};
use training::{TrainingRows, targets};

/// Training rows that stand in for validation rows, at most.
const VALIDATION_ROWS: usize = 200;

/// The options.
///
/// ```
/// use lmdi::importance::maple::MapleOptions;
/// assert_eq!(MapleOptions::default().with_n_columns(3).n_columns, Some(3));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MapleOptions {
    /// Strength of the ridge penalty.
    pub alpha: f64,
    /// Number of columns in the local models; `None` finds the number that predicts best.
    pub n_columns: Option<usize>,
}

impl MapleOptions {
    setters! {
        with_alpha(alpha: f64);
        optional:
        with_n_columns(n_columns: usize),
    }
}

impl MapleOptions {
    /// Fails with the first option outside its range.
    pub(crate) fn check(&self, n_features: usize) -> Result<()> {
        if !(self.alpha.is_finite() && self.alpha >= 0.0) {
            return Err(Error::Parameter {
                name: "alpha",
                found: self.alpha.to_string(),
                expected: "a finite number not below 0".into(),
            });
        }
        if let Some(n) = self.n_columns
            && (n == 0 || n > n_features)
        {
            return Err(Error::Parameter {
                name: "n_columns",
                found: n.to_string(),
                expected: format!("1 to {n_features}"),
            });
        }
        Ok(())
    }
}

impl Default for MapleOptions {
    fn default() -> Self {
        Self { alpha: 0.001, n_columns: None }
    }
}

/// A model and its training rows, ready to explain rows.
#[derive(Debug)]
pub struct Maple {
    leaves: SharedLeaves,
    training: TrainingRows,
    /// Columns from the most to the least important, and how many of them are used.
    order: Vec<usize>,
    n_columns: usize,
    alpha: f64,
}

impl Maple {
    /// Stores training rows and chooses columns, by the error on the rows of `validation`, or on
    /// training rows. Weights are ignored. The monitor advances by one per tree.
    ///
    /// ```
    /// # use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
    /// # use lmdi::{monitor::Silent, table::Matrix};
    /// use lmdi::importance::maple::{Maple, MapleOptions};
    /// # fn main() -> lmdi::Result<()> {
    /// # let x = Matrix::from_column_major((0..40).map(f64::from).collect(), 40, 1)?;
    /// # let y: Vec<f64> = (0..40).map(|i| f64::from(i) / 4.0).collect();
    /// # let names = ["age".to_string()];
    /// let set = TrainingSet::regression(x.view(), &y, &names);
    /// let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
    /// let maple = Maple::fit(&forest, &set, None, &MapleOptions::default(), &Silent)?;
    /// let scores = maple.explain(&x.view(), &Silent)?;
    /// assert!(scores.get(39, 0, 0) > 1.0 && scores.get(0, 0, 0) < -1.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn fit(
        ensemble: &Ensemble,
        set: &TrainingSet<'_>,
        validation: Option<&TrainingSet<'_>>,
        options: &MapleOptions,
        monitor: &dyn Monitor,
    ) -> Result<Self> {
        ensemble.check()?;
        let p = ensemble.n_features();
        for TrainingSet { x, y, .. } in std::iter::once(set).chain(validation) {
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
            check_response(ensemble, y, x.rows())?;
            check_cells(x, &ensemble.feature_names)?;
        }
        options.check(p)?;
        let mut maple = Self {
            leaves: SharedLeaves::new(ensemble, &set.x, monitor)?,
            training: TrainingRows::new(&set.x, &set.y),
            n_columns: 0,
            order: root_order(ensemble),
            alpha: options.alpha,
        };
        maple.n_columns = match options.n_columns {
            Some(count) => count.min(maple.order.len()),
            None if maple.order.len() < 2 => maple.order.len(),
            None => maple.best_count(&set.x, validation, monitor)?,
        };
        Ok(maple)
    }

    /// How many columns predict validation rows best, or training rows that stand in for them.
    fn best_count(
        &self,
        x: &MatrixView<'_>,
        validation: Option<&TrainingSet<'_>>,
        monitor: &dyn Monitor,
    ) -> Result<usize> {
        let count = |rows: &Measured<'_>| {
            best_count(&self.leaves, &self.training, &self.order, self.alpha, rows, monitor)
        };
        if let Some(set) = validation {
            return count(&Measured { x: set.x, target: &targets(&set.y), own: None });
        }
        let p = x.cols();
        let step = x.rows().div_ceil(VALIDATION_ROWS);
        let own: Vec<usize> = (0..x.rows()).step_by(step).collect();
        let mut cells = vec![0.0; own.len() * p];
        for (&row, line) in own.iter().zip(cells.chunks_exact_mut(p)) {
            x.rows_into(row..row + 1, line);
        }
        let pick = |y: &Vec<f64>| own.iter().map(|&row| y[row]).collect();
        let target: Vec<Vec<f64>> = self.training.target.iter().map(pick).collect();
        let x = MatrixView::from_rows(&cells, own.len(), p)?;
        count(&Measured { x, target: &target, own: Some(&own) })
    }

    /// The chosen columns, from the most to the least important.
    pub fn columns(&self) -> &[usize] {
        &self.order[..self.n_columns]
    }

    /// The weight of every training row in the local model of each row of `x`, row by row.
    pub fn weights(&self, x: &MatrixView<'_>) -> Result<Vec<f64>> {
        self.leaves.router.check_columns(x)?;
        let n = self.leaves.n_training();
        let mut all = vec![0.0; x.rows() * n];
        let leaves = self.leaves.of_rows(x);
        for (row, weights) in all.chunks_exact_mut(n).enumerate() {
            for (training, weight) in self.leaves.weights(&leaves, row, None) {
                weights[training as usize] = weight;
            }
        }
        Ok(all)
    }

    /// Explains rows. The monitor advances by one per row.
    pub fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.leaves.router.check_columns(x)?;
        let (p, k) = (self.training.mean.len(), self.training.target.len());
        let mut scores = Scores::zero(x.rows(), p, &vec![0.0; k]);
        let block = self.leaves.router.rows_per_block();
        for start in (0..x.rows()).step_by(block) {
            monitor.check()?;
            let rows = x.slice_rows(start..(start + block).min(x.rows()));
            let leaves = self.leaves.of_rows(&rows);
            let end = start + rows.rows();
            scores.values[start * p * k..end * p * k]
                .par_chunks_mut((p * k).max(1))
                .zip(scores.base[start * k..end * k].par_chunks_mut(k))
                .enumerate()
                .try_for_each(|(row, (values, bases))| {
                    monitor.check()?;
                    let shared = self.leaves.weights(&leaves, row, None);
                    let moments = self.training.moments(&shared, self.columns());
                    let all: Vec<usize> = (0..self.n_columns).collect();
                    for (output, base) in bases.iter_mut().enumerate() {
                        let linear = moments.ridge(&all, output, self.alpha);
                        // Cells are counted from the training means, where scores are zero.
                        *base = linear.intercept;
                        for (&column, slope) in self.columns().iter().zip(&linear.slopes) {
                            let cell = rows.get(row, column);
                            if !cell.is_nan() {
                                values[column * k + output] =
                                    slope * (cell - self.training.mean[column]);
                            }
                        }
                    }
                    monitor.advance(1);
                    Ok::<(), Error>(())
                })?;
        }
        Ok(scores)
    }
}
