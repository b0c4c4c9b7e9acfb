//! Tables as commands read them: as training data, or as rows for a given model.

use crate::flags::reading::ReadFlags;
use crate::process::console;
use crate::process::progress::Progress;
use anyhow::{Context, Result};
use lmdi::file::Metadata;
use lmdi::study::{NamedFrame, Rows, Sample};
use lmdi::table::{NearNumbers, NumberHints, Schema, Target, Task, UnitOfSome};
use lmdi::text::{counted, unseen_text};
use lmdi_io::copies::CopiedColumn;
use lmdi_io::printable::printable;
use lmdi_io::read::{CellType, Format, Input, Notice, Noticed, ReadOptions, Table, read_table};
use lmdi_io::sample::SampledTable;
use lmdi_io::write::Output;
use lmdi_report::page::TableSource;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// Reads tables. It remembers what it read if a report is to name it, and the columns that a result
/// copies.
pub struct TableReader {
    delimiter: Option<u8>,
    numbers: NumberHints,
    missing: Vec<String>,
    sources: Option<RefCell<Vec<TableSource>>>,
    copies: RefCell<Vec<(String, Vec<CopiedColumn>)>>,
    /// Where copied columns go.
    output: Option<Output>,
    /// A table, and the sample of its rows that is read instead.
    stand_in: Option<(PathBuf, PathBuf)>,
}

impl TableReader {
    /// A reader that remembers nothing.
    pub fn new(flags: &ReadFlags) -> Self {
        Self {
            delimiter: flags.delimiter,
            numbers: flags.numbers(),
            missing: flags.missing.clone(),
            sources: None,
            copies: RefCell::default(),
            output: None,
            stand_in: None,
        }
    }

    /// A reader that reads a sample where it is asked for the table, and calls it by the table's name.
    pub fn reading_instead(&self, table: &Path, sample: &SampledTable) -> Self {
        Self {
            delimiter: if sample.is_csv() { Some(b',') } else { self.delimiter },
            numbers: self.numbers,
            missing: self.missing.clone(),
            sources: None,
            copies: RefCell::default(),
            output: None,
            stand_in: Some((table.to_owned(), sample.path().to_owned())),
        }
    }

    /// The same reader, which refuses a column to copy that the output cannot hold as soon as it
    /// is read.
    pub fn copying_to(self, output: Option<&Output>) -> Self {
        Self { output: output.cloned(), ..self }
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
        let options = self.options(options).with_sha256(self.sources.is_some());
        let progress = Progress::endless("Reading", "rows");
        let table = match &self.stand_in {
            Some((table, sample)) if table == data => {
                let sample = read_table(&Input::from_argument(sample), &options, &progress);
                sample.with_context(|| format!("a sample of {}", printable(&input.name())))?
            }
            _ => read_table(&input, &options, &progress)?,
        };
        drop(progress);
        if let (Some(sources), Some(sha256)) = (&self.sources, &table.sha256) {
            let name = data.file_name().unwrap_or(data.as_os_str()).to_string_lossy().into_owned();
            let name = if input == Input::Stdin { input.name() } else { name };
            sources.borrow_mut().push(TableSource { name, sha256: sha256.clone() });
        }
        let name = printable(&input.name()).into_owned();
        if let Some(output) = &self.output {
            table.copies.iter().try_for_each(|column| output.check_holds(column))?;
        }
        if !table.copies.is_empty() {
            self.copies.borrow_mut().push((name.clone(), table.copies.clone()));
        }
        Ok((name, table))
    }

    /// What the flags say about tables, beside what the caller knows.
    pub fn options(&self, known: ReadOptions) -> ReadOptions {
        let mut options = known.with_delimiter(self.delimiter).with_numbers(self.numbers);
        options.reading.missing.extend(self.missing.iter().map(|word| word.trim().to_owned()));
        options
    }

    /// Columns of the table that rows come from, unchanged, with the cells of these rows.
    pub fn copies(&self, rows: &Rows, names: &[String]) -> Vec<CopiedColumn> {
        let read = self.copies.borrow();
        let of_table = read.iter().rev().find(|(name, _)| *name == rows.table.name);
        let find = |name: &String| of_table?.1.iter().find(|column| column.name == *name);
        names.iter().filter_map(find).map(|column| column.take(&rows.places)).collect()
    }

    /// Reads the rows of a table as a model reads them, and tells what the model does not know.
    /// Columns `kept` can be copied into a result; those that `more` names are read as well.
    pub fn rows(
        &self,
        data: &Path,
        schema: &Schema,
        kept: &[String],
        more: &[(&str, Option<CellType>)],
        sample: Sample,
    ) -> Result<Rows> {
        let (name, Table { frame, .. }) = self.read(data, columns_to_read(schema, kept, more))?;
        let table = NamedFrame { name: name.clone(), frame };
        let (rows, unseen) = Rows::encode(table, schema, sample).with_context(|| name.clone())?;
        unseen.iter().for_each(|unseen| console::note(printable(&unseen_text(unseen))));
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
        let more = target_and_weight(schema, schema.target.as_ref());
        let rows = self.rows(data, schema, kept, &more, Sample::Unspecified)?;
        let Some(target) = &schema.target else { return Ok(rows) };
        let name = rows.table.name.clone();
        let (rows, missing) =
            rows.with_complete_target(schema, target).with_context(|| name.clone())?;
        if missing > 0 {
            console::note(format!(
                "{name}: {} without a value of {}; errors are not measured",
                counted(missing, "row"),
                printable(&target.name)
            ));
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
        let more = target_and_weight(schema, Some(target));
        let rows = self.rows(data, schema, kept, &more, Sample::FittedOn)?;
        let name = rows.table.name.clone();
        rows.with_target(schema, target).context(name)
    }
}

/// The columns of a model, those to copy, and more.
pub fn columns_to_read(
    schema: &Schema,
    kept: &[String],
    more: &[(&str, Option<CellType>)],
) -> ReadOptions {
    let mut options = ReadOptions::for_schema(schema);
    for (column, cells) in more {
        options = options.also(column);
        if let Some(cells) = cells {
            options.cells.entry((*column).to_owned()).or_insert(*cells);
        }
    }
    options.copied = kept.to_vec();
    options
}

/// The columns of what is predicted and of weights, and what their cells must be.
pub fn target_and_weight<'s>(
    schema: &'s Schema,
    target: Option<&'s Target>,
) -> Vec<(&'s str, Option<CellType>)> {
    let of_target = target.map(|target| {
        let cells = (target.task == Task::Regression).then_some(CellType::Number);
        (target.name.as_str(), cells)
    });
    let of_weight = schema.weight.as_deref().map(|name| (name, Some(CellType::Number)));
    of_target.into_iter().chain(of_weight).collect()
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

/// Tells what was noticed about columns of text, but for columns that are nearly numbers.
pub fn tell_notices(notices: &[Notice]) {
    for Notice { column, what } in notices {
        let column = printable(column);
        match what {
            Noticed::ReadAs { format, missing, missing_cells, or, unit } => {
                let mut text = format!("column {column} is read as {}", format.title());
                if let Some(word) = missing.first() {
                    let cells = counted(*missing_cells, "cell");
                    let verb = if *missing_cells == 1 { "counts" } else { "count" };
                    text += &format!("; {cells} such as {word:?} {verb} as missing");
                }
                if let Some(or) = or {
                    let or = or.title();
                    text += &format!(
                        "; all cells could be {or} too: --decimal and --thousands state what is meant"
                    );
                }
                console::note(text);
                if let Some((unit, line)) = unit {
                    tell_unit(&column, unit, *line);
                }
            }
            Noticed::Spellings { one, other, levels } => console::note(format!(
                "column {column}: {one:?} and {other:?} differ in case or spaces only and count as \
                 two levels ({} of that kind)",
                counted(*levels, "level")
            )),
            Noticed::NearlyNumbers { .. } => {}
        }
    }
}

/// Numbers of which only some have a unit are hardly all of the same size.
fn tell_unit(column: &str, unit: &UnitOfSome, line: u64) {
    let UnitOfSome { cells, of, cell, .. } = unit;
    let verb = if *cells == 1 { "has" } else { "have" };
    console::note(format!(
        "column {column}: {cells} of {of} numbers {verb} a unit, first {cell:?} in line {line}; the sign is left \
         out and the number counts as it stands, beside those without. If the two are of different sizes, write \
         them alike first"
    ));
}

/// A column that is nearly numbers, dates or times, and what can be done about it.
pub fn nearly_numbers_text(column: &str, near: &NearNumbers, line: u64) -> String {
    let what = near.format.noun();
    format!(
        "column {column:?}: {} of {} cells are {what}; the first other one is {:?} in line {line}. \
         If that stands for a missing value, add --missing {:?}; if the column is not one of {what}, \
         add --kind {column}=categorical, or --drop {column}",
        near.numbers, near.present, near.other, near.other
    )
}
