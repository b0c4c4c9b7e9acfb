//! The binary sections of version 1, one file per section; `docs/model-format.md` has the layouts.
//!
//! A new kind of content gets a new section: a file here with `write` and `read`, a tag below, a
//! few lines in [`encode`] and one in [`decode`]; a file and a key beside it in `json`; an optional
//! field of [`Model`], checked in [`Model::check`]; a table in the document and a model in
//! `testdata/model`. Flag it as required only if a reader that does not
//! know it would give wrong results. The layout of an existing section never changes within a
//! version.

mod class_weights;
mod decision;
mod ensemble;
pub(super) mod explainer;
mod kept;
mod metadata;
mod reading;
mod schema;
mod training_rows;
mod tree;

use super::bytes::{Reader, Writer};
use super::container::{self, Body, Tag, tag_text};
use super::{Explainer, Metadata, Model};
use crate::forest::{ClassWeights, Ensemble};
use crate::table::Schema;
use crate::{Error, Result};
use std::io;

const CLASS_WEIGHTS: Tag = *b"CLSW";
const DECISION: Tag = *b"DECI";
const ENSEMBLE: Tag = *b"ENSM";
const EXPLAINER: Tag = *b"EXPL";
const KEPT: Tag = *b"KEPT";
const METADATA: Tag = *b"META";
const READING: Tag = *b"READ";
const SCHEMA: Tag = *b"SCHM";
const TRAINING_ROWS: Tag = *b"ROWS";

/// Writes the model as a file of version 1, and gives its size. The model has been checked.
pub(super) fn encode(model: &Model, out: &mut dyn io::Write) -> Result<u64> {
    let metadata = |writer: &mut Writer| metadata::write(&model.metadata, writer);
    let schema = model.schema.as_ref();
    let schema = schema.map(|schema| move |writer: &mut Writer| schema::write(schema, writer));
    let ensemble = |writer: &mut Writer| ensemble::write(&model.ensemble, writer);
    let explainer = model.explainer.as_ref();
    let explainer =
        explainer.map(|explainer| move |writer: &mut Writer| explainer::write(explainer, writer));

    let mut sections: Vec<(Tag, bool, Body<'_>)> = vec![(METADATA, false, &metadata)];
    if let Some(schema) = &schema {
        sections.push((SCHEMA, true, schema));
    }
    let reading = model.schema.as_ref().map(|schema| &schema.reading);
    let reading = reading.filter(|reading| !reading.is_default());
    let reading = reading.map(|known| move |writer: &mut Writer| reading::write(known, writer));
    if let Some(reading) = &reading {
        sections.push((READING, true, reading));
    }
    sections.push((ENSEMBLE, true, &ensemble));
    let weights = |writer: &mut Writer| class_weights::write(&model.ensemble.class_weights, writer);
    if model.ensemble.class_weights != ClassWeights::Equal {
        sections.push((CLASS_WEIGHTS, true, &weights));
    }
    let threshold = model.threshold;
    let decision =
        threshold.map(|threshold| move |writer: &mut Writer| decision::write(threshold, writer));
    if let Some(decision) = &decision {
        sections.push((DECISION, true, decision));
    }
    if let Some(explainer) = &explainer {
        sections.push((EXPLAINER, false, explainer));
    }
    let known = model.explainer.as_ref().filter(|explainer| explainer.knows_rows());
    let rows = known.map(|known| move |writer: &mut Writer| training_rows::write(known, writer));
    if let Some(rows) = &rows {
        sections.push((TRAINING_ROWS, true, rows));
    }
    let kept = model.explainer.as_ref().map(|explainer| &explainer.kept);
    let kept = kept.filter(|kept| !kept.is_empty());
    let kept = kept.map(|kept| move |writer: &mut Writer| kept::write(kept, writer));
    if let Some(kept) = &kept {
        sections.push((KEPT, true, kept));
    }
    container::write(&sections, out)
}

/// Reads a file of version 1. The model has not been checked.
pub(super) fn decode(bytes: &[u8]) -> Result<Model> {
    let mut metadata = Metadata::default();
    let mut schema: Option<Schema> = None;
    let mut reading = None;
    let mut ensemble: Option<Ensemble> = None;
    let mut class_weights = ClassWeights::Equal;
    let mut threshold = None;
    let mut explainer: Option<Explainer> = None;
    let mut training_rows = None;
    let mut kept = None;
    for section in container::open(bytes)? {
        let name = tag_text(&section.tag);
        let mut reader = Reader::new(&name, section.body);
        match section.tag {
            METADATA => metadata = metadata::read(&mut reader)?,
            SCHEMA => schema = Some(schema::read(&mut reader)?),
            READING => reading = Some(reading::read(&mut reader)?),
            ENSEMBLE => ensemble = Some(ensemble::read(&mut reader)?),
            CLASS_WEIGHTS => class_weights = class_weights::read(&mut reader)?,
            DECISION => threshold = Some(decision::read(&mut reader)?),
            EXPLAINER => explainer = Some(explainer::read(&mut reader)?),
            TRAINING_ROWS => training_rows = Some(training_rows::read(&mut reader)?),
            KEPT => kept = Some(kept::read(&mut reader)?),
            _ if section.required => {
                return Err(Error::Format(format!(
                    "this build does not know section {name}, which is marked as required: \
                     use a newer lmdi"
                )));
            }
            _ => continue,
        }
        reader.finish()?;
    }
    if let Some(rows) = training_rows {
        let Some(explainer) = &mut explainer else {
            return Err(Error::Format(
                "section ROWS belongs to section EXPL, which is missing".into(),
            ));
        };
        explainer.ranges = rows.ranges;
        explainer.tree_sizes = rows.tree_sizes;
    }
    if let Some(kept) = kept {
        let Some(explainer) = &mut explainer else {
            return Err(Error::Format(
                "section KEPT belongs to section EXPL, which is missing".into(),
            ));
        };
        explainer.kept = kept;
    }
    if let Some(reading) = reading {
        let Some(schema) = &mut schema else {
            return Err(Error::Format(
                "section READ belongs to section SCHM, which is missing".into(),
            ));
        };
        schema.reading = reading;
    }
    match ensemble {
        Some(ensemble) => {
            let ensemble = Ensemble { class_weights, ..ensemble };
            Ok(Model { ensemble, schema, threshold, explainer, metadata })
        }
        None => Err(Error::Format("section ENSM (the trees) is missing".into())),
    }
}
