//! A random sample of the rows of a table of any length, as a table.
//!
//! Whether a row is drawn depends on a hash of its position, so that batches do not matter. Cells
//! are copied unchanged: the sample is read like the table.

use crate::read::{BatchReader, Input, ReadOptions, TableBatch, Total};
use crate::write::{Output, OutputColumn, OutputTable, TableWriter};
use crate::{Error, Result};
use lmdi::monitor::{Monitor, Silent};
use lmdi::table::hash_key;
use std::collections::HashSet;
use std::path::Path;

/// Rows that are read at a time.
const ROWS: usize = 1 << 14;

/// A sample of the rows of a table, in a temporary file that is deleted with it.
pub struct SampledTable {
    file: tempfile::NamedTempFile,
    is_csv: bool,
    rows: u64,
    of: u64,
}

impl SampledTable {
    /// Draws about `most` rows, or takes all if there are fewer. Another seed draws others.
    pub fn draw(
        input: &Input,
        options: &ReadOptions,
        most: u64,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Self> {
        let mut batches = BatchReader::open(input, options)?;
        let total = batches.total();
        let first = batches.next(1)?;
        let names: Vec<String> = first
            .iter()
            .flat_map(|batch| batch.frame.columns())
            .map(|column| column.name.clone())
            .collect();
        let only = Some(names.iter().take(1).cloned().collect::<HashSet<_>>());
        let (is_csv, of) = match total {
            Some(Total::Rows(rows)) => (false, rows),
            _ => (
                true,
                count(input, &ReadOptions { only: only.clone(), ..options.clone() }, monitor)?,
            ),
        };
        // As a share of all hashes.
        let bound = (most as f64 / of.max(1) as f64 * 2f64.powi(64)) as u64;
        let is_drawn = |row: u64| {
            let mut key = [0; 16];
            key[..8].copy_from_slice(&seed.to_le_bytes());
            key[8..].copy_from_slice(&row.to_le_bytes());
            hash_key(&key) <= bound
        };
        let file = tempfile::NamedTempFile::new().map_err(Error::Write)?;
        let path = file.path().to_owned();
        let output = if is_csv { Output::Csv(path) } else { Output::Parquet(path) };
        let mut writer = TableWriter::create(&output)?;
        let options = ReadOptions { only, copied: names, ..options.clone() };
        let mut batches = BatchReader::open(input, &options)?;
        let (mut start, mut rows) = (0, 0);
        while let Some(TableBatch { copies, rows: n, .. }) = batches.next(ROWS)? {
            monitor.check().map_err(|_| Error::Interrupted)?;
            let drawn: Vec<usize> = (0..n).filter(|&row| is_drawn(start + row as u64)).collect();
            start += n as u64;
            rows += drawn.len() as u64;
            let taken = copies.iter().map(|column| OutputColumn::Copied(column.take(&drawn)));
            let taken = OutputTable::new(taken.collect())
                .map_err(|error| Error::Table { input: input.name(), what: error.to_string() })?;
            writer.write(&taken, &Silent)?;
        }
        writer.finish()?;
        Ok(Self { file, is_csv, rows, of })
    }

    /// Where the sample is.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Whether it is CSV, with commas.
    pub fn is_csv(&self) -> bool {
        self.is_csv
    }

    /// Number of rows drawn.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of rows they were drawn from.
    pub fn of(&self) -> u64 {
        self.of
    }
}

fn count(input: &Input, options: &ReadOptions, monitor: &dyn Monitor) -> Result<u64> {
    let mut batches = BatchReader::open(input, options)?;
    let mut rows = 0;
    while let Some(batch) = batches.next(ROWS)? {
        monitor.check().map_err(|_| Error::Interrupted)?;
        rows += batch.rows as u64;
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read_table;

    #[test]
    fn a_share_of_the_rows_is_drawn_whole_and_the_same_each_time() {
        let mut text = String::from("id,\"a, b\",note\n");
        for row in 0..20_000 {
            text.push_str(&format!("{row:05},{},\"x, \"\"y\"\"\"\n", row * 2));
        }
        let input = Input::bytes("table", text.into_bytes());
        let options = ReadOptions::default();
        let draw = |most, seed| {
            let sample = SampledTable::draw(&input, &options, most, seed, &Silent).expect("drawn");
            std::fs::read_to_string(sample.path()).expect("text")
        };
        let found = draw(1000, 1);
        let lines: Vec<&str> = found.lines().collect();
        assert!((900..1100).contains(&(lines.len() - 1)), "{}", lines.len());
        for line in &lines[1..] {
            let id: usize = line[..5].parse().expect("a number");
            assert_eq!(*line, format!("{id:05},{},\"x, \"\"y\"\"\"", id * 2));
        }
        assert_eq!(found, draw(1000, 1));
        assert_ne!(found, draw(1000, 2));
        let all = draw(50_000, 1);
        assert_eq!(all.lines().count(), 20_001);
        let sample = SampledTable::draw(&input, &options, 50_000, 1, &Silent).expect("drawn");
        assert_eq!((sample.rows(), sample.of(), sample.is_csv()), (20_000, 20_000, true));
        let again = Input::from_argument(sample.path());
        let (whole, drawn) =
            (read_table(&input, &options, &Silent), read_table(&again, &options, &Silent));
        assert_eq!(whole.expect("read").frame, drawn.expect("read").frame);
    }
}
