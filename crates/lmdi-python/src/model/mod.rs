//! A tree ensemble, ready for prediction and for every method.

pub mod encode;
pub mod foreign;
pub mod samples;
pub mod schema;
pub mod train;
mod tree_arrays;

use crate::boundary::arrays::{Cube, Table, shaped};
use crate::boundary::errors::exception;
use crate::boundary::run::{Run, apart};
use lmdi::Error;
use lmdi::file::{Metadata, Model as Content};
use lmdi::forest::decision::class_of;
use lmdi::forest::{
    Aggregation, ClassWeights, Ensemble, Growth, InBag, Link, Loss, Outcome, Predictor,
};
use lmdi::table::{Encoding, Schema};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, OnceLock};
use tree_arrays::TreeArrays;

/// An ensemble with what its file says about it.
#[pyclass(frozen, module = "lmdi._lmdi")]
pub struct Model {
    content: Arc<Content>,
    predictor: OnceLock<Predictor>,
}

impl Model {
    /// Takes a model without an explainer.
    pub fn of(content: Content) -> Self {
        Self { content: Arc::new(content), predictor: OnceLock::new() }
    }

    /// Takes a model without an explainer, if it is sound.
    pub fn checked(py: Python<'_>, content: Content) -> PyResult<Self> {
        apart(py, || content.check().map(|()| Self::of(content)))
    }

    /// Shares the model.
    pub fn content(&self) -> Arc<Content> {
        Arc::clone(&self.content)
    }

    fn ensemble(&self) -> &Ensemble {
        &self.content.ensemble
    }

    fn predictor(&self) -> &Predictor {
        self.predictor.get_or_init(|| Predictor::new(self.ensemble()))
    }
}

#[pymethods]
impl Model {
    /// An ensemble from the arrays of its trees, checked. Without a learning rate the trees are averaged.
    #[staticmethod]
    #[pyo3(signature = (*, feature_names, classes, trees, output_of_tree, base_score, learning_rate,
        link, growth, loss, producer, levels))]
    #[expect(clippy::too_many_arguments, reason = "the parts of an ensemble, named in Python")]
    fn from_arrays(
        py: Python<'_>,
        feature_names: Vec<String>,
        classes: Option<Vec<String>>,
        trees: Vec<TreeArrays<'_>>,
        output_of_tree: Vec<u32>,
        base_score: Vec<f64>,
        learning_rate: Option<f64>,
        link: &str,
        growth: &str,
        loss: &str,
        producer: String,
        levels: Vec<(usize, Vec<String>)>,
    ) -> PyResult<Self> {
        let trees: Vec<_> = trees.iter().map(TreeArrays::tree).collect::<PyResult<_>>()?;
        let ensemble = Ensemble {
            feature_names,
            trees,
            output_of_tree,
            n_outputs: base_score.len(),
            aggregation: match learning_rate {
                Some(learning_rate) => Aggregation::Sum { learning_rate },
                None => Aggregation::Mean,
            },
            base_score,
            link: link_named(link)?,
            growth: growth_named(growth, loss)?,
            outcome: classes.map_or(Outcome::Number, Outcome::Classes),
            class_weights: ClassWeights::Equal,
        };
        let schema = schema_with(&ensemble, levels)?;
        let metadata = Metadata { producer, ..Metadata::default() };
        Self::checked(py, Content { metadata, schema, ..Content::new(ensemble) })
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>, json: bool) -> PyResult<Bound<'py, PyBytes>> {
        file_bytes(py, &self.content, json)
    }

    /// The same model with other names for its classes.
    fn relabelled(&self, py: Python<'_>, classes: Vec<String>) -> PyResult<Self> {
        let mut content = (*self.content).clone();
        content.ensemble.outcome = Outcome::Classes(classes);
        Self::checked(py, content)
    }

    /// The same model, trained with these weights per class; `None` stands for weights that balance the
    /// numbers of rows.
    fn with_class_weights(&self, py: Python<'_>, weights: Option<Vec<f64>>) -> PyResult<Self> {
        let mut content = (*self.content).clone();
        content.ensemble.class_weights =
            weights.map_or(ClassWeights::Balanced, ClassWeights::Given);
        Self::checked(py, content)
    }

    /// The same model, trained by an objective of which only the trees are of use.
    fn with_other_loss(&self, py: Python<'_>) -> PyResult<Self> {
        let mut content = (*self.content).clone();
        content.ensemble.growth = match content.ensemble.growth {
            Growth::Independent | Growth::FirstOrder(_) => Growth::FirstOrder(Loss::Other),
            Growth::SecondOrder(_) => Growth::SecondOrder(Loss::Other),
            Growth::Shrunk { trees_per_round, .. } => {
                Growth::Shrunk { loss: Loss::Other, trees_per_round }
            }
        };
        Self::checked(py, content)
    }

    /// The same model with other names for its columns.
    fn renamed(&self, py: Python<'_>, feature_names: Vec<String>) -> PyResult<Self> {
        let mut content = (*self.content).clone();
        if let Some(schema) = &mut content.schema {
            for (column, name) in schema.columns.iter_mut().zip(&feature_names) {
                column.name.clone_from(name);
            }
        }
        content.ensemble.feature_names = feature_names;
        Self::checked(py, content)
    }

    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.ensemble().feature_names.clone()
    }

    #[getter]
    fn classes(&self) -> Option<Vec<String>> {
        match &self.ensemble().outcome {
            Outcome::Number => None,
            Outcome::Classes(labels) => Some(labels.clone()),
        }
    }

    /// Of two classes: the probability of the second from which on it is predicted.
    #[getter]
    fn threshold(&self) -> Option<f64> {
        self.content.threshold
    }

    /// The class that each row's probabilities mean.
    fn decide(&self, probabilities: PyReadonlyArray1<'_, f64>) -> PyResult<Vec<usize>> {
        let width = self.ensemble().n_predictions();
        let rows = probabilities.as_slice()?.chunks_exact(width.max(1));
        Ok(rows.map(|row| class_of(row, self.content.threshold).unwrap_or(0)).collect())
    }

    /// Names of the columns that are read of a table, for a model of ours that chose them itself;
    /// categories by code are those of other libraries.
    #[getter]
    fn table_columns(&self) -> Option<Vec<String>> {
        let columns = &self.content.schema.as_ref()?.columns;
        let coded = columns.iter().any(|column| matches!(column.encoding, Encoding::Codes(_)));
        (!coded).then(|| columns.iter().map(|column| column.name.clone()).collect())
    }

    /// How the cells of columns are written that are no plain numbers.
    #[getter]
    fn formats(&self) -> Vec<(String, String)> {
        let schema = self.content.schema.iter();
        let formats = schema.flat_map(|schema| &schema.reading.formats);
        formats.map(|known| (known.name.clone(), known.format.name())).collect()
    }

    /// Names of the columns that are read of a table, for a model that turns some of them into several matrix columns.
    #[getter]
    fn input_columns(&self) -> Option<Vec<String>> {
        let schema = self.content.schema.as_ref()?;
        let plain = |encoding: &Encoding| matches!(encoding, Encoding::Number | Encoding::Codes(_));
        let all_plain = schema.columns.iter().all(|column| plain(&column.encoding));
        (!all_plain).then(|| schema.columns.iter().map(|column| column.name.clone()).collect())
    }

    /// For each matrix column the place of the table's column that it comes from.
    #[getter]
    fn origins(&self) -> Option<Vec<usize>> {
        self.content.schema.as_ref().map(Schema::origins)
    }

    /// The names of the categories of each column that is read as codes.
    #[getter]
    fn levels(&self) -> Vec<(usize, Vec<String>)> {
        let columns = self.content.schema.iter().flat_map(|schema| &schema.columns);
        columns
            .enumerate()
            .filter_map(|(at, column)| match &column.encoding {
                Encoding::Codes(levels) => Some((at, levels.clone())),
                _ => None,
            })
            .collect()
    }

    #[getter]
    fn n_features(&self) -> usize {
        self.ensemble().n_features()
    }

    #[getter]
    fn n_trees(&self) -> usize {
        self.ensemble().trees.len()
    }

    /// The program that made the model.
    #[getter]
    fn producer(&self) -> &str {
        &self.content.metadata.producer
    }

    /// Whether every tree tells which training rows it was grown on.
    #[getter]
    fn knows_samples(&self) -> bool {
        self.ensemble().trees.iter().all(|tree| tree.in_bag.is_some())
    }

    /// How many rows the bootstraps were drawn from, if a tree tells.
    #[getter]
    fn n_training_rows(&self) -> Option<usize> {
        self.ensemble().trees.iter().find_map(|tree| tree.in_bag.as_ref()).map(InBag::len)
    }

    /// Whether trees build on one another.
    #[getter]
    fn is_boosted(&self) -> bool {
        self.ensemble().is_boosted()
    }

    /// Whether it is known what the trees were fitted to, so that LMDI+ can refit them.
    #[getter]
    fn has_target(&self) -> bool {
        self.ensemble().growth.loss() != Some(Loss::Other)
    }

    /// Whether the rows of some classes counted more than others in training.
    #[getter]
    fn has_class_weights(&self) -> bool {
        !matches!(self.ensemble().class_weights, ClassWeights::Equal)
    }

    /// How often each training row was drawn into a tree, if the tree tells.
    fn in_bag_counts(&self, tree: usize) -> PyResult<Option<Vec<u32>>> {
        let trees = &self.ensemble().trees;
        let tree = trees.get(tree).ok_or_else(|| {
            pyo3::exceptions::PyIndexError::new_err(format!("there are {} trees", trees.len()))
        })?;
        Ok(tree.in_bag.as_ref().map(|bag| (0..bag.len()).map(|row| bag.count(row)).collect()))
    }

    /// One tree as a model of its own.
    fn tree(&self, py: Python<'_>, at: usize) -> PyResult<Self> {
        let whole = self.ensemble();
        let Some(tree) = whole.trees.get(at) else {
            let count = whole.trees.len();
            return Err(pyo3::exceptions::PyIndexError::new_err(format!(
                "there are {count} trees"
            )));
        };
        let ensemble = Ensemble {
            trees: vec![tree.clone()],
            output_of_tree: whole.output_of_tree.get(at).copied().into_iter().collect(),
            feature_names: whole.feature_names.clone(),
            base_score: whole.base_score.clone(),
            outcome: whole.outcome.clone(),
            class_weights: whole.class_weights.clone(),
            ..*whole
        };
        let (schema, metadata) = (self.content.schema.clone(), self.content.metadata.clone());
        Self::checked(py, Content { schema, metadata, ..Content::new(ensemble) })
    }

    /// What the trees that did not see a training row predict for it: `(rows, outputs)`, NaN for rows that all
    /// trees saw.
    fn oob_prediction<'py>(&self, py: Python<'py>, x: Table<'py>, run: Run) -> PyResult<Cube<'py>> {
        let view = x.view()?;
        let found =
            run.call(py, |monitor| lmdi::forest::oob_prediction(self.ensemble(), &view, monitor))?;
        shaped(py, found.prediction, &[view.rows(), self.ensemble().n_outputs])
    }

    /// The leaf of each row in each tree.
    fn apply<'py>(
        &self,
        py: Python<'py>,
        x: Table<'py>,
        run: Run,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let view = x.view()?;
        let leaves = run.call(py, |monitor| self.ensemble().apply(&view, monitor))?;
        let array = Array2::from_shape_vec((view.rows(), self.n_trees()), leaves)
            .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))?;
        Ok(array.into_pyarray(py))
    }

    /// Raw outputs: `(rows, outputs)`.
    fn predict_raw<'py>(&self, py: Python<'py>, x: Table<'py>, run: Run) -> PyResult<Cube<'py>> {
        let view = x.view()?;
        let raw = run.call(py, |monitor| self.predictor().predict_raw(&view, monitor))?;
        shaped(py, raw, &[view.rows(), self.ensemble().n_outputs])
    }

    /// Predictions: `(rows, 1)`, or the probability of every class.
    fn predict<'py>(&self, py: Python<'py>, x: Table<'py>, run: Run) -> PyResult<Cube<'py>> {
        let view = x.view()?;
        let prediction = run.call(py, |monitor| self.predictor().predict(&view, monitor))?;
        shaped(py, prediction, &[view.rows(), self.ensemble().n_predictions()])
    }
}

/// The bytes of a model file, binary or JSON.
pub fn file_bytes<'py>(
    py: Python<'py>,
    content: &Content,
    json: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = apart(py, || if json { content.to_json() } else { content.to_bytes() })?;
    Ok(PyBytes::new(py, &bytes))
}

/// Numbers, and codes of the named levels; no schema where all is numbers.
fn schema_with(ensemble: &Ensemble, levels: Vec<(usize, Vec<String>)>) -> PyResult<Option<Schema>> {
    if levels.is_empty() {
        return Ok(None);
    }
    let mut schema = Schema::numeric(ensemble.feature_names.iter().cloned());
    for (at, levels) in levels {
        let column = schema.columns.get_mut(at).ok_or_else(|| {
            exception(Error::Model(format!("there is no column {at} to have categories")))
        })?;
        column.encoding = Encoding::Codes(levels);
    }
    Ok(Some(schema))
}

fn link_named(name: &str) -> PyResult<Link> {
    match name {
        "identity" => Ok(Link::Identity),
        "logit" => Ok(Link::Logit),
        "softmax" => Ok(Link::Softmax),
        "log" => Ok(Link::Log),
        _ => Err(unknown("link", name)),
    }
}

fn growth_named(growth: &str, loss: &str) -> PyResult<Growth> {
    if growth == "independent" {
        return Ok(Growth::Independent);
    }
    let loss = match loss {
        "squared_error" => Loss::SquaredError,
        "logistic" => Loss::Logistic,
        "multinomial" => Loss::Multinomial,
        "poisson" => Loss::Poisson,
        "gamma" => Loss::Gamma,
        "other" => Loss::Other,
        _ => return Err(unknown("loss", loss)),
    };
    match growth {
        "first_order" => Ok(Growth::FirstOrder(loss)),
        "second_order" => Ok(Growth::SecondOrder(loss)),
        "shrunk" => Ok(Growth::Shrunk { loss, trees_per_round: 1 }),
        _ => Err(unknown("growth", growth)),
    }
}

fn unknown(what: &str, name: &str) -> PyErr {
    exception(Error::Model(format!("there is no {what} called {name:?}")))
}
