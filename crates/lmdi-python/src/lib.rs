//! The compiled half of the Python package `lmdi`: arrays in, arrays out.
//!
//! Everything a user sees (reading models and tables, names, labels, plots) is Python, beside this
//! crate in `python/lmdi`; here is only what turns its arrays into the types of the library.
//!
//! | file | what |
//! |---|---|
//! | `boundary/arrays`, `frames` | borrowed matrices, responses and tables with text; returned arrays |
//! | `boundary/run` | work without the interpreter's lock: threads, Ctrl-C, progress |
//! | `boundary/errors`, `scales` | the library's errors as exceptions, and its scales by name |
//! | `model`, `model/tree_arrays` | an ensemble, from arrays |
//! | `model/foreign` | models of XGBoost, LightGBM and CatBoost |
//! | `model/samples` | whether a table is the one that a forest drew from |
//! | `model/schema` | how a table with text becomes a matrix, learned for our learners |
//! | `model/encode` | tables with text, for models that were trained on such |
//! | `model/train` | our learners |
//! | `methods/lmdi_plus`, `options` | LMDI+ |
//! | `methods/streamed` | LMDI+ on rows that come in batches |
//! | `methods/local` | the other local methods |
//! | `methods/global`, `metric` | the global methods, and what they measure by |
//! | `methods/predicted` | the model's predictions, and how much of them scores explain |
//! | `file` | model files |
//! | `analyses` | analyses of scores |
//! | `command` | the command `lmdi` |
//!
//! A method is one class that takes a [`model::Model`] and returns scores through
//! [`boundary::arrays::score_arrays`].

mod analyses;
mod boundary;
mod command;
mod file;
mod methods;
mod model;

use methods::{global, lmdi_plus, local, predicted, streamed};
use model::{encode, foreign, samples, schema, train};

use lmdi_memory::Limited;
use pyo3::prelude::*;

/// Every tree's fit takes a few megabytes and gives them back; the system's allocator would return them
/// to the system each time, and fetch them again page by page. The command keeps a limit.
#[global_allocator]
static ALLOCATOR: Limited<mimalloc::MiMalloc> = Limited(mimalloc::MiMalloc);

#[pymodule]
fn _lmdi(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("LOW_FIDELITY", lmdi::importance::lmdi_plus::LOW_FIDELITY)?;
    module.add_function(wrap_pyfunction!(command::command, module)?)?;
    module.add_class::<model::Model>()?;
    module.add_function(wrap_pyfunction!(file::read_model_file, module)?)?;
    module.add_class::<lmdi_plus::LmdiPlusExplainer>()?;
    module.add_class::<streamed::StreamedFit>()?;
    module.add_class::<streamed::PassStatistics>()?;
    module.add_function(wrap_pyfunction!(streamed::hash_keys, module)?)?;
    module.add_class::<local::LocalExplainer>()?;
    module.add_class::<schema::LearnedSchema>()?;
    module.add_function(wrap_pyfunction!(schema::learn_schema, module)?)?;
    module.add_function(wrap_pyfunction!(local::tree_shap_interactions, module)?)?;
    module.add_function(wrap_pyfunction!(global::decrease_in_impurity, module)?)?;
    module.add_function(wrap_pyfunction!(global::partial_predictions, module)?)?;
    module.add_function(wrap_pyfunction!(global::shuffled, module)?)?;
    module.add_function(wrap_pyfunction!(encode::encode, module)?)?;
    module.add_function(wrap_pyfunction!(foreign::read_foreign, module)?)?;
    module.add_function(wrap_pyfunction!(foreign::foreign_node_ids, module)?)?;
    module.add_function(wrap_pyfunction!(predicted::fidelity, module)?)?;
    module.add_function(wrap_pyfunction!(predicted::predicted, module)?)?;
    module.add_function(wrap_pyfunction!(samples::drew_from, module)?)?;
    module.add_function(wrap_pyfunction!(train::train_forest, module)?)?;
    module.add_function(wrap_pyfunction!(train::train_boosting, module)?)?;
    module.add_function(wrap_pyfunction!(analyses::counterfactuals, module)?)?;
    module.add_function(wrap_pyfunction!(analyses::subgroups, module)?)?;
    module.add_function(wrap_pyfunction!(analyses::stability, module)?)?;
    Ok(())
}
