//! LIME for tables: a weighted linear model around each row (Ribeiro and others, 2016).
//!
//! Neighbours are drawn column by column, independently, from the distribution of background rows:
//! a numeric column by quartile bin and then from a normal distribution truncated to the bin, a
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
//! The row itself is the first neighbour. Its score of column k is the slope of z_k, the base is the
//! intercept; base plus scores is the local model's prediction of the row, on the scale of predictions
//! (numbers, probabilities). For two classes the probability of the second is explained.
//!
//! Differences from the Python package lime 0.2: all rows share one set of neighbours, whereas lime
//! draws a new set from the same distribution for every row; missing cells are a bin of their own;
//! columns that no tree splits on stay out of the regression and get exactly zero (they still count
//! in the distance); a bin with a single value gives that value (lime gives zero there).
//!
//! The neighbours depend only on the seed and the background, so batches, threads and the order of
//! rows change nothing, and scores of two rows differ only because the rows do. Their errors are
//! not independent: explain with several seeds to see how large they are.
//!
//! Cost: `n_samples` predictions once, then for each row one prediction, n_samples p steps to compare bins, and
//! (n_samples / 64) q^2 / 2 + q^3 / 6 for the regression on q columns. Memory: the bins of the neighbours,
//! 4 bytes each, and n_samples p bytes for each thread.

mod background;
mod cut_normal;
mod levels;
mod local_model;
mod narrow_bins;
mod neighbours;
mod selection;

pub use local_model::{LocalModel, Neighbourhood};
pub use selection::Selection;

use super::{Groups, Scores, check_cells};
use crate::forest::{Ensemble, NONE, Outcome, Predictor};
use crate::monitor::{Monitor, Silent};
use crate::setters::setters;
use crate::table::{Encoding, MatrixView, Schema};
use crate::{Error, Result};
use background::Background;
use local_model::fit;
use neighbours::Neighbours;
use rayon::prelude::*;
use std::sync::OnceLock;

/// Rows predicted at a time before they are explained.
const BATCH: usize = 1024;

/// Most neighbours that can be asked for; their bins are kept in memory.
const MOST_SAMPLES: usize = 1_000_000;

/// The options.
///
/// ```
/// use lmdi::importance::lime::LimeOptions;
/// let options = LimeOptions::default().with_n_samples(1000).with_max_columns(5);
/// assert_eq!((options.n_samples, options.max_columns), (1000, Some(5)));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LimeOptions {
    /// Number of neighbours of a row, including the row itself; at most a million.
    pub n_samples: usize,
    /// Width of the kernel; `None` is 0.75 times the root of the number of columns.
    pub kernel_width: Option<f64>,
    /// Strength of the ridge penalty.
    pub alpha: f64,
    /// How columns are chosen if their number is limited.
    pub selection: Selection,
    /// Maximum number of columns with a score; `None` is all.
    pub max_columns: Option<usize>,
    /// Bins of a numeric column: 4 are quartiles, 10 deciles.
    pub n_bins: usize,
    /// Numeric columns that are categories.
    pub categorical: Vec<usize>,
    /// Columns that are drawn together, such as the 0/1 columns of one categorical column. Their score is
    /// that of the column which is 1 in the row (of the first if none is).
    pub together: Option<Groups>,
    /// Random seed.
    pub seed: u64,
}

impl LimeOptions {
    setters! {
        with_n_samples(n_samples: usize),
        with_alpha(alpha: f64),
        with_selection(selection: Selection),
        with_n_bins(n_bins: usize),
        with_categorical(categorical: Vec<usize>),
        with_seed(seed: u64);
        optional:
        with_kernel_width(kernel_width: f64),
        with_max_columns(max_columns: usize),
        with_together(together: Groups),
    }
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

    pub(crate) fn check(&self, n_features: usize) -> Result<()> {
        let fail = |name: &'static str, found: String, expected: &str| {
            Err(Error::Parameter { name, found, expected: expected.into() })
        };
        if !(2..=MOST_SAMPLES).contains(&self.n_samples) {
            return fail("n_samples", self.n_samples.to_string(), "2 to 1,000,000");
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
    /// Drawn when the first row is explained.
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
        let neighbours = self.neighbours(monitor)?;
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
                .par_chunks_mut(width.max(1))
                .zip(bases.par_chunks_mut(k))
                .zip(cells.par_chunks(self.n_features.max(1)))
                .zip(predicted.par_chunks(self.n_predictions))
                .try_for_each(|(((values, bases), row), predicted)| {
                    monitor.check()?;
                    let predicted = &predicted[self.explained.clone()];
                    let found = neighbours.around(&self.background, row, predicted);
                    self.explain_row(&found, row, values, bases);
                    monitor.advance(1);
                    Ok::<(), Error>(())
                })?;
        }
        Ok(scores)
    }

    /// The neighbourhood that a row of cells is explained by.
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
            self.options.n_samples - 1,
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
    fn explain_row(
        &self,
        found: &Neighbourhood,
        row: &[f64],
        values: &mut [f64],
        bases: &mut [f64],
    ) {
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
