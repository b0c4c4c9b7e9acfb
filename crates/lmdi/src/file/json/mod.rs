//! The JSON form, for people and for scripts that export models of other libraries.
//!
//! It holds the same content as the binary form, as arrays per tree, and may leave out keys that
//! have a default. Reading is as strict as for the binary form: an unknown or repeated key, a wrong
//! type or a missing array is an error with its line and column.

mod arrays;
mod ensemble;
mod explainer;
mod metadata;
mod schema;
mod tree;

use super::{FORMAT_VERSION, Model};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The value of the key `format`.
const FORMAT: &str = "lmdi-model";

#[derive(Serialize)]
struct FileOut<'a> {
    format: &'a str,
    version: u32,
    metadata: metadata::MetadataV1,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<schema::SchemaV1>,
    ensemble: ensemble::EnsembleOut<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explainer: Option<explainer::ExplainerOut<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileIn {
    format: String,
    version: u32,
    #[serde(default)]
    metadata: metadata::MetadataV1,
    #[serde(default)]
    schema: Option<schema::SchemaV1>,
    ensemble: ensemble::EnsembleIn,
    #[serde(default)]
    threshold: Option<f64>,
    #[serde(default)]
    explainer: Option<explainer::ExplainerIn>,
}

/// The two keys that every version has.
#[derive(Deserialize)]
struct Probe<'a> {
    #[serde(borrow)]
    format: Cow<'a, str>,
    version: u64,
}

/// The model as JSON text. The model has been checked.
pub(super) fn encode(model: &Model) -> Result<Vec<u8>> {
    let file = FileOut {
        format: FORMAT,
        version: FORMAT_VERSION,
        metadata: metadata::MetadataV1::from(&model.metadata),
        schema: model.schema.as_ref().map(schema::SchemaV1::from),
        ensemble: ensemble::EnsembleOut::from(&model.ensemble),
        threshold: model.threshold,
        explainer: model.explainer.as_ref().map(explainer::ExplainerOut::from),
    };
    let mut text = serde_json::to_vec(&file).map_err(|error| Error::Format(error.to_string()))?;
    text.push(b'\n');
    Ok(text)
}

/// Reads JSON text. The model has not been checked.
pub(super) fn decode(text: &[u8]) -> Result<Model> {
    let file: FileIn = match serde_json::from_slice(text) {
        Ok(file) => file,
        // A newer version may differ in anything; say that instead of naming the first difference.
        Err(error) => {
            if let Ok(probe) = serde_json::from_slice::<Probe<'_>>(text) {
                check_header(&probe.format, probe.version)?;
            }
            return Err(Error::Format(format!("JSON: {}", printable(&error.to_string()))));
        }
    };
    check_header(&file.format, u64::from(file.version))?;
    Ok(Model {
        ensemble: file.ensemble.into_ensemble()?,
        schema: file.schema.map(schema::SchemaV1::into_schema).transpose()?,
        threshold: file.threshold,
        explainer: file.explainer.map(explainer::ExplainerIn::into_explainer).transpose()?,
        metadata: file.metadata.into_metadata()?,
    })
}

/// Escapes control characters: the parser's messages quote keys of the file as they are.
fn printable(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    for letter in message.chars() {
        if letter.is_control() {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    text
}

fn check_header(format: &str, version: u64) -> Result<()> {
    if format != FORMAT {
        return Err(Error::Format(format!("\"format\" is {format:?}; expected \"{FORMAT}\"")));
    }
    if version != u64::from(FORMAT_VERSION) {
        return Err(Error::Format(format!(
            "it has format version {version}; this build reads version {FORMAT_VERSION}"
        )));
    }
    Ok(())
}
