//! Whether a column of integers only numbers or identifies rows.
//!
//! Each number must occur once, without gaps. That alone proves little: a yearly series has one row
//! per year, and a life table one per age. So the numbers must also count the rows as a program
//! does (from 0 or 1, in the order of the rows or in reverse), or the column must be named like a
//! key. A column named like a time is never a row number: `month` from 1 to 36 is a trend. Keys
//! beyond 2^53 need not be without gaps: as 64-bit floats, several of them are one number.
//!
//! Cost: one pass over the cells, and one bit per row if the numbers are not in order.

use super::kind::IDENTIFIER_MIN_CELLS;

/// Words of names whose numbers tell rows apart.
const KEYS: [&str; 15] = [
    "id",
    "ids",
    "idx",
    "index",
    "identifier",
    "key",
    "no",
    "nr",
    "num",
    "number",
    "pk",
    "record",
    "row",
    "serial",
    "unnamed",
];
/// Words of names whose numbers are times or ages.
const TIMES: [&str; 24] = [
    "age", "alter", "date", "day", "days", "decade", "epoch", "hour", "hours", "jahr", "minute",
    "minutes", "month", "months", "period", "quarter", "second", "seconds", "t", "time", "week",
    "weeks", "year", "years",
];

/// From here on, not every integer is a 64-bit float.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Whether whole numbers in `low..=high`, none missing, number the rows.
pub(super) fn is_row_number(name: &str, cells: &[f64], low: f64, high: f64) -> bool {
    let has_no_gaps = high - low == (cells.len().saturating_sub(1)) as f64;
    let is_inexact = low >= LARGEST_EXACT;
    if cells.len() < IDENTIFIER_MIN_CELLS || !(has_no_gaps || is_inexact) {
        return false;
    }
    let words = words(name);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if has(&TIMES) {
        false
    } else if has(&KEYS) {
        is_inexact || is_each_once(cells, low)
    } else {
        (low == 0.0 || low == 1.0) && is_in_order(cells)
    }
}

fn is_in_order(cells: &[f64]) -> bool {
    let by = |step: f64| cells.windows(2).all(|pair| pair[1] - pair[0] == step);
    by(1.0) || by(-1.0)
}

fn is_each_once(cells: &[f64], low: f64) -> bool {
    let mut seen = vec![false; cells.len()];
    cells.iter().all(|&x| !std::mem::replace(&mut seen[(x - low) as usize], true))
}

/// The words of a name, in lower case: `customerID`, `customer_id` and `Customer ID` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in name.chars() {
        if !c.is_alphabetic() || (c.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphabetic(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(name: &str, cells: impl IntoIterator<Item = i32>) -> bool {
        let cells: Vec<f64> = cells.into_iter().map(f64::from).collect();
        let low = cells.iter().copied().fold(f64::INFINITY, f64::min);
        let high = cells.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        is_row_number(name, &cells, low, high)
    }

    /// 0 to 39, each once, in another order.
    fn shuffled() -> impl Iterator<Item = i32> {
        (0..40).map(|i| i * 7 % 40)
    }

    #[test]
    fn counted_rows_are_row_numbers() {
        for name in ["x", "", "Unnamed: 0", "nummer"] {
            assert!(holds(name, 0..40), "{name:?}");
            assert!(holds(name, 1..41), "{name:?}");
            assert!(holds(name, (0..40).rev()), "{name:?}");
        }
        assert!(!holds("x", 0..10), "too few cells to tell");
        assert!(!holds("x", (0..40).map(|i| 2 * i)), "with gaps");
        assert!(!holds("x", (0..40).map(|i| i % 39)), "one twice");
    }

    #[test]
    fn keys_are_told_by_their_name() {
        for name in
            ["id", "customer_id", "customerID", "Customer ID", "row", "Unnamed: 0", "PassengerId"]
        {
            assert!(holds(name, 1001..1041), "{name:?}");
            assert!(holds(name, shuffled()), "{name:?}");
            assert!(!holds(name, (0..40).map(|i| 3 * i)), "{name:?} with gaps may be a code");
        }
    }

    #[test]
    fn keys_that_floats_do_not_tell_apart_are_told_by_their_name() {
        let cells: Vec<f64> = (0..40).map(|i| 1_234_567_890_123_456_000.0 + f64::from(i)).collect();
        let (low, high) = (cells[0], cells[39]);
        assert!(is_row_number("order_id", &cells, low, high));
        // Nanoseconds since 1970 are as large.
        assert!(!is_row_number("time_id", &cells, low, high));
        assert!(!is_row_number("population", &cells, low, high));
    }

    #[test]
    fn quantities_that_happen_to_be_consecutive_are_none() {
        // Yearly series, a life table and a designed experiment.
        assert!(!holds("year", 1950..2020));
        assert!(!holds("Year of sale", 0..40));
        assert!(!holds("age", 18..90));
        assert!(!holds("ageAtDeath", 1..90));
        assert!(!holds("day_number", 1..366), "a day, though numbered");
        assert!(!holds("dose", shuffled()));
        assert!(!holds("temperature", 20..60));
        assert!(!holds("acid", 20..60), "a name that only ends as a key does");
    }
}
