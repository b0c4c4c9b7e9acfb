//! The key `schema`.

use super::arrays::Word;
use crate::file::codes::{EncodingKind, OneHotParts, ReasonKind, cell_format};
use crate::table::{ColumnFormat, DroppedColumn, Encoding, InputColumn, Reading};
use crate::table::{Schema, Target, Task};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SchemaV1 {
    columns: Vec<ColumnV1>,
    #[serde(default)]
    dropped: Vec<DroppedV1>,
    #[serde(default)]
    target: Option<TargetV1>,
    #[serde(default)]
    weight: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reading: Option<ReadingV1>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadingV1 {
    #[serde(default)]
    missing: Vec<String>,
    #[serde(default)]
    formats: Vec<FormatV1>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FormatV1 {
    name: String,
    format: String,
    #[serde(default)]
    missing: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnV1 {
    name: String,
    encoding: Word<EncodingKind>,
    /// For `one_hot` and `codes` only; the two keys after it for `one_hot` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    levels: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pooled: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    missing: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DroppedV1 {
    name: String,
    reason: Word<ReasonKind>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TargetV1 {
    name: String,
    task: Word<Task>,
    #[serde(default)]
    labels: Vec<String>,
}

impl From<&Schema> for SchemaV1 {
    fn from(schema: &Schema) -> Self {
        Self {
            columns: schema.columns.iter().map(ColumnV1::from).collect(),
            dropped: schema
                .dropped
                .iter()
                .map(|column| DroppedV1 {
                    name: column.name.clone(),
                    reason: Word(ReasonKind::of(column.reason)),
                })
                .collect(),
            target: schema.target.as_ref().map(|target| TargetV1 {
                name: target.name.clone(),
                task: Word(target.task),
                labels: target.labels.clone(),
            }),
            weight: schema.weight.clone(),
            reading: (!schema.reading.is_default()).then(|| ReadingV1::from(&schema.reading)),
        }
    }
}

impl From<&InputColumn> for ColumnV1 {
    fn from(column: &InputColumn) -> Self {
        let encoding = Word(EncodingKind::of(&column.encoding));
        let name = column.name.clone();
        match &column.encoding {
            Encoding::Number | Encoding::Truth => {
                Self { name, encoding, levels: None, pooled: None, missing: false }
            }
            Encoding::OneHot(parts) => {
                let OneHotParts { levels, pooled, missing } = OneHotParts::from_parts(parts);
                Self { name, encoding, levels: Some(levels), pooled, missing }
            }
            Encoding::Codes(levels) => {
                let levels = Some(levels.clone());
                Self { name, encoding, levels, pooled: None, missing: false }
            }
        }
    }
}

impl SchemaV1 {
    pub(super) fn into_schema(self) -> Result<Schema> {
        let columns = self.columns.into_iter().map(ColumnV1::into_column).collect::<Result<_>>()?;
        let dropped = self
            .dropped
            .into_iter()
            .map(|column| DroppedColumn { name: column.name, reason: column.reason.0.reason() })
            .collect();
        let target = self.target.map(|target| Target {
            name: target.name,
            task: target.task.0,
            labels: target.labels,
        });
        let reading = self.reading.map(ReadingV1::into_reading).transpose()?.unwrap_or_default();
        Ok(Schema { columns, dropped, target, weight: self.weight, reading })
    }
}

impl From<&Reading> for ReadingV1 {
    fn from(reading: &Reading) -> Self {
        let format = |column: &ColumnFormat| FormatV1 {
            name: column.name.clone(),
            format: column.format.name(),
            missing: column.missing.clone(),
        };
        let formats = reading.formats.iter().map(format).collect();
        Self { missing: reading.missing.clone(), formats }
    }
}

impl ReadingV1 {
    fn into_reading(self) -> Result<Reading> {
        let format = |column: FormatV1| {
            let format = cell_format(&column.format)?;
            Ok(ColumnFormat { name: column.name, format, missing: column.missing })
        };
        let formats = self.formats.into_iter().map(format).collect::<Result<_>>()?;
        Ok(Reading { missing: self.missing, formats })
    }
}

impl ColumnV1 {
    fn into_column(self) -> Result<InputColumn> {
        let Self { name, encoding, levels, pooled, missing } = self;
        let plain = levels.is_none() && pooled.is_none() && !missing;
        let encoding = match encoding.0 {
            EncodingKind::Number if plain => Encoding::Number,
            EncodingKind::Truth if plain => Encoding::Truth,
            EncodingKind::OneHot => {
                let levels = levels.unwrap_or_default();
                Encoding::OneHot(OneHotParts { levels, pooled, missing }.into_parts())
            }
            EncodingKind::Codes if pooled.is_none() && !missing => {
                Encoding::Codes(levels.unwrap_or_default())
            }
            EncodingKind::Number | EncodingKind::Truth | EncodingKind::Codes => {
                return Err(Error::Format(format!(
                    "column {name:?} has levels, but its encoding is not \"one_hot\""
                )));
            }
        };
        Ok(InputColumn { name, encoding })
    }
}
