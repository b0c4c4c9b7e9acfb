//! A text column: every distinct string is stored once, and a cell is an index into that list.

use std::collections::HashMap;
use std::sync::Arc;

/// The code of a missing cell.
pub const MISSING: u32 = u32::MAX;

/// Interned strings with missing cells. Four bytes per cell, whatever the strings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    levels: Vec<Arc<str>>,
    codes: Vec<u32>,
}

impl Labels {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The distinct strings, in the order of their first cell.
    pub fn levels(&self) -> &[Arc<str>] {
        &self.levels
    }

    /// The index into [`Labels::levels`] of each cell, or [`MISSING`].
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The string of a cell; `None` when it is missing.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.levels.get(self.codes[row] as usize).map(AsRef::as_ref)
    }

    /// How many cells each level has.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.levels.len()];
        for &code in &self.codes {
            if let Some(count) = counts.get_mut(code as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// The chosen cells; levels without a cell are left out.
    pub fn take(&self, rows: &[usize]) -> Self {
        rows.iter().map(|&row| self.get(row)).collect()
    }
}

impl<'a> FromIterator<Option<&'a str>> for Labels {
    fn from_iter<I: IntoIterator<Item = Option<&'a str>>>(cells: I) -> Self {
        let mut builder = LabelsBuilder::default();
        for cell in cells {
            match cell {
                Some(text) => builder.push(text),
                None => builder.push_missing(),
            }
        }
        builder.finish()
    }
}

/// Collects [`Labels`] cell by cell.
#[derive(Debug, Default)]
pub struct LabelsBuilder {
    labels: Labels,
    index: HashMap<Arc<str>, u32>,
}

impl LabelsBuilder {
    /// Adds a cell.
    pub fn push(&mut self, text: &str) {
        let code = match self.index.get(text) {
            Some(&code) => code,
            None => {
                let level: Arc<str> = text.into();
                let code = self.labels.levels.len() as u32;
                self.labels.levels.push(level.clone());
                self.index.insert(level, code);
                code
            }
        };
        self.labels.codes.push(code);
    }

    /// Adds a missing cell.
    pub fn push_missing(&mut self) {
        self.labels.codes.push(MISSING);
    }

    /// Number of cells so far.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is no cell yet.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The finished column.
    pub fn finish(self) -> Labels {
        self.labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_a_code_and_missing_stays_missing() {
        let labels: Labels = [Some("b"), None, Some("a"), Some("b")].into_iter().collect();
        assert_eq!(labels.codes(), [0, MISSING, 1, 0]);
        assert_eq!(labels.counts(), [2, 1]);
        assert_eq!(labels.get(1), None);
        assert_eq!(labels.get(3), Some("b"));
    }

    #[test]
    fn taking_rows_forgets_levels_that_are_gone() {
        let labels: Labels = [Some("b"), Some("a"), None].into_iter().collect();
        let taken = labels.take(&[1, 2]);
        assert_eq!(taken.levels().len(), 1);
        assert_eq!(taken.codes(), [0, MISSING]);
    }
}
