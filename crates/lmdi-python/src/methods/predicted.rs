//! What a model predicts beside its scores, and how much of that scores explain.

use crate::boundary::arrays::{Cube, Table, shaped};
use crate::boundary::run::Run;
use crate::boundary::scales::scale_named;
use crate::model::Model;
use lmdi::explanation::{Fidelity, ModelPredictions, PredictedBy};
use lmdi::forest::decision::class_of;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// `(predictions, on the scale of scores, the same by all trees, trees per row)`: the last two are given
/// where rows are predicted out of bag.
type Predicted<'py> = (Cube<'py>, Cube<'py>, Option<Cube<'py>>, Option<f64>);

/// The model's predictions: `(rows, 1)` or the probability of every class, and `(rows, outputs)` on the
/// scale of scores. Training rows, known by their leaves, are predicted out of bag where the model can.
#[pyfunction]
pub fn predicted<'py>(
    py: Python<'py>,
    model: &Model,
    x: Table<'py>,
    scale: &str,
    n_outputs: usize,
    run: Run,
) -> PyResult<Predicted<'py>> {
    let (content, view, scale) = (model.content(), x.view()?, scale_named(scale)?);
    let ensemble = &content.ensemble;
    let (found, by_all) = run.call(py, |monitor| {
        let found = ModelPredictions::of(ensemble, &view, false, monitor)?;
        let by_all = match found.by {
            PredictedBy::AllTrees => None,
            PredictedBy::OutOfBag { trees, .. } => {
                let by_all = found.by_all_trees(ensemble);
                Some((by_all.on_scale(ensemble, scale, n_outputs), trees))
            }
        };
        Ok((found, by_all))
    })?;
    let outputs = [view.rows(), n_outputs];
    let (by_all, trees) = by_all.unzip();
    Ok((
        shaped(py, found.values.clone(), &[view.rows(), ensemble.n_predictions()])?,
        shaped(py, found.on_scale(ensemble, scale, n_outputs), &outputs)?,
        by_all.map(|cells| shaped(py, cells, &outputs)).transpose()?,
        trees,
    ))
}

/// Rows, share, slope, share of rows with the same class, and whether the share is low.
type FoundFidelity = (usize, f64, f64, Option<f64>, bool);

/// The fidelity of sums on a scale of scores to predictions, both row by row; none where predictions do
/// not vary.
#[pyfunction]
pub fn fidelity(
    predictions: PyReadonlyArray1<'_, f64>,
    width: usize,
    explained: PyReadonlyArray1<'_, f64>,
    n_outputs: usize,
    scale: &str,
    threshold: Option<f64>,
) -> PyResult<Option<FoundFidelity>> {
    let scale = scale_named(scale)?;
    let totals = explained.as_slice()?.chunks_exact(n_outputs.max(1));
    let explained: Vec<f64> =
        totals.flat_map(|totals| scale.prediction_of(totals, width == 2)).collect();
    let found = Fidelity::measure(predictions.as_slice()?, &explained, width, |shares| {
        class_of(shares, threshold)
    });
    Ok(found.map(|of| (of.n_rows, of.share, of.slope, of.same_class, of.is_low())))
}
