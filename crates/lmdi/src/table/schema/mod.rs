//! How a table becomes the numeric matrix of the trees, as a model file keeps it.
//!
//! A column gives one matrix column (numbers, or 0/1 for a boolean), or one 0/1 column per part if
//! it is categorical. The parts of a column are adjacent and in a fixed order: its levels by name,
//! then [`Part::Other`] if rare levels were pooled, then [`Part::Missing`] if cells were missing in
//! training. Importances of parts are summed into the column they come from ([`Schema::origins`]).

mod encode;
mod kind;
mod learn;
mod merged;
mod row_number;
mod target;

pub use encode::{Encoded, Unseen};
pub use kind::{IDENTIFIER_MIN_CELLS, Kind};
pub use learn::{ColumnReport, DEFAULT_MAX_LEVELS, Role, SchemaOptions};
pub use merged::MergedCells;
pub use target::{MAX_CLASSES, Target, TargetCells, Task};

use super::Reading;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// One 0/1 column of a categorical column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// The cell is this level.
    Level(String),
    /// The cell is a level that was too rare in training, or unknown then.
    Other {
        /// The rare levels, by name; with them, a new level can be distinguished from a rare one.
        pooled: Vec<String>,
    },
    /// The cell is missing.
    Missing,
}

/// How the cells of a column become numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    /// The number itself; missing stays missing (NaN).
    Number,
    /// 0 for false, 1 for true; missing stays missing (NaN).
    Truth,
    /// One 0/1 column per part.
    OneHot(Vec<Part>),
    /// One column with the position of the cell's level in this list, from 0, for trees that split
    /// by sets of categories. Missing cells and levels that are not listed are missing (NaN).
    Codes(Vec<String>),
}

impl Encoding {
    /// How many matrix columns it gives.
    pub fn width(&self) -> usize {
        match self {
            Encoding::Number | Encoding::Truth | Encoding::Codes(_) => 1,
            Encoding::OneHot(parts) => parts.len(),
        }
    }
}

/// A column that the model uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputColumn {
    /// Its name in the table.
    pub name: String,
    /// How its cells become numbers.
    pub encoding: Encoding,
}

/// Why a column of the training table is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// Its kind tells a tree nothing that generalises (constant or identifier).
    Kind(Kind),
    /// The user dropped it.
    Requested,
}

/// A column of the training table that the model does not use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedColumn {
    /// Its name in the table.
    pub name: String,
    /// Why.
    pub reason: Reason,
}

/// The columns a model reads, how they become its matrix, and what it predicts.
///
/// ```
/// use lmdi::table::Schema;
/// let schema = Schema::numeric(["age", "income"]);
/// assert_eq!(schema.encoded_names(), ["age", "income"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    /// The columns the model uses, in the order of the training table.
    pub columns: Vec<InputColumn>,
    /// The columns it does not use.
    pub dropped: Vec<DroppedColumn>,
    /// What it predicts; `None` for an imported model whose target has no known name.
    pub target: Option<Target>,
    /// The column of row weights, if any.
    pub weight: Option<String>,
    /// How the cells of the training table were written, where it was not the default way.
    #[serde(default)]
    pub reading: Reading,
}

impl Schema {
    /// Numbers only, one matrix column each, for an imported model.
    pub fn numeric<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let columns = names
            .into_iter()
            .map(|name| InputColumn { name: name.into(), encoding: Encoding::Number })
            .collect();
        let reading = Reading::default();
        Self { columns, dropped: Vec::new(), target: None, weight: None, reading }
    }

    /// Number of matrix columns.
    pub fn n_encoded(&self) -> usize {
        self.columns.iter().map(|column| column.encoding.width()).sum()
    }

    /// For each matrix column the position in `columns` of the column it comes from.
    pub fn origins(&self) -> Vec<usize> {
        let widths = self.columns.iter().map(|column| column.encoding.width());
        widths.enumerate().flat_map(|(at, width)| std::iter::repeat_n(at, width)).collect()
    }

    /// Names of the matrix columns: the column's own, or `column=level`, `column=(other)` and
    /// `column=(missing)`.
    pub fn encoded_names(&self) -> Vec<String> {
        self.encoded_name_iter().collect()
    }

    /// The names of [`Schema::encoded_names`], one at a time.
    pub fn encoded_name_iter(&self) -> impl Iterator<Item = String> {
        self.columns.iter().flat_map(|InputColumn { name, encoding }| {
            (0..encoding.width()).map(move |at| match encoding {
                Encoding::Number | Encoding::Truth | Encoding::Codes(_) => name.clone(),
                Encoding::OneHot(parts) => match &parts[at] {
                    Part::Level(level) => format!("{name}={level}"),
                    Part::Other { .. } => format!("{name}=(other)"),
                    Part::Missing => format!("{name}=(missing)"),
                },
            })
        })
    }

    /// Checks every invariant the encoder relies on; a schema from a file passes through here.
    pub fn check(&self) -> Result<()> {
        let fail = |what: String| Err(Error::Model(what));
        let mut names = HashSet::new();
        let all = self.columns.iter().map(|column| &column.name);
        for name in all.chain(self.dropped.iter().map(|column| &column.name)) {
            if !names.insert(name.as_str()) {
                return fail(format!("two columns are named {name:?}"));
            }
        }
        for column in &self.columns {
            if let Encoding::OneHot(parts) = &column.encoding {
                check_parts(&column.name, parts)?;
            }
            if let Encoding::Codes(levels) = &column.encoding {
                let different: HashSet<&str> = levels.iter().map(String::as_str).collect();
                if different.len() != levels.len() {
                    return fail(format!("a level of column {:?} is listed twice", column.name));
                }
            }
        }
        let mut formats = HashSet::new();
        for format in &self.reading.formats {
            if !formats.insert(format.name.as_str()) {
                return fail(format!("column {:?} has two formats", format.name));
            }
        }
        match &self.target {
            Some(target) => target.check(),
            None => Ok(()),
        }
    }
}

fn check_parts(name: &str, parts: &[Part]) -> Result<()> {
    if parts.is_empty() {
        return Err(Error::Model(format!("categorical column {name:?} has no level")));
    }
    let rank = |part: &Part| match part {
        Part::Level(_) => 0,
        Part::Other { .. } => 1,
        Part::Missing => 2,
    };
    let pooled = parts.iter().find_map(|part| match part {
        Part::Other { pooled } => Some(pooled),
        _ => None,
    });
    if pooled.is_some_and(|names| !names.is_sorted_by(|a, b| a < b)) {
        return Err(Error::Model(format!("the pooled levels of {name:?} are not in order")));
    }
    for pair in parts.windows(2) {
        let ordered = match (&pair[0], &pair[1]) {
            (Part::Level(a), Part::Level(b)) => a < b,
            (a, b) => rank(a) < rank(b),
        };
        if !ordered {
            return Err(Error::Model(format!(
                "the levels of categorical column {name:?} are not in order"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_hot(name: &str, parts: Vec<Part>) -> InputColumn {
        InputColumn { name: name.into(), encoding: Encoding::OneHot(parts) }
    }

    fn other(pooled: &[&str]) -> Part {
        Part::Other { pooled: pooled.iter().map(|&name| name.into()).collect() }
    }

    #[test]
    fn parts_lead_back_to_their_column() {
        let mut schema = Schema::numeric(["x"]);
        let parts = vec![Part::Level("a".into()), Part::Level("b".into()), other(&["c", "d"])];
        schema.columns.push(one_hot("c", parts));
        assert!(schema.check().is_ok());
        assert_eq!(schema.n_encoded(), 4);
        assert_eq!(schema.origins(), [0, 1, 1, 1]);
        assert_eq!(schema.encoded_names(), ["x", "c=a", "c=b", "c=(other)"]);
    }

    #[test]
    fn broken_schemas_are_refused() {
        assert!(Schema::numeric(["x", "x"]).check().is_err());
        let wrong_orders = [
            vec![],
            vec![Part::Level("b".into()), Part::Level("a".into())],
            vec![Part::Level("a".into()), Part::Level("a".into())],
            vec![Part::Missing, other(&[])],
            vec![other(&[]), other(&[])],
            vec![other(&["b", "a"])],
        ];
        for parts in wrong_orders {
            let mut schema = Schema::numeric(["x"]);
            schema.columns.push(one_hot("c", parts.clone()));
            assert!(schema.check().is_err(), "{parts:?}");
        }
    }
}
