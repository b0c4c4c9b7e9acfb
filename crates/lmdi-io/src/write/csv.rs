//! CSV: UTF-8, commas, quotes where needed, line feeds.

use super::{passed, rows_at_once};
use lmdi::monitor::Monitor;
use lmdi::table::{Frame, Values, number_text};
use std::io::{self, Write};

pub(super) fn write(frame: &Frame, out: impl Write, monitor: &dyn Monitor) -> io::Result<()> {
    write_records(frame, out, monitor).map_err(|error| match error.into_kind() {
        // As it was: a closed pipe must still be known as one.
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    })
}

fn write_records(frame: &Frame, out: impl Write, monitor: &dyn Monitor) -> csv::Result<()> {
    let at_once = rows_at_once(frame, 1 << 14);
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(frame.columns().iter().map(|column| column.name.as_bytes()))?;
    for row in 0..frame.rows() {
        for column in frame.columns() {
            match &column.values {
                Values::Numbers(cells) if cells[row].is_nan() => writer.write_field("")?,
                Values::Numbers(cells) => writer.write_field(number_text(cells[row]))?,
                Values::Labels(labels) => writer.write_field(labels.get(row).unwrap_or(""))?,
            }
        }
        writer.write_record(None::<&[u8]>)?;
        if (row + 1) % at_once == 0 {
            passed(at_once, monitor)?;
        }
    }
    Ok(writer.flush()?)
}
