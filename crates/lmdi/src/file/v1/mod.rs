//! The binary sections of version 1, one file a section; `docs/model-format.md` has the layouts.
//!
//! A new kind of content gets a new section: a file here with `write` and `read`, a tag below, a
//! few lines in [`encode`] and one in [`decode`]; a file and a key beside it in `json`; an optional
//! field of [`Model`], checked in [`Model::check`]; a table in the document and a model in
//! `testdata/model`. Flag it as required only if a reader that does not
//! know it would give wrong results. The layout of an existing section never changes within a
//! version.

mod ensemble;
mod explainer;
mod metadata;
mod schema;
mod tree;

use super::bytes::{Reader, Writer};
use super::container::{self, Body, Tag, tag_text};
use super::{Metadata, Model};
use crate::{Error, Result};

const ENSEMBLE: Tag = *b"ENSM";
const EXPLAINER: Tag = *b"EXPL";
const METADATA: Tag = *b"META";
const SCHEMA: Tag = *b"SCHM";

/// The model as a file of version 1. The model has been checked.
pub(super) fn encode(model: &Model) -> Result<Vec<u8>> {
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
    sections.push((ENSEMBLE, true, &ensemble));
    if let Some(explainer) = &explainer {
        sections.push((EXPLAINER, false, explainer));
    }
    container::build(&sections)
}

/// Reads a file of version 1. The model has not been checked.
pub(super) fn decode(bytes: &[u8]) -> Result<Model> {
    let mut metadata = Metadata::default();
    let mut schema = None;
    let mut ensemble = None;
    let mut explainer = None;
    for section in container::open(bytes)? {
        let name = tag_text(&section.tag);
        let mut reader = Reader::new(&name, section.body);
        match section.tag {
            METADATA => metadata = metadata::read(&mut reader)?,
            SCHEMA => schema = Some(schema::read(&mut reader)?),
            ENSEMBLE => ensemble = Some(ensemble::read(&mut reader)?),
            EXPLAINER => explainer = Some(explainer::read(&mut reader)?),
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
    match ensemble {
        Some(ensemble) => Ok(Model { ensemble, schema, explainer, metadata }),
        None => Err(Error::Format("section ENSM (the trees) is missing".into())),
    }
}
