//! A study from a model file: what `score`, `counterfactual`, `subgroups`, `plot` and `importance`
//! start from.
//!
//! The explainer is the one that the file keeps, or that of a method that fits nothing.

use super::model_file;
use super::tables::TableReader;
use crate::flags::invalid;
use crate::flags::method::MethodFlags;
use crate::process::console;
use crate::process::progress::Bars;
use anyhow::{Context, Result, bail};
use lmdi::explanation::Grouping;
use lmdi::importance::Method;
use lmdi::importance::lmdi_plus::LmdiPlusOptions;
use lmdi::study::{ExplainOptions, Explained, Sample, Study, schema_of};
use lmdi::table::Task;
use lmdi::text::counted;
use lmdi_io::printable::printable;
use lmdi_io::read::CellType;
use std::path::Path;
use std::sync::Arc;

/// Reads a model and its explainer, unless a method is chosen that needs none.
pub fn load(path: &Path, flags: &MethodFlags, reader: &TableReader) -> Result<Study> {
    if flags.method == Method::Maple {
        return Err(invalid(
            "method",
            "maple, which learns from training rows",
            "lmdi explain TRAINING_ROWS --model MODEL --method maple --test DATA",
        ));
    }
    flags.check_background()?;
    let model = model_file::load(path)?;
    let schema = schema_of(&model);
    if flags.is_lmdi_plus() {
        return match Study::kept(model, schema) {
            Some(study) => Ok(study?),
            None => bail!(
                "{}: the model has no explainer; make one with `lmdi explain DATA --model MODEL --save MODEL`, or \
                 choose a method that fits nothing, such as --method tree-shap",
                printable(&path.display().to_string())
            ),
        };
    }
    let options = flags.options(&schema, LmdiPlusOptions::default(), reader)?;
    Ok(Study::fit(model, schema, &options, None, &Bars)?)
}

/// Reads a table and explains its rows, column by column, beside the model's own predictions. The
/// target is read where the table has it.
pub fn explain(study: &Study, data: &Path, reader: &TableReader) -> Result<Explained> {
    let target = study.schema.target.as_ref();
    let more: Vec<_> = target
        .map(|target| {
            let cells = (target.task == Task::Regression).then_some(CellType::Number);
            (target.name.as_str(), cells)
        })
        .into_iter()
        .collect();
    let mut rows = reader.rows(data, &study.schema, &[], &more, Sample::Unspecified)?;
    if let Some(target) = target {
        let name = rows.table.name.clone();
        let missing;
        (rows, missing) = rows.with_complete_target(target).with_context(|| name.clone())?;
        if missing > 0 {
            console::note(format!(
                "{name}: {} without a value of {}; errors are not measured",
                counted(missing, "row"),
                printable(&target.name)
            ));
        }
    }
    let options = ExplainOptions {
        model_predictions: true,
        ..ExplainOptions::scores_of(Grouping::columns(&study.schema)?)
    };
    Ok(study.explain(Arc::new(rows), &options, &Bars)?)
}
