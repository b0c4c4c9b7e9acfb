//! Writing that is stopped half-way: the target stays as it was, and nothing lies beside it.

use lmdi::monitor::Monitor;
use lmdi::table::{Column, Frame, Values};
use lmdi_io::Error;
use lmdi_io::atomic::{AtomicFile, remove_unfinished};
use lmdi_io::write::{Output, write_table};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Asks for the end once some rows were written.
#[derive(Default)]
struct Impatient {
    rows: AtomicU64,
}

impl Monitor for Impatient {
    fn advance(&self, units: u64) {
        self.rows.fetch_add(units, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.rows.load(Ordering::Relaxed) > 0
    }
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

// One test: the end of a process concerns all its files.
#[test]
fn nothing_half_written_is_left() {
    let directory = tempfile::tempdir().expect("a directory");
    let numbers = Values::Numbers((0..2_000_000).map(f64::from).collect());
    let frame = Frame::new(vec![Column { name: "x".into(), values: numbers }]).expect("a frame");
    let names: &[&str] =
        if cfg!(feature = "parquet") { &["t.csv", "t.parquet"] } else { &["t.csv"] };
    for &name in names {
        let path = directory.path().join(name);
        std::fs::write(&path, "old").expect("written");
        let output = Output::from_argument(&path).expect("an ending");
        let monitor = Impatient::default();
        let stopped = write_table(&frame.clone().into(), &output, &monitor);
        assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
        let rows = monitor.rows.load(Ordering::Relaxed);
        assert!(rows < 2_000_000, "{name} was written to its end before it stopped");
        assert_eq!(std::fs::read(&path).expect("the old file"), b"old");
        assert_eq!(names_in(directory.path()), [name]);
        std::fs::remove_file(&path).expect("removed");
    }

    let mut file = AtomicFile::create(&directory.path().join("m.lmdi")).expect("created");
    file.write_all(b"half").expect("written");
    assert_eq!(names_in(directory.path()).len(), 1);
    remove_unfinished();
    assert!(names_in(directory.path()).is_empty());
}
