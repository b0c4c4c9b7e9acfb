//! Collects the cells of one column and decides whether it holds numbers or text.
//!
//! A column starts as numbers. The first cell that is neither missing nor a number makes it text.
//! If numbers came before, their spelling (`007`, `1.50`) is lost by then: the column frees its
//! memory, and is read again as text at the end. That is rare, and keeping the text of every number
//! just in case would take several times the memory of the table.

use super::CellType;
use super::cell::{Cell, CellRules};
use lmdi::table::{CellFormat, LabelsBuilder, Values, number_text};

/// A cell that its column cannot take.
#[derive(Debug)]
pub(super) struct Problem {
    /// What the reader of the file gave as the place of the cell: a byte or row number.
    pub(super) at: u64,
    pub(super) found: String,
    pub(super) expected: String,
}

#[derive(Debug)]
enum State {
    Numbers { cells: Vec<f64>, any: bool, infinite: Option<Problem> },
    Text(LabelsBuilder),
    TextAfterNumbers,
}

/// Who gives the cells, and so what messages about them can advise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// A file, which the command reads as its flags say.
    File,
    /// A program that sends JSON.
    Json,
}

/// How a column ended.
#[derive(Debug)]
pub(super) enum Settled {
    /// The cells, and the problem of a column that must be numbers and is text so far.
    Values(Values, Option<Problem>),
    /// It must be read again as [`CellType::Text`]; if it turns out to be no numbers, that is a
    /// problem of a column that must be numbers.
    ReadAgain(Option<Problem>),
}

#[derive(Debug)]
pub(super) struct ColumnReader {
    state: State,
    rules: CellRules,
    must_be_numbers: bool,
    /// Text among numbers is looked at more closely at the end.
    recognises: bool,
    source: Source,
    problem: Option<Problem>,
}

impl ColumnReader {
    pub(super) fn new(stated: Option<CellType>, rules: CellRules, recognises: bool) -> Self {
        let state = match stated {
            Some(CellType::Text) => State::Text(LabelsBuilder::default()),
            _ => State::Numbers { cells: Vec::new(), any: false, infinite: None },
        };
        let must_be_numbers = stated == Some(CellType::Number);
        Self { state, rules, must_be_numbers, recognises, source: Source::File, problem: None }
    }

    /// The reader of a column of JSON, which is not recognised.
    pub(super) fn of_json(stated: Option<CellType>, rules: CellRules) -> Self {
        Self { source: Source::Json, ..Self::new(stated, rules, false) }
    }

    /// Adds a cell of text.
    pub(super) fn push(&mut self, text: &str, at: u64) -> Result<(), Problem> {
        match &mut self.state {
            State::TextAfterNumbers => Ok(()),
            State::Text(labels) => {
                let text = text.trim();
                if self.rules.is_missing(text) {
                    labels.push_missing();
                } else {
                    labels.push(text);
                }
                Ok(())
            }
            State::Numbers { cells, any, infinite } => {
                match self.rules.parse(text) {
                    Cell::Missing => cells.push(f64::NAN),
                    Cell::Number(x) => {
                        if x.is_infinite() && infinite.is_none() {
                            *infinite = Some(infinite_cell(text.trim().into(), at, self.source));
                        }
                        *any = true;
                        cells.push(x);
                    }
                    Cell::Text(text) => return self.meet_text(text, at),
                }
                Ok(())
            }
        }
    }

    /// Adds a number; NaN is a missing cell.
    pub(super) fn push_number(&mut self, x: f64, at: u64) {
        match &mut self.state {
            State::TextAfterNumbers => {}
            State::Text(labels) if x.is_nan() => labels.push_missing(),
            State::Text(labels) => labels.push(&number_text(x)),
            State::Numbers { cells, any, infinite } => {
                if x.is_infinite() && infinite.is_none() {
                    *infinite = Some(infinite_cell(number_text(x), at, self.source));
                }
                *any |= !x.is_nan();
                cells.push(x);
            }
        }
    }

    /// Adds a missing cell.
    pub(super) fn push_missing(&mut self) {
        match &mut self.state {
            State::TextAfterNumbers => {}
            State::Text(labels) => labels.push_missing(),
            State::Numbers { cells, .. } => cells.push(f64::NAN),
        }
    }

    fn meet_text(&mut self, text: &str, at: u64) -> Result<(), Problem> {
        if self.must_be_numbers {
            let problem = Problem { at, found: text.into(), expected: self.expected() };
            if !self.recognises {
                return Err(problem);
            }
            self.problem.get_or_insert(problem);
        }
        let State::Numbers { cells, any, .. } = &self.state else { return Ok(()) };
        self.state = if *any {
            State::TextAfterNumbers
        } else {
            let mut labels = LabelsBuilder::default();
            cells.iter().for_each(|_| labels.push_missing());
            labels.push(text);
            State::Text(labels)
        };
        Ok(())
    }

    /// What a cell among numbers should be.
    fn expected(&self) -> String {
        let format = self.rules.format.unwrap_or(CellFormat::PLAIN);
        let cell = format.cell_title();
        match self.source {
            Source::Json => format!("{cell}, or null where it is missing"),
            Source::File if matches!(format, CellFormat::Number(..)) => {
                format!("{cell}, or {EMPTY} (--missing names other words for that, {MARKS})")
            }
            Source::File => format!("{cell}, or {EMPTY} (--missing names other words for that)"),
        }
    }

    /// The finished column.
    pub(super) fn finish(self) -> Result<Settled, Problem> {
        match self.state {
            State::Numbers { infinite: Some(problem), .. } => Err(problem),
            State::Numbers { mut cells, .. } => {
                cells.shrink_to_fit();
                Ok(Settled::Values(Values::Numbers(cells), None))
            }
            State::Text(labels) => {
                Ok(Settled::Values(Values::Labels(labels.finish()), self.problem))
            }
            State::TextAfterNumbers => Ok(Settled::ReadAgain(self.problem)),
        }
    }
}

const EMPTY: &str = "an empty cell where it is missing";
const MARKS: &str = "--decimal and --thousands other ways to write numbers";

fn infinite_cell(found: String, at: u64, source: Source) -> Problem {
    let expected = match source {
        Source::File => "a finite number; leave the cell empty if the value is unknown",
        Source::Json => "a finite number, or null where it is missing",
    };
    Problem { at, found, expected: expected.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stated: Option<CellType>, cells: &[&str]) -> Result<Settled, Problem> {
        let mut column = ColumnReader::new(stated, CellRules::default(), false);
        for (row, cell) in cells.iter().enumerate() {
            column.push(cell, row as u64)?;
        }
        column.finish()
    }

    #[test]
    fn text_after_missing_cells_is_kept_and_after_numbers_read_again() {
        match read(None, &["NA", "", "a"]) {
            Ok(Settled::Values(Values::Labels(labels), _)) => {
                assert_eq!((labels.len(), labels.get(1), labels.get(2)), (3, None, Some("a")));
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(read(None, &["007", "a", "b"]), Ok(Settled::ReadAgain(_))));
    }

    #[test]
    fn stated_types_are_kept_to() {
        let problem = read(Some(CellType::Number), &["1", "x1"]).expect_err("text");
        assert_eq!((problem.at, problem.found.as_str()), (1, "x1"));
        match read(Some(CellType::Text), &["007", " b ", "?"]) {
            Ok(Settled::Values(Values::Labels(labels), _)) => {
                assert_eq!(
                    (labels.get(0), labels.get(1), labels.get(2)),
                    (Some("007"), Some("b"), None)
                );
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn infinity_is_refused_among_numbers_only() {
        assert_eq!(read(None, &["1", "inf"]).expect_err("infinite").at, 1);
        assert!(matches!(read(None, &["inf", "a"]), Ok(Settled::ReadAgain(_))));
        assert!(read(Some(CellType::Text), &["inf", "a"]).is_ok());
    }
}
