//! Whether a table fits into memory, by its rows and columns.

use super::Start;
use super::flags::Options;
use lmdi_io::read::{BatchReader, Input, ReadOptions, Total};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes that a cell takes while its table is read, encoded, scored and written in memory.
pub(super) const BYTES_PER_CELL: u64 = 48;
/// How many times larger text is than its gzipped form.
const GZIP: u64 = 5;
/// Tables with fewer rows are not looked at any further.
const FEWEST_ROWS: u64 = 10_000;

impl Options {
    /// Whether DATA takes more memory than there is. A pipe is always held, because it can be read
    /// only once. Errors in a table are reported when it is read.
    pub(super) fn exceeds_memory(&self, start: &Start) -> bool {
        let found = std::fs::metadata(&self.data);
        let can_be_read_twice = found.is_ok_and(|found| found.is_file() || found.is_dir());
        if self.data == Path::new("-") || !can_be_read_twice {
            return false;
        }
        let batches = BatchReader::open(&Input::from_argument(&self.data), &ReadOptions::default());
        let rows = match batches.ok().and_then(|batches| batches.total()) {
            Some(Total::Rows(rows)) => rows,
            Some(Total::Bytes(bytes)) => lines(&self.data, bytes).unwrap_or(0),
            None => 0,
        };
        // Few rows fit, whatever their columns.
        if rows < FEWEST_ROWS {
            return false;
        }
        let columns = match start {
            Start::Trained(file) => 1 + file.model.ensemble.n_features(),
            Start::Train(_) => self.columns_of_table(),
        };
        rows.saturating_mul(columns as u64).saturating_mul(BYTES_PER_CELL) > left()
    }

    /// Number of columns of DATA; one if it cannot be read.
    pub(super) fn columns_of_table(&self) -> usize {
        let dropped = self.training.drop.clone();
        let options = ReadOptions::default().with_dropped(dropped);
        let first = BatchReader::open(&Input::from_argument(&self.data), &options)
            .and_then(|mut batches| batches.next(1));
        first.ok().flatten().map_or(1, |batch| batch.frame.columns().len())
    }
}

/// About how many lines a file of text has, by the length of its first ones. Of gzipped text these are
/// not known: a line is taken to have a hundred bytes.
fn lines(path: &Path, bytes: u64) -> Option<u64> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(1 << 20).read_to_end(&mut start).ok()?;
    if start.starts_with(&[0x1f, 0x8b]) {
        return Some(bytes.saturating_mul(GZIP) / 100);
    }
    let ends = start.iter().filter(|byte| **byte == b'\n').count() as u64;
    Some(bytes / (start.len() as u64).div_ceil(ends.max(1)).max(1))
}

/// Bytes that are left to the command.
pub(super) fn left() -> u64 {
    lmdi_memory::limit().saturating_sub(lmdi_memory::used()) as u64
}
