//! The second model of a report, on the rows that the first explained.
//!
//! It is explained by the same method: by the explainer in its file, or by one fitted to the rows
//! that the first model was trained on.

use super::flags::Options;
use super::saved_model::ModelFile;
use crate::input::tables::{TableReader, target_and_weight};
use crate::process::progress::Bars;
use anyhow::{Context, Result};
use lmdi::forest::Outcome;
use lmdi::importance::Needs;
use lmdi::study::{Explained, Rows, Sample, Study, schema_of, target_of};
use lmdi::table::{Schema, Target};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

impl Options {
    /// The name of the model, the model with its explainer, and the explained rows as it sees them.
    pub(super) fn compared(
        &self,
        file: ModelFile,
        study: &Study,
        explained: &Explained,
    ) -> Result<(String, Study, Explained)> {
        let name = Path::new(&file.name)
            .file_name()
            .map_or(file.name.clone(), |name| name.to_string_lossy().into_owned());
        let (study, explained) = self
            .explained_by(file, study, explained)
            .with_context(|| format!("--compare-model {name}"))?;
        Ok((name, study, explained))
    }

    fn explained_by(
        &self,
        file: ModelFile,
        study: &Study,
        explained: &Explained,
    ) -> Result<(Study, Explained)> {
        let mut schema = schema_of(&file.model);
        let named = study.schema.target.as_ref().map(|target| target.name.as_str());
        if schema.target.is_some() || named.is_some() {
            schema.target = Some(target_of(&file.model, &schema, named)?);
        }
        // Tables that a report names are those of its own model.
        let reader = TableReader::new(&self.running.reading);
        let metadata = file.model.metadata.clone();
        let of_table = |path: &Path, places: &[usize], needs_target: bool| -> Result<Rows> {
            let target = schema.target.as_ref().filter(|_| needs_target);
            Ok(rows_at(path, &schema, target, places, &reader)?.recognised(&metadata))
        };
        let ensemble = &file.model.ensemble;
        let options = self.explain_options(&schema, ensemble.averages_trees())?;
        let is_kept = self.method.is_lmdi_plus()
            && file.model.explainer.is_some()
            && self.lmdi_plus.first_given().is_none();
        let training_places = |all: &Study| match all.job() {
            Some(job) => job.train.places.clone(),
            None => explained.rows.places.clone(),
        };
        let needs = self.method.method.needs();
        let other = if is_kept {
            Study::kept(file.model, schema.clone()).context("it holds no explainer")??
        } else {
            let of_classes = matches!(ensemble.outcome, Outcome::Classes(_));
            let lmdi_plus = self.lmdi_plus.options(of_classes, ensemble.is_boosted())?;
            let method = self.method.options(&schema, lmdi_plus, &reader)?;
            let rows = match needs {
                Needs::Training | Needs::Background => {
                    let places = training_places(study);
                    Some(of_table(&self.data, &places, needs == Needs::Training)?)
                }
                _ => None,
            };
            Study::fit(file.model, schema.clone(), &method, rows.as_ref(), &Bars)?
        };
        let path = self.test.as_deref().unwrap_or(&self.data);
        let has_target = explained.rows.target.is_some();
        let mut rows = of_table(path, &explained.rows.places, has_target)?;
        let is_new = explained.rows.sample == Sample::HoldOut
            && of_table(&self.data, &training_places(study), true)?.sample == Sample::Training;
        if is_new {
            rows.sample = Sample::HoldOut;
        }
        let explained = other.explain(Arc::new(rows), &options, &Bars)?;
        Ok((other, explained))
    }
}

/// The rows at these places of a table, with their target if one is given.
fn rows_at(
    path: &Path,
    schema: &Schema,
    target: Option<&Target>,
    places: &[usize],
    reader: &TableReader,
) -> Result<Rows> {
    let more = target_and_weight(schema, target);
    let rows = reader.rows(path, schema, &[], &more, Sample::Unspecified)?;
    let rows = match target {
        Some(target) => rows.with_target(schema, target)?,
        None => rows,
    };
    let place_of: HashMap<usize, usize> =
        rows.places.iter().enumerate().map(|(at, &place)| (place, at)).collect();
    let at = places.iter().map(|place| place_of.get(place).copied());
    let at: Option<Vec<usize>> = at.collect();
    let at = at.context("it has no target for some of the rows")?;
    Ok(rows.take(&at))
}
