//! CSV in batches, in memory that does not grow with the number of rows.
//!
//! The types of columns are known beforehand or, for a column without a stated type, decided batch
//! by batch. The text is read once, from its start, so that it can come from a pipe.

use super::lines::{RecentText, Recording};
use super::records::{Batch, Counter, Counts, Readers, byte_of, parse, parser};
use super::text::CsvText;
use super::{find_delimiter, sample, unpacked};
use crate::Result;
use crate::copies::{Cells, CopiedColumn};
use crate::read::batches::TableBatch;
use crate::read::cell::{Cell, CellRules};
use crate::read::column::{ColumnReader, Settled};
use crate::read::{CellType, ReadOptions};
use csv::ByteRecord;
use lmdi::table::{Column, Frame, Labels, LabelsBuilder, Values};
use std::io::{Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

type Text = Box<dyn Read + Send>;

/// A CSV text that is read batch by batch.
pub(in crate::read) struct CsvBatches {
    name: String,
    gzip: bool,
    delimiter: u8,
    names: Vec<String>,
    options: ReadOptions,
    reader: csv::Reader<Counter<Recording<Text>>>,
    counts: Arc<Counts>,
    recent: RecentText,
    /// Records that are read but not yet returned; none at the end.
    pending: Batch,
}

impl CsvBatches {
    /// Reads the header.
    pub(in crate::read) fn open(
        name: String,
        raw: Text,
        gzip: bool,
        options: &ReadOptions,
    ) -> Result<Self> {
        let mut text = unpacked(raw, gzip);
        let mut delimiter = options.delimiter;
        if delimiter.is_none() {
            let start = sample(&name, gzip, &mut text)?;
            delimiter = Some(find_delimiter(&start));
            text = Box::new(Cursor::new(start).chain(text));
        }
        let delimiter = delimiter.unwrap_or(b',');
        let (counts, recent) = (Arc::new(Counts::default()), RecentText::default());
        let inner = Recording { inner: text, recent: recent.clone() };
        let reader = parser(Counter { inner, counts: counts.clone() }, delimiter);
        let (names, pending) = (Vec::new(), Batch::default());
        let options = options.clone();
        let mut opened =
            Self { name, gzip, delimiter, names, options, reader, counts, recent, pending };
        let mut header = ByteRecord::new();
        let found = opened.reader.read_byte_record(&mut header);
        opened.names = opened.text(|text| match found {
            Ok(true) => text.column_names(&header),
            Ok(false) => Err(text.without_header()),
            Err(error) => Err(text.csv_error(error)),
        })?;
        opened.options = opened.options.for_columns(&opened.names, &opened.name)?;
        let filled = opened.pending.fill(&mut opened.reader, &opened.counts);
        filled.map_err(|error| opened.text(|text| text.csv_error(error)))?;
        Ok(opened)
    }

    /// The next rows: `enough` and a few more, or those that are left; `None` at the end.
    pub(in crate::read) fn next(&mut self, enough: usize) -> Result<Option<TableBatch>> {
        let Some(first) = self.pending.records().first() else { return Ok(None) };
        self.recent.forget_before(byte_of(first));
        let mut readers: Vec<Readers> = self.names.iter().map(|name| self.readers(name)).collect();
        let mut rows = 0;
        let mut current = Batch::default();
        while rows < enough && self.pending.len > 0 {
            std::mem::swap(&mut current, &mut self.pending);
            let Self { pending, reader, counts, .. } = self;
            let (problem, filled) =
                rayon::join(|| parse(&current, &mut readers), || pending.fill(reader, counts));
            if let Some((at, problem)) = problem {
                return Err(self.text(|text| text.cell_error(&self.names[at], problem)));
            }
            filled.map_err(|error| self.text(|text| text.csv_error(error)))?;
            if self.pending.len == 0 {
                let quotes = self.counts.quotes.load(Ordering::Relaxed);
                self.text(|text| text.check_last_quote(&current, quotes))?;
            }
            rows += current.len;
        }
        let (mut columns, mut copies) = (Vec::new(), Vec::new());
        for (name, readers) in self.names.iter().zip(readers) {
            if let Some(copy) = readers.copy {
                let cells = Cells::Text(copy.finish());
                copies.push(CopiedColumn { name: name.clone(), cells });
            }
            let settled = readers.cells.map(ColumnReader::finish).transpose();
            let failed = |problem| self.text(|text| text.cell_error(name, problem));
            if let Some(Settled::Values(values, _)) = settled.map_err(failed)? {
                columns.push(Column { name: name.clone(), values: self.settled(name, values) });
            }
        }
        let frame = Frame::new(columns);
        let frame = frame.map_err(|error| self.text(|text| text.unusable(error.to_string())))?;
        Ok(Some(TableBatch { frame, copies, rows, is_last: self.pending.len == 0 }))
    }

    fn readers(&self, name: &str) -> Readers {
        let cells = self.options.wants(name).then(|| {
            // The spelling of a number would be lost by the time that a cell turns out to be none.
            let stated = self.options.cells.get(name).copied().unwrap_or(CellType::Text);
            ColumnReader::new(Some(stated), self.options.rules(name), false)
        });
        Readers { cells, copy: self.options.copies(name).then(LabelsBuilder::default) }
    }

    /// A column without a stated type holds numbers if all its cells in the batch are numbers.
    fn settled(&self, name: &str, values: Values) -> Values {
        match &values {
            Values::Labels(labels) if !self.options.cells.contains_key(name) => {
                numbers(labels, &self.options.rules(name)).map_or(values, Values::Numbers)
            }
            _ => values,
        }
    }

    /// Works with the text as errors call it.
    fn text<T>(&self, work: impl FnOnce(&CsvText<'_>) -> T) -> T {
        let line_at = |byte| self.recent.line_at(byte);
        let (name, gzip, delimiter) = (&*self.name, self.gzip, self.delimiter);
        work(&CsvText { name, gzip, delimiter, line_at: &line_at })
    }
}

/// Cells that are numbers all of them.
fn numbers(labels: &Labels, rules: &CellRules) -> Option<Vec<f64>> {
    let level = |level: &Arc<str>| match rules.parse(level) {
        Cell::Number(x) if x.is_finite() => Some(x),
        _ => None,
    };
    let levels: Vec<f64> = labels.levels().iter().map(level).collect::<Option<_>>()?;
    let number = |&code: &u32| levels.get(code as usize).copied().unwrap_or(f64::NAN);
    Some(labels.codes().iter().map(number).collect())
}
