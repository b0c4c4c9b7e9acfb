//! The kind of a column, detected from its cells.
//!
//! | kind | rule, first that holds |
//! |---|---|
//! | constant | no present cell, or one distinct value and nothing missing |
//! | boolean | text whose words all mean false or true, both there: `false/true`, `f/t`, `no/yes`, `n/y`, `off/on` and their like in other languages, in any case |
//! | identifier | text, at least [`IDENTIFIER_MIN_CELLS`] present cells, more than nine in ten of them distinct; or whole numbers that number the rows (`row_number`), unless they are dates or times |
//! | categorical | any other text |
//! | numeric | any other numbers, so also 0/1 |
//!
//! Cost: one pass over the cells.

use super::row_number::is_row_number;
use crate::table::frame::{CellFormat, Column, Labels, Values};
use serde::{Deserialize, Serialize};

/// Below this many present cells no column counts as identifier-like: in a small table every
/// value of an honest column can be different.
pub const IDENTIFIER_MIN_CELLS: usize = 20;

/// The kind of a column, which decides how trees read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Numbers, used as they are.
    Numeric,
    /// False or true, used as 0 and 1.
    Boolean,
    /// Text with repeated levels, one 0/1 column per level.
    Categorical,
    /// One value only; not used.
    Constant,
    /// A different value in (nearly) every row; not used.
    Identifier,
}

impl Kind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [Kind; 5] =
        [Kind::Numeric, Kind::Boolean, Kind::Categorical, Kind::Constant, Kind::Identifier];

    /// The name that users read and write.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Numeric => "numeric",
            Kind::Boolean => "boolean",
            Kind::Categorical => "categorical",
            Kind::Constant => "constant",
            Kind::Identifier => "identifier",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind of a column by the rules at the top of this module; `format` is how its cells are
    /// written, if that is not the default.
    pub fn of(column: &Column, format: Option<CellFormat>) -> Self {
        match &column.values {
            Values::Numbers(cells) => {
                let is_time =
                    format.is_some_and(|format| !matches!(format, CellFormat::Number(..)));
                of_numbers(&column.name, cells, is_time)
            }
            Values::Labels(labels) => of_labels(labels),
        }
    }
}

/// The boolean that a word stands for, in any case; `0` and `1` count too.
pub fn truth(text: &str) -> Option<bool> {
    const FALSE: [&str; 12] =
        ["false", "f", "no", "n", "0", "off", "nein", "falsch", "non", "faux", "nee", "nej"];
    const TRUE: [&str; 14] = [
        "true", "t", "yes", "y", "1", "on", "ja", "wahr", "oui", "vrai", "si", "s\u{ed}", "sim",
        "j",
    ];
    if FALSE.iter().any(|word| word.eq_ignore_ascii_case(text)) {
        Some(false)
    } else if TRUE.iter().any(|word| word.eq_ignore_ascii_case(text)) {
        Some(true)
    } else {
        None
    }
}

fn of_numbers(name: &str, cells: &[f64], is_time: bool) -> Kind {
    let mut low = f64::INFINITY;
    let mut high = f64::NEG_INFINITY;
    let mut present = 0;
    let mut whole = true;
    for &x in cells.iter().filter(|x| !x.is_nan()) {
        present += 1;
        low = low.min(x);
        high = high.max(x);
        whole &= x.trunc() == x;
    }
    let complete = present == cells.len();
    if present == 0 || (low == high && complete) {
        return Kind::Constant;
    }
    // A series has one row per day or second, and is learned from.
    if !is_time && complete && whole && is_row_number(name, cells, low, high) {
        return Kind::Identifier;
    }
    Kind::Numeric
}

fn of_labels(labels: &Labels) -> Kind {
    let counts = labels.counts();
    let levels = counts.iter().filter(|&&count| count > 0).count();
    let present: usize = counts.iter().sum();
    if levels == 0 || (levels == 1 && present == labels.len()) {
        return Kind::Constant;
    }
    let present_levels = labels.levels().iter().zip(&counts).filter(|(_, count)| **count > 0);
    // More than a few spellings are no truth values.
    let truths: Vec<_> = present_levels.take(20).map(|(level, _)| truth(level)).collect();
    if truths.iter().all(Option::is_some)
        && truths.contains(&Some(true))
        && truths.contains(&Some(false))
    {
        return Kind::Boolean;
    }
    if present >= IDENTIFIER_MIN_CELLS && levels * 10 > present * 9 {
        return Kind::Identifier;
    }
    Kind::Categorical
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(cells: impl IntoIterator<Item = f64>) -> Kind {
        let values = Values::Numbers(cells.into_iter().collect());
        Kind::of(&Column { name: "x".into(), values }, None)
    }

    fn text(cells: &[Option<&str>]) -> Kind {
        let values = Values::Labels(cells.iter().copied().collect());
        Kind::of(&Column { name: "x".into(), values }, None)
    }

    #[test]
    fn numbers_are_numeric_unless_constant_or_a_row_number() {
        assert_eq!(numbers([0.0, 1.0, 0.0]), Kind::Numeric);
        assert_eq!(numbers([2.0, 2.0]), Kind::Constant);
        assert_eq!(numbers([f64::NAN, f64::NAN]), Kind::Constant);
        assert_eq!(numbers([]), Kind::Constant);
        assert_eq!(
            numbers([2.0, f64::NAN]),
            Kind::Numeric,
            "that a cell is missing tells something"
        );
        assert_eq!(numbers((0..40).rev().map(f64::from)), Kind::Identifier);
        assert_eq!(numbers((0..40).map(|i| f64::from(i) * 0.5)), Kind::Numeric);
        assert_eq!(numbers((0..40).map(|i| f64::from(i % 39))), Kind::Numeric);
        assert_eq!(numbers((0..10).map(f64::from)), Kind::Numeric, "too few cells to tell");
    }

    #[test]
    fn dates_and_times_are_no_row_numbers() {
        let of = |cells: Vec<f64>, format: CellFormat| {
            Kind::of(&Column { name: "x".into(), values: Values::Numbers(cells) }, Some(format))
        };
        let days: Vec<f64> = (0..40).map(|i| f64::from(19_700 + i)).collect();
        for name in ["date year-month-day", "datetime day-month-year", "time"] {
            let format = CellFormat::from_name(name).expect("a format");
            assert_eq!(of(days.clone(), format), Kind::Numeric, "{name}");
            assert_eq!(of(vec![5.0; 40], format), Kind::Constant, "{name}");
        }
        let rows = (0..40).map(f64::from).collect();
        assert_eq!(of(rows, CellFormat::PLAIN), Kind::Identifier);
    }

    #[test]
    fn text_is_categorical_unless_constant_boolean_or_all_different() {
        assert_eq!(text(&[Some("a"), Some("b"), Some("a")]), Kind::Categorical);
        assert_eq!(text(&[Some("a"), Some("a")]), Kind::Constant);
        assert_eq!(text(&[None, None]), Kind::Constant);
        assert_eq!(text(&[Some("a"), None]), Kind::Categorical);
        assert_eq!(text(&[Some("Yes"), Some("NO"), None]), Kind::Boolean);
        assert_eq!(text(&[Some("yes"), Some("true")]), Kind::Categorical);
        assert_eq!(text(&[Some("yes"), Some("Yes"), Some("no")]), Kind::Boolean);
        assert_eq!(text(&[Some("on"), Some("off"), Some("auto")]), Kind::Categorical);
        assert_eq!(text(&[Some("Ja"), Some("nein")]), Kind::Boolean);
        let names: Vec<String> = (0..30).map(|i| format!("id-{i}")).collect();
        let mut cells: Vec<_> = names.iter().map(|name| Some(name.as_str())).collect();
        assert_eq!(text(&cells), Kind::Identifier);
        cells[3..9].fill(Some("id-0"));
        assert_eq!(text(&cells), Kind::Categorical);
    }

    #[test]
    fn kinds_are_found_by_their_names() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(Kind::from_name("number"), None);
    }
}
