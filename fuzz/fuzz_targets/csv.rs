//! Any text as CSV: every cell is what another reader finds, and kept columns are so to the byte.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use lmdi::monitor::Silent;
use lmdi::table::Values;
use lmdi_io::read::{CellType, Input, ReadOptions, read_table};

fuzz_target!(init: shared::one_thread(), |data: &[u8]| {
    let input = Input::bytes("input", data.to_vec());
    let mut options = ReadOptions::default().with_delimiter(b',');
    let Ok(table) = read_table(&input, &options, &Silent) else { return };
    // Other encodings and formats have other readers.
    if data.starts_with(&[0x1f, 0x8b]) || data.starts_with(&[0xff]) || data.starts_with(&[0xfe]) {
        return;
    }
    for column in table.frame.columns() {
        options.cells.insert(column.name.clone(), CellType::Text);
        options.copied.push(column.name.clone());
    }
    let table = read_table(&input, &options, &Silent).expect("text takes every cell");
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let mut reference = csv::ReaderBuilder::new().has_headers(false).from_reader(data);
    let mut records = reference.byte_records().skip(1);
    for row in 0..table.frame.rows() {
        let record = records.next().expect("a record").expect("one that can be read");
        for (at, column) in table.frame.columns().iter().enumerate() {
            let expected = std::str::from_utf8(&record[at]).expect("UTF-8");
            assert_eq!(table.copies[at].text(row).as_deref(), Some(expected));
            let Values::Labels(labels) = &column.values else { panic!("text was asked for") };
            match labels.get(row) {
                Some(cell) => assert_eq!(cell, expected.trim()),
                None => assert!(expected.trim().len() <= 4, "no word for a missing cell"),
            }
        }
    }
    assert!(records.next().is_none());
});
