//! The fitted LMDI+ explainer.

use crate::boundary::arrays::{Cube, Responses, Table, score_arrays, shaped, weight_slice};
use crate::boundary::errors::exception;
use crate::boundary::run::Run;
use crate::boundary::scales::scale_name;
use crate::methods::options::Keywords;
use crate::model::{Model, file_bytes};
use lmdi::explanation::{is_predicted_out_of_bag, score_rows_seen_by_all};
use lmdi::file::{Explainer, Model as Content};
use lmdi::forest::Ensemble;
use lmdi::forest::train::TrainingSet;
use lmdi::importance::LmdiPlus;
use lmdi::importance::TreeSubset;
use lmdi::importance::lmdi_plus::ScoreOptions;
use lmdi::monitor::{Monitor, Silent};
use lmdi::table::MatrixView;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// Rows predicted at a time: scores of all rows at once would outweigh the table.
const ROWS_AT_A_TIME: usize = 1 << 16;

/// LMDI+ fitted to the trees of a model.
#[pyclass(frozen, module = "lmdi._lmdi")]
pub struct LmdiPlusExplainer {
    content: Arc<Content>,
    fitted: LmdiPlus,
    options: String,
}

impl LmdiPlusExplainer {
    /// An explainer that was fitted elsewhere.
    pub fn fitted(content: Arc<Content>, fitted: LmdiPlus, options: String) -> Self {
        Self { content, fitted, options }
    }

    /// An explainer from a file.
    pub fn restored(content: Arc<Content>, explainer: Explainer) -> lmdi::Result<Self> {
        let options = explainer.options.clone();
        let fitted = explainer.ready(&content.ensemble)?;
        Ok(Self { content, fitted, options })
    }

    fn ensemble(&self) -> &Ensemble {
        &self.content.ensemble
    }

    /// What `finish` makes of the linear predictors of every row, a block of rows at a time.
    fn totals(
        &self,
        x: &MatrixView<'_>,
        monitor: &dyn Monitor,
        finish: impl Fn(&[f64]) -> Vec<f64>,
    ) -> lmdi::Result<Vec<f64>> {
        let mut out = Vec::new();
        for first in (0..x.rows()).step_by(ROWS_AT_A_TIME) {
            let part = x.slice_rows(first..(first + ROWS_AT_A_TIME).min(x.rows()));
            let totals = self.fitted.predict_raw(&part, monitor)?;
            out.extend(totals.chunks_exact(self.fitted.n_outputs()).flat_map(&finish));
        }
        Ok(out)
    }
}

#[pymethods]
impl LmdiPlusExplainer {
    /// Fits the linear model of every tree on the training rows.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "what a fit needs, passed by Python in order")]
    fn fit(
        py: Python<'_>,
        model: &Model,
        x: Table<'_>,
        y: Responses<'_>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        keywords: Keywords,
        options: String,
        run: Run,
    ) -> PyResult<Self> {
        let content = model.content();
        let ensemble = &content.ensemble;
        let chosen = keywords.options(ensemble).map_err(exception)?;
        let weights = weight_slice(&weights)?;
        let set = TrainingSet { weights, ..TrainingSet::new(x.view()?, y.response()?) };
        let fitted = run.call(py, |monitor| LmdiPlus::fit(ensemble, &set, &chosen, monitor))?;
        Ok(Self { content, fitted, options })
    }

    /// Values, base values and, if asked for and defined, standard errors.
    fn score<'py>(
        &self,
        py: Python<'py>,
        x: Table<'py>,
        trees: &str,
        standard_error: bool,
        run: Run,
    ) -> PyResult<(Cube<'py>, Cube<'py>, Option<Cube<'py>>)> {
        let view = x.view()?;
        let auto = trees == "auto";
        let trees = match trees {
            "auto" => {
                let is_out_of_bag = run.call(py, |monitor| {
                    is_predicted_out_of_bag(self.ensemble(), &view, false, monitor)
                })?;
                if is_out_of_bag { TreeSubset::OutOfBag(self.ensemble()) } else { TreeSubset::All }
            }
            "all" => TreeSubset::All,
            "oob" => TreeSubset::OutOfBag(self.ensemble()),
            "inbag" => TreeSubset::InBag(self.ensemble()),
            other => {
                return Err(exception(lmdi::Error::Parameter {
                    name: "trees",
                    found: other.into(),
                    expected: "auto, all, oob or inbag".into(),
                }));
            }
        };
        let options = ScoreOptions::default().with_trees(trees).with_standard_error(standard_error);
        let scores = run.call(py, |monitor| {
            let mut scores = self.fitted.score(&view, &options, monitor)?;
            if auto {
                let all = ScoreOptions::default()
                    .with_trees(TreeSubset::All)
                    .with_standard_error(standard_error);
                score_rows_seen_by_all(&mut scores, &view, |rows| {
                    self.fitted.score(rows, &all, &Silent)
                })?;
            }
            Ok(scores)
        })?;
        score_arrays(py, scores)
    }

    /// The mean over trees of each feature's rank, `(rows, features)`.
    fn rank_by_rank<'py>(&self, py: Python<'py>, x: Table<'py>, run: Run) -> PyResult<Cube<'py>> {
        let view = x.view()?;
        let ranks = run.call(py, |monitor| self.fitted.rank_by_rank(&view, monitor))?;
        shaped(py, ranks, &[view.rows(), self.fitted.n_features()])
    }

    /// RF+ predictions: `(rows, 1)`, or the probability of every class.
    fn predict<'py>(&self, py: Python<'py>, x: Table<'py>, run: Run) -> PyResult<Cube<'py>> {
        let view = x.view()?;
        let prediction = run.call(py, |monitor| {
            self.totals(&view, monitor, |totals| self.fitted.prediction_of(totals))
        })?;
        shaped(py, prediction, &[view.rows(), self.ensemble().n_predictions()])
    }

    /// The scale on which scores add up: `identity`, `log_odds`, `softmax` or `log`.
    #[getter]
    fn scale(&self) -> &'static str {
        scale_name(self.fitted.scale())
    }

    #[getter]
    fn n_outputs(&self) -> usize {
        self.fitted.n_outputs()
    }

    /// How much of a boosted model the explanation reproduces on the rows it was just fitted on (R²).
    #[getter]
    fn fidelity(&self) -> Option<f64> {
        self.fitted.fidelity()
    }

    /// How many linear models did not meet their tolerance.
    #[getter]
    fn n_unconverged(&self) -> usize {
        self.fitted.n_unconverged()
    }

    /// How the explainer was fitted, as text.
    #[getter]
    fn options(&self) -> &str {
        &self.options
    }

    /// The bytes of a model file that holds the trees and the explainer.
    fn to_bytes<'py>(&self, py: Python<'py>, json: bool) -> PyResult<Bound<'py, PyBytes>> {
        let explainer = Some(Explainer::of(&self.fitted, self.options.as_str()));
        file_bytes(py, &Content { explainer, ..(*self.content).clone() }, json)
    }
}
