//! CSV: UTF-8, commas, quotes where needed, line feeds.

use super::{OutputColumn, OutputTable, passed, rows_at_once};
use lmdi::monitor::Monitor;
use lmdi::table::{Values, number_text};
use std::io::{self, Write};

pub(super) fn write(table: &OutputTable, out: impl Write, monitor: &dyn Monitor) -> io::Result<()> {
    write_records(table, out, monitor).map_err(|error| match error.into_kind() {
        // As it was: a closed pipe must still be known as one.
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    })
}

fn write_records(table: &OutputTable, out: impl Write, monitor: &dyn Monitor) -> csv::Result<()> {
    let at_once = rows_at_once(table, 1 << 14);
    let mut writer = csv::Writer::from_writer(out);
    for column in table.columns() {
        write_text(&mut writer, column.name(), table)?;
    }
    writer.write_record(None::<&[u8]>)?;
    for row in 0..table.rows() {
        for column in table.columns() {
            match column {
                OutputColumn::Computed(column) => match &column.values {
                    Values::Numbers(cells) if cells[row].is_nan() => writer.write_field("")?,
                    Values::Numbers(cells) => writer.write_field(number_text(cells[row]))?,
                    Values::Labels(labels) => {
                        write_text(&mut writer, labels.get(row).unwrap_or(""), table)?;
                    }
                },
                OutputColumn::Copied(column) => {
                    write_text(&mut writer, &column.text(row).unwrap_or_default(), table)?;
                }
            }
        }
        writer.write_record(None::<&[u8]>)?;
        if (row + 1) % at_once == 0 {
            passed(at_once, monitor)?;
        }
    }
    Ok(writer.flush()?)
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
