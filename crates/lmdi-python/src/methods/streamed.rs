//! LMDI+ on rows that come in batches: the sums of a pass, which merge, and the fit that they add up to.

use super::lmdi_plus::LmdiPlusExplainer;
use super::options::Keywords;
use crate::boundary::arrays::{Responses, Table, weight_slice};
use crate::boundary::errors::exception;
use crate::boundary::run::{Run, apart};
use crate::model::Model;
use lmdi::file::Model as Content;
use lmdi::importance::lmdi_plus::streaming::{
    PassStatistics as Sums, SolvedTrees, StreamedFit as Fit, StreamedRows,
};
use lmdi::table::hash_key;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, PoisonError, RwLock};

/// The sums of one pass over rows.
#[pyclass(module = "lmdi._lmdi")]
pub struct PassStatistics {
    sums: Sums,
}

#[pymethods]
impl PassStatistics {
    /// Adds the sums of other rows of the same pass.
    fn merge(&mut self, other: &Self) -> PyResult<()> {
        self.sums.merge(&other.sums).map_err(exception)
    }

    /// Number of rows summed up.
    #[getter]
    fn n_rows(&self) -> u64 {
        self.sums.rows()
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.sums.to_bytes().map_err(exception)?))
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self { sums: Sums::from_bytes(bytes).map_err(exception)? })
    }

    /// The sums tree by tree, as bytes, with the number of the tree; -1 for those of the first pass.
    fn split<'py>(&self, py: Python<'py>) -> PyResult<Vec<(i64, Bound<'py, PyBytes>)>> {
        let parts = self.sums.clone().split();
        let packed = |part: Sums| {
            let tree = part.first_tree().map_or(-1, |tree| tree as i64);
            Ok((tree, PyBytes::new(py, &part.to_bytes().map_err(exception)?)))
        };
        parts.into_iter().map(packed).collect()
    }
}

/// A fit of LMDI+, pass by pass. Threads may sum up rows at the same time.
#[pyclass(frozen, module = "lmdi._lmdi")]
pub struct StreamedFit {
    content: Arc<Content>,
    /// Locked only by threads that do not hold the interpreter's lock meanwhile, or do not wait for it.
    fit: RwLock<Option<Fit>>,
    options: String,
}

impl StreamedFit {
    fn read<T>(&self, work: impl FnOnce(&Fit) -> lmdi::Result<T>) -> lmdi::Result<T> {
        let lock = self.fit.read().unwrap_or_else(PoisonError::into_inner);
        lock.as_ref().ok_or_else(is_finished).and_then(work)
    }

    fn change<T>(&self, work: impl FnOnce(&mut Fit) -> lmdi::Result<T>) -> lmdi::Result<T> {
        let mut lock = self.fit.write().unwrap_or_else(PoisonError::into_inner);
        lock.as_mut().ok_or_else(is_finished).and_then(work)
    }
}

fn is_finished() -> lmdi::Error {
    lmdi::Error::Data("this fit has given its explainer; start another".into())
}

#[pymethods]
impl StreamedFit {
    /// Plans a fit whose sums take at most `budget` bytes.
    #[new]
    fn new(
        py: Python<'_>,
        model: &Model,
        keywords: Keywords,
        budget: usize,
        options: String,
    ) -> PyResult<Self> {
        let content = model.content();
        let chosen = keywords.options(&content.ensemble).map_err(exception)?;
        let fit = apart(py, || {
            let mut ensemble = content.ensemble.clone();
            // A stream does not know the rows that trees were grown on.
            ensemble.trees.iter_mut().for_each(|tree| tree.in_bag = None);
            Fit::within_budget(ensemble, &chosen, budget)
        })?;
        Ok(Self { content, fit: RwLock::new(Some(fit)), options })
    }

    #[getter]
    fn n_passes(&self) -> PyResult<Option<usize>> {
        self.read(|fit| Ok(fit.n_passes())).map_err(exception)
    }

    #[getter]
    fn passes_done(&self) -> PyResult<usize> {
        self.read(|fit| Ok(fit.passes_done())).map_err(exception)
    }

    #[getter]
    fn is_finished(&self) -> PyResult<bool> {
        self.read(|fit| Ok(fit.is_finished())).map_err(exception)
    }

    /// Bytes that the sums of the largest tree take.
    #[getter]
    fn largest_sums(&self) -> PyResult<usize> {
        self.read(|fit| Ok(fit.largest_sums())).map_err(exception)
    }

    /// Statistics of no rows for the present pass.
    fn statistics(&self) -> PyResult<PassStatistics> {
        self.read(|fit| Ok(PassStatistics { sums: fit.statistics() })).map_err(exception)
    }

    /// Sums up rows. `hashes` say which fold each row is in; without them its cells do.
    #[expect(clippy::too_many_arguments, reason = "what rows are, passed by Python in order")]
    fn accumulate(
        &self,
        py: Python<'_>,
        statistics: &mut PassStatistics,
        x: Table<'_>,
        y: Responses<'_>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        hashes: Option<PyReadonlyArray1<'_, u64>>,
        run: Run,
    ) -> PyResult<()> {
        let (x, response, weights) = (x.view()?, y.response()?, weight_slice(&weights)?);
        let hashes = hashes.as_ref().map(|hashes| hashes.as_slice()).transpose()?;
        let rows = StreamedRows { x, response, weights, hashes };
        let sums = &mut statistics.sums;
        run.call(py, |_| self.read(|fit| fit.accumulate(sums, &rows)))
    }

    /// What the statistics of all rows come to, as bytes; those of single trees can be solved apart.
    fn solve<'py>(
        &self,
        py: Python<'py>,
        statistics: &PassStatistics,
        run: Run,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let sums = &statistics.sums;
        let solved = run.call(py, |_| self.read(|fit| fit.solve(sums)?.to_bytes()))?;
        Ok(PyBytes::new(py, &solved))
    }

    /// Ends the pass with what the parts of its statistics came to.
    fn advance(&self, py: Python<'_>, solved: Vec<Vec<u8>>) -> PyResult<()> {
        apart(py, || {
            let parts = solved.iter().map(|bytes| SolvedTrees::from_bytes(bytes));
            let parts = parts.collect::<lmdi::Result<_>>()?;
            self.change(|fit| fit.advance(parts))
        })
    }

    /// How far the fit is, as bytes.
    fn progress<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &apart(py, || self.read(Fit::progress_to_bytes))?))
    }

    /// Goes on from where a fit of the same model and keywords is.
    fn restore(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        apart(py, || self.change(|fit| fit.restore_from_bytes(bytes)))
    }

    /// The explainer, once all passes are done.
    fn finish(&self, py: Python<'_>) -> PyResult<LmdiPlusExplainer> {
        let fitted = apart(py, || {
            let mut lock = self.fit.write().unwrap_or_else(PoisonError::into_inner);
            let fit = lock.take().ok_or_else(is_finished)?;
            if fit.is_finished() {
                return fit.finish();
            }
            let left = fit.passes_left();
            *lock = Some(fit);
            Err(lmdi::Error::Data(left))
        })?;
        Ok(LmdiPlusExplainer::fitted(self.content.clone(), fitted, self.options.clone()))
    }
}

/// The hash of each key, by which folds go.
#[pyfunction]
pub fn hash_keys<'py>(py: Python<'py>, keys: Vec<String>) -> Bound<'py, PyArray1<u64>> {
    let hashes: Vec<u64> = keys.iter().map(|key| hash_key(key.as_bytes())).collect();
    hashes.into_pyarray(py)
}
