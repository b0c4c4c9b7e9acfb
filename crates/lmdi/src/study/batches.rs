//! LMDI+ fitted to rows that come in batches, for a table that does not fit into memory.
//!
//! Every row counts once and penalties are chosen by cross-validation, because a stream does not
//! tell which rows each tree saw. See [`streaming`](crate::importance::lmdi_plus::streaming) for
//! the passes.

use super::{Fitting, Rows, Study, forget_explainer};
use crate::file::Model;
use crate::forest::Outcome;
use crate::importance::Method;
use crate::importance::lmdi_plus::streaming::{PassStatistics, StreamedFit, StreamedRows};
use crate::importance::lmdi_plus::{FitOn, LmdiPlusOptions, RowChoice, Validation};
use crate::table::Schema;
use crate::{Error, Result};

/// A fit in several passes over all rows.
///
/// ```text
/// while !fitting.is_finished() {
///     let mut sums = fitting.statistics();
///     for rows in batches { fitting.accumulate(&mut sums, &rows)?; }
///     fitting.finish_pass(&sums)?;
/// }
/// Study::of_batches(model, schema, fitting)
/// ```
pub struct BatchFitting {
    fit: StreamedFit,
    options: LmdiPlusOptions,
    n_rows: usize,
}

impl BatchFitting {
    /// Plans a fit whose sums take at most this many bytes.
    pub fn new(model: &Model, options: &LmdiPlusOptions, budget: usize) -> Result<Self> {
        let mut ensemble = model.ensemble.clone();
        ensemble.trees.iter_mut().for_each(|tree| tree.in_bag = None);
        let fit = StreamedFit::within_budget(ensemble, options, budget)?;
        Ok(Self { fit, options: options.clone(), n_rows: 0 })
    }

    /// Number of passes over the rows; `None` if trees take as many Newton steps as they need.
    pub fn n_passes(&self) -> Option<usize> {
        self.fit.n_passes()
    }

    /// Number of completed passes.
    pub fn passes_done(&self) -> usize {
        self.fit.passes_done()
    }

    /// Whether all passes are done.
    pub fn is_finished(&self) -> bool {
        self.fit.is_finished()
    }

    /// Empty sums for the current pass.
    pub fn statistics(&self) -> PassStatistics {
        self.fit.statistics()
    }

    /// Adds rows, which have their target.
    pub fn accumulate(&self, statistics: &mut PassStatistics, rows: &Rows) -> Result<()> {
        let Some(response) = rows.response() else {
            return Err(Error::Data("the rows to fit LMDI+ to have no target".into()));
        };
        let (x, weights) = (rows.x.view(), rows.weights.as_deref());
        self.fit.accumulate(statistics, &StreamedRows { x, response, weights, hashes: None })
    }

    /// Ends the pass with the sums of all rows.
    pub fn finish_pass(&mut self, statistics: &PassStatistics) -> Result<()> {
        let rows = statistics.rows() as usize;
        if self.fit.passes_done() > 0 && rows != self.n_rows {
            return Err(Error::Data(format!(
                "the table had {} rows at first and {rows} when it was read again; it must not change \
                 meanwhile",
                self.n_rows
            )));
        }
        self.n_rows = rows;
        self.fit.finish_pass(statistics)
    }
}

impl Study {
    /// A study from a model with the explainer of a finished fit.
    pub fn of_batches(mut model: Model, schema: Schema, fitting: BatchFitting) -> Result<Self> {
        let BatchFitting { fit, options, n_rows } = fitting;
        let of_classes = matches!(model.ensemble.outcome, Outcome::Classes(_));
        let family = options.family(of_classes, model.ensemble.is_boosted());
        let (fit_on, validation) = (FitOn::Uniform, Validation::Folds);
        let chosen = RowChoice { fit_on, validation, bags_known: false };
        let explainer = Box::new(fit.finish()?);
        forget_explainer(&mut model);
        let fitting = Fitting::LinearModels { options, family, chosen, n_rows, unknown_bags: None };
        let method = Method::LmdiPlus;
        Ok(Self { model, schema, explainer, method, fitting, refitting: None })
    }
}
