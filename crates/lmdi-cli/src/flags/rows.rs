//! Rows that a user names.

use anyhow::{Context, Result, bail};
use lmdi::text::counted;

/// Rows that a user names: `all`, or places from 1 and ranges of them, such as `3,8,20-29`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowChoice {
    All,
    Places(Vec<(usize, usize)>),
}

/// Reads what a user writes after `--rows`.
pub fn parse_rows(text: &str) -> Result<RowChoice> {
    if text == "all" {
        return Ok(RowChoice::All);
    }
    let place = |text: &str| -> Result<usize> {
        let place: usize =
            text.trim().parse().ok().filter(|&place| place > 0).with_context(|| {
                format!("{text:?} is no row; expected all, or rows from 1 such as 3,8,20-29")
            })?;
        Ok(place)
    };
    let ranges = text.split(',').map(|part| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let range = (place(from)?, place(to)?);
        if range.0 > range.1 {
            bail!("{part:?} ends before it starts");
        }
        Ok(range)
    });
    Ok(RowChoice::Places(ranges.collect::<Result<_>>()?))
}

impl RowChoice {
    /// The chosen rows of a table, from 0, in the order given.
    pub fn of(&self, n_rows: usize, table: &str) -> Result<Vec<usize>> {
        let RowChoice::Places(ranges) = self else { return Ok((0..n_rows).collect()) };
        if let Some((_, beyond)) = ranges.iter().find(|(_, to)| *to > n_rows) {
            bail!("{table} has {}; there is no row {beyond}", counted(n_rows, "row"));
        }
        Ok(ranges.iter().flat_map(|&(from, to)| from - 1..to).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_places_and_ranges() {
        let chosen = parse_rows("3,5-7").expect("valid").of(9, "t").expect("there");
        assert_eq!(chosen, [2, 4, 5, 6]);
        assert_eq!(parse_rows("all").expect("valid").of(2, "t").expect("there"), [0, 1]);
        for invalid in ["0", "", "2-1", "a", "1-", "-3"] {
            assert!(parse_rows(invalid).is_err(), "{invalid}");
        }
        let error = parse_rows("3").expect("valid").of(2, "t").expect_err("too far").to_string();
        assert!(error.contains("t has 2 rows; there is no row 3"), "{error}");
    }
}
