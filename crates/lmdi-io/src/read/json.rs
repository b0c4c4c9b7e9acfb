//! Rows as JSON: one object per row, or arrays of cells under a list of column names.
//!
//! A number in a numeric column is taken as it is, even if the training table has decimal commas or
//! dates as text. A string is read like a cell of that table. A date may also be in ISO format
//! (`2024-01-31`, `2024-01-31T00:00:00Z`). `null` is a missing cell. A row that lacks a key is an
//! error: a misspelt name would otherwise be explained as a missing cell. Cost: one pass over the
//! wanted cells.

use super::ReadOptions;
use super::column::{ColumnReader, Problem, Settled};
use crate::{Error, Place, Result};
use lmdi::table::{CellFormat, Column, Frame};
use serde_json::Value;

/// Reads rows into a frame with the wanted columns ([`ReadOptions::only`]). `columns` names the
/// cells of rows that are arrays; rows that are objects need no names.
///
/// ```
/// use lmdi::table::Values;
/// use lmdi_io::read::{ReadOptions, read_json_rows};
/// let rows = [serde_json::json!({"age": 31, "city": "Bonn"}), serde_json::json!({"age": null, "city": "Ulm"})];
/// let frame = read_json_rows("request", None, &rows, &ReadOptions::default())?;
/// assert_eq!((frame.rows(), frame.columns().len()), (2, 2));
/// # Ok::<(), lmdi_io::Error>(())
/// ```
pub fn read_json_rows(
    input: &str,
    columns: Option<&[String]>,
    rows: &[Value],
    options: &ReadOptions,
) -> Result<Frame> {
    let unusable = |what: String| Error::Table { input: input.into(), what };
    let names = match columns {
        Some(names) => names.to_vec(),
        None => match rows.first() {
            Some(Value::Object(cells)) => cells.keys().cloned().collect(),
            Some(other) => {
                return Err(unusable(format!(
                    "row 1 is {}; expected an object with one value per column, or \"columns\" \
                     beside rows that are arrays",
                    kind_of(other)
                )));
            }
            None => vec![],
        },
    };
    if rows.is_empty() {
        return Err(unusable("there is no row".into()));
    }
    let options = options.for_columns(&names, input)?;
    let mut found = Vec::new();
    for (at, name) in names.iter().enumerate().filter(|(_, name)| options.wants(name)) {
        let failed = |problem: Problem| Error::Cell {
            input: input.into(),
            place: Place::Row(problem.at + 1),
            column: name.clone(),
            found: problem.found,
            expected: problem.expected,
        };
        let stated = options.cells.get(name).copied();
        let rules = options.rules(name);
        let format = rules.format;
        let mut column = ColumnReader::of_json(stated, rules);
        for (row, cells) in rows.iter().enumerate() {
            let cell = cell_of(cells, at, name, columns.map(<[String]>::len))
                .map_err(|what| unusable(format!("row {} {what}", row + 1)))?;
            push(&mut column, format, cell, row as u64).map_err(failed)?;
        }
        match column.finish().map_err(failed)? {
            Settled::Values(values, _) => found.push(Column { name: name.clone(), values }),
            Settled::ReadAgain(_) => {
                return Err(unusable(format!("column {name:?} has both numbers and text")));
            }
        }
    }
    Frame::new(found).map_err(|error| unusable(error.to_string()))
}

/// The cell of a row, or what is the matter with the row.
fn cell_of<'a>(
    row: &'a Value,
    at: usize,
    name: &str,
    width: Option<usize>,
) -> std::result::Result<&'a Value, String> {
    match (row, width) {
        (Value::Object(cells), None) => cells
            .get(name)
            .ok_or_else(|| format!("has no {name:?}; give null where the value is missing")),
        (Value::Array(cells), Some(width)) if cells.len() == width => Ok(&cells[at]),
        (Value::Array(cells), Some(width)) => {
            Err(format!("has {} cells; expected {width}, one per name in \"columns\"", cells.len()))
        }
        (other, None) => {
            Err(format!("is {}; expected an object with one value per column", kind_of(other)))
        }
        (other, Some(_)) => Err(format!(
            "is {}; expected an array of cells, as \"columns\" is given",
            kind_of(other)
        )),
    }
}

fn push(
    column: &mut ColumnReader,
    format: Option<CellFormat>,
    cell: &Value,
    at: u64,
) -> std::result::Result<(), Problem> {
    match cell {
        Value::Null => column.push_missing(),
        Value::Bool(value) => return column.push(if *value { "true" } else { "false" }, at),
        Value::Number(number) => column.push_number(number.as_f64().unwrap_or(f64::INFINITY), at),
        Value::String(text) => match format.and_then(|format| format.parse_iso(text.trim())) {
            Some(moment) => column.push_number(moment, at),
            None => return column.push(text, at),
        },
        Value::Array(_) | Value::Object(_) => {
            return Err(Problem {
                at,
                found: kind_of(cell).into(),
                expected: "a number, a text, true, false or null".into(),
            });
        }
    }
    Ok(())
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::CellType;
    use lmdi::table::{ColumnFormat, Reading, Values};
    use serde_json::json;
    use std::collections::HashSet;

    fn options() -> ReadOptions {
        let cells = [("n".to_owned(), CellType::Number), ("t".to_owned(), CellType::Text)];
        let only = ["n".to_owned(), "t".to_owned()];
        ReadOptions::default().with_cells(cells.into()).with_only(HashSet::from(only))
    }

    fn message(columns: Option<&[String]>, rows: &[Value]) -> String {
        read_json_rows("request", columns, rows, &options()).expect_err("invalid").to_string()
    }

    #[test]
    fn objects_and_arrays_give_the_same_frame() {
        let objects = [json!({"t": 1, "n": 2.5, "other": []}), json!({"n": null, "t": "a"})];
        let names = ["n", "t"].map(String::from);
        let arrays = [json!([2.5, 1]), json!([null, "a"])];
        let of_arrays =
            read_json_rows("request", Some(&names), &arrays, &options()).expect("valid");
        let of_objects = read_json_rows("request", None, &objects, &options()).expect("valid");
        assert_eq!(of_objects.columns().len(), 2, "only what is wanted");
        for frame in [of_arrays, of_objects] {
            let Some(Values::Numbers(n)) = frame.column("n").map(|c| &c.values) else { panic!() };
            assert!(n[0] == 2.5 && n[1].is_nan());
            let Some(Values::Labels(t)) = frame.column("t").map(|c| &c.values) else { panic!() };
            assert_eq!((t.get(0), t.get(1)), (Some("1"), Some("a")));
        }
    }

    #[test]
    fn bad_rows_are_told_by_number_and_name() {
        let text = message(None, &[json!({"n": 1, "t": "a"}), json!({"n": "x", "t": "a"})]);
        assert!(
            text.contains("request, row 2, column \"n\": found \"x\"; expected a number"),
            "{text}"
        );
        let text = message(None, &[json!({"n": 1, "t": "a"}), json!({"n": 1})]);
        assert_eq!(text, "request: row 2 has no \"t\"; give null where the value is missing");
        let text = message(None, &[json!({"n": [1], "t": "a"})]);
        assert!(text.contains("row 1, column \"n\""), "{text}");
        let text = message(None, &[json!({"n": 1, "t": "a"}), json!(3)]);
        assert!(text.contains("row 2 is a number; expected an object"), "{text}");
        let names = ["n", "t"].map(String::from);
        let text = message(Some(&names), &[json!([1])]);
        assert!(text.contains("row 1 has 1 cells; expected 2"), "{text}");
        assert!(message(None, &[]).contains("there is no row"));
        assert!(message(None, &[json!([1])]).contains("row 1 is an array"));
    }

    #[test]
    fn dates_are_read_as_the_table_and_as_programs_write_them() {
        let format = CellFormat::from_name("date day-month-year").expect("a format");
        let formats = vec![ColumnFormat { name: "n".into(), format, missing: vec![] }];
        let options = options().with_reading(Reading { missing: vec![], formats });
        let read = |cell: &str| {
            let rows = [json!({"n": cell, "t": null})];
            read_json_rows("request", None, &rows, &options).map_err(|error| error.to_string())
        };
        for cell in ["31.01.2024", "2024-01-31", "2024-01-31T00:00:00", "2024-01-31 00:00:00Z"] {
            let frame = read(cell).expect(cell);
            let Some(Values::Numbers(n)) = frame.column("n").map(|c| &c.values) else { panic!() };
            assert_eq!(n[0], 19_753.0, "{cell}");
        }
        for cell in ["2024-02-30", "2024-01-31T10:00:00", "2024-01-31T00:00:00+02:00"] {
            assert_eq!(
                read(cell).expect_err(cell),
                format!(
                    "request, row 1, column \"n\": found {cell:?}; expected a date such as 31.01.2024, \
                     without a time, or null where it is missing"
                )
            );
        }
        let moment = CellFormat::from_name("datetime year-month-day").expect("a format");
        assert_eq!(moment.parse_iso("2024-01-31"), Some(19_753.0 * 86_400.0));
    }

    #[test]
    fn messages_speak_of_requests_and_not_of_flags() {
        let text = message(None, &[json!({"n": "x", "t": "a"})]);
        assert!(text.ends_with("expected a number, or null where it is missing"), "{text}");
        let text = message(None, &[json!({"n": "inf", "t": "a"})]);
        assert!(text.ends_with("expected a finite number, or null where it is missing"), "{text}");
    }

    #[test]
    fn a_number_that_64_bits_cannot_hold_is_refused() {
        let row: Value = serde_json::from_str("{\"n\": 1e308, \"t\": null}").expect("valid");
        assert!(read_json_rows("request", None, &[row], &options()).is_ok());
        assert!(message(None, &[json!({"n": "1e999", "t": null})]).contains("a finite number"));
    }
}
