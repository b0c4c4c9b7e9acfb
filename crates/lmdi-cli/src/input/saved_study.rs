//! A study from a model file: what `score`, `counterfactual`, `subgroups`, `plot` and `importance`
//! start from.
//!
//! The explainer is the one in the file, or that of a method that fits nothing.

use super::model_file;
use super::tables::TableReader;
use crate::flags::invalid;
use crate::flags::method::MethodFlags;
use crate::flags::result::{keyed, read_with};
use crate::output::destination::Files;
use crate::process::progress::Bars;
use anyhow::{Result, bail};
use lmdi::explanation::Grouping;
use lmdi::file::Model;
use lmdi::importance::Method;
use lmdi::importance::lmdi_plus::LmdiPlusOptions;
use lmdi::study::{ExplainOptions, Explained, Study, schema_of};
use lmdi_io::printable::printable;
use std::path::Path;
use std::sync::Arc;

/// The files that are read.
pub fn files<'a>(model: &'a Path, data: &'a Path, flags: &'a MethodFlags) -> Files<'a> {
    Files::default()
        .reading("DATA", Some(data))
        .reading("MODEL", Some(model))
        .reading("--background", flags.others.background.as_deref())
}

/// Fails on methods that a model file and a table are not enough for.
pub fn check(flags: &MethodFlags) -> Result<()> {
    if flags.method == Method::Maple {
        return Err(invalid(
            "method",
            "maple, which learns from training rows",
            "lmdi explain TRAINING_ROWS --model MODEL --method maple --test DATA",
        ));
    }
    flags.check_background()
}

/// Reads a model and its explainer, unless a method is chosen that needs none.
pub fn load(path: &Path, flags: &MethodFlags, reader: &TableReader) -> Result<Study> {
    check(flags)?;
    study_of(model_file::load(path)?, path, flags, reader)
}

/// The study of a model that was read from a file.
pub fn study_of(
    model: Model,
    path: &Path,
    flags: &MethodFlags,
    reader: &TableReader,
) -> Result<Study> {
    let schema = schema_of(&model);
    if flags.is_lmdi_plus() {
        return match Study::kept(model, schema) {
            Some(study) => Ok(study?),
            None => bail!(
                "{}: the model has no explainer; make one with {}, or choose a method that fits nothing, \
                 such as --method tree-shap",
                printable(&path.display().to_string()),
                model_file::explainer_command(path)
            ),
        };
    }
    let options = flags.options(&schema, LmdiPlusOptions::default(), reader)?;
    Ok(Study::fit(model, schema, &options, None, &Bars)?)
}

/// Reads a table and explains its rows, column by column. The target is read where the table has it.
pub fn explain(
    study: &Study,
    data: &Path,
    key: Option<&String>,
    reader: &TableReader,
) -> Result<Explained> {
    let kept = read_with(key, &[]);
    let rows = reader.rows_of_model(data, &study.schema, &study.model.metadata, &kept)?;
    let rows = keyed(rows, key.map(String::as_str), reader)?;
    let options = ExplainOptions::scores_of(Grouping::columns(&study.schema)?);
    Ok(study.explain(Arc::new(rows), &options, &Bars)?)
}
