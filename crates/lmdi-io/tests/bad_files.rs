//! Files that cannot be used: each is refused with its name, the place and what to do, never with a
//! panic.

use flate2::Compression;
use flate2::write::GzEncoder;
use lmdi::monitor::Silent;
use lmdi::table::Frame;
#[cfg(feature = "parquet")]
use lmdi::table::{Column, Values};
use lmdi_io::read::{CellType, Input, ReadOptions, read_table};
#[cfg(feature = "parquet")]
use lmdi_io::write::{Output, write_table};
use std::io::Write;

fn error_of(bytes: &[u8]) -> String {
    let input = Input::bytes("t.csv", bytes.to_vec());
    match read_table(&input, &ReadOptions::default(), &Silent) {
        Ok(table) => panic!("read: {:?}", table.frame),
        Err(error) => error.to_string(),
    }
}

fn frame_of(bytes: &[u8]) -> Frame {
    let input = Input::bytes("t.csv", bytes.to_vec());
    read_table(&input, &ReadOptions::default(), &Silent).expect("readable").frame
}

#[test]
fn text_files_are_refused_with_the_place() {
    let damaged = if cfg!(feature = "parquet") { "truncated or damaged" } else { "no Parquet" };
    let cases: [(&[u8], &[&str]); 33] = [
        (b"", &["t.csv", "empty"]),
        (b"\n\n", &["no text"]),
        (b"a,b\n", &["no data row"]),
        (b"a,b\n1,2\n1,2,3\n", &["line 3", "found 3", "expected 2"]),
        (b"a,b\r\n1,2\r\n\r\n1\r\n", &["line 4", "found 1"]),
        (b"\xef\xbb\xbfa,b\n1,2\n7\n", &["line 3", "found 1"]),
        (b"a,b,a\n1,2,3\n", &["columns 1 and 3", "\"a\""]),
        (b"a,b\n1,caf\xe9\n", &["line 2", "\"b\"", "UTF-8", "iconv"]),
        (b"a,caf\xe9\n1,2\n", &["line 1", "column 2", "UTF-8"]),
        (b"a,b\n1,2\ninf,2\n", &["line 3", "\"a\"", "\"inf\"", "finite"]),
        (b"a,b\n1,2\n1,-1e999\n", &["line 3", "\"b\"", "finite"]),
        (b"a,b\n1,2\n3,\"x\n4,5\n6,7\n", &["line 3", "never closed"]),
        (b"\xff\xfe\0\0a\0\0\0", &["UTF-32"]),
        (b"\xff\xfea\0\n\0\x00\xd8", &["UTF-16", "damaged"]),
        (b"a\0,\0b\0", &["UTF-16", "iconv"]),
        (b"\xfd7zXZ\0\0", &["xz"]),
        (b"BZh91AY&SYx", &["bzip2"]),
        (b"\xd0\xcf\x11\xe0\xa1", &["xls"]),
        (b"SQLite format 3\0", &["SQLite", "CSV"]),
        (b"PK\x03\x04rest", &["zip"]),
        (b"<!DOCTYPE html><html></html>", &["web page", "download"]),
        (b"\xef\xbb\xbf  <HTML>\n", &["web page"]),
        (b"<?xml version=\"1.0\"?>\n", &["XML"]),
        (b"[{\"a\": 1}]", &["JSON", "CSV"]),
        (b"{ \"a\": [1] }", &["JSON"]),
        (b"\x89LMDI\r\n", &["model file of lmdi", "table"]),
        (b"\x89HDF\r\n\x1a\n", &["HDF5"]),
        (b"\x93NUMPY\x01", &["NumPy"]),
        (b"\x80\x04\x95", &["pickle", "Parquet"]),
        (b"ORC\x02\x0a", &["ORC"]),
        (b"$FL2@(#) SPSS", &["SPSS"]),
        (b"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60", &["SAS"]),
        (b"PAR1 and no more", &["Parquet", damaged]),
    ];
    for (bytes, parts) in cases {
        let message = error_of(bytes);
        for part in parts {
            assert!(message.contains(part), "{part:?} is not in {message:?}");
        }
    }
}

#[test]
fn names_of_columns_that_begin_like_other_formats_are_names() {
    for text in
        ["ORC,b\n1,2\n", "[a],b\n1,2\n", "{a},b\n1,2\n", "<b>,b\n1,2\n", "\"{\"\"a\",b\n1,2\n"]
    {
        let input = Input::bytes("t.csv", text.as_bytes().to_vec());
        let table = read_table(&input, &ReadOptions::default(), &Silent).expect(text);
        assert_eq!(table.frame.columns().len(), 2, "{text}");
    }
}

#[test]
fn long_names_and_cells_are_quoted_in_part() {
    let long = "x".repeat(100_000);
    let mut latin = long.clone().into_bytes();
    latin.push(0xe9);
    for file in [
        format!("{long},{long}\n1,2\n").into_bytes(),
        format!("{long},b\n1,2\ninf,2\n").into_bytes(),
        [latin.as_slice(), b",b\n1,2\n"].concat(),
    ] {
        let message = error_of(&file);
        assert!(message.len() < 400 && message.contains("xxx\"..."), "{} bytes", message.len());
    }
}

#[test]
fn a_stated_number_column_names_the_line_of_its_first_text() {
    let input = Input::bytes("t.csv", b"a,b\n1,2\n\"x\ny\",2\nz,q\n".to_vec());
    let mut options = ReadOptions::default();
    options.cells.insert("a".into(), CellType::Number);
    options.cells.insert("b".into(), CellType::Number);
    let message = read_table(&input, &options, &Silent).expect_err("text").to_string();
    assert!(message.contains("line 3") && message.contains(r#""x\ny""#), "{message}");
}

#[test]
fn spellings_that_are_fine() {
    let frame = frame_of(b"\xef\xbb\xbfa;b;\r\n\"1\";\"x\"\"y;\nz\"; 7\r\n;NA;007\r\n");
    let names: Vec<&str> = frame.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "column 3"]);
    let row = |row| frame.columns().iter().map(|c| c.values.text(row)).collect::<Vec<_>>();
    assert_eq!(row(0), [Some("1".into()), Some("x\"y;\nz".into()), Some("7".into())]);
    assert_eq!(row(1), [None, None, Some("7".into())]);
}

#[test]
fn text_that_follows_numbers_keeps_their_spelling() {
    let mut csv = String::from("code,x\n");
    for row in 0..10_000 {
        csv.push_str(&format!("{row:06},{row}\n"));
    }
    csv.push_str("A1,0\n");
    let frame = frame_of(csv.as_bytes());
    assert_eq!(frame.columns()[0].values.text(42), Some("000042".into()));
    assert_eq!(frame.columns()[0].values.text(10_000), Some("A1".into()));
    assert_eq!(frame.columns()[1].values.text(9_999), Some("9999".into()));
}

#[test]
fn gzip_is_unpacked_and_a_cut_or_damaged_one_refused() {
    let mut csv = String::from("a,b\n");
    for row in 0..5_000 {
        csv.push_str(&format!("{row},{}\n", row * row % 977));
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(csv.as_bytes()).expect("in memory");
    let packed = encoder.finish().expect("in memory");
    assert_eq!(frame_of(&packed).rows(), 5_000);
    // Two members one after the other, as `cat a.gz b.gz` makes them.
    let mut header = GzEncoder::new(Vec::new(), Compression::default());
    header.write_all(b"a,b\n1,2\n").expect("in memory");
    let mut two = header.finish().expect("in memory");
    let mut more = GzEncoder::new(Vec::new(), Compression::default());
    more.write_all(b"3,4\n").expect("in memory");
    two.extend(more.finish().expect("in memory"));
    assert_eq!(frame_of(&two).rows(), 2);
    for keep in [5, 15, packed.len() / 2, packed.len() - 1] {
        let message = error_of(&packed[..keep]);
        assert!(message.contains("truncated"), "{keep} bytes: {message}");
    }
    let mut damaged = packed.clone();
    let at = damaged.len() / 2;
    damaged[at] ^= 0x55;
    damaged[at + 1] ^= 0x55;
    let message = error_of(&damaged);
    assert!(message.contains("damaged") || message.contains("line"), "{message}");
}

#[cfg(feature = "parquet")]
#[test]
fn a_cut_or_bit_flipped_parquet_file_never_panics_through() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    let numbers = (0..500).map(|i| f64::from(i) * 0.37).collect();
    let names: Vec<String> = (0..500).map(|i| format!("level {}", i % 7)).collect();
    let labels = names.iter().map(|name| Some(name.as_str())).collect();
    let frame = Frame::new(vec![
        Column { name: "x".into(), values: Values::Numbers(numbers) },
        Column { name: "c".into(), values: Values::Labels(labels) },
    ])
    .expect("a frame");
    let output = Output::from_argument(&path).expect("an ending");
    write_table(&frame.clone().into(), &output, &Silent).expect("written");
    let bytes = std::fs::read(&path).expect("readable");
    for keep in (4..bytes.len()).step_by(bytes.len() / 40) {
        let message = error_of(&bytes[..keep]);
        assert!(message.contains("truncated or damaged"), "{keep} bytes: {message}");
    }
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for at in (4..bytes.len()).step_by(13) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        let input = Input::bytes("t.parquet", flipped);
        // Parquet pages carry no checksum here: a flip may go unseen, but it must end in a value.
        let _ = read_table(&input, &ReadOptions::default(), &Silent);
    }
    std::panic::set_hook(quiet);
}

#[test]
fn a_hundred_thousand_columns_are_read() {
    let header: Vec<String> = (0..100_000).map(|i| format!("c{i}")).collect();
    let row = vec!["1.5"; 100_000];
    let csv = format!("{}\n{}\n{}\n", header.join(","), row.join(","), row.join(","));
    let frame = frame_of(csv.as_bytes());
    assert_eq!((frame.rows(), frame.columns().len()), (2, 100_000));
}

#[test]
fn files_that_are_not_there_are_named() {
    let missing = Input::Path("no/such/file.csv".into());
    let message = read_table(&missing, &ReadOptions::default(), &Silent).expect_err("missing");
    assert!(message.to_string().contains("no/such/file.csv"), "{message}");
    let empty = tempfile::tempdir().expect("a directory");
    let directory = Input::Path(empty.path().to_owned());
    let message = read_table(&directory, &ReadOptions::default(), &Silent).expect_err("directory");
    assert!(message.to_string().contains("directory"), "{message}");
}
