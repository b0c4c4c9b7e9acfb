//! Parquet files by another writer: every type is read as documented, nested columns are refused.

#![cfg(feature = "parquet")]

use lmdi::monitor::Silent;
use lmdi::table::{CellFormat, ColumnFormat, DateOrder, Reading, Values};
use lmdi_io::read::{CellType, Input, ReadOptions, Table, read_table};
use std::collections::HashSet;
use std::path::PathBuf;

fn file(name: &str) -> Input {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../../testdata/tables", name].iter().collect();
    Input::Path(path)
}

fn read(name: &str, options: &ReadOptions) -> Table {
    read_table(&file(name), options, &Silent).expect("a readable file")
}

fn cells(table: &Table, name: &str) -> Vec<Option<String>> {
    let values = &table.frame.require(name).expect("a column").values;
    (0..3).map(|row| values.text(row)).collect()
}

#[test]
fn every_type_is_read_as_documented_whatever_the_compression() {
    for name in ["types_snappy.parquet", "types_zstd.parquet", "types_none.parquet"] {
        let table = read(name, &ReadOptions::default());
        let numbers: [(&str, f64, f64); 10] = [
            ("int8", -1.0, 3.0),
            ("uint64", 1.0, 3.0),
            ("float16", 0.5, 3.0),
            ("float32", 0.5, 3.0),
            ("float64", 0.1, 3.0),
            ("decimal", 1.25, -3.0),
            ("date", 10.0, 10.0),
            ("timestamp", 1.5, 1.5),
            ("zoned", 1.5, 1.5),
            ("time", 60.0, 120.0),
        ];
        for (column, first, last) in numbers {
            match &table.frame.require(column).expect("a column").values {
                Values::Numbers(cells) => {
                    assert_eq!((cells[0], cells[2]), (first, last), "{column}");
                    assert!(cells[1].is_nan(), "{column}");
                }
                other => panic!("{column}: {other:?}"),
            }
        }
        let text: [(&str, Option<&str>, Option<&str>); 5] = [
            ("bool", Some("true"), Some("false")),
            ("string", Some("a"), None),
            ("large_string", Some("a"), Some("b")),
            ("dictionary", Some("x"), Some("y")),
            ("null", None, None),
        ];
        for (column, first, last) in text {
            let expected = [first, None, last].map(|cell| cell.map(str::to_owned));
            assert_eq!(cells(&table, column), expected, "{column}");
        }
    }
}

#[test]
fn stated_types_and_chosen_columns_hold_for_parquet_too() {
    let mut options = ReadOptions::default().with_only(HashSet::new());
    options.cells.insert("int8".into(), CellType::Text);
    let options = options.also("int8").also("string");
    let table = read("types_zstd.parquet", &options);
    assert_eq!(table.frame.columns().len(), 2);
    assert_eq!(cells(&table, "int8"), [Some("-1".to_owned()), None, Some("3".to_owned())]);

    let mut options = ReadOptions::default();
    options.cells.insert("dictionary".into(), CellType::Number);
    let error = read_table(&file("types_zstd.parquet"), &options, &Silent).expect_err("text");
    let message = error.to_string();
    assert!(message.contains("row 1") && message.contains("\"dictionary\""), "{message}");
}

#[test]
fn a_nested_column_is_refused_by_name_unless_it_is_not_needed() {
    let error = read_table(&file("nested.parquet"), &ReadOptions::default(), &Silent);
    let message = error.expect_err("nested").to_string();
    assert!(message.contains("\"points\"") && message.contains("List"), "{message}");
    let only = ReadOptions::default().with_only(HashSet::new()).also("plain");
    assert_eq!(read("nested.parquet", &only).frame.columns().len(), 1);
}

/// A model counts dates in days and points of time in seconds, whatever the later file holds.
#[test]
fn dates_and_points_of_time_are_read_in_the_unit_that_a_model_knows() {
    let options = ReadOptions::default().with_recognise(true);
    let learned = read("types_none.parquet", &options).reading;
    let format = |name: &str| learned.format_of(name).map(|known| known.format);
    assert_eq!(format("date"), Some(CellFormat::Date(DateOrder::YearMonthDay)));
    assert_eq!(format("timestamp"), Some(CellFormat::DateTime(DateOrder::YearMonthDay)));
    assert_eq!(format("zoned"), Some(CellFormat::DateTime(DateOrder::YearMonthDay)));
    assert_eq!((format("time"), format("int8"), format("string")), (None, None, None));

    let known = |name: &str, format: CellFormat| {
        let known = ColumnFormat { name: name.into(), format, missing: vec![] };
        let reading = Reading { formats: vec![known], ..Reading::default() };
        read("types_none.parquet", &ReadOptions::default().with_reading(reading))
    };
    let first = |table: &Table, name: &str| match &table.frame.require(name).expect("there").values
    {
        Values::Numbers(cells) => cells[0],
        Values::Labels(_) => panic!("{name} is text"),
    };
    let in_days = known("timestamp", CellFormat::Date(DateOrder::DayMonthYear));
    assert_eq!(first(&in_days, "timestamp"), 1.5 / 86_400.0);
    assert_eq!(first(&in_days, "zoned"), 1.5, "of which nothing is known");
    let in_seconds = known("date", CellFormat::DateTime(DateOrder::YearMonthDay));
    assert_eq!(first(&in_seconds, "date"), 864_000.0);
    assert_eq!(first(&known("date", CellFormat::Date(DateOrder::YearMonthDay)), "date"), 10.0);
}
