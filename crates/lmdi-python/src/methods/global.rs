//! The global methods: one number per column or group of columns.

use crate::boundary::arrays::{Cube, Responses, Table, shaped, weight_slice};
use crate::boundary::errors::{exception, invalid};
use crate::boundary::run::Run;
use crate::methods::metric::ChosenMetric;
use crate::model::Model;
use lmdi::forest::train::TrainingSet;
use lmdi::importance::mdi::MdiScale;
use lmdi::importance::mdi_plus::{MdiPlusGlm, MdiPlusModel, MdiPlusOptions, MdiPlusPenalty};
use lmdi::importance::permutation::{PermutationOptions, permutation_out_of_bag};
use lmdi::importance::{Groups, Importances, mdi, mdi_plus, permutation};
use lmdi::named::Named;
use lmdi::table::Response;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// Values and deviations, one number per group each.
type Pair<'py> = (Cube<'py>, Cube<'py>);

/// The group of every feature, and the number of groups.
type GroupsOfFeatures = (Vec<u32>, usize);

fn groups_of((of_features, count): GroupsOfFeatures) -> PyResult<Groups> {
    Groups::new(of_features, count).map_err(exception)
}

fn arrays<'py>(py: Python<'py>, found: Importances) -> PyResult<Pair<'py>> {
    let shape = [found.values.len()];
    Ok((shaped(py, found.values, &shape)?, shaped(py, found.deviation, &shape)?))
}

/// Mean decrease in impurity, as shares or in units of the impurity.
#[pyfunction]
#[pyo3(name = "mdi")]
pub fn decrease_in_impurity<'py>(
    py: Python<'py>,
    model: &Model,
    groups: GroupsOfFeatures,
    scale: &str,
    run: Run,
) -> PyResult<Pair<'py>> {
    let scale = MdiScale::from_name(scale).map_err(exception)?;
    let (content, groups) = (model.content(), groups_of(groups)?);
    arrays(py, run.call(py, |_| mdi::mdi(&content.ensemble, &groups, scale))?)
}

/// The keywords of `lmdi.MDIPlus`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct MdiPlusKeywords {
    glm: Option<String>,
    alphas: Option<Vec<f64>>,
    l1_ratio: Option<Vec<f64>>,
    epsilon: f64,
    include_raw: bool,
    above_constant: bool,
    trim: f64,
    folds: usize,
    tolerance: f64,
    max_iterations: usize,
}

impl MdiPlusKeywords {
    fn options(self, response: &Response<'_>) -> PyResult<MdiPlusOptions<'static>> {
        let mut options = MdiPlusOptions::for_response(response);
        if let Some(name) = &self.glm {
            options = options.with_model(MdiPlusModel::from_name(name).map_err(exception)?);
        }
        if let MdiPlusGlm::Huber { epsilon } = &mut options.glm {
            *epsilon = self.epsilon;
        }
        match (&mut options.penalty, self.alphas, self.l1_ratio) {
            (_, None, None) => {}
            (MdiPlusPenalty::Ridge { alphas }, Some(given), None) => *alphas = given,
            (MdiPlusPenalty::ElasticNet { l1_ratios }, None, Some(given)) => *l1_ratios = given,
            (_, _, Some(given)) => {
                let found = format!("{given:?}");
                return Err(invalid("l1_ratio", found, "no value unless glm is elastic_net"));
            }
            (_, Some(given), None) => {
                let expected = "no value beside ols and elastic_net";
                return Err(invalid("alphas", format!("{given:?}"), expected));
            }
        }
        Ok(options
            .with_include_raw(self.include_raw)
            .with_above_constant(self.above_constant)
            .with_trim(self.trim)
            .with_folds(self.folds)
            .with_tolerance(self.tolerance)
            .with_max_iterations(self.max_iterations))
    }
}

/// MDI+ on the rows that the forest was trained on.
#[pyfunction]
#[pyo3(name = "mdi_plus")]
#[expect(clippy::too_many_arguments, reason = "what a fit needs, passed by Python in order")]
pub fn partial_predictions<'py>(
    py: Python<'py>,
    model: &Model,
    x: Table<'py>,
    y: Responses<'py>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    groups: GroupsOfFeatures,
    keywords: MdiPlusKeywords,
    metric: ChosenMetric,
    run: Run,
) -> PyResult<Pair<'py>> {
    let (content, groups) = (model.content(), groups_of(groups)?);
    let weights = weight_slice(&weights)?;
    let set = TrainingSet { weights, ..TrainingSet::new(x.view()?, y.response()?) };
    let options = keywords.options(&set.y)?;
    let found = metric.with(py, &run, options.metric, |metric, monitor| {
        let options = options.with_metric(metric);
        mdi_plus::mdi_plus(&content.ensemble, &set, &groups, &options, monitor)
    })?;
    arrays(py, found)
}

/// Loss of quality when a column is shuffled: of the whole model on given rows, or out of bag.
#[pyfunction]
#[pyo3(name = "permutation")]
#[expect(clippy::too_many_arguments, reason = "what it needs, passed by Python in order")]
pub fn shuffled<'py>(
    py: Python<'py>,
    model: &Model,
    x: Table<'py>,
    y: Responses<'py>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    groups: GroupsOfFeatures,
    out_of_bag: bool,
    repeats: usize,
    seed: u64,
    metric: ChosenMetric,
    run: Run,
) -> PyResult<Pair<'py>> {
    let (content, groups) = (model.content(), groups_of(groups)?);
    let weights = weight_slice(&weights)?;
    let set = TrainingSet { weights, ..TrainingSet::new(x.view()?, y.response()?) };
    let default = PermutationOptions::for_response(&set.y);
    let measure = if out_of_bag { permutation_out_of_bag } else { permutation::permutation };
    let found = metric.with(py, &run, default.metric, |metric, monitor| {
        let options = PermutationOptions::new(metric).with_repeats(repeats).with_seed(seed);
        measure(&content.ensemble, &set, &groups, &options, monitor)
    })?;
    arrays(py, found)
}
