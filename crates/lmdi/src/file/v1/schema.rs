//! Section `SCHM`: how a table becomes the matrix of the trees.

use crate::Result;
use crate::file::bytes::{Reader, Writer};
use crate::file::codes::{Coded, EncodingKind, OneHotParts, ReasonKind};
use crate::table::{DroppedColumn, Encoding, InputColumn, Reading, Schema, Target, Task};

pub(super) fn write(schema: &Schema, writer: &mut Writer) -> Result<()> {
    writer.count(schema.columns.len(), "number of columns")?;
    for column in &schema.columns {
        writer.string(&column.name, "column name")?;
        writer.u8(EncodingKind::of(&column.encoding).code());
        if let Encoding::OneHot(parts) = &column.encoding {
            let parts = OneHotParts::from_parts(parts);
            writer.strings(&parts.levels, "levels")?;
            writer.u8(u8::from(parts.pooled.is_some()));
            if let Some(pooled) = &parts.pooled {
                writer.strings(pooled, "pooled levels")?;
            }
            writer.u8(u8::from(parts.missing));
        }
        if let Encoding::Codes(levels) = &column.encoding {
            writer.strings(levels, "levels")?;
        }
    }
    writer.count(schema.dropped.len(), "number of dropped columns")?;
    for column in &schema.dropped {
        writer.string(&column.name, "column name")?;
        writer.u8(ReasonKind::of(column.reason).code());
    }
    writer.u8(u8::from(schema.target.is_some()));
    if let Some(target) = &schema.target {
        writer.string(&target.name, "target name")?;
        writer.u8(target.task.code());
        writer.strings(&target.labels, "target labels")?;
    }
    writer.u8(u8::from(schema.weight.is_some()));
    if let Some(weight) = &schema.weight {
        writer.string(weight, "weight column")?;
    }
    Ok(())
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Schema> {
    let n_columns = reader.count(5, "number of columns")?;
    let mut columns = Vec::new();
    for _ in 0..n_columns {
        let name = reader.string("column name")?;
        let encoding = match EncodingKind::from_code(reader.u8("encoding")?)? {
            EncodingKind::Number => Encoding::Number,
            EncodingKind::Truth => Encoding::Truth,
            EncodingKind::OneHot => Encoding::OneHot(read_parts(reader)?.into_parts()),
            EncodingKind::Codes => Encoding::Codes(reader.strings("levels")?),
        };
        columns.push(InputColumn { name, encoding });
    }
    let n_dropped = reader.count(5, "number of dropped columns")?;
    let mut dropped = Vec::new();
    for _ in 0..n_dropped {
        let name = reader.string("column name")?;
        let reason = ReasonKind::from_code(reader.u8("reason")?)?.reason();
        dropped.push(DroppedColumn { name, reason });
    }
    let target = if reader.flag("target known")? {
        Some(Target {
            name: reader.string("target name")?,
            task: Task::from_code(reader.u8("task")?)?,
            labels: reader.strings("target labels")?,
        })
    } else {
        None
    };
    let weight = if reader.flag("weight column used")? {
        Some(reader.string("weight column")?)
    } else {
        None
    };
    Ok(Schema { columns, dropped, target, weight, reading: Reading::default() })
}

fn read_parts(reader: &mut Reader<'_>) -> Result<OneHotParts> {
    let levels = reader.strings("levels")?;
    let pooled = if reader.flag("levels were pooled")? {
        Some(reader.strings("pooled levels")?)
    } else {
        None
    };
    Ok(OneHotParts { levels, pooled, missing: reader.flag("missing cells")? })
}
