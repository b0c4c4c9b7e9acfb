//! Section `READ`: how the cells of the training table were written, where it was not the default way.

use crate::Result;
use crate::file::bytes::{Reader, Writer};
use crate::file::codes::cell_format;
use crate::table::{ColumnFormat, Reading};

pub(super) fn write(reading: &Reading, writer: &mut Writer) -> Result<()> {
    writer.strings(&reading.missing, "words for missing cells")?;
    writer.count(reading.formats.len(), "number of formats")?;
    for column in &reading.formats {
        writer.string(&column.name, "column name")?;
        writer.string(&column.format.name(), "format")?;
        writer.strings(&column.missing, "words for missing cells")?;
    }
    Ok(())
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Reading> {
    let missing = reader.strings("words for missing cells")?;
    let count = reader.count(12, "number of formats")?;
    let mut formats = Vec::new();
    for _ in 0..count {
        let name = reader.string("column name")?;
        let format = cell_format(&reader.string("format")?)?;
        let missing = reader.strings("words for missing cells")?;
        formats.push(ColumnFormat { name, format, missing });
    }
    Ok(Reading { missing, formats })
}
