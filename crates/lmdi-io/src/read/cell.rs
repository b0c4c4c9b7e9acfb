//! The content of one text cell: nothing, a number, or a word.

use lmdi::table::CellFormat;

/// A cell, without the spaces at its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'a> {
    Missing,
    Number(f64),
    Text(&'a str),
}

/// How the cells of a column are written.
#[derive(Debug, Clone, Default)]
pub(super) struct CellRules {
    /// The format of numbers; `None` is that of programs.
    pub(super) format: Option<CellFormat>,
    /// Further words for missing cells, as they are written.
    pub(super) missing: Vec<String>,
}

impl CellRules {
    /// Reads a cell.
    pub(super) fn parse<'a>(&self, text: &'a str) -> Cell<'a> {
        if self.format.is_none() && self.missing.is_empty() {
            return parse(text);
        }
        let trimmed = text.trim();
        if self.is_missing(trimmed) {
            return Cell::Missing;
        }
        match self.format {
            None => parse(trimmed),
            Some(format) => format.parse(trimmed).map_or(Cell::Text(trimmed), Cell::Number),
        }
    }

    /// Whether a trimmed cell stands for a missing value.
    pub(super) fn is_missing(&self, text: &str) -> bool {
        is_missing(text) || self.missing.iter().any(|word| word == text)
    }
}

/// Reads a cell. A number too large for 64 bits is infinite, as are the words for infinity.
fn parse(text: &str) -> Cell<'_> {
    // Nearly every cell of a table of numbers ends here; looking for spaces and words costs more.
    if text.as_bytes().first().is_some_and(|first| first.is_ascii_digit() || *first == b'-')
        && let Ok(x) = text.parse::<f64>()
    {
        return if x.is_nan() { Cell::Missing } else { Cell::Number(x) };
    }
    let text = text.trim();
    if is_missing(text) {
        return Cell::Missing;
    }
    // Rust's parser is exact and takes everything that other writers of CSV put out.
    match text.parse::<f64>() {
        Ok(x) if x.is_nan() => Cell::Missing,
        Ok(x) => Cell::Number(x),
        Err(_) => Cell::Text(text),
    }
}

/// Whether a trimmed cell stands for a missing value.
fn is_missing(text: &str) -> bool {
    match text.len() {
        0 => true,
        1 => text == "?",
        2 => text.eq_ignore_ascii_case("na"),
        3 => text.eq_ignore_ascii_case("nan") || text.eq_ignore_ascii_case("n/a"),
        // C's printf writes NaN with a sign.
        4 => ["null", "-nan", "+nan"].iter().any(|word| text.eq_ignore_ascii_case(word)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_missing_numbers_or_text() {
        // In columns of text too, where no number is looked for.
        for missing in ["", "  ", "NA", "na", "NaN", "-nan", "+NaN", "N/A", "Null", "?", " ? "] {
            assert_eq!(parse(missing), Cell::Missing, "{missing:?}");
            assert!(is_missing(missing.trim()), "{missing:?}");
        }
        for (text, x) in [("1", 1.0), (" -2.5e3 ", -2500.0), (".5", 0.5), ("+7", 7.0)] {
            assert_eq!(parse(text), Cell::Number(x), "{text:?}");
        }
        assert_eq!(parse("1e999"), Cell::Number(f64::INFINITY));
        assert_eq!(parse("-inf"), Cell::Number(f64::NEG_INFINITY));
        for text in ["None", "1,5", "0x10", "12a", "-"] {
            assert_eq!(parse(text), Cell::Text(text));
        }
    }
}
