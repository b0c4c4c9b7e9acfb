//! Parquet: 64-bit floats and dictionary-encoded strings, compressed with snappy; copied columns
//! keep their type.

use super::{OutputColumn, OutputTable, passed, rows_at_once};
use crate::copies::{Cells, CopiedColumn};
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{ArrowError, Field, Schema};
use lmdi::monitor::Monitor;
use lmdi::table::{Labels, MISSING, Values};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::io::{self, Write};
use std::sync::Arc;

pub(super) fn write(
    table: &OutputTable,
    out: impl Write + Send,
    monitor: &dyn Monitor,
) -> io::Result<()> {
    let mut fields = Vec::with_capacity(table.columns().len());
    let mut arrays = Vec::with_capacity(table.columns().len());
    for column in table.columns() {
        let array = match column {
            OutputColumn::Computed(column) => match &column.values {
                Values::Numbers(cells) => numbers(cells),
                Values::Labels(labels) => strings(labels).map_err(io::Error::other)?,
            },
            OutputColumn::Copied(column) => match &column.cells {
                Cells::Text(labels) => strings(labels).map_err(io::Error::other)?,
                Cells::Arrow(_, array) => array.clone(),
            },
        };
        fields.push(match column {
            OutputColumn::Copied(CopiedColumn { name, cells: Cells::Arrow(field, _) }) => {
                field.as_ref().clone().with_name(name)
            }
            column => Field::new(column.name(), array.data_type().clone(), true),
        });
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(io::Error::other)?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer =
        ArrowWriter::try_new(out, schema, Some(properties)).map_err(io::Error::other)?;
    let at_once = rows_at_once(table, 1 << 20);
    for start in (0..batch.num_rows()).step_by(at_once) {
        let rows = at_once.min(batch.num_rows() - start);
        writer.write(&batch.slice(start, rows)).map_err(io::Error::other)?;
        passed(rows, monitor)?;
    }
    writer.close().map_err(io::Error::other)?;
    Ok(())
}

fn numbers(cells: &[f64]) -> ArrayRef {
    let cells = cells.iter().map(|&x| (!x.is_nan()).then_some(x));
    Arc::new(cells.collect::<Float64Array>())
}

fn strings(labels: &Labels) -> Result<ArrayRef, ArrowError> {
    let codes: UInt32Array =
        labels.codes().iter().map(|&code| (code != MISSING).then_some(code)).collect();
    let levels = StringArray::from_iter_values(labels.levels());
    Ok(Arc::new(DictionaryArray::try_new(codes, Arc::new(levels))?))
}
