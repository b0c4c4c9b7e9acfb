//! Copied columns of Parquet files keep their type, and all their digits in CSV.
#![cfg(feature = "parquet")]

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int64Array, ListArray, RecordBatch, StringArray};
use arrow_array::{BooleanArray, Decimal128Array, TimestampMicrosecondArray};
use lmdi::monitor::Silent;
use lmdi_io::read::{Input, ReadOptions, read_table};
use lmdi_io::write::{Output, OutputColumn, OutputTable, write_table};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::HashSet;
use std::fs::File;
use std::sync::Arc;

fn batch() -> RecordBatch {
    let words: DictionaryArray<Int32Type> =
        vec![Some(" a "), None, Some("NA")].into_iter().collect();
    let list = vec![Some(vec![Some(1), None]), None, Some(vec![])];
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from(vec![Some(9_007_199_254_740_993), None, Some(-1)]))),
        ("text", Arc::new(StringArray::from(vec![Some("00001"), Some(""), None]))),
        ("word", Arc::new(words)),
        ("true", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
        (
            "price",
            Arc::new(
                Decimal128Array::from(vec![Some(123_456_789_012_345_678), None, Some(-5)])
                    .with_precision_and_scale(20, 2)
                    .expect("valid"),
            ),
        ),
        (
            "when",
            Arc::new(
                TimestampMicrosecondArray::from(vec![Some(1_700_000_000_123_456), None, Some(0)])
                    .with_timezone("UTC"),
            ),
        ),
        ("list", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(list))),
    ];
    RecordBatch::try_from_iter(columns).expect("equal lengths")
}

#[test]
fn a_copy_is_what_was_there() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("in.parquet");
    let batch = batch();
    let file = File::create(&path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");

    let names: Vec<String> =
        batch.schema().fields().iter().map(|field| field.name().clone()).collect();
    let mut options = ReadOptions::default().with_only(HashSet::new()).with_copied(names.clone());
    let table = read_table(&Input::from_argument(&path), &options, &Silent).expect("a table");
    let kept = |leave_out: &str| -> OutputTable {
        let kept = table.copies.iter().filter(|column| column.name != leave_out);
        let rows = kept.map(|column| OutputColumn::Copied(column.take(&[0, 1, 2])));
        OutputTable::new(rows.collect()).expect("different names")
    };
    let out = directory.path().join("out.parquet");
    write_table(&kept(""), &Output::Parquet(out.clone()), &Silent).expect("written");
    let file = File::open(&out).expect("a file");
    let mut reader =
        ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("a reader");
    let back = reader.next().expect("rows").expect("rows");
    assert_eq!(back, batch);

    let nested = table.copies.iter().find(|column| column.name == "list").expect("copied");
    assert!(nested.type_without_text().is_some());
    let out = directory.path().join("out.csv");
    let refused = write_table(&kept(""), &Output::Csv(out.clone()), &Silent).expect_err("nested");
    assert!(refused.to_string().starts_with("column \"list\": has type List"), "{refused}");
    assert!(refused.to_string().ends_with("expected a Parquet output"), "{refused}");
    assert!(!out.exists());
    write_table(&kept("list"), &Output::Csv(out.clone()), &Silent).expect("written");
    assert_eq!(
        std::fs::read_to_string(&out).expect("text"),
        "id,text,word,true,price,when\n\
         9007199254740993,00001, a ,true,1234567890123456.78,2023-11-14T22:13:20.123456Z\n\
         ,,,,,\n\
         -1,,NA,false,-0.05,1970-01-01T00:00:00Z\n"
    );
    options.copied = vec!["ID".into()];
    let error = read_table(&Input::from_argument(&path), &options, &Silent).expect_err("no ID");
    assert!(error.to_string().contains("did you mean \"id\""), "{error}");
}
