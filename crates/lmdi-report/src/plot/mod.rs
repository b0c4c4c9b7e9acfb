//! Static pictures of scores, as SVG, PNG and PDF.
//!
//! | file | what |
//! |---|---|
//! | `bar` | mean absolute score of every column |
//! | `beeswarm` | every score of the most important columns, coloured by value |
//! | `waterfall` | one row: from the base over the scores to the total |
//! | `decision` | paths of many rows from the base to what is explained |
//! | `scatter` | scores of one column against its values |
//! | `heatmap` | rows beside columns, coloured by score |
//! | `comparison` | what two models use, and their predictions against each other |
//! | `stability` | how importances move from fit to fit |
//! | `lines` | means of repeated measurements with bands of their standard errors |
//! | `drawing` | how pictures are written as SVG, PNG and PDF |
//!
//! Pictures of many rows show a sample of them and say so. The same scores give the same bytes.

mod bar;
mod beeswarm;
mod comparison;
mod decision;
mod drawing;
mod heatmap;
mod lines;
mod scatter;
mod stability;
mod waterfall;

use crate::Result;
use drawing::{axis, svg};
use lmdi::Error;
use lmdi::explanation::{CellMeaning, Columns, ExplainedRows};
use lmdi::random::{generator, subset};
use lmdi::study::Account;
use lmdi::table::Response;

pub use bar::bar;
pub use beeswarm::beeswarm;
pub use comparison::{ComparisonData, comparison};
pub use decision::decision;
pub use drawing::{Picture, check_png, pdf, png};
pub use heatmap::heatmap;
pub use lines::{LineChart, Panel, Point, Series, lines};
pub use scatter::{scatter, strongest_interaction};
pub use stability::{StabilityData, stability};
pub use waterfall::waterfall;

/// What a picture shows.
#[derive(Debug, Clone, Copy)]
pub struct PlotData<'a> {
    /// The rows.
    pub rows: ExplainedRows<'a>,
    /// Their columns.
    pub columns: &'a Columns,
    /// What scores leave of the predictions, where they explain these.
    pub account: Option<&'a Account>,
    /// Standard errors of the scores of a single row that is drawn, one per column and output.
    pub errors: Option<&'a [f64]>,
    /// Which output, where there are several.
    pub output: usize,
    /// What is shown, for the heading.
    pub title: &'a str,
    /// What scores are in, such as `in units of price`.
    pub scale: &'a str,
}

impl PlotData<'_> {
    fn check(&self) -> Result<()> {
        self.rows.check(self.columns)?;
        if self.output >= self.rows.scores.n_outputs {
            return Err(Error::Parameter {
                name: "output",
                found: self.output.to_string(),
                expected: format!("below {}", self.rows.scores.n_outputs),
            }
            .into());
        }
        if self.known().next().is_none() {
            return Err(Error::Data("there is no row with scores to draw".into()).into());
        }
        Ok(())
    }

    /// The rows that have scores.
    fn known(&self) -> impl Iterator<Item = usize> {
        (0..self.rows.n_rows()).filter(|&row| self.rows.is_known(row))
    }

    /// At most `most` rows that have scores, and in words how many of them these are.
    fn sample(&self, most: usize) -> (Vec<usize>, String) {
        let known: Vec<usize> = self.known().collect();
        if known.len() <= most {
            let text = format!("{} rows", axis::short(known.len() as f64));
            return (known, text);
        }
        let chosen = subset(&mut generator(0, 0), known.len(), most);
        let text = format!("{most} of {} rows, drawn at random", known.len());
        (chosen.into_iter().map(|at| known[at as usize]).collect(), text)
    }

    fn score(&self, row: usize, column: usize) -> f64 {
        self.rows.scores.get(row, column, self.output)
    }

    fn name(&self, column: usize) -> &str {
        &self.columns.as_slice()[column].name
    }

    /// Columns with their mean absolute score, the largest first.
    fn by_importance(&self) -> Vec<(usize, f64)> {
        let means = self.rows.scores.mean_absolute(self.output);
        let mut order: Vec<(usize, f64)> = means.into_iter().enumerate().collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        order
    }

    /// The outcome of a row, where scores are in its units.
    fn actual(&self, row: usize) -> Option<f64> {
        let has_units = self.rows.predictions.len() == self.rows.n_rows()
            && self.account.is_some_and(|account| !account.is_transformed);
        match self.rows.truth {
            Some(Response::Numeric(values)) if has_units => {
                values.get(row).copied().filter(|value| value.is_finite())
            }
            _ => None,
        }
    }

    /// The cell of a column in words.
    fn value(&self, row: usize, column: usize) -> String {
        let layout = &self.columns.as_slice()[column];
        let cell = layout.cell(&self.rows.x, row);
        match &layout.meaning {
            CellMeaning::Truth if cell == 1.0 => "true".into(),
            CellMeaning::Truth if cell == 0.0 => "false".into(),
            CellMeaning::Number | CellMeaning::Truth => axis::short(cell),
            CellMeaning::Parts(_) | CellMeaning::Codes(_) => {
                layout.level(cell).unwrap_or("missing").to_owned()
            }
        }
    }
}

/// Longest label at the left of a picture, in characters.
const LABEL: usize = 44;

/// Room for labels at the left.
fn label_room<'a>(labels: impl Iterator<Item = &'a str>) -> f64 {
    let cut = |label: &str| label.chars().take(LABEL + 1).collect::<String>();
    labels.map(|label| svg::width_of(&cut(label), svg::TEXT)).fold(80.0, f64::max) + 28.0
}
