//! Flags that several commands share.

use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lmdi::named::Named;
use lmdi::table::Kind;
use lmdi_io::read::{Format, Input, ReadOptions, Table, read_table};

use crate::progress::Progress;
use lmdi_io::atomic::AtomicFile;
use lmdi_io::write::Output;
use std::path::Path;

/// Reads one of the names of a choice; `--help` lists them with their meaning.
pub fn named<T: Named>() -> impl TypedValueParser<Value = T> {
    let value = |choice: &T| match choice.meaning() {
        "" => PossibleValue::new(choice.name()),
        meaning => PossibleValue::new(choice.name()).help(meaning),
    };
    PossibleValuesParser::new(T::ALL.iter().map(value)).try_map(|name| T::from_name(&name))
}

/// How to read a table.
#[derive(Args)]
pub struct ReadFlags {
    /// Delimiter of a CSV file: a character, or `tab` [default: found from the first lines]
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter, help_heading = "Reading")]
    pub delimiter: Option<u8>,
}

impl ReadFlags {
    /// Reads a table with these flags and what else is known about it.
    pub fn read(&self, input: &Input, options: ReadOptions) -> Result<Table> {
        let options = ReadOptions { delimiter: self.delimiter, ..options };
        Ok(read_table(input, &options, &Progress::endless("Reading", "rows"))?)
    }
}

/// Kinds stated by the user.
#[derive(Args)]
pub struct KindFlags {
    /// States a column's kind instead of inferring it: numeric, boolean, categorical, constant or
    /// identifier (the last two drop it); repeatable
    #[arg(long = "kind", value_name = "COL=KIND", value_parser = parse_kind, help_heading = "Columns")]
    pub kinds: Vec<(String, Kind)>,
}

/// How many threads to use.
#[derive(Args)]
pub struct ThreadFlags {
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Running")]
    pub threads: Option<u16>,
}

impl ThreadFlags {
    /// Makes all work from here on use this many threads.
    pub fn apply(&self) -> Result<()> {
        let Some(threads) = self.threads else { return Ok(()) };
        rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(threads))
            .build_global()
            .context("cannot start the threads")
    }
}

/// How the format of a table is called.
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

/// An error about a flag or how flags go together: wrong usage.
pub fn wrong(
    name: &'static str,
    found: impl Into<String>,
    expected: impl Into<String>,
) -> anyhow::Error {
    lmdi::Error::Parameter { name, found: found.into(), expected: expected.into() }.into()
}

/// Fails if a file cannot be written, before the work whose result it is to hold. Nothing is changed.
pub fn check_writable(output: Option<&Output>, save: Option<&Path>) -> Result<()> {
    let output = match output {
        Some(Output::Csv(path) | Output::Parquet(path)) => Some(path.as_path()),
        Some(Output::Stdout) | None => None,
    };
    for path in output.into_iter().chain(save) {
        // Taken back at once.
        AtomicFile::create(path)?;
    }
    Ok(())
}

fn parse_delimiter(text: &str) -> Result<u8> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [b'"' | b'\n' | b'\r'] => bail!("a quote or line end cannot delimit fields"),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => bail!("expected one ASCII character, or `tab`"),
    }
}

fn parse_kind(text: &str) -> Result<(String, Kind)> {
    // The last `=`: names may hold one, kinds do not.
    let (name, kind) = text.rsplit_once('=').context("expected COL=KIND")?;
    let kind = Kind::from_name(kind).with_context(|| {
        format!("{kind:?} is no kind; expected {}", Kind::ALL.map(Kind::name).join(", "))
    })?;
    Ok((name.to_owned(), kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_delimiters_are_parsed() {
        assert_eq!(parse_kind("a=b=numeric").expect("valid"), ("a=b".to_owned(), Kind::Numeric));
        assert!(parse_kind("a").is_err() && parse_kind("a=number").is_err());
        assert_eq!(parse_delimiter("tab").expect("valid"), b'\t');
        assert!(parse_delimiter("ab").is_err() && parse_delimiter("\"").is_err());
    }
}
