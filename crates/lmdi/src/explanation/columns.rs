//! The columns of a table as people know them, and the matrix columns that hold their cells.
//!
//! Trees read a matrix in which a categorical column is several 0/1 columns. People ask about table
//! columns: what changed, what distinguishes a group. [`Columns`] maps one to the other.

use crate::importance::Groups;
use crate::table::{Encoding, MatrixView, Part, Schema, TimeUnit};
use crate::{Error, Result};
use std::ops::Range;

/// What the cells of a column are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellMeaning {
    /// A number; NaN is missing.
    Number,
    /// A point in time, in this unit; NaN is missing.
    Time(TimeUnit),
    /// 1 for true, 0 for false; NaN is missing.
    Truth,
    /// One of these parts, as one 0/1 matrix column per part.
    Parts(Vec<Part>),
    /// One of these levels, as its place in the list; NaN is missing.
    Codes(Vec<String>),
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnLayout {
    /// Its name.
    pub name: String,
    /// The matrix columns that hold its cells.
    pub features: Range<usize>,
    /// What they are.
    pub meaning: CellMeaning,
}

impl ColumnLayout {
    /// Whether cells have no order: two of them are equal or different, and nothing else.
    pub fn is_category(&self) -> bool {
        matches!(self.meaning, CellMeaning::Parts(_) | CellMeaning::Codes(_))
    }

    /// The unit of its numbers, if they are dates or times.
    pub fn time_unit(&self) -> Option<TimeUnit> {
        match self.meaning {
            CellMeaning::Time(unit) => Some(unit),
            _ => None,
        }
    }

    /// The name of a level by its code; `None` for a cell that is missing or no known level.
    pub fn level(&self, code: f64) -> Option<&str> {
        match &self.meaning {
            CellMeaning::Number | CellMeaning::Time(_) | CellMeaning::Truth => None,
            CellMeaning::Parts(parts) => parts.get(place_of(code)?).map(part_name),
            CellMeaning::Codes(levels) => levels.get(place_of(code)?).map(String::as_str),
        }
    }

    /// What the 0/1 column of a code stands for: a level, rare levels, or no level at all; `None`
    /// where there is no such column.
    pub fn part(&self, code: f64) -> Option<&Part> {
        match &self.meaning {
            CellMeaning::Parts(parts) => parts.get(place_of(code)?),
            _ => None,
        }
    }

    /// One cell as one number: the number itself, or the code of the level; NaN where there is
    /// none.
    pub fn cell(&self, x: &MatrixView<'_>, row: usize) -> f64 {
        if let CellMeaning::Parts(_) = self.meaning {
            let set = self.features.clone().position(|feature| x.get(row, feature) > 0.5);
            return set.map_or(f64::NAN, |part| part as f64);
        }
        x.get(row, self.features.start)
    }

    /// All cells, each as [`ColumnLayout::cell`] has it.
    pub fn cells(&self, x: &MatrixView<'_>) -> Vec<f64> {
        (0..x.rows()).map(|row| self.cell(x, row)).collect()
    }
}

/// The columns of a table, in its order.
///
/// ```
/// use lmdi::explanation::Columns;
/// let columns = Columns::numeric(["age", "income"]);
/// assert_eq!((columns.len(), columns.n_features()), (2, 2));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    columns: Vec<ColumnLayout>,
}

impl Columns {
    /// Numbers only, one matrix column each.
    pub fn numeric<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self::of_schema(&Schema::numeric(names))
    }

    /// The columns that a model reads.
    pub fn of_schema(schema: &Schema) -> Self {
        let mut from = 0;
        let columns = schema.columns.iter().map(|column| {
            let features = from..from + column.encoding.width();
            from = features.end;
            let time = schema.reading.time_unit(&column.name);
            let meaning = match &column.encoding {
                Encoding::Number => time.map_or(CellMeaning::Number, CellMeaning::Time),
                Encoding::Truth => CellMeaning::Truth,
                Encoding::Codes(levels) => CellMeaning::Codes(levels.clone()),
                Encoding::OneHot(parts) => CellMeaning::Parts(parts.clone()),
            };
            ColumnLayout { name: column.name.clone(), features, meaning }
        });
        Self { columns: columns.collect() }
    }

    /// The columns.
    pub fn as_slice(&self) -> &[ColumnLayout] {
        &self.columns
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Number of matrix columns.
    pub fn n_features(&self) -> usize {
        self.columns.last().map_or(0, |column| column.features.end)
    }

    /// The matrix columns of each column as a group, to add up their scores.
    pub fn groups(&self) -> Result<Groups> {
        let of_columns = self.columns.iter().enumerate();
        let of_features =
            of_columns.flat_map(|(at, column)| column.features.clone().map(move |_| at as u32));
        Groups::new(of_features.collect(), self.len())
    }

    /// The column that a matrix column belongs to.
    pub fn of_feature(&self, feature: usize) -> &ColumnLayout {
        let at = self.columns.partition_point(|column| column.features.end <= feature);
        &self.columns[at]
    }

    /// The place of the column with this name.
    pub fn position(&self, name: &str) -> Result<usize> {
        self.columns.iter().position(|column| column.name == name).ok_or_else(|| {
            let names: Vec<String> =
                self.columns.iter().take(10).map(|column| format!("{:?}", column.name)).collect();
            let more = self.len().saturating_sub(10);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            Error::Data(format!(
                "the model has no column {name:?}; its columns are {}{more}",
                names.join(", ")
            ))
        })
    }
}

/// The place in a list that a code stands for.
fn place_of(code: f64) -> Option<usize> {
    (code >= 0.0).then_some(code as usize)
}

pub(super) fn part_name(part: &Part) -> &str {
    match part {
        Part::Level(level) => level,
        Part::Other { .. } => "(other)",
        Part::Missing => "(missing)",
    }
}
