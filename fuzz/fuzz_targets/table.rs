//! Any bytes as a table (CSV, gzip or Parquet): refused with an error, or a frame with rows and finite
//! numbers that has the same shape when every column is read as text.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use lmdi::monitor::Silent;
use lmdi::table::{ColumnReport, Values};
use lmdi_io::read::{CellType, Format, Input, ReadOptions, read_table};

fuzz_target!(
    init: {
        // A panic of the Parquet decoder is caught and becomes an error; libFuzzer's own hook would end the
        // process before that. A panic that comes through still ends it.
        std::panic::set_hook(Box::new(|_| {}));
        shared::one_thread();
    },
    |data: &[u8]| {
        let input = Input::bytes("input", data.to_vec());
        let mut options = ReadOptions::default().with_recognise(true);
        let Ok(table) = read_table(&input, &options, &Silent) else { return };
        assert!(table.frame.rows() > 0 && !table.frame.columns().is_empty());
        // The delimiter was found; to find it again would take as long as the rest.
        if let Format::Csv { delimiter, .. } = table.format {
            options.delimiter = Some(delimiter);
        }
        for column in table.frame.columns() {
            if let Values::Numbers(cells) = &column.values {
                assert!(cells.iter().all(|cell| !cell.is_infinite()));
            }
            ColumnReport::of(column, &table.reading);
            options.cells.insert(column.name.clone(), CellType::Text);
        }
        let text = read_table(&input, &options, &Silent).expect("text takes every cell").frame;
        assert_eq!(text.rows(), table.frame.rows());
        assert_eq!(text.columns().len(), table.frame.columns().len());
    }
);
