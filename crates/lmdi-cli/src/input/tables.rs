//! Tables as commands read them: as training data, or as rows of a model that is known.

use crate::flags::reading::ReadFlags;
use crate::output::terminal::shortened;
use crate::process::progress::Progress;
use anyhow::{Context, Result};
use lmdi::file::Metadata;
use lmdi::study::{NamedFrame, Rows, Sample};
use lmdi::table::{Column, Schema, Target, Task, Unseen};
use lmdi::text::counted;
use lmdi_io::printable::printable;
use lmdi_io::read::{CellType, Format, Input, ReadOptions, Table, read_table};
use lmdi_report::page::TableSource;
use std::cell::RefCell;
use std::path::Path;

/// Reads tables, and remembers what it read if a report is to name it.
pub struct TableReader {
    delimiter: Option<u8>,
    sources: Option<RefCell<Vec<TableSource>>>,
}

impl TableReader {
    /// A reader that remembers nothing.
    pub fn new(flags: &ReadFlags) -> Self {
        Self { delimiter: flags.delimiter, sources: None }
    }

    /// A reader that remembers every table with its hash.
    pub fn recording(flags: &ReadFlags) -> Self {
        Self { sources: Some(RefCell::default()), ..Self::new(flags) }
    }

    /// The tables read so far, in that order.
    pub fn sources(&self) -> Vec<TableSource> {
        self.sources.as_ref().map_or(vec![], |sources| sources.borrow().clone())
    }

    /// Reads a table.
    pub fn read(&self, data: &Path, options: ReadOptions) -> Result<(String, Table)> {
        let input = Input::from_argument(data);
        let (delimiter, sha256) = (self.delimiter, self.sources.is_some());
        let options = ReadOptions { delimiter, sha256, ..options };
        let table = read_table(&input, &options, &Progress::endless("Reading", "rows"))?;
        if let (Some(sources), Some(sha256)) = (&self.sources, &table.sha256) {
            let name = data.file_name().unwrap_or(data.as_os_str()).to_string_lossy().into_owned();
            let name = if input == Input::Stdin { input.name() } else { name };
            sources.borrow_mut().push(TableSource { name, sha256: sha256.clone() });
        }
        Ok((printable(&input.name()).into_owned(), table))
    }

    /// Reads the rows of a table as a model reads them, and tells what the model does not know.
    /// Columns `kept` are read as well, as text; so are those that `more` names.
    pub fn rows(
        &self,
        data: &Path,
        schema: &Schema,
        kept: &[String],
        more: &[(&str, Option<CellType>)],
        sample: Sample,
    ) -> Result<Rows> {
        let mut options = ReadOptions::for_schema(schema);
        for (column, cells) in more {
            options = options.also(column);
            if let Some(cells) = cells {
                options.cells.entry((*column).to_owned()).or_insert(*cells);
            }
        }
        for column in kept {
            let known = more.iter().any(|(name, _)| name == column);
            options = options.also(column);
            if !known {
                // Kept as it is written, unless the model needs it as numbers.
                options.cells.entry(column.clone()).or_insert(CellType::Text);
            }
        }
        let (name, Table { frame, .. }) = self.read(data, options)?;
        let table = NamedFrame { name: name.clone(), frame };
        let (rows, unseen) = Rows::encode(table, schema, sample).with_context(|| name.clone())?;
        unseen.iter().for_each(|unseen| eprintln!("{}", unseen_text(unseen)));
        check_kept(&rows, kept)?;
        Ok(rows)
    }

    /// Reads the rows of a table that a model is to explain, with their target where the table has
    /// it, and tells whether the model was trained on them.
    pub fn rows_of_model(
        &self,
        data: &Path,
        schema: &Schema,
        model: &Metadata,
        kept: &[String],
    ) -> Result<Rows> {
        let target = schema.target.as_ref();
        let of_target = target.map(|target| {
            let cells = (target.task == Task::Regression).then_some(CellType::Number);
            (target.name.as_str(), cells)
        });
        let of_weight = schema.weight.as_deref().map(|name| (name, Some(CellType::Number)));
        let more: Vec<_> = of_target.into_iter().chain(of_weight).collect();
        let rows = self.rows(data, schema, kept, &more, Sample::Unspecified)?;
        let Some(target) = target else { return Ok(rows) };
        let name = rows.table.name.clone();
        let (rows, missing) =
            rows.with_complete_target(schema, target).with_context(|| name.clone())?;
        if missing > 0 {
            eprintln!(
                "note: {name}: {} without a value of {}; errors are not measured",
                counted(missing, "row"),
                printable(&target.name)
            );
        }
        Ok(rows.recognised(model))
    }

    /// Reads those rows of a table that have a target, with it and their weights, for an explainer
    /// to learn from.
    pub fn rows_with_target(
        &self,
        data: &Path,
        schema: &Schema,
        target: &Target,
        kept: &[String],
    ) -> Result<Rows> {
        let cells = (target.task == Task::Regression).then_some(CellType::Number);
        let mut more = vec![(target.name.as_str(), cells)];
        more.extend(schema.weight.as_deref().map(|weight| (weight, Some(CellType::Number))));
        let rows = self.rows(data, schema, kept, &more, Sample::FittedOn)?;
        let name = rows.table.name.clone();
        rows.with_target(schema, target).context(name)
    }
}

/// Copies of columns of the table that rows come from, with the cells of these rows.
pub fn kept_columns(rows: &Rows, kept: &[String]) -> Result<Vec<Column>> {
    kept.iter()
        .map(|name| {
            let found = rows.table.frame.require(name).with_context(|| rows.table.name.clone())?;
            let values = found.values.take(&rows.places);
            Ok(Column { name: found.name.clone(), values })
        })
        .collect()
}

/// Fails on columns to keep that a table does not have, before any work.
pub fn check_kept(rows: &Rows, kept: &[String]) -> Result<()> {
    for name in kept {
        rows.table.frame.require(name).with_context(|| rows.table.name.clone())?;
    }
    Ok(())
}

/// What the format of a table is called.
pub fn format_name(format: Format) -> String {
    match format {
        Format::Parquet => "Parquet".into(),
        Format::Csv { delimiter, gzip } => {
            let delimiter = match delimiter {
                b',' => "comma".into(),
                b';' => "semicolon".into(),
                b'\t' => "tab".into(),
                b'|' => "bar".into(),
                other => format!("{:?}", other as char),
            };
            format!("{}CSV, delimiter {delimiter}", if gzip { "gzipped " } else { "" })
        }
    }
}

fn unseen_text(unseen: &Unseen) -> String {
    let column = printable(&unseen.column);
    let cells = counted(unseen.cells, "cell");
    match &unseen.example {
        Some(level) => format!(
            "note: column {column}: {cells} with a level that training did not know, such as {}",
            shortened(level)
        ),
        None => format!("note: column {column}: {cells} missing, where training had none missing"),
    }
}
