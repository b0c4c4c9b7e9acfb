//! Which library a file comes from, by its bytes.
//!
//! | first bytes | format |
//! |---|---|
//! | `tree`, end of line | LightGBM text |
//! | `{` and the mark of a length | UBJSON: XGBoost |
//! | `{` and other keys | JSON: XGBoost by `learner`, CatBoost by its trees |

use super::refuse;
use crate::Result;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fmt;

/// A library whose models are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// XGBoost: JSON and UBJSON, since 1.7.
    XgBoost,
    /// LightGBM: the text format, since 3.3.
    LightGbm,
    /// CatBoost: JSON.
    CatBoost,
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Library::XgBoost => "XGBoost",
            Library::LightGbm => "LightGBM",
            Library::CatBoost => "CatBoost",
        })
    }
}

/// The keys by which JSON files are recognised; their content is skipped.
#[derive(Deserialize)]
struct Keys {
    learner: Option<IgnoredAny>,
    features_info: Option<IgnoredAny>,
    oblivious_trees: Option<IgnoredAny>,
    tree_info: Option<IgnoredAny>,
}

/// The library whose model these bytes are meant to be; `None` if they look like none. Fails on an
/// incomplete or undocumented format of these libraries, and says which one to write instead.
pub fn detect(bytes: &[u8]) -> Result<Option<Library>> {
    if bytes.starts_with(b"tree\n") || bytes.starts_with(b"tree\r\n") {
        return Ok(Some(Library::LightGbm));
    }
    if bytes.starts_with(b"CBM1") {
        return refuse(
            Library::CatBoost,
            "its binary format is not read; write JSON with save_model(path, format=\"json\")",
        );
    }
    if bytes.starts_with(b"binf") {
        return refuse(
            Library::XgBoost,
            "its old binary format is not read; write JSON with save_model(\"model.json\")",
        );
    }
    if is_ubjson(bytes) {
        return Ok(Some(Library::XgBoost));
    }
    let mut marks = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
    let start = marks.next();
    let is_dump = || bytes.windows(8).take(4096).any(|word| word == b"\"nodeid\"");
    if start == Some(&b'[') && marks.next() == Some(&b'{') && is_dump() {
        return refuse(
            Library::XgBoost,
            "this looks like the text of dump_model(), which lacks the base score; write the model \
             with save_model(\"model.json\")",
        );
    }
    if start != Some(&b'{') {
        return Ok(None);
    }
    // What is not JSON is left to whoever reads it, to say where it goes wrong.
    let Ok(keys) = serde_json::from_slice::<Keys>(bytes) else {
        return Ok(broken_json(bytes));
    };
    if keys.tree_info.is_some() && keys.learner.is_none() {
        return refuse(
            Library::LightGbm,
            "this looks like dump_model(); write the model with save_model(\"model.txt\")",
        );
    }
    Ok(if keys.learner.is_some() {
        Some(Library::XgBoost)
    } else if keys.features_info.is_some() || keys.oblivious_trees.is_some() {
        Some(Library::CatBoost)
    } else {
        None
    })
}

/// The library of JSON that is damaged, by the key it starts with.
fn broken_json(bytes: &[u8]) -> Option<Library> {
    let start: Vec<u8> =
        bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).take(20).collect();
    if start.starts_with(b"{\"learner\"") || start.starts_with(b"{\"version\":[") {
        Some(Library::XgBoost)
    } else if start.starts_with(b"{\"features_info\"") || start.starts_with(b"{\"model_info\"") {
        Some(Library::CatBoost)
    } else {
        None
    }
}

/// JSON has a quote, a closing brace or white space after its first brace.
pub(super) fn is_ubjson(bytes: &[u8]) -> bool {
    matches!(bytes, [b'{', b'i' | b'U' | b'I' | b'l' | b'L' | b'$' | b'#', ..])
}
