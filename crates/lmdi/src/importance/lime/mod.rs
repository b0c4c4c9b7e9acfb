//! LIME for tables: a weighted linear model around each row (Ribeiro and others, 2016).
//!
//! For a row, `n_samples` neighbours are drawn, column by column and independently, from the background
//! rows: a numeric column by quartile bin and then from a normal distribution cut to the bin, a
//! categorical column (or the 0/1 columns of one categorical column, together) as it stands in a
//! background row. What the linear model sees of a neighbour is, per column, whether it fell into the
//! row's own bin or category:
//!
//! ```text
//! z_k = 1 if column k is in the row's bin, else 0;     d^2 = number of columns with z_k = 0
//! weight = sqrt(exp(-d^2 / width^2)),   width = 0.75 sqrt(number of columns)
//! ridge regression of the model's predictions on z, alpha = 1, on all or some of the columns
//! ```
//!
//! The row itself is the first neighbour. Its score of column k is the slope of z_k, the base is the
//! intercept; base plus scores is the local model's prediction of the row, on the scale of predictions
//! (numbers, probabilities). For two classes the probability of the second is explained.
//!
//! Differences from the Python package lime 0.2: missing cells are a bin of their own; columns that no
//! tree splits on stay out of the regression and get exactly zero (they still count in the distance);
//! a bin of a single value gives that value (lime gives zero there).
//!
//! The draws of a row depend on the seed and the row's cells only, so batches, threads and the order of
//! rows change nothing. Cost of a row: `n_samples` predictions, and n_samples q^2 / 2 + q^3 / 6 for the
//! regression, q being the number of columns in the row's own bin. Memory: the neighbours of a few rows.

mod background;
mod local_model;
mod neighbours;
mod selection;

pub use local_model::{LocalModel, Neighbourhood};
pub use selection::Selection;

use super::{Groups, Scores, check_cells};
use crate::forest::{Ensemble, NONE, Outcome, Predictor};
use crate::monitor::{Monitor, Silent};
use crate::table::{Encoding, MatrixView, Schema};
use crate::{Error, Result};
use background::Background;
use local_model::fit;
use rayon::prelude::*;

/// Neighbours drawn and predicted at a time.
const CHUNK: usize = 1024;

/// Bytes that the neighbours of the rows at work may take.
const BATCH_BYTES: usize = 64 << 20;

/// What a user can choose.
#[derive(Debug, Clone, PartialEq)]
pub struct LimeOptions {
    /// Neighbours per row, the row itself included.
    pub n_samples: usize,
    /// Width of the kernel; `None` is 0.75 times the root of the number of columns.
    pub kernel_width: Option<f64>,
    /// Strength of the ridge penalty.
    pub alpha: f64,
    /// How columns are chosen where not all may take part.
    pub selection: Selection,
    /// Most columns with a score; `None` is all.
    pub max_columns: Option<usize>,
    /// Bins of a numeric column: 4 are quartiles, 10 deciles.
    pub n_bins: usize,
    /// Numeric columns that stand for categories.
    pub categorical: Vec<usize>,
    /// Columns that are drawn together, such as the 0/1 columns of one categorical column. Their score is
    /// that of the column which is 1 in the row (of the first if none is).
    pub together: Option<Groups>,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for LimeOptions {
    fn default() -> Self {
        Self {
            n_samples: 5000,
            kernel_width: None,
            alpha: 1.0,
            selection: Selection::Auto,
            max_columns: None,
            n_bins: 4,
            categorical: Vec::new(),
            together: None,
            seed: 0,
        }
    }
}

impl LimeOptions {
    /// The defaults for the columns of a schema: the parts of a categorical column are drawn together, and
    /// columns that are not numbers are drawn as categories.
    ///
    /// ```
    /// use lmdi::importance::lime::LimeOptions;
    /// use lmdi::table::{Encoding, Schema};
    /// let mut schema = Schema::numeric(["age", "smoker"]);
    /// schema.columns[1].encoding = Encoding::Truth;
    /// assert_eq!(LimeOptions::for_schema(&schema).categorical, [1]);
    /// ```
    pub fn for_schema(schema: &Schema) -> Self {
        let origins = schema.origins();
        let is_category =
            |&column: &usize| schema.columns[origins[column]].encoding != Encoding::Number;
        let together = origins.iter().map(|&column| column as u32).collect();
        Self {
            categorical: (0..origins.len()).filter(is_category).collect(),
            together: Groups::new(together, schema.columns.len()).ok(),
            ..Self::default()
        }
    }

    fn check(&self, n_features: usize) -> Result<()> {
        let fail = |name: &'static str, found: String, expected: &str| {
            Err(Error::Parameter { name, found, expected: expected.into() })
        };
        if self.n_samples < 2 {
            return fail("n_samples", self.n_samples.to_string(), "at least 2");
        }
        if let Some(width) = self.kernel_width.filter(|width| !(width.is_finite() && *width > 0.0))
        {
            return fail("kernel_width", width.to_string(), "a positive number");
        }
        if !(self.alpha.is_finite() && self.alpha >= 0.0) {
            return fail("alpha", self.alpha.to_string(), "a finite number not below 0");
        }
        if self.max_columns == Some(0) {
            return fail("max_columns", "0".into(), "at least 1");
        }
        if !(2..=100).contains(&self.n_bins) {
            return fail("n_bins", self.n_bins.to_string(), "2 to 100");
        }
        if let Some(feature) = self.categorical.iter().find(|&&feature| feature >= n_features) {
            return fail("categorical", feature.to_string(), "columns of the model");
        }
        self.together.as_ref().map_or(Ok(()), |groups| groups.check(n_features))
    }
}

/// A model and the background that neighbours are drawn from.
#[derive(Debug)]
pub struct Lime {
    predictor: Predictor,
    background: Background,
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
    /// let scores = lime.score(&x.view(), &Silent)?;
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
        let mut splits = vec![false; p];
        for tree in &ensemble.trees {
            for &feature in tree.feature.iter().filter(|&&feature| feature != NONE) {
                splits[feature as usize] = true;
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
        Ok(Self {
            predictor: Predictor::new(ensemble),
            background,
            used,
            n_features: p,
            n_predictions,
            explained,
            options,
        })
    }

    /// Explains rows. The monitor advances by one per row.
    pub fn score(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        if x.cols() != self.n_features {
            return Err(Error::Shape {
                what: "columns of the rows to explain".into(),
                found: x.cols(),
                expected: self.n_features,
            });
        }
        let k = self.explained.len();
        let width = self.n_features * k;
        let mut scores = Scores::zero(x.rows(), self.n_features, &vec![0.0; k]);
        let per_row = self.options.n_samples.saturating_mul(self.background.n_units() + 8 * k);
        let rows = (BATCH_BYTES / per_row.max(1)).clamp(1, 256);
        let mut cells = Vec::new();
        for (batch, (values, bases)) in scores
            .values
            .chunks_mut((rows * width).max(1))
            .zip(scores.base.chunks_mut(rows * k))
            .enumerate()
        {
            monitor.check()?;
            let first = batch * rows;
            let n = bases.len() / k;
            cells.resize(n * self.n_features, 0.0);
            x.rows_into(first..first + n, &mut cells);
            let lines: Vec<&[f64]> = cells.chunks_exact(self.n_features.max(1)).collect();
            let neighbourhoods = self.neighbourhoods(&lines, monitor)?;
            values
                .par_chunks_mut(width.max(1))
                .zip(bases.par_chunks_mut(k))
                .zip(neighbourhoods.par_iter().zip(&lines))
                .for_each(|((values, bases), (neighbourhood, line))| {
                    self.explain(neighbourhood, line, values, bases);
                    monitor.advance(1);
                });
        }
        Ok(scores)
    }

    /// The neighbourhood that a row of cells is explained by.
    ///
    /// # Panics
    /// If the row has not one cell a feature.
    pub fn neighbourhood(&self, row: &[f64]) -> Result<Neighbourhood> {
        assert_eq!(row.len(), self.n_features, "one cell a feature");
        let mut found = self.neighbourhoods(&[row], &Silent)?;
        found.pop().ok_or_else(|| Error::Data("no row to explain".into()))
    }

    /// Draws and predicts the neighbours of some rows, chunk by chunk in parallel.
    fn neighbourhoods(&self, rows: &[&[f64]], monitor: &dyn Monitor) -> Result<Vec<Neighbourhood>> {
        let (n, units, k) =
            (self.options.n_samples, self.background.n_units(), self.explained.len());
        let mut all: Vec<Neighbourhood> = (0..rows.len())
            .map(|_| Neighbourhood {
                n_columns: units,
                same: vec![false; n * units],
                n_outputs: k,
                prediction: vec![0.0; n * k],
            })
            .collect();
        let mut chunks = Vec::new();
        for (found, &row) in all.iter_mut().zip(rows) {
            let same = found.same.chunks_mut((CHUNK * units).max(1));
            for (chunk, (same, out)) in same.zip(found.prediction.chunks_mut(CHUNK * k)).enumerate()
            {
                chunks.push((row, chunk, same, out));
            }
        }
        chunks.into_par_iter().try_for_each_init(Vec::new, |cells, (row, chunk, same, out)| {
            monitor.check()?;
            let n = out.len() / k;
            cells.resize(n * self.n_features, 0.0);
            self.background.draw(row, self.options.seed, chunk, same, cells);
            let view = MatrixView::from_rows(cells, n, self.n_features)?;
            let predicted = self.predictor.predict(&view, &Silent)?;
            for (out, line) in
                out.chunks_exact_mut(k).zip(predicted.chunks_exact(self.n_predictions))
            {
                out.copy_from_slice(&line[self.explained.clone()]);
            }
            Ok::<(), Error>(())
        })?;
        Ok(all)
    }

    /// Fits the local models of one row and writes their scores.
    fn explain(&self, found: &Neighbourhood, row: &[f64], values: &mut [f64], bases: &mut [f64]) {
        let k = self.explained.len();
        for (output, model) in fit(found, &self.used, &self.options).into_iter().enumerate() {
            bases[output] = model.intercept;
            for (unit, slope) in model.slopes.into_iter().enumerate() {
                let columns = self.background.columns_of(unit);
                let shown = columns.iter().copied().find(|&column| row[column] == 1.0);
                values[shown.unwrap_or(columns[0]) * k + output] = slope;
            }
        }
    }
}
