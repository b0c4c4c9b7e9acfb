//! Formatting of numbers and names for people, the same in every report.

use crate::table::{TimeUnit, Unseen, number_text};

/// Most letters of a name within a sentence.
const LETTERS: usize = 48;

/// A number with about six significant digits.
///
/// ```
/// assert_eq!(lmdi::text::short_number(1_234_567.0), "1234570");
/// assert_eq!(lmdi::text::short_number(f64::NAN), "undefined");
/// ```
pub fn short_number(x: f64) -> String {
    if x.is_nan() {
        return "undefined".into();
    }
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    number_text(rounded)
}

/// A cell of a column of numbers: a date where it is a point in time, in this unit. A whole number
/// keeps all its digits, since it may be a code or a year; others are as [`short_number`] writes
/// them.
///
/// ```
/// use lmdi::{table::TimeUnit, text::short_cell};
/// assert_eq!(short_cell(19_753.0, Some(TimeUnit::Days)), "2024-01-31");
/// assert_eq!(short_cell(1_234_567.0, None), "1234567");
/// assert_eq!(short_cell(1_234_567.8, None), "1234570");
/// ```
pub fn short_cell(x: f64, time: Option<TimeUnit>) -> String {
    let number = || if x.fract() == 0.0 { number_text(x) } else { short_number(x) };
    time.and_then(|unit| unit.text(x)).unwrap_or_else(number)
}

/// A count with thousands separated.
///
/// ```
/// assert_eq!(lmdi::text::count(48_842_usize), "48,842");
/// ```
pub fn count(n: impl TryInto<u64>) -> String {
    let digits = n.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun, which takes an `s` unless there is one.
///
/// ```
/// use lmdi::text::counted;
/// assert_eq!((counted(1, "row"), counted(2000, "row")), ("1 row".into(), "2,000 rows".into()));
/// ```
pub fn counted(n: usize, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(n))
}

/// Cells of a column with values that did not occur in training. Names are as they are in the
/// table; escape them where that matters.
pub fn unseen_text(unseen: &Unseen) -> String {
    let (column, cells) = (short_name(&unseen.column), counted(unseen.cells, "cell"));
    match &unseen.example {
        Some(level) => format!(
            "column {column}: {cells} with a level that training did not know, such as {}",
            short_name(level)
        ),
        None => format!("column {column}: {cells} missing, where training had none missing"),
    }
}

/// A name of a table, column or class, shortened with an ellipsis if it is too long for a sentence.
pub fn short_name(name: &str) -> String {
    match name.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
