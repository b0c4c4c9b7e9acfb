//! Text for people: aligned tables, short numbers, names that cannot harm a terminal.

use lmdi_io::printable::printable;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Longest cell of a table, in terminal columns.
const MAX_WIDTH: usize = 48;

/// On which side a column of a table is flush.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// Lines of text in aligned columns.
pub struct TextTable {
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table with these column titles.
    pub fn new(titles: &[(&str, Align)]) -> Self {
        let rows = vec![titles.iter().map(|(title, _)| (*title).to_owned()).collect()];
        Self { align: titles.iter().map(|(_, align)| *align).collect(), rows }
    }

    /// Adds a row; cells are escaped and cut to a readable width.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| shortened(&cell)).collect());
    }
}

impl std::fmt::Display for TextTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let width_of = |at: usize| self.rows.iter().map(|row| row[at].width()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.align.len()).map(width_of).collect();
        for row in &self.rows {
            let mut line = String::from(" ");
            for (at, cell) in row.iter().enumerate() {
                let padding = " ".repeat(widths[at] - cell.width());
                line.push(' ');
                match self.align[at] {
                    Align::Left => line.push_str(&format!("{cell}{padding} ")),
                    Align::Right => line.push_str(&format!("{padding}{cell} ")),
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Escaped, and cut with an ellipsis where it is too wide for a table.
pub fn shortened(text: &str) -> String {
    let safe = printable(text);
    if safe.width() <= MAX_WIDTH {
        return safe.into_owned();
    }
    let mut short = String::new();
    let mut width = 0;
    for c in safe.chars() {
        width += c.width().unwrap_or(0);
        if width >= MAX_WIDTH {
            break;
        }
        short.push(c);
    }
    short.push('…');
    short
}

/// Numbers of one column with the same number of decimals, enough for four digits of the largest.
pub struct Decimals(usize);

impl Decimals {
    /// Decimals that suit numbers up to this size.
    pub fn for_largest(size: f64) -> Self {
        let digits = if size > 0.0 && size.is_finite() { size.log10().floor() as i32 } else { 0 };
        Self((3 - digits).clamp(0, 12) as usize)
    }

    /// The number in this form.
    pub fn text(&self, x: f64) -> String {
        let text = format!("{x:.*}", self.0);
        // Minus zero would look like a direction.
        let is_zero = text.starts_with('-') && !text.contains(|c| ('1'..='9').contains(&c));
        if is_zero { text[1..].to_owned() } else { text }
    }

    /// The same with a sign in front.
    pub fn signed(&self, x: f64) -> String {
        let text = self.text(x);
        if text.starts_with('-') { text } else { format!("+{text}") }
    }
}

/// A size in bytes, in the unit that suits it.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_whatever_the_script() {
        let mut table = TextTable::new(&[("name", Align::Left), ("n", Align::Right)]);
        table.row(["数".into(), "1".into()]);
        table.row(["a\u{1b}[31m".into(), "12345".into()]);
        let text = table.to_string();
        let ends: Vec<usize> = text.lines().map(UnicodeWidthStr::width).collect();
        assert_eq!(ends[0], ends[1]);
        assert_eq!(ends[1], ends[2]);
        assert!(text.contains("a\\u{1b}[31m"), "{text}");
    }

    #[test]
    fn decimals_follow_the_largest_number() {
        let decimals = Decimals::for_largest(33.6287);
        assert_eq!(decimals.signed(33.6287), "+33.63");
        assert_eq!(decimals.signed(-0.001), "+0.00");
        assert_eq!(Decimals::for_largest(0.0021).text(0.0021), "0.002100");
        assert_eq!(Decimals::for_largest(123456.0).text(99.5), "100");
    }

    #[test]
    fn wide_cells_are_cut() {
        assert!(shortened(&"x".repeat(500)).width() <= MAX_WIDTH);
    }
}
