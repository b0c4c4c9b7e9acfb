//! The local methods beside LMDI+: made ready once, then asked about rows.

use crate::boundary::arrays::{Cube, Responses, Table, score_arrays, shaped};
use crate::boundary::errors::{exception, invalid};
use crate::boundary::run::Run;
use crate::boundary::scales::scale_name;
use crate::model::Model;
use lmdi::forest::train::TrainingSet;
use lmdi::importance::lime::{Lime, LimeOptions, Selection};
use lmdi::importance::maple::{Maple, MapleOptions};
use lmdi::importance::{Groups, InterventionalTreeShap, LocalMethod, Method, TreeShap};
use lmdi::named::Named;
use pyo3::prelude::*;

/// An explainer of any local method.
#[pyclass(frozen, module = "lmdi._lmdi")]
pub struct LocalExplainer {
    method: Box<dyn LocalMethod>,
    columns: Option<Vec<usize>>,
}

/// The keywords of `lmdi.LIME`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct LimeKeywords {
    n_samples: Option<usize>,
    kernel_width: Option<f64>,
    alpha: f64,
    feature_selection: String,
    max_features: Option<usize>,
    bins: usize,
    categorical: Vec<usize>,
    /// The group of every feature and the number of groups, if columns are drawn together.
    together: Option<(Vec<u32>, usize)>,
    seed: u64,
}

#[pymethods]
impl LocalExplainer {
    /// A method that follows from the trees: `tree-shap`, `saabas` or `local-mdi`.
    #[staticmethod]
    fn of_trees(py: Python<'_>, model: &Model, method: &str, run: Run) -> PyResult<Self> {
        let content = model.content();
        let expected = "tree-shap, saabas or local-mdi";
        let method = Method::from_name(method).map_err(exception)?;
        let made = run.call(py, |_| method.of_trees(&content.ensemble).transpose())?;
        let method = made.ok_or_else(|| invalid("method", method.name(), expected))?;
        Ok(Self { method, columns: None })
    }

    /// TreeSHAP with unknown cells taken from background rows.
    #[staticmethod]
    fn interventional(
        py: Python<'_>,
        model: &Model,
        background: Table<'_>,
        run: Run,
    ) -> PyResult<Self> {
        let (content, rows) = (model.content(), background.view()?);
        let made =
            run.call(py, |monitor| InterventionalTreeShap::new(&content.ensemble, &rows, monitor))?;
        Ok(Self { method: Box::new(made), columns: None })
    }

    #[staticmethod]
    fn lime(
        py: Python<'_>,
        model: &Model,
        background: Table<'_>,
        keywords: LimeKeywords,
        run: Run,
    ) -> PyResult<Self> {
        let (content, rows) = (model.content(), background.view()?);
        let defaults =
            content.schema.as_ref().map_or_else(LimeOptions::default, LimeOptions::for_schema);
        let options = keywords.options(defaults)?;
        let made = run.call(py, |_| Lime::new(&content.ensemble, &rows, options))?;
        Ok(Self { method: Box::new(made), columns: None })
    }

    /// MAPLE of training rows; the number of columns is measured on validation rows, if given.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "what a fit needs, passed by Python in order")]
    fn maple(
        py: Python<'_>,
        model: &Model,
        x: Table<'_>,
        y: Responses<'_>,
        validation: Option<(Table<'_>, Responses<'_>)>,
        alpha: f64,
        n_columns: Option<usize>,
        run: Run,
    ) -> PyResult<Self> {
        let content = model.content();
        let set = TrainingSet::new(x.view()?, y.response()?);
        let validation = match &validation {
            Some((x, y)) => Some(TrainingSet::new(x.view()?, y.response()?)),
            None => None,
        };
        let options = MapleOptions::default().with_alpha(alpha).with_n_columns(n_columns);
        let made = run.call(py, |monitor| {
            Maple::fit(&content.ensemble, &set, validation.as_ref(), &options, monitor)
        })?;
        let columns = Some(made.columns().to_vec());
        Ok(Self { method: Box::new(made), columns })
    }

    /// Values and base values (and no standard errors).
    fn explain<'py>(
        &self,
        py: Python<'py>,
        x: Table<'py>,
        run: Run,
    ) -> PyResult<(Cube<'py>, Cube<'py>, Option<Cube<'py>>)> {
        let view = x.view()?;
        let scores = run.call(py, |monitor| self.method.explain(&view, monitor))?;
        score_arrays(py, scores)
    }

    /// The scale on which scores add up.
    #[getter]
    fn scale(&self) -> &'static str {
        scale_name(self.method.scale())
    }

    /// The columns that MAPLE chose, the most important first.
    #[getter]
    fn columns(&self) -> Option<Vec<usize>> {
        self.columns.clone()
    }
}

impl LimeKeywords {
    fn options(self, defaults: LimeOptions) -> PyResult<LimeOptions> {
        let together = match self.together {
            Some((groups, count)) => Some(Groups::new(groups, count).map_err(exception)?),
            None => defaults.together,
        };
        let mut categorical = defaults.categorical;
        categorical.extend(self.categorical);
        Ok(LimeOptions::default()
            .with_n_samples(self.n_samples)
            .with_kernel_width(self.kernel_width)
            .with_alpha(self.alpha)
            .with_selection(Selection::from_name(&self.feature_selection).map_err(exception)?)
            .with_max_columns(self.max_features)
            .with_n_bins(self.bins)
            .with_categorical(categorical)
            .with_together(together)
            .with_seed(self.seed))
    }
}

/// Interaction values `(rows, features, features[, outputs])` and base values of path-dependent TreeSHAP.
#[pyfunction]
pub fn tree_shap_interactions<'py>(
    py: Python<'py>,
    model: &Model,
    x: Table<'py>,
    run: Run,
) -> PyResult<(Cube<'py>, Cube<'py>)> {
    let (content, view) = (model.content(), x.view()?);
    let found =
        run.call(py, |monitor| TreeShap::new(&content.ensemble)?.interactions(&view, monitor))?;
    let outputs: &[usize] = if found.n_outputs == 1 { &[] } else { &[found.n_outputs] };
    let (n, p) = (found.n_rows, found.n_features);
    let values = shaped(py, found.values, &[&[n, p, p], outputs].concat())?;
    Ok((values, shaped(py, found.base, &[&[n], outputs].concat())?))
}
