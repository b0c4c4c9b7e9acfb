//! What is written is read back the same: names, text, missing cells and every bit of a number.

use lmdi::monitor::Silent;
use lmdi::table::{Column, Frame, Values};
use lmdi_io::read::{CellType, Input, ReadOptions, read_table};
use lmdi_io::write::{Output, write_table};
use proptest::prelude::*;

/// Text as a cell keeps it: without spaces at its ends, and no word for a missing cell.
fn cell() -> impl Strategy<Value = Option<String>> {
    let text = "[ -~\n\r\t\"',;|éß数\u{1b}]{0,12}".prop_map(|text| text.trim().to_owned());
    let is_word = |text: &String| {
        !["", "na", "n/a", "nan", "null", "?"].contains(&text.to_lowercase().as_str())
    };
    prop::option::of(text.prop_filter("a word", is_word))
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => any::<f64>().prop_map(|x| if x.is_infinite() { 0.5 } else { x }),
        1 => Just(f64::NAN),
        2 => (-1000i32..1000).prop_map(f64::from),
    ]
}

fn name() -> impl Strategy<Value = String> {
    "[a-c\",;\n=\u{1b}é|]{1,6}[a-z]".prop_map(|name| name.trim().to_owned())
}

fn frame() -> impl Strategy<Value = Frame> {
    (1usize..30, 1usize..6).prop_flat_map(|(rows, cols)| {
        let values = prop_oneof![
            prop::collection::vec(number(), rows).prop_map(Values::Numbers),
            prop::collection::vec(cell(), rows)
                .prop_map(|cells| { Values::Labels(cells.iter().map(Option::as_deref).collect()) }),
        ];
        prop::collection::vec((name(), values), cols).prop_map(|columns| {
            // The position makes names unique.
            let named = columns
                .into_iter()
                .enumerate()
                .map(|(at, (name, values))| Column { name: format!("{name}{at}"), values });
            Frame::new(named.collect()).expect("equal lengths and different names")
        })
    })
}

fn same(a: &Values, b: &Values) -> bool {
    match (a, b) {
        (Values::Numbers(a), Values::Numbers(b)) => {
            a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
        }
        (Values::Labels(a), Values::Labels(b)) => {
            a.len() == b.len() && (0..a.len()).all(|row| a.get(row) == b.get(row))
        }
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_written_table_is_read_back_the_same(frame in frame()) {
        let directory = tempfile::tempdir().expect("a directory");
        let mut options = ReadOptions::default();
        for column in frame.columns() {
            let cells = match column.values {
                Values::Numbers(_) => CellType::Number,
                Values::Labels(_) => CellType::Text,
            };
            options.cells.insert(column.name.clone(), cells);
        }
        let parquet = cfg!(feature = "parquet").then_some("table.parquet");
        for name in ["table.csv"].into_iter().chain(parquet) {
            let path = directory.path().join(name);
            let output = Output::from_argument(&path).expect("a known ending");
            write_table(&frame.clone().into(), &output, &Silent).expect("written");
            // One column and few lines leave the delimiter open; it is stated then.
            let options = options.clone().with_delimiter(b',');
            let read = read_table(&Input::Path(path), &options, &Silent);
            let read = read.map_err(|error| TestCaseError::fail(error.to_string()))?.frame;
            prop_assert_eq!(read.rows(), frame.rows());
            for (a, b) in frame.columns().iter().zip(read.columns()) {
                prop_assert_eq!(&a.name, &b.name);
                prop_assert!(same(&a.values, &b.values), "{}: {:?} became {:?}", name, a, b);
            }
        }
    }
}
