//! How tables are read.

use super::invalid;
use anyhow::{Context, Result, bail};
use clap::Args;
use lmdi::table::{Decimal, Kind, NumberHints, Thousands};

/// How to read a table.
#[derive(Args)]
pub struct ReadFlags {
    /// Delimiter of a CSV file: a character, or `tab` [default: detected from the first lines]
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter, help_heading = "Reading")]
    pub delimiter: Option<u8>,
    /// Decimal mark: a point or a comma [default: a point; a comma if all cells of a column are
    /// written so]
    #[arg(long, value_name = "CHAR", value_parser = parse_decimal, help_heading = "Reading")]
    decimal: Option<Decimal>,
    /// Thousands separator: a comma, point, space or apostrophe, or none [default: detected from
    /// the cells of a column]
    #[arg(long, value_name = "CHAR", value_parser = parse_thousands, help_heading = "Reading")]
    thousands: Option<Thousands>,
    /// Another word for a missing cell, exactly as written; repeatable
    #[arg(long, value_name = "TOKEN", allow_hyphen_values = true, help_heading = "Reading")]
    pub missing: Vec<String>,
}

impl ReadFlags {
    /// What is stated about numbers.
    pub fn numbers(&self) -> NumberHints {
        let (decimal, thousands) = (self.decimal, self.thousands);
        NumberHints { decimal, thousands, ..NumberHints::default() }
    }

    /// Fails on a mark that would be both.
    pub fn check(&self) -> Result<()> {
        let stated = self.numbers().stated();
        if stated.is_some_and(|format| !format.is_possible()) {
            return Err(invalid(
                "thousands",
                "the mark of decimals too",
                "different marks for decimals and thousands",
            ));
        }
        Ok(())
    }
}

/// Kinds stated by the user.
#[derive(Args)]
pub struct KindFlags {
    /// Set a column's kind instead of detecting it: numeric, boolean, categorical, constant or
    /// identifier (the last two drop it); repeatable
    #[arg(long = "kind", value_name = "COL=KIND", value_parser = parse_kind, help_heading = "Columns")]
    pub kinds: Vec<(String, Kind)>,
}

fn parse_delimiter(text: &str) -> Result<u8> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [b'"' | b'\n' | b'\r'] => bail!("a quote or line end cannot delimit fields"),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => bail!("expected one ASCII character, or `tab`"),
    }
}

fn parse_decimal(text: &str) -> Result<Decimal> {
    match text {
        "." | "point" => Ok(Decimal::Point),
        "," | "comma" => Ok(Decimal::Comma),
        _ => bail!("expected . or ,"),
    }
}

fn parse_thousands(text: &str) -> Result<Thousands> {
    match text {
        "," | "comma" => Ok(Thousands::Comma),
        "." | "point" => Ok(Thousands::Point),
        " " | "space" => Ok(Thousands::Space),
        "'" | "apostrophe" => Ok(Thousands::Apostrophe),
        "" | "none" => Ok(Thousands::None),
        _ => bail!("expected a comma, point, space or apostrophe, or none"),
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
