//! From a table to the matrix of a [`Schema`].
//!
//! Columns are matched by name, in any order; extra columns are ignored. A level that did not occur
//! in training goes to the pooled part if the column has one, else to no part (all zeros). A
//! missing cell goes to no part if training had no missing cells. Both are counted. If levels
//! become codes, a level that is not listed becomes missing and is counted.
//!
//! Cost: one pass over the cells; text is compared once per level, not once per cell.

use super::kind::truth;
use super::{Encoding, InputColumn, Part, Schema};
use crate::table::Matrix;
use crate::table::frame::{Column, Frame, Labels, MISSING, Values, number_text, quoted_list};
use crate::{Error, Result};
use std::borrow::Cow;
use std::collections::HashMap;

/// Larger numbers are infinite in the 32 bits in which trees compare.
const LARGEST: f64 = f32::MAX as f64;

/// The matrix of a table, and the values in it that are new to the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// The cells as the trees read them.
    pub matrix: Matrix,
    /// Columns with values that did not occur in training.
    pub unseen: Vec<Unseen>,
}

/// Cells of a column with values that did not occur in training.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// Name of the column.
    pub column: String,
    /// How many cells.
    pub cells: usize,
    /// The first of the new levels; `None` if the cells are missing and training had no missing
    /// cells.
    pub example: Option<String>,
}

impl Schema {
    /// The matrix that the model's trees read.
    ///
    /// Fails if a column is missing, holds text instead of numbers, or holds a number that is
    /// infinite in 32 bits.
    pub fn encode(&self, frame: &Frame) -> Result<Encoded> {
        let found: Vec<(&InputColumn, Option<&Column>)> =
            self.columns.iter().map(|column| (column, frame.input(&column.name))).collect();
        let missing: Vec<&str> = found
            .iter()
            .filter(|(_, values)| values.is_none())
            .map(|(column, _)| column.name.as_str())
            .collect();
        if !missing.is_empty() {
            return Err(Error::Data(format!(
                "the table has no column {}, which the model needs",
                quoted_list(missing.into_iter())
            )));
        }
        let rows = frame.rows();
        let mut cells = Vec::with_capacity(rows * self.n_encoded());
        let mut unseen = Vec::new();
        for (column, found) in found {
            let Some(Column { values, .. }) = found else { continue };
            let (new_cells, example) = match &column.encoding {
                Encoding::Number => {
                    encode_numbers(column, values, &mut cells)?;
                    (0, None)
                }
                Encoding::Truth => encode_truth(values, &mut cells),
                Encoding::OneHot(parts) => encode_parts(parts, values, &mut cells),
                Encoding::Codes(levels) => encode_codes(levels, values, &mut cells),
            };
            if new_cells > 0 {
                unseen.push(Unseen { column: column.name.clone(), cells: new_cells, example });
            }
        }
        let matrix = Matrix::from_column_major(cells, rows, self.n_encoded())?;
        Ok(Encoded { matrix, unseen })
    }

    /// The weights of the rows: the weight column's, `None` when the schema has no such column.
    ///
    /// A weight must be finite and not negative, and not all may be zero.
    pub fn weights(&self, frame: &Frame) -> Result<Option<Vec<f64>>> {
        let Some(name) = &self.weight else { return Ok(None) };
        let Values::Numbers(weights) = &frame.require(name)?.values else {
            return Err(Error::Data(format!(
                "weight column {name:?} holds text; expected numbers"
            )));
        };
        if let Some(row) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(Error::Data(format!(
                "data row {}: weight {name:?} is {}; expected a finite number not below 0",
                row + 1,
                if weights[row].is_nan() { "missing".into() } else { number_text(weights[row]) }
            )));
        }
        if weights.iter().all(|&w| w == 0.0) {
            return Err(Error::Data(format!("every weight in column {name:?} is 0")));
        }
        Ok(Some(weights.clone()))
    }
}

fn encode_numbers(column: &InputColumn, values: &Values, out: &mut Vec<f64>) -> Result<()> {
    let name = &column.name;
    match values {
        Values::Numbers(cells) => match cells.iter().position(|x| x.abs() > LARGEST) {
            None => out.extend_from_slice(cells),
            Some(row) => {
                return Err(Error::Data(format!(
                    "data row {}: column {name:?} is {}; expected a number between -3.4e38 and 3.4e38 (trees compare in 32 bits)",
                    row + 1,
                    number_text(cells[row])
                )));
            }
        },
        Values::Labels(labels) => {
            if let Some(row) = labels.codes().iter().position(|&code| code != MISSING) {
                return Err(Error::Data(format!(
                    "data row {}: column {name:?} is {:?}; expected a number",
                    row + 1,
                    labels.get(row).unwrap_or_default()
                )));
            }
            out.extend(std::iter::repeat_n(f64::NAN, labels.len()));
        }
    }
    Ok(())
}

fn encode_truth(values: &Values, out: &mut Vec<f64>) -> (usize, Option<String>) {
    let as_number = |truth: Option<bool>| truth.map_or(f64::NAN, f64::from);
    let mut unseen = 0;
    let mut example = None;
    match values {
        Values::Numbers(cells) => {
            for &x in cells {
                let known = x.is_nan() || x == 0.0 || x == 1.0;
                if !known {
                    unseen += 1;
                    example.get_or_insert_with(|| number_text(x));
                }
                out.push(if known { x } else { f64::NAN });
            }
        }
        Values::Labels(labels) => {
            let truths: Vec<Option<bool>> = labels.levels().iter().map(|l| truth(l)).collect();
            for &code in labels.codes() {
                let known = truths.get(code as usize).copied();
                if known == Some(None) {
                    unseen += 1;
                    example.get_or_insert_with(|| labels.levels()[code as usize].to_string());
                }
                out.push(as_number(known.flatten()));
            }
        }
    }
    (unseen, example)
}

/// Where the cells of a level go.
#[derive(Clone, Copy)]
struct LevelColumn {
    part: Option<usize>,
    new: bool,
}

/// Cells as text, whatever they were read as.
fn labels_of(values: &Values) -> Cow<'_, Labels> {
    match values {
        Values::Labels(labels) => Cow::Borrowed(labels),
        Values::Numbers(cells) => {
            let text: Vec<Option<String>> =
                cells.iter().map(|&x| (!x.is_nan()).then(|| number_text(x))).collect();
            Cow::Owned(text.iter().map(Option::as_deref).collect())
        }
    }
}

fn encode_codes(levels: &[String], values: &Values, out: &mut Vec<f64>) -> (usize, Option<String>) {
    let labels = labels_of(values);
    let code_of: HashMap<&str, f64> =
        levels.iter().enumerate().map(|(at, level)| (level.as_str(), at as f64)).collect();
    let codes: Vec<Option<f64>> =
        labels.levels().iter().map(|level| code_of.get(level.as_ref() as &str).copied()).collect();
    let mut unseen = 0;
    let mut example = None;
    for &code in labels.codes() {
        let known = codes.get(code as usize).copied();
        if known == Some(None) {
            unseen += 1;
            example.get_or_insert_with(|| labels.levels()[code as usize].to_string());
        }
        out.push(known.flatten().unwrap_or(f64::NAN));
    }
    (unseen, example)
}

fn encode_parts(parts: &[Part], values: &Values, out: &mut Vec<f64>) -> (usize, Option<String>) {
    let labels = labels_of(values);
    let missing = parts.iter().position(|part| *part == Part::Missing);
    let mut other = None;
    let mut pooled: &[String] = &[];
    let mut levels: Vec<&str> = Vec::with_capacity(parts.len());
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Level(level) => levels.push(level),
            Part::Other { pooled: names } => (other, pooled) = (Some(at), names),
            Part::Missing => {}
        }
    }
    let columns: Vec<LevelColumn> = (labels.levels().iter().map(AsRef::as_ref))
        .map(|level: &str| match levels.binary_search(&level) {
            Ok(part) => LevelColumn { part: Some(part), new: false },
            Err(_) => {
                let rare = pooled.binary_search_by(|name| name.as_str().cmp(level)).is_ok();
                LevelColumn { part: other, new: !rare }
            }
        })
        .collect();
    let rows = labels.len();
    let start = out.len();
    out.resize(start + rows * parts.len(), 0.0);
    let mut unseen = 0;
    let mut example = None;
    for (row, &code) in labels.codes().iter().enumerate() {
        let column = match columns.get(code as usize) {
            Some(column) => *column,
            None => LevelColumn { part: missing, new: missing.is_none() },
        };
        if column.new {
            unseen += 1;
            if code != MISSING {
                example.get_or_insert(code);
            }
        }
        if let Some(part) = column.part {
            out[start + part * rows + row] = 1.0;
        }
    }
    (unseen, example.map(|code| labels.levels()[code as usize].to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, SchemaOptions};

    fn text(name: &str, cells: &[Option<&str>]) -> Column {
        Column { name: name.into(), values: Values::Labels(cells.iter().copied().collect()) }
    }

    fn numbers(name: &str, cells: &[f64]) -> Column {
        Column { name: name.into(), values: Values::Numbers(cells.to_vec()) }
    }

    fn frame(columns: Vec<Column>) -> Frame {
        Frame::new(columns).expect("a frame")
    }

    /// City with levels a and b, c and d pooled; a flag; a number.
    fn schema() -> Schema {
        let city = ["a", "a", "a", "b", "b", "c", "d"].map(Some);
        let flag = ["no", "yes", "no", "no", "no", "yes", "no"].map(Some);
        let table = frame(vec![
            text("city", &city),
            text("flag", &flag),
            numbers("x", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 9.0]),
            numbers("y", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 9.0]),
        ]);
        let options = SchemaOptions { max_levels: 2, ..SchemaOptions::new("y") };
        Schema::learn(&table, &options).expect("usable").0
    }

    #[test]
    fn columns_are_found_by_name_and_new_cells_counted() {
        let table = frame(vec![
            numbers("x", &[0.5, f64::NAN, 0.0, 0.0, 0.0]),
            text("more", &[None; 5]),
            text("flag", &[Some("TRUE"), Some("n"), None, Some("maybe"), Some("0")]),
            text("city", &[Some("b"), Some("c"), Some("z"), None, Some("a")]),
        ]);
        let Encoded { matrix, unseen } = schema().encode(&table).expect("encodable");
        assert_eq!(matrix.column(0), [0.0, 0.0, 0.0, 0.0, 1.0], "city=a");
        assert_eq!(matrix.column(1), [1.0, 0.0, 0.0, 0.0, 0.0], "city=b");
        assert_eq!(matrix.column(2), [0.0, 1.0, 1.0, 0.0, 0.0], "city=(other)");
        assert_eq!(matrix.column(3)[..2], [1.0, 0.0]);
        assert!(matrix.column(3)[2].is_nan() && matrix.column(3)[3].is_nan());
        assert!(matrix.column(4)[1].is_nan());
        let city = Unseen { column: "city".into(), cells: 2, example: Some("z".into()) };
        let flag = Unseen { column: "flag".into(), cells: 1, example: Some("maybe".into()) };
        assert_eq!(unseen, [city, flag], "c is rare, not new; a missing city is new");
    }

    #[test]
    fn numbers_can_stand_for_levels_and_truths() {
        let mut schema = Schema::numeric(["x"]);
        let parts = vec![Part::Level("1".into()), Part::Level("2".into()), Part::Missing];
        schema.columns[0].encoding = Encoding::OneHot(parts);
        schema.columns.push(InputColumn { name: "t".into(), encoding: Encoding::Truth });
        let table =
            frame(vec![numbers("x", &[2.0, f64::NAN, 3.0]), numbers("t", &[1.0, 0.0, 2.0])]);
        let Encoded { matrix, unseen } = schema.encode(&table).expect("encodable");
        assert_eq!(matrix.column(1), [1.0, 0.0, 0.0]);
        assert_eq!(matrix.column(2), [0.0, 1.0, 0.0]);
        assert_eq!(matrix.column(3)[..2], [1.0, 0.0]);
        assert_eq!(unseen.iter().map(|u| u.cells).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn levels_become_codes_in_the_order_listed() {
        let mut schema = Schema::numeric(["x"]);
        schema.columns[0].encoding = Encoding::Codes(vec!["7".into(), "b".into()]);
        let cells = [Some("b"), None, Some("7"), Some("a")];
        let Encoded { matrix, unseen } =
            schema.encode(&frame(vec![text("x", &cells)])).expect("encodable");
        assert_eq!((matrix.column(0)[0], matrix.column(0)[2]), (1.0, 0.0));
        assert!(matrix.column(0)[1].is_nan() && matrix.column(0)[3].is_nan());
        let new = Unseen { column: "x".into(), cells: 1, example: Some("a".into()) };
        assert_eq!(unseen, [new], "a missing cell is not new");
        let numbers = frame(vec![numbers("x", &[7.0])]);
        assert_eq!(schema.encode(&numbers).expect("encodable").matrix.column(0), [0.0]);
    }

    #[test]
    fn a_missing_column_text_and_numbers_out_of_range_are_refused() {
        let schema = Schema::numeric(["x", "z"]);
        let error = schema.encode(&frame(vec![numbers("x", &[1.0])])).expect_err("no z");
        assert!(error.to_string().contains("no column \"z\""), "{error}");
        let schema = Schema::numeric(["x"]);
        let error = schema.encode(&frame(vec![text("x", &[None, Some("abc")])])).expect_err("text");
        assert!(error.to_string().contains("data row 2"), "{error}");
        for x in [f64::INFINITY, -1e39] {
            assert!(schema.encode(&frame(vec![numbers("x", &[0.0, x])])).is_err());
        }
    }

    #[test]
    fn weights_are_checked() {
        let mut schema = Schema::numeric(["x"]);
        let table = |w: &[f64]| frame(vec![numbers("w", w)]);
        assert_eq!(schema.weights(&table(&[1.0])), Ok(None));
        schema.weight = Some("w".into());
        assert_eq!(schema.weights(&table(&[1.0, 0.0])), Ok(Some(vec![1.0, 0.0])));
        for bad in [[1.0, -1.0], [f64::NAN, 1.0], [0.0, 0.0], [f64::INFINITY, 1.0]] {
            assert!(schema.weights(&table(&bad)).is_err(), "{bad:?}");
        }
    }
}
