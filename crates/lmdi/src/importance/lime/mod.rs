//! LIME for tables: a weighted linear model around each row (Ribeiro and others, 2016).
//!
//! Neighbours come column by column, independently, from the distribution of background rows: a
//! numeric column by quartile bin and then from a normal distribution truncated to the bin, a
//! categorical column (or the 0/1 columns of one, together) as in a random background row. The
//! inputs of a row's linear model tell, per column, whether a neighbour is in the row's own bin or
//! category:
//!
//! ```text
//! z_k = 1 if column k is in the row's bin, else 0;     d^2 = number of columns with z_k = 0
//! weight = sqrt(exp(-d^2 / width^2)),   width = 0.75 sqrt(number of columns)
//! ridge regression of the model's predictions on z, alpha = 1, on all or some of the columns
//! ```
//!
//! The row itself is the first neighbour. Its score of column k is the slope of z_k, the base is
//! the intercept; base plus scores is the local model's prediction of the row, on the scale of
//! predictions (numbers, probabilities). For two classes the probability of the second is
//! explained.
//!
//! If the prediction is a sum over trees (forests, boosted trees for numbers), no neighbour is
//! drawn: sums over them are replaced by their expected values (`expectation`), which is what
//! many runs of LIME average to. Other predictions, and an explicit number of samples, draw
//! neighbours. They depend only on the seed and the background, so batches, threads and the order
//! of rows change nothing, and scores of two rows differ only because the rows do. Their errors are
//! not independent: explain with several seeds to see how large they are.
//!
//! Differences from the Python package lime 0.2, which always draws: drawn neighbours are shared by
//! all rows, whereas lime draws a new set from the same distribution for every row; missing cells
//! are a bin of their own; columns that no tree splits on stay out of the regression and get
//! exactly zero (they still count in the distance); a bin with a single value gives that value
//! (lime gives zero there).
//!
//! Cost with expected values: two passes over all splits for eight rows, and q^3 / 6 for the
//! regression of a row on q columns. With drawn neighbours: `n_samples` predictions once, then for
//! each row one prediction, n_samples p steps to compare bins, and (n_samples / 64) q^2 / 2 + q^3 /
//! 6 for the regression. Memory: the bins of drawn neighbours, 4 bytes each, and n_samples p bytes
//! for each thread.

mod background;
mod cut_normal;
mod expectation;
mod levels;
mod local_model;
mod narrow_bins;
mod neighbours;
mod options;
mod selection;

pub use local_model::{LocalModel, Neighbourhood};
pub use options::LimeOptions;
pub use selection::Selection;

use super::moments::Moments;
use super::{Scores, check_cells};
use crate::forest::{Ensemble, Outcome, Predictor};
use crate::monitor::{Monitor, Silent};
use crate::table::MatrixView;
use crate::{Error, Result};
use background::Background;
use expectation::{Expectation, LANES, Scratch};
use local_model::{choose_and_fit, drawn_moments};
use neighbours::Neighbours;
use rayon::prelude::*;
use std::sync::OnceLock;

/// Rows predicted at a time before they are explained.
const BATCH: usize = 1024;

/// Where the sums over neighbours come from.
#[derive(Debug, Clone, Copy)]
enum Source<'l> {
    Expected(&'l Expectation),
    Drawn(&'l Neighbours),
}

/// A model and the background that neighbours are drawn from.
#[derive(Debug)]
pub struct Lime {
    predictor: Predictor,
    background: Background,
    /// What takes the place of neighbours.
    expectation: Option<Expectation>,
    /// Drawn when the first row is explained by them.
    neighbours: OnceLock<Neighbours>,
    /// Draw units (columns, or columns drawn together) that some tree splits on.
    used: Vec<usize>,
    n_features: usize,
    /// Numbers a row that the model predicts, and which of them are explained.
    n_predictions: usize,
    explained: std::ops::Range<usize>,
    options: LimeOptions,
}

impl Lime {
    /// Learns from background rows, usually the training rows, what neighbours look like.
    ///
    /// ```
    /// # use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
    /// # use lmdi::{monitor::Silent, table::{Matrix, Response}};
    /// use lmdi::importance::lime::{Lime, LimeOptions};
    /// # fn main() -> lmdi::Result<()> {
    /// # let x = Matrix::from_column_major((0..40).map(f64::from).collect(), 40, 1)?;
    /// # let y: Vec<f64> = (0..40).map(|i| if i < 20 { 1.0 } else { 5.0 }).collect();
    /// # let set = TrainingSet { x: x.view(), y: Response::Numeric(&y), weights: None,
    /// #     feature_names: &["age".to_string()], labels: &[] };
    /// let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
    /// let lime = Lime::new(&forest, &x.view(), LimeOptions::default())?;
    /// let scores = lime.explain(&x.view(), &Silent)?;
    /// assert!(scores.get(39, 0, 0) > 1.0); // being in the top quartile raises the prediction
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(
        ensemble: &Ensemble,
        background: &MatrixView<'_>,
        options: LimeOptions,
    ) -> Result<Self> {
        ensemble.check()?;
        let p = ensemble.n_features();
        options.check(p)?;
        if background.cols() != p {
            return Err(Error::Shape {
                what: "columns of the background rows".into(),
                found: background.cols(),
                expected: p,
            });
        }
        if background.rows() == 0 {
            return Err(Error::Data(
                "LIME draws neighbours from background rows; there is none".into(),
            ));
        }
        check_cells(background, &ensemble.feature_names)?;
        let background = Background::learn(background, &options);
        // The last place is that of leaves.
        let mut splits = vec![false; p + 1];
        for tree in &ensemble.trees {
            for &feature in &tree.feature {
                splits[(feature as usize).min(p)] = true;
            }
        }
        let used = (0..background.n_units())
            .filter(|&unit| background.columns_of(unit).iter().any(|&column| splits[column]))
            .collect();
        let n_predictions = ensemble.n_predictions();
        let explained = match &ensemble.outcome {
            Outcome::Classes(labels) if labels.len() == 2 => 1..2,
            _ => 0..n_predictions,
        };
        let expectation = match options.n_samples {
            None => Expectation::new(ensemble, &background, explained.clone()),
            Some(_) => None,
        };
        let predictor = match expectation {
            // The rows themselves are few beside what their expected values cost.
            Some(_) => Predictor::for_few_rows(ensemble),
            None => Predictor::new(ensemble),
        };
        Ok(Self {
            predictor,
            background,
            expectation,
            neighbours: OnceLock::new(),
            used,
            n_features: p,
            n_predictions,
            explained,
            options,
        })
    }

    /// Explains rows. The monitor advances by one per row.
    pub fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        if x.cols() != self.n_features {
            return Err(Error::Shape {
                what: "columns of the rows to explain".into(),
                found: x.cols(),
                expected: self.n_features,
            });
        }
        let (source, group) = match &self.expectation {
            Some(expectation) => (Source::Expected(expectation), LANES),
            None => (Source::Drawn(self.neighbours(monitor)?), 1),
        };
        let k = self.explained.len();
        let width = self.n_features * k;
        let mut scores = Scores::zero(x.rows(), self.n_features, &vec![0.0; k]);
        let mut cells = Vec::new();
        for (batch, (values, bases)) in scores
            .values
            .chunks_mut((BATCH * width).max(1))
            .zip(scores.base.chunks_mut(BATCH * k))
            .enumerate()
        {
            let rows = batch * BATCH..batch * BATCH + bases.len() / k;
            cells.resize(rows.len() * self.n_features, 0.0);
            x.rows_into(rows.clone(), &mut cells);
            let predicted = self.predictor.predict(&x.slice_rows(rows), &Silent)?;
            values
                .par_chunks_mut((group * width).max(1))
                .zip(bases.par_chunks_mut(group * k))
                .zip(cells.par_chunks((group * self.n_features).max(1)))
                .zip(predicted.par_chunks(group * self.n_predictions))
                .try_for_each_init(
                    Scratch::default,
                    |scratch, (((values, bases), cells), predicted)| {
                        monitor.check()?;
                        let rows: Vec<&[f64]> = cells.chunks(self.n_features.max(1)).collect();
                        let moments = self.moments(source, &rows, predicted, scratch);
                        for (at, (moments, row)) in moments.iter().zip(rows).enumerate() {
                            let values = &mut values[at * width..(at + 1) * width];
                            self.explain_row(moments, row, values, &mut bases[at * k..][..k]);
                            monitor.advance(1);
                        }
                        Ok::<(), Error>(())
                    },
                )?;
        }
        Ok(scores)
    }

    /// The moments of each row's neighbours, given what the model predicts of the rows.
    fn moments(
        &self,
        source: Source<'_>,
        rows: &[&[f64]],
        predicted: &[f64],
        scratch: &mut Scratch,
    ) -> Vec<Moments> {
        let predicted =
            predicted.chunks(self.n_predictions).map(|line| &line[self.explained.clone()]);
        let width = self.options.width_for(self.background.n_units());
        match source {
            Source::Expected(expectation) => {
                // Seven empty lanes would cost a single row more than its own.
                let expected = if rows.len() == 1 {
                    expectation.around::<1>(&self.background, rows, width, scratch)
                } else {
                    expectation.around::<LANES>(&self.background, rows, width, scratch)
                };
                let n = (self.options.neighbours() - 1) as f64;
                predicted
                    .zip(expected)
                    .map(|(predicted, expected)| expected.moments(&self.used, n, predicted))
                    .collect()
            }
            Source::Drawn(neighbours) => rows
                .iter()
                .zip(predicted)
                .map(|(row, predicted)| {
                    let found = neighbours.around(&self.background, row, predicted);
                    drawn_moments(&found, &self.used, width)
                })
                .collect(),
        }
    }

    /// Drawn neighbours of a row of cells: those that it is explained by, unless their expected
    /// values are taken.
    ///
    /// # Panics
    /// If the row does not have one cell per feature.
    pub fn neighbourhood(&self, row: &[f64]) -> Result<Neighbourhood> {
        assert_eq!(row.len(), self.n_features, "one cell per feature");
        let view = MatrixView::from_rows(row, 1, self.n_features)?;
        let predicted = self.predictor.predict(&view, &Silent)?;
        let predicted = &predicted[self.explained.clone()];
        Ok(self.neighbours(&Silent)?.around(&self.background, row, predicted))
    }

    fn neighbours(&self, monitor: &dyn Monitor) -> Result<&Neighbours> {
        if let Some(drawn) = self.neighbours.get() {
            return Ok(drawn);
        }
        let drawn = Neighbours::draw(
            self.options.neighbours() - 1,
            &self.background,
            &self.used,
            &self.predictor,
            self.explained.clone(),
            self.options.seed,
            monitor,
        )?;
        Ok(self.neighbours.get_or_init(|| drawn))
    }

    /// Fits the local models of one row and writes their scores.
    fn explain_row(&self, moments: &Moments, row: &[f64], values: &mut [f64], bases: &mut [f64]) {
        let k = self.explained.len();
        for (output, base) in bases.iter_mut().enumerate() {
            let (chosen, linear) = choose_and_fit(moments, output, &self.options);
            *base = linear.intercept;
            for (at, slope) in chosen.into_iter().zip(linear.slopes) {
                let columns = self.background.columns_of(self.used[at]);
                let shown = columns.iter().copied().find(|&column| row[column] == 1.0);
                values[shown.unwrap_or(columns[0]) * k + output] = slope;
            }
        }
    }
}
