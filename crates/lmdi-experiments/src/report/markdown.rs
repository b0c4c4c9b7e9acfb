//! Tables as text.

/// A table with a heading; numbers are aligned to the right.
pub struct Table {
    heading: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new<S: Into<String>>(heading: impl IntoIterator<Item = S>) -> Self {
        Self { heading: heading.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row; cells that are missing at its end are empty.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let mut cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        cells.resize(self.heading.len(), String::new());
        self.rows.push(cells);
    }

    /// As Markdown, with an empty line after it.
    pub fn text(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = line(&self.heading);
        text.push_str("|---|");
        text.push_str(&"---:|".repeat(self.heading.len().saturating_sub(1)));
        text.push('\n');
        self.rows.iter().for_each(|row| text.push_str(&line(row)));
        text.push('\n');
        text
    }
}

/// A number with some decimals; a dash where there is none.
pub fn number(x: f64, decimals: usize) -> String {
    if x.is_nan() { "–".into() } else { format!("{x:.decimals$}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_written_as_markdown() {
        let mut table = Table::new(["method", "a|b"]);
        table.row(["lime"]);
        assert_eq!(table.text(), "| method | a\\|b |\n|---|---:|\n| lime |  |\n\n");
        assert_eq!((number(f64::NAN, 2), number(1.25, 1)), ("–".into(), "1.2".into()));
    }
}
