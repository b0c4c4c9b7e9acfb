//! A table as it was read: named columns of numbers or text, before any encoding.

mod cell_format;
mod labels;
mod time;

pub use cell_format::{
    CellFormat, ColumnFormat, DateOrder, Decimal, NearNumbers, NumberHints, Reading, Recognised,
    Thousands, UnitOfSome, days_of,
};
pub use labels::{Labels, LabelsBuilder, MISSING};
pub use time::{TimeUnit, date_of};

use crate::{Error, Result};
use std::collections::HashMap;

/// The cells of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Numbers; NaN is missing.
    Numbers(Vec<f64>),
    /// Text.
    Labels(Labels),
}

impl Values {
    /// Number of cells.
    pub fn len(&self) -> usize {
        match self {
            Values::Numbers(cells) => cells.len(),
            Values::Labels(labels) => labels.len(),
        }
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The chosen cells, in the order given.
    pub fn take(&self, rows: &[usize]) -> Self {
        match self {
            Values::Numbers(cells) => Values::Numbers(rows.iter().map(|&r| cells[r]).collect()),
            Values::Labels(labels) => Values::Labels(labels.take(rows)),
        }
    }

    /// The cell as text for a person or a file; `None` when it is missing.
    pub fn text(&self, row: usize) -> Option<String> {
        match self {
            Values::Numbers(cells) => (!cells[row].is_nan()).then(|| number_text(cells[row])),
            Values::Labels(labels) => labels.get(row).map(str::to_owned),
        }
    }
}

/// A named column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name, unique in the frame.
    pub name: String,
    /// Its cells.
    pub values: Values,
}

/// Columns of equal length with different names.
///
/// ```
/// use lmdi::table::{Column, Frame, Values};
/// let age = Column { name: "age".into(), values: Values::Numbers(vec![31.0, f64::NAN]) };
/// let frame = Frame::new(vec![age])?;
/// assert_eq!((frame.rows(), frame.columns().len()), (2, 1));
/// # Ok::<(), lmdi::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    columns: Vec<Column>,
    index: HashMap<String, usize>,
    /// Columns by their name with underscores for spaces, as LightGBM writes names into its files.
    underscored: HashMap<String, usize>,
    rows: usize,
}

impl Frame {
    /// Takes the columns; fails if lengths differ or a name occurs twice.
    pub fn new(columns: Vec<Column>) -> Result<Self> {
        let rows = columns.first().map_or(0, |column| column.values.len());
        let mut index = HashMap::with_capacity(columns.len());
        for (position, column) in columns.iter().enumerate() {
            if column.values.len() != rows {
                return Err(Error::Shape {
                    what: format!("cells of column {:?}", column.name),
                    found: column.values.len(),
                    expected: rows,
                });
            }
            if let Some(first) = index.insert(column.name.clone(), position) {
                return Err(Error::Data(format!(
                    "columns {} and {} are both named {:?}; rename one of them",
                    first + 1,
                    position + 1,
                    column.name
                )));
            }
        }
        let underscored = underscored_names(&columns);
        Ok(Self { columns, index, underscored, rows })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns in the order of the file.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns, without the frame around them.
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.index.get(name).map(|&position| &self.columns[position])
    }

    /// The column that a model knows by that name: the column of that name or, failing that, the
    /// only one whose name it is once spaces are underscores.
    pub fn input(&self, name: &str) -> Option<&Column> {
        let underscored = || self.underscored.get(name).map(|&position| &self.columns[position]);
        self.column(name).or_else(underscored)
    }

    /// The column of that name, or an error that names it and what there is instead.
    pub fn require(&self, name: &str) -> Result<&Column> {
        self.column(name).ok_or_else(|| {
            let meant = self.most_like(name);
            Error::Data(format!(
                "there is no column {name:?}{}; the columns are {}",
                meant.map_or(String::new(), |meant| format!(" (did you mean {meant:?}?)")),
                quoted_list(self.columns.iter().map(|column| column.name.as_str()))
            ))
        })
    }

    /// The column whose name is a slip away from this one: another case, a third of its letters at
    /// most.
    fn most_like(&self, name: &str) -> Option<&str> {
        // Longer names would cost more than a hint is worth.
        const LONGEST: usize = 64;
        let requested = name.to_lowercase();
        let letters = requested.chars().count();
        let distance = |column: &Column| {
            (column.name.len() <= LONGEST && letters <= LONGEST)
                .then(|| strsim::damerau_levenshtein(&column.name.to_lowercase(), &requested))
        };
        let near = self.columns.iter().filter_map(|column| Some((distance(column)?, column)));
        let (distance, column) = near.min_by_key(|(distance, _)| *distance)?;
        (distance <= letters / 3).then_some(column.name.as_str())
    }

    /// The chosen rows, in the given order.
    pub fn take_rows(&self, rows: &[usize]) -> Self {
        let columns = self
            .columns
            .iter()
            .map(|c| Column { name: c.name.clone(), values: c.values.take(rows) })
            .collect();
        Self {
            columns,
            index: self.index.clone(),
            underscored: self.underscored.clone(),
            rows: rows.len(),
        }
    }
}

/// Names in quotes with control characters escaped; the first ten of them and how many follow.
pub fn quoted_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 10;
    let names: Vec<&str> = names.collect();
    let mut text =
        names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

/// A number in its shortest form that reads back as the same bits: `0.1`, `3`, `1e300`.
///
/// ```
/// assert_eq!(lmdi::table::number_text(3.0), "3");
/// assert_eq!(lmdi::table::number_text(1e300), "1e300");
/// ```
pub fn number_text(x: f64) -> String {
    let size = x.abs();
    if size != 0.0 && !(1e-5..1e16).contains(&size) && x.is_finite() {
        format!("{x:e}")
    } else {
        format!("{x}")
    }
}

/// Names with spaces, with underscores for them, unless two columns would have the same one.
fn underscored_names(columns: &[Column]) -> HashMap<String, usize> {
    let mut places = HashMap::new();
    for (position, column) in columns.iter().enumerate() {
        if column.name.contains(' ') {
            let entry = places.entry(column.name.replace(' ', "_"));
            entry.and_modify(|place| *place = None).or_insert(Some(position));
        }
    }
    places.into_iter().filter_map(|(name, place)| Some((name, place?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(name: &str, cells: &[f64]) -> Column {
        Column { name: name.into(), values: Values::Numbers(cells.to_vec()) }
    }

    #[test]
    fn underscores_stand_for_spaces_where_that_is_clear() {
        let column = |name: &str| Column { name: name.into(), values: Values::Numbers(vec![1.0]) };
        let frame = |names: &[&str]| {
            Frame::new(names.iter().map(|name| column(name)).collect()).expect("a frame")
        };
        let found =
            |names: &[&str], name: &str| frame(names).input(name).map(|column| column.name.clone());
        assert_eq!(found(&["mean radius", "x"], "mean_radius").as_deref(), Some("mean radius"));
        assert_eq!(
            found(&["mean radius", "mean_radius"], "mean_radius").as_deref(),
            Some("mean_radius")
        );
        assert_eq!(found(&["a b_c", "a_b c"], "a_b_c"), None);
        assert_eq!(found(&["mean_radius"], "mean radius"), None);
    }

    #[test]
    fn equal_names_are_refused_with_both_positions() {
        let error = Frame::new(vec![numbers("a", &[1.0]), numbers("b", &[1.0]), numbers("a", &[])]);
        assert!(error.is_err(), "lengths differ");
        let error =
            Frame::new(vec![numbers("a", &[1.0]), numbers("b", &[1.0]), numbers("a", &[2.0])])
                .expect_err("two columns of one name");
        assert!(error.to_string().contains("columns 1 and 3"), "{error}");
    }

    #[test]
    fn an_unknown_column_is_named_beside_what_there_is() {
        let frame = Frame::new(vec![numbers("a\u{1b}[31m", &[1.0])]).expect("a frame");
        let error = frame.require("z").expect_err("no such column").to_string();
        assert!(error.contains("\"z\"") && error.contains("a\\u{1b}[31m"), "{error}");
        assert!(!error.contains("did you mean"), "{error}");
    }

    #[test]
    fn a_name_that_is_nearly_right_is_recognised() {
        let frame = Frame::new(vec![numbers("Price", &[1.0]), numbers("price per room", &[1.0])]);
        let frame = frame.expect("a frame");
        for (requested, meant) in
            [("price", "Price"), ("prcie", "Price"), ("price_per_room", "price per room")]
        {
            let error = frame.require(requested).expect_err("no such column").to_string();
            assert!(error.contains(&format!("(did you mean {meant:?}?)")), "{error}");
        }
    }

    #[test]
    fn numbers_read_back_as_they_were() {
        for x in [0.1, -0.0, 1e16, 1e-5, 123456.75, 5e-324, f64::MAX] {
            assert_eq!(number_text(x).parse::<f64>().expect("a number").to_bits(), x.to_bits());
        }
    }
}
