//! A build without the feature `parquet` refuses Parquet files in words, before any work.

#![cfg(not(feature = "parquet"))]

use lmdi::monitor::Silent;
use lmdi::table::{Column, Frame, Values};
use lmdi_io::read::{Input, ReadOptions, read_table};
use lmdi_io::write::{Output, write_table};
use std::path::Path;

#[test]
fn parquet_files_are_refused_with_what_to_do() {
    let says = |message: String| {
        assert!(message.contains("t.parquet"), "{message}");
        assert!(message.contains("has no Parquet; use CSV"), "{message}");
    };
    let input = Input::bytes("t.parquet", b"PAR1....PAR1".to_vec());
    says(read_table(&input, &ReadOptions::default(), &Silent).expect_err("refused").to_string());
    says(Output::from_argument(Path::new("t.parquet")).expect_err("refused").to_string());
    let column = Column { name: "x".into(), values: Values::Numbers(vec![1.0]) };
    let frame = Frame::new(vec![column]).expect("a frame");
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    let written = write_table(&frame.clone().into(), &Output::Parquet(path.clone()), &Silent);
    says(written.expect_err("refused").to_string());
    assert!(!path.exists());
}
