//! Model files: a model and, where there is one, its explainer.

use crate::boundary::run::apart;
use crate::methods::lmdi_plus::LmdiPlusExplainer;
use crate::model::Model;
use lmdi::file::Model as Content;
use pyo3::prelude::*;

/// A model and its fitted explainer, if any, from the bytes of a model file.
#[pyfunction]
pub fn read_model_file(
    py: Python<'_>,
    bytes: &[u8],
) -> PyResult<(Model, Option<LmdiPlusExplainer>)> {
    apart(py, || {
        let mut content = Content::from_bytes(bytes)?;
        let explainer = content.explainer.take();
        let model = Model::of(content);
        let explainer = explainer
            .map(|explainer| LmdiPlusExplainer::restored(model.content(), explainer))
            .transpose()?;
        Ok((model, explainer))
    })
}
