//! One Parquet file: its metadata and its rows, one row group after another.

use crate::read::names;
use crate::{Error, Result};
use arrow_array::ArrayRef;
use arrow_schema::FieldRef;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::file::reader::ChunkReader;
use std::fmt::Display;
use std::fs::File;
use std::path::PathBuf;

/// Rows that are decoded at a time.
const DECODED_ROWS: usize = 8192;

/// Where a part is, with its name for messages.
pub(super) enum PartSource {
    File(String, PathBuf),
    Memory(String, Bytes),
}

/// What a file says about its table.
pub(super) struct Fields {
    pub(super) fields: Vec<FieldRef>,
    pub(super) rows: u64,
}

/// A file that is truncated or damaged.
pub(super) fn damaged(name: &str, why: &dyn Display) -> Error {
    let what = format!("the Parquet file is truncated or damaged ({why}); fetch or write it again");
    Error::Table { input: name.into(), what }
}

impl PartSource {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::File(name, _) | Self::Memory(name, _) => name,
        }
    }

    fn file(&self, path: &PathBuf) -> Result<File> {
        File::open(path).map_err(|error| Error::Read { input: self.name().into(), error })
    }

    fn metadata(&self) -> Result<ArrowReaderMetadata> {
        let options = ArrowReaderOptions::default();
        let loaded = match self {
            Self::File(_, path) => ArrowReaderMetadata::load(&self.file(path)?, options),
            Self::Memory(_, bytes) => ArrowReaderMetadata::load(bytes, options),
        };
        loaded.map_err(|error| damaged(self.name(), &error))
    }

    /// The columns and the number of rows.
    pub(super) fn fields(&self) -> Result<Fields> {
        let metadata = self.metadata()?;
        let fields = metadata.schema().fields().iter().cloned().collect();
        let groups = metadata.metadata().row_groups().iter();
        let rows = groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).sum();
        Ok(Fields { fields, rows })
    }

    /// Opens the part for reading these columns.
    pub(super) fn open(&self, wanted: &[&str]) -> Result<Part> {
        let metadata = self.metadata()?;
        let fields = metadata.schema().fields();
        let all = names::column_names(fields.iter().map(|field| field.name().as_str()));
        let all = all.map_err(|what| Error::Table { input: self.name().into(), what })?;
        let places: Option<Vec<usize>> =
            wanted.iter().map(|name| all.iter().position(|other| other == name)).collect();
        let Some(roots) = places else {
            return Err(damaged(self.name(), &"it changed while it was read"));
        };
        let mut rising = roots.clone();
        rising.sort_unstable();
        let order = roots.iter().map(|root| rising.partition_point(|other| other < root)).collect();
        Ok(Part { metadata, roots, order, group: 0, batches: None })
    }
}

/// A file that is being read.
pub(super) struct Part {
    metadata: ArrowReaderMetadata,
    /// The wanted columns as columns of the file.
    roots: Vec<usize>,
    /// Their places in decoded batches, which have the order of the file.
    order: Vec<usize>,
    /// The row group that is read, counted from 1; 0 before the first.
    pub(super) group: usize,
    batches: Option<ParquetRecordBatchReader>,
}

impl Part {
    /// Some more rows, column by column as wanted; `None` at the end of the file.
    pub(super) fn next(&mut self, source: &PartSource) -> Result<Option<Vec<ArrayRef>>> {
        loop {
            if let Some(batches) = &mut self.batches {
                if let Some(batch) = batches.next() {
                    let group = self.group;
                    let batch = batch.map_err(|error| damaged_group(source, group, &error))?;
                    let column = |&at: &usize| batch.column(at).clone();
                    return Ok(Some(self.order.iter().map(column).collect()));
                }
                self.batches = None;
            }
            if self.group == self.metadata.metadata().num_row_groups() {
                return Ok(None);
            }
            let reader = match source {
                PartSource::File(_, path) => self.reader(source.file(path)?),
                PartSource::Memory(_, bytes) => self.reader(bytes.clone()),
            };
            self.group += 1;
            let group = self.group;
            self.batches = Some(reader.map_err(|error| damaged_group(source, group, &error))?);
        }
    }

    fn reader<T: ChunkReader + 'static>(
        &self,
        file: T,
    ) -> parquet::errors::Result<ParquetRecordBatchReader> {
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let mask = ProjectionMask::roots(builder.parquet_schema(), self.roots.iter().copied());
        builder
            .with_projection(mask)
            .with_row_groups(vec![self.group])
            .with_batch_size(DECODED_ROWS)
            .build()
    }
}

/// Damage within a row group, counted from 1.
pub(super) fn damaged_group(source: &PartSource, group: usize, why: &dyn Display) -> Error {
    damaged(source.name(), &format!("row group {group}: {why}"))
}
