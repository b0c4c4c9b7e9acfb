//! CSV: UTF-8, commas, quotes where needed, line feeds.

use super::{OutputColumn, OutputTable, check_names, passed, rows_at_once};
use lmdi::monitor::Monitor;
use lmdi::table::{Values, number_text};
use std::io::{self, Write};

/// A table that is written some rows at a time.
pub(super) struct CsvWriter<W: Write> {
    writer: csv::Writer<W>,
    /// The names of the columns, once they are written.
    header: Option<Vec<String>>,
}

impl<W: Write> CsvWriter<W> {
    pub(super) fn new(out: W) -> Self {
        Self { writer: csv::Writer::from_writer(out), header: None }
    }

    /// Adds rows, after the header if they are the first.
    pub(super) fn write(&mut self, table: &OutputTable, monitor: &dyn Monitor) -> io::Result<()> {
        let names = table.columns().iter().map(OutputColumn::name);
        match &self.header {
            Some(header) => check_names(header, names)?,
            None => {
                self.header = Some(names.map(str::to_owned).collect());
                self.write_header(table).map_err(plain)?;
            }
        }
        self.write_records(table, monitor).map_err(plain)
    }

    /// Hands all rows on.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// What was written to, with all rows.
    pub(super) fn finish(self) -> io::Result<W> {
        self.writer.into_inner().map_err(csv::IntoInnerError::into_error)
    }

    fn write_header(&mut self, table: &OutputTable) -> csv::Result<()> {
        for column in table.columns() {
            write_text(&mut self.writer, column.name(), table)?;
        }
        self.writer.write_record(None::<&[u8]>)
    }

    fn write_records(&mut self, table: &OutputTable, monitor: &dyn Monitor) -> csv::Result<()> {
        let at_once = rows_at_once(table, 1 << 14);
        let writer = &mut self.writer;
        for row in 0..table.rows() {
            for column in table.columns() {
                match column {
                    OutputColumn::Computed(column) => match &column.values {
                        Values::Numbers(cells) if cells[row].is_nan() => writer.write_field("")?,
                        Values::Numbers(cells) => writer.write_field(number_text(cells[row]))?,
                        Values::Labels(labels) => {
                            write_text(writer, labels.get(row).unwrap_or(""), table)?;
                        }
                    },
                    OutputColumn::Copied(column) => {
                        write_text(writer, &column.text(row).unwrap_or_default(), table)?;
                    }
                }
            }
            writer.write_record(None::<&[u8]>)?;
            if (row + 1) % at_once == 0 {
                passed(at_once, monitor)?;
            }
        }
        Ok(())
    }
}

/// The error as it was: a closed pipe must still be known as one.
fn plain(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

fn write_text<W: Write>(
    writer: &mut csv::Writer<W>,
    text: &str,
    table: &OutputTable,
) -> csv::Result<()> {
    if table.guards(text) {
        writer.write_field(format!("'{text}"))
    } else {
        writer.write_field(text)
    }
}
