//! Our learners: forests, extra-trees and gradient boosting.

use crate::boundary::arrays::{Responses, Table, weight_slice};
use crate::boundary::errors::exception;
use crate::boundary::run::Run;
use crate::model::Model;
use crate::model::schema::LearnedSchema;
use lmdi::Error;
use lmdi::file::{Metadata, Model as Content};
use lmdi::forest::Ensemble;
use lmdi::forest::train::{
    BoostingParams, Criterion, EarlyStopping, ForestParams, MaxFeatures, MaxSamples, SplitFinder,
    TrainingSet,
};
use lmdi::monitor::Monitor;
use lmdi::named::Named;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// A count or a share.
#[derive(FromPyObject, Clone, Copy)]
pub enum Amount {
    /// So many.
    #[pyo3(transparent)]
    Count(usize),
    /// This share.
    #[pyo3(transparent)]
    Share(f64),
}

/// `None` is every column.
fn max_features(amount: Option<Amount>) -> MaxFeatures {
    match amount {
        None => MaxFeatures::All,
        Some(Amount::Count(count)) => MaxFeatures::Count(count),
        Some(Amount::Share(share)) => MaxFeatures::Fraction(share),
    }
}

/// Parameters of a forest; see [`ForestParams`].
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ForestKeywords {
    n_trees: usize,
    criterion: String,
    max_depth: Option<usize>,
    min_samples_split: usize,
    min_samples_leaf: usize,
    max_leaf_nodes: Option<usize>,
    min_impurity_decrease: f64,
    max_features: Option<Amount>,
    bootstrap: bool,
    max_samples: Option<Amount>,
    extra_trees: bool,
    seed: u64,
}

/// Parameters of boosting; see [`BoostingParams`].
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct BoostingKeywords {
    n_rounds: usize,
    learning_rate: f64,
    max_depth: Option<usize>,
    min_samples_split: usize,
    min_samples_leaf: usize,
    max_leaf_nodes: Option<usize>,
    max_features: Option<Amount>,
    subsample: f64,
    l2: f64,
    max_bins: usize,
    /// Share held out, patience and tolerance.
    early_stopping: Option<(f64, usize, f64)>,
    seed: u64,
    split_finder: String,
}

/// The table to train on.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct TrainingTable<'py> {
    x: Table<'py>,
    y: Responses<'py>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    feature_names: Vec<String>,
    labels: Vec<String>,
    /// How the matrix came about, for tables with text.
    schema: Option<Py<LearnedSchema>>,
}

impl TrainingTable<'_> {
    fn train(
        &self,
        py: Python<'_>,
        run: &Run,
        seed: u64,
        work: impl FnOnce(&TrainingSet<'_>, &dyn Monitor) -> lmdi::Result<Ensemble> + Send,
    ) -> PyResult<Model> {
        let set = TrainingSet {
            x: self.x.view()?,
            y: self.y.response()?,
            weights: weight_slice(&self.weights)?,
            feature_names: &self.feature_names,
            labels: &self.labels,
        };
        let ensemble = run.call(py, |monitor| work(&set, monitor).map_err(in_keywords))?;
        let metadata = Metadata {
            seed: Some(seed),
            training_rows: Some(set.x.rows() as u64),
            ..Metadata::of_this_library()
        };
        let schema = self.schema.as_ref().map(|learned| learned.get().schema().clone());
        Model::checked(py, Content { metadata, schema, ..Content::new(ensemble) })
    }
}

/// An error about a parameter, under the name of the learners' keyword.
fn in_keywords(error: Error) -> Error {
    match error {
        Error::Parameter { name, found, expected } => {
            let name = match name {
                "n_trees" | "n_rounds" => "n_estimators",
                "l2" => "l2_regularization",
                "patience" => "n_iter_no_change",
                "tolerance" => "tol",
                name => name,
            };
            Error::Parameter { name, found, expected }
        }
        other => other,
    }
}

/// Trains a forest.
#[pyfunction]
pub fn train_forest(
    py: Python<'_>,
    table: TrainingTable<'_>,
    params: ForestKeywords,
    run: Run,
) -> PyResult<Model> {
    let params = ForestParams::regression()
        .with_n_trees(params.n_trees)
        .with_criterion(Criterion::from_name(&params.criterion).map_err(exception)?)
        .with_max_depth(params.max_depth)
        .with_min_samples_split(params.min_samples_split)
        .with_min_samples_leaf(params.min_samples_leaf)
        .with_max_leaf_nodes(params.max_leaf_nodes)
        .with_min_impurity_decrease(params.min_impurity_decrease)
        .with_max_features(max_features(params.max_features))
        .with_bootstrap(params.bootstrap)
        .with_max_samples(params.max_samples.map(|amount| match amount {
            Amount::Count(count) => MaxSamples::Count(count),
            Amount::Share(share) => MaxSamples::Fraction(share),
        }))
        .with_extra_trees(params.extra_trees)
        .with_seed(params.seed)
        .with_split_finder(SplitFinder::Auto);
    table.train(py, &run, params.seed, |set, monitor| {
        lmdi::forest::train::train_forest(set, &params, monitor)
    })
}

/// Trains gradient boosting.
#[pyfunction]
pub fn train_boosting(
    py: Python<'_>,
    table: TrainingTable<'_>,
    params: BoostingKeywords,
    run: Run,
) -> PyResult<Model> {
    let params = BoostingParams::default()
        .with_n_rounds(params.n_rounds)
        .with_learning_rate(params.learning_rate)
        .with_max_depth(params.max_depth)
        .with_min_samples_split(params.min_samples_split)
        .with_min_samples_leaf(params.min_samples_leaf)
        .with_max_leaf_nodes(params.max_leaf_nodes)
        .with_max_features(max_features(params.max_features))
        .with_subsample(params.subsample)
        .with_l2(params.l2)
        .with_max_bins(params.max_bins)
        .with_early_stopping(params.early_stopping.map(
            |(validation_fraction, patience, tolerance)| {
                EarlyStopping::default()
                    .with_validation_fraction(validation_fraction)
                    .with_patience(patience)
                    .with_tolerance(tolerance)
            },
        ))
        .with_seed(params.seed)
        .with_split_finder(SplitFinder::from_name(&params.split_finder).map_err(exception)?);
    table.train(py, &run, params.seed, |set, monitor| {
        lmdi::forest::train::train_boosting(set, &params, monitor)
    })
}
