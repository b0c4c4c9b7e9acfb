//! The binary sections of version 1, one file a section; `docs/model-format.md` has the layouts.
//!
//! A new kind of content gets a new section: a file here with `write` and `read`, a tag below, a
//! line in [`encode`] and one in [`decode`]. Flag it as required only if a reader that does not
//! know it would give wrong results. The layout of an existing section never changes within a
//! version.

mod ensemble;
mod metadata;
mod tree;

use super::Model;
use super::bytes::{Reader, Writer};
use super::container::{self, Tag, tag_text};
use crate::forest::Ensemble;
use crate::{Error, Result};

const ENSEMBLE: Tag = *b"ENSM";
const METADATA: Tag = *b"META";

/// The model as a file of version 1. The model has been checked.
pub(super) fn encode(model: &Model) -> Result<Vec<u8>> {
    container::build(&[
        (METADATA, false, &|writer: &mut Writer| metadata::write(&model.metadata, writer)),
        (ENSEMBLE, true, &|writer: &mut Writer| ensemble::write(&model.ensemble, writer)),
    ])
}

/// Reads a file of version 1. The model has not been checked.
pub(super) fn decode(bytes: &[u8]) -> Result<Model> {
    let mut ensemble: Option<Ensemble> = None;
    let mut metadata = None;
    for section in container::open(bytes)? {
        let name = tag_text(&section.tag);
        let mut reader = Reader::new(&name, section.body);
        match section.tag {
            ENSEMBLE => ensemble = Some(ensemble::read(&mut reader)?),
            METADATA => metadata = Some(metadata::read(&mut reader)?),
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
    let Some(ensemble) = ensemble else {
        return Err(Error::Format("section ENSM (the trees) is missing".into()));
    };
    Ok(Model { ensemble, metadata: metadata.unwrap_or_default() })
}
