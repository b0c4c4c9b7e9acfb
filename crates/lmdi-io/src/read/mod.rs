//! Reading tables: CSV (plain or gzip) and Parquet, detected from their first bytes, and rows as
//! JSON.
//!
//! A column is numeric if every cell that is not missing reads as a number, else text. With
//! [`ReadOptions::recognise`], text of a CSV file is examined further: numbers as people write
//! them, dates and times become numbers ([`lmdi::table::CellFormat`]), and notices report it. A
//! caller can state types in [`ReadOptions::cells`]; then a cell that does not match is an error
//! that names its line.
//!
//! Missing cells are, after trimming spaces, empty or, in any case, `NA`, `N/A`, `NaN`, `null` or
//! `?`; in Parquet also null. Infinite numbers are rejected.

mod batches;
mod cell;
mod column;
mod csv;
mod digest;
mod input;
mod json;
mod names;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;
mod recognise;
#[cfg(feature = "parquet")]
pub(crate) use parquet::is_plain;

pub use batches::{BatchReader, TableBatch, Total};
pub use input::Input;
pub use json::read_json_rows;
pub use recognise::{Notice, Noticed};

use crate::copies::CopiedColumn;
use crate::{Error, Result};
use lmdi::monitor::Monitor;
use lmdi::table::{
    CellFormat, Column, Encoding, Frame, Kind, NumberHints, Reading, Schema, Values,
};
use std::collections::{HashMap, HashSet};

/// What the cells of a column must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellType {
    /// Numbers; any other cell is an error.
    Number,
    /// Text, also where it reads as a number (postal codes).
    Text,
}

/// Options for reading a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Columns whose type is stated instead of detected. A name that the table lacks is ignored
    /// here.
    pub cells: HashMap<String, CellType>,
    /// The only columns to read; `None` reads all.
    pub only: Option<HashSet<String>>,
    /// Columns to copy as they are, whether or not they are read into the frame too. A name that
    /// the table lacks is an error.
    pub copied: Vec<String>,
    /// Columns that the caller leaves out: a column of an unsupported type is then read as missing
    /// instead of being refused.
    pub dropped: Vec<String>,
    /// The delimiter of a CSV file; `None` detects it.
    pub delimiter: Option<u8>,
    /// How the cells are written, from a model file.
    pub reading: Reading,
    /// The user's statements about numbers, which override those of a model file.
    pub numbers: NumberHints,
    /// Whether text columns are searched for numbers, dates and times.
    pub recognise: bool,
    /// Whether to hash the file on the way. CSV is hashed while it is read; Parquet, which is not
    /// read from start to end, takes one more pass.
    pub sha256: bool,
}

impl ReadOptions {
    lmdi::setters! {
        with_cells(cells: HashMap<String, CellType>),
        with_copied(copied: Vec<String>),
        with_dropped(dropped: Vec<String>),
        with_reading(reading: Reading),
        with_numbers(numbers: NumberHints),
        with_recognise(recognise: bool),
        with_sha256(sha256: bool);
        optional:
        with_only(only: HashSet<String>),
        with_delimiter(delimiter: u8),
    }

    /// States the types that follow from kinds given by the user.
    pub fn with_kinds(mut self, kinds: &[(String, Kind)]) -> Self {
        for (name, kind) in kinds {
            let cells = match kind {
                Kind::Numeric => CellType::Number,
                Kind::Boolean | Kind::Categorical => CellType::Text,
                Kind::Constant | Kind::Identifier => continue,
            };
            self.cells.insert(name.clone(), cells);
        }
        self
    }

    /// Reads what a model needs, and nothing else.
    pub fn for_schema(schema: &Schema) -> Self {
        let reading = schema.reading.clone();
        let mut options = Self { only: Some(HashSet::new()), reading, ..Self::default() };
        for column in &schema.columns {
            let cells = match column.encoding {
                Encoding::Number => CellType::Number,
                Encoding::Truth | Encoding::OneHot(_) | Encoding::Codes(_) => CellType::Text,
            };
            options.cells.insert(column.name.clone(), cells);
            options.only.get_or_insert_default().insert(column.name.clone());
        }
        options
    }

    /// Also reads this column; its type is detected unless stated.
    pub fn also(mut self, name: &str) -> Self {
        if let Some(only) = &mut self.only {
            only.insert(name.to_owned());
        }
        self
    }

    /// How the cells of a column are written.
    fn rules(&self, name: &str) -> cell::CellRules {
        let known = self.reading.format_of(name);
        let stated = self.numbers.stated().filter(|_| {
            self.cells.get(name) != Some(&CellType::Text)
                && known.is_none_or(|known| matches!(known.format, CellFormat::Number(..)))
        });
        let mut missing = self.reading.missing.clone();
        missing.extend(known.iter().flat_map(|known| known.missing.iter().cloned()));
        cell::CellRules { format: stated.or(known.map(|known| known.format)), missing }
    }

    /// How the cells of the table are written, but for what is recognised.
    fn reading(&self) -> Reading {
        self.reading.clone()
    }

    /// Whether text of this column is looked at.
    fn recognises(&self, name: &str) -> bool {
        self.recognise && self.cells.get(name) != Some(&CellType::Text)
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(name))
    }

    fn copies(&self, name: &str) -> bool {
        self.copied.iter().any(|copied| copied == name)
    }

    /// The same options for a table with these columns. A model may know a column with spaces in its
    /// name by the name with underscores, as LightGBM does ([`Frame::input`]); then the column is
    /// read as the model's. Fails if a column to copy is not among these.
    fn for_columns(&self, names: &[String], input: &str) -> Result<Self> {
        self.check_copied(names, input)?;
        let mut options = self.clone();
        let Some(only) = &mut options.only else { return Ok(options) };
        let known: HashSet<&String> = names.iter().collect();
        for name in names.iter().filter(|name| name.contains(' ')) {
            let known_as = name.replace(' ', "_");
            if self.wants(&known_as) && !known.contains(&known_as) {
                only.insert(name.clone());
                if let Some(&cells) = self.cells.get(&known_as) {
                    options.cells.entry(name.clone()).or_insert(cells);
                }
            }
        }
        Ok(options)
    }

    fn check_copied(&self, names: &[String], input: &str) -> Result<()> {
        let unusable =
            |error: lmdi::Error| Error::Table { input: input.into(), what: error.to_string() };
        if self.copied.iter().all(|name| names.contains(name)) {
            return Ok(());
        }
        let empty = |name: &String| Column { name: name.clone(), values: Values::Numbers(vec![]) };
        let known = Frame::new(names.iter().map(empty).collect());
        let known = known.map_err(unusable)?;
        for name in &self.copied {
            known.require(name).map_err(unusable)?;
        }
        Ok(())
    }
}

/// The file format a table was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Delimited text.
    Csv {
        /// The delimiter, given or found.
        delimiter: u8,
        /// Whether the text was compressed.
        gzip: bool,
    },
    /// Apache Parquet.
    Parquet,
}

/// A table and how it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The columns.
    pub frame: Frame,
    /// The copied columns, in the order of the file.
    pub copies: Vec<CopiedColumn>,
    /// The format found.
    pub format: Format,
    /// The SHA-256 of the file in hexadecimal digits, if requested.
    pub sha256: Option<String>,
    /// How the cells are written, for a model file.
    pub reading: Reading,
    /// Notices about text columns.
    pub notices: Vec<Notice>,
}

/// Reads a table. The number of rows read so far is reported to `monitor`.
///
/// ```
/// use lmdi_io::read::{Input, ReadOptions, read_table};
/// let input = Input::bytes("inline", b"age;city\n31;Bonn\n;Ulm\n".to_vec());
/// let table = read_table(&input, &ReadOptions::default(), &lmdi::monitor::Silent)?;
/// assert_eq!((table.frame.rows(), table.frame.columns().len()), (2, 2));
/// # Ok::<(), lmdi_io::Error>(())
/// ```
pub fn read_table(input: &Input, options: &ReadOptions, monitor: &dyn Monitor) -> Result<Table> {
    let opened = input.open()?;
    let table = match opened.magic()? {
        #[cfg(feature = "parquet")]
        input::Magic::Parquet => {
            let table = parquet::read(&opened, options, monitor)?;
            let sha256 = options.sha256.then(|| digest::of(&opened)).transpose()?;
            Table { sha256, ..table }
        }
        #[cfg(not(feature = "parquet"))]
        input::Magic::Parquet => return Err(opened.unusable(crate::error::NO_PARQUET)),
        input::Magic::Gzip => csv::read(&opened, true, options, monitor)?,
        input::Magic::Utf16 => {
            let sha256 = options.sha256.then(|| digest::of(&opened)).transpose()?;
            let read = csv::read(&opened.decoded_from_utf16()?, false, options, monitor)?;
            Table { sha256, ..read }
        }
        input::Magic::Text => csv::read(&opened, false, options, monitor)?,
    };
    // A table that has none of the wanted columns is left to whoever misses them by name.
    if table.frame.rows() == 0 && !table.frame.columns().is_empty() {
        return Err(Error::Table {
            input: opened.name().into(),
            what: "the table has column names but no data row".into(),
        });
    }
    Ok(table)
}
