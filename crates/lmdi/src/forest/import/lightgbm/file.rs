//! The lines of the file: a header, one block per tree, parameters, and the levels of pandas columns.

use super::LIBRARY;
use crate::forest::import::refuse;
use crate::table::number_text;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Lines `key=value`.
pub(super) type Lines<'t> = BTreeMap<&'t str, &'t str>;

pub(super) struct File<'t> {
    pub header: Lines<'t>,
    pub trees: Vec<Lines<'t>>,
    /// Lines `[key: value]`.
    parameters: Lines<'t>,
    pandas: Option<&'t str>,
    /// Bytes of each tree, where they are as they were written.
    sizes: Vec<usize>,
}

impl<'t> File<'t> {
    pub(super) fn parse(text: &'t str) -> Result<Self> {
        let mut file = Self {
            header: Lines::new(),
            trees: Vec::new(),
            parameters: Lines::new(),
            pandas: None,
            sizes: Vec::new(),
        };
        let mut ended = false;
        // Where each tree starts, and where the last one ends.
        let mut borders = Vec::new();
        let mut at = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let start = at;
            at += line.len();
            let line = line.trim_end();
            if number == 0 {
                continue;
            }
            if let Some(levels) = line.strip_prefix("pandas_categorical:") {
                file.pandas = Some(levels);
            } else if ended {
                let inside = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
                if let Some((key, value)) = inside.and_then(|inside| inside.split_once(':')) {
                    file.parameters.insert(key, value.trim());
                }
            } else if line == "end of trees" {
                ended = true;
                borders.push(start);
            } else if let Some(index) = line.strip_prefix("Tree=") {
                if index.parse() != Ok(file.trees.len()) {
                    let expected = file.trees.len();
                    return refuse(LIBRARY, format!("tree {index:?} where {expected} should be"));
                }
                borders.push(start);
                file.trees.push(Lines::new());
            } else if !line.is_empty() {
                let (key, value) = line.split_once('=').unwrap_or((line, ""));
                file.trees.last_mut().unwrap_or(&mut file.header).insert(key, value);
            }
        }
        if !ended {
            return refuse(LIBRARY, "\"end of trees\" is missing; the file is truncated");
        }
        // Other line ends change the sizes of all trees.
        if !text.contains('\r') {
            file.sizes = borders.windows(2).map(|pair| pair[1] - pair[0]).collect();
        }
        Ok(file)
    }

    /// LightGBM finds trees by the sizes that the header lists, not by their first lines: a file in
    /// which the two differ would be another model there.
    pub(super) fn check_sizes(&self) -> Result<()> {
        let Some(sizes) = self.header.get("tree_sizes") else { return Ok(()) };
        if self.sizes.is_empty() {
            return Ok(());
        }
        let stated = sizes
            .split_ascii_whitespace()
            .map(|size| parse::<usize>(size, "tree_sizes"))
            .collect::<Result<Vec<_>>>()?;
        if stated.len() != self.trees.len() {
            return refuse(
                LIBRARY,
                format!(
                    "tree_sizes lists {} trees; the file has {}",
                    stated.len(),
                    self.trees.len()
                ),
            );
        }
        match stated.iter().zip(&self.sizes).position(|(stated, found)| stated != found) {
            None => Ok(()),
            Some(tree) => refuse(
                LIBRARY,
                format!(
                    "tree {tree} is not as long as tree_sizes says; the file was changed after it was \
                     written"
                ),
            ),
        }
    }

    /// A number of the header.
    pub(super) fn number<T: FromStr>(&self, key: &str) -> Result<T> {
        number(&self.header, key)
    }

    pub(super) fn parameter(&self, key: &str) -> Option<&'t str> {
        self.parameters.get(key).copied()
    }

    pub(super) fn feature_names(&self) -> Result<Vec<String>> {
        let names: Vec<String> = (self.header.get("feature_names").copied().unwrap_or_default())
            .split(' ')
            .map(str::to_owned)
            .collect();
        let last: usize = self.number("max_feature_idx")?;
        if last.checked_add(1) != Some(names.len()) {
            return refuse(
                LIBRARY,
                format!("{} feature names, but max_feature_idx is {last}", names.len()),
            );
        }
        Ok(names)
    }

    /// Levels of the pandas columns, as text.
    pub(super) fn pandas_categorical(&self) -> Result<Vec<Vec<String>>> {
        let Some(text) = self.pandas else { return Ok(Vec::new()) };
        let parsed: Option<Vec<Vec<serde_json::Value>>> = serde_json::from_str(text)
            .map_err(|error| Error::Format(format!("LightGBM: pandas_categorical: {error}")))?;
        let name = |level: serde_json::Value| match level {
            serde_json::Value::String(text) => text,
            serde_json::Value::Bool(true) => "True".into(),
            serde_json::Value::Bool(false) => "False".into(),
            other => other.as_f64().map_or_else(|| other.to_string(), number_text),
        };
        let columns = parsed.unwrap_or_default().into_iter();
        Ok(columns.map(|levels| levels.into_iter().map(name).collect()).collect())
    }

    /// The columns that hold categories: those that the parameters name, else those of which
    /// the header lists values instead of a range.
    pub(super) fn categorical_columns(&self, n_features: usize) -> Result<Vec<usize>> {
        let named = self.parameter("categorical_feature").unwrap_or_default();
        if !named.is_empty() {
            let mut columns = named
                .split(',')
                .map(|column| parse::<usize>(column, "categorical_feature"))
                .collect::<Result<Vec<_>>>()?;
            columns.sort_unstable();
            columns.dedup();
            return match columns.last() {
                Some(&last) if last >= n_features => {
                    refuse(LIBRARY, format!("categorical_feature names column {last}"))
                }
                _ => Ok(columns),
            };
        }
        let infos = self.header.get("feature_infos").copied().unwrap_or_default().split(' ');
        let is_list = |info: &str| !info.starts_with('[') && info != "none" && !info.is_empty();
        let listed = infos.take(n_features).enumerate().filter(|(_, info)| is_list(info));
        Ok(listed.map(|(column, _)| column).collect())
    }
}

/// A number among lines.
pub(super) fn number<T: FromStr>(lines: &Lines<'_>, key: &str) -> Result<T> {
    match lines.get(key) {
        Some(text) => parse(text, key),
        None => Err(Error::Format(format!("{key} is missing; the file is damaged"))),
    }
}

/// Numbers among lines, of which there must be `count`.
pub(super) fn numbers<T: FromStr>(lines: &Lines<'_>, key: &str, count: usize) -> Result<Vec<T>> {
    let text = lines.get(key).copied().unwrap_or_default();
    let numbers = text
        .split_ascii_whitespace()
        .map(|number| parse(number, key))
        .collect::<Result<Vec<T>>>()?;
    if numbers.len() == count {
        return Ok(numbers);
    }
    Err(Error::Format(format!("{key} has {} numbers; expected {count}", numbers.len())))
}

pub(super) fn parse<T: FromStr>(text: &str, key: &str) -> Result<T> {
    text.trim()
        .parse()
        .map_err(|_| Error::Format(format!("{key} is {text:?}, which is not a number it can be")))
}
