//! Static plots of scores, as SVG, PNG and PDF.
//!
//! | file | what |
//! |---|---|
//! | `bar` | mean absolute score of every column |
//! | `beeswarm` | every score of the most important columns, coloured by value |
//! | `waterfall` | one row: from the base over the scores to the total |
//! | `decision` | paths of many rows from the base to `explained` |
//! | `scatter` | scores of one column against its values |
//! | `heatmap` | rows by columns, coloured by score |
//! | `comparison` | the columns that two models use, and their predictions against each other |
//! | `stability` | how importances move from fit to fit |
//! | `histogram` | how many rows have each value, in bins that fit the steps of the values |
//! | `interaction` | the column that interacts with another one |
//! | `lines` | means of repeated measurements with bands of their standard errors |
//! | `drawing` | how plots are written as SVG, PNG and PDF |
//!
//! Plots of many rows show a sample of them and say so. The same scores give the same bytes.

mod bar;
mod beeswarm;
mod comparison;
mod decision;
mod drawing;
mod heatmap;
mod histogram;
mod interaction;
mod lines;
mod scatter;
mod stability;
mod waterfall;

use crate::Result;
use drawing::{number, svg, text};
use lmdi::Error;
use lmdi::explanation::{CellMeaning, ColumnLayout, Columns, ExplainedRows};
use lmdi::importance::OutputScale;
use lmdi::random::{generator, subset};
use lmdi::study::Account;
use lmdi::table::Response;

pub use bar::bar;
pub use beeswarm::beeswarm;
pub use comparison::{ComparisonData, comparison};
pub use decision::decision;
pub use drawing::{Drawn, Picture, check_png, pdf, png};
pub use heatmap::heatmap;
pub use interaction::strongest_interaction;
pub use lines::{LineChart, Panel, Point, Series, lines};
pub use scatter::scatter;
pub use stability::{StabilityData, stability};
pub use waterfall::waterfall;

/// Narrower plots have no room for names and numbers.
pub const NARROWEST: f64 = 320.0;

/// The title and size of a plot.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// The heading.
    pub title: &'a str,
    /// Width in pixels of 1/96 inch; text keeps its size. `None` chooses a suitable width.
    pub width: Option<f64>,
}

impl Look<'_> {
    fn width(&self, default: f64) -> f64 {
        self.width.filter(|width| width.is_finite()).map_or(default, |width| width.max(NARROWEST))
    }
}

/// The data of a plot.
#[derive(Debug, Clone, Copy)]
pub struct PlotData<'a> {
    /// The rows.
    pub rows: ExplainedRows<'a>,
    /// Their columns.
    pub columns: &'a Columns,
    /// How base plus scores compares with the predictions, if scores explain these.
    pub account: Option<&'a Account>,
    /// Standard errors of the scores of a single row that is drawn, one per column and output.
    pub errors: Option<&'a [f64]>,
    /// Which output, where there are several.
    pub output: usize,
    /// Names of the classes; empty for numbers.
    pub labels: &'a [String],
    /// How sums of scores become predictions.
    pub output_scale: OutputScale,
    /// What scores are in, such as `in units of price`.
    pub scale: &'a str,
    /// Title and size.
    pub look: Look<'a>,
}

impl<'a> PlotData<'a> {
    /// Scores of a regression model, without further information.
    pub fn new(rows: ExplainedRows<'a>, columns: &'a Columns, look: Look<'a>) -> Self {
        Self {
            rows,
            columns,
            account: None,
            errors: None,
            output: 0,
            labels: &[],
            output_scale: OutputScale::Identity,
            scale: "",
            look,
        }
    }
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
            let text = rows_text(known.len());
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

    /// The outcome of a row that is a number.
    fn actual(&self, row: usize) -> Option<f64> {
        match self.rows.truth {
            Some(Response::Numeric(values)) => {
                values.get(row).copied().filter(|value| value.is_finite())
            }
            _ => None,
        }
    }

    /// The outcome of a row that is a class.
    fn actual_class(&self, row: usize) -> Option<usize> {
        match self.rows.truth {
            Some(Response::Classes { codes, .. }) => {
                codes.get(row).map(|&code| code as usize).filter(|&code| code < self.labels.len())
            }
            _ => None,
        }
    }

    /// The probability that the model gives a class.
    fn chance(&self, row: usize, class: usize) -> Option<f64> {
        let has_classes = self.rows.prediction_width() == self.labels.len();
        self.rows.prediction(row).get(class).copied().filter(|_| has_classes)
    }

    /// The class that scores are about: of two the second.
    fn class(&self) -> Option<usize> {
        let last = self.labels.len().checked_sub(1)?;
        Some(if self.rows.scores.n_outputs > 1 { self.output } else { last })
    }

    /// The cell of a column in words.
    fn value(&self, row: usize, column: usize) -> String {
        let layout = &self.columns.as_slice()[column];
        let cell = layout.cell(&self.rows.x, row);
        match &layout.meaning {
            CellMeaning::Time(unit) => unit.text(cell).unwrap_or_else(|| number::short(cell)),
            CellMeaning::Number => number::short(cell),
            _ => level_name(layout, cell).unwrap_or("missing").to_owned(),
        }
    }
}

/// Whether cells are levels: of a category, or true and false.
fn has_levels(layout: &ColumnLayout) -> bool {
    layout.is_category() || layout.meaning == CellMeaning::Truth
}

/// The name of a level by its code; `None` for a cell that is missing or no known level.
fn level_name(layout: &ColumnLayout, code: f64) -> Option<&str> {
    match layout.meaning {
        CellMeaning::Truth if code == 1.0 => Some("true"),
        CellMeaning::Truth if code == 0.0 => Some("false"),
        _ => layout.level(code),
    }
}

/// So many rows, in words.
fn rows_text(count: usize) -> String {
    format!("{} row{}", number::short(count as f64), if count == 1 { "" } else { "s" })
}

/// Room for labels at the left of a picture: what the longest needs, up to a part of the width.
fn label_room<'a>(labels: impl Iterator<Item = &'a str>, width: f64) -> f64 {
    const LARGEST_PART: f64 = 0.42;
    let longest = labels.map(|label| text::width_of(label, svg::TEXT)).fold(60.0, f64::max);
    (longest + GAP + MARGIN).min(LARGEST_PART * width)
}

/// Between labels and what they are beside.
const GAP: f64 = 10.0;
/// Between a picture's content and its edge.
const MARGIN: f64 = 14.0;

/// Writes the label of a line, at the left of `left`.
fn label(canvas: &mut svg::Canvas, left: f64, y: f64, words: &str) {
    let room = left - GAP - MARGIN / 2.0;
    canvas.text((left - GAP, y), svg::Anchor::End, svg::TEXT, svg::INK, words, room);
}
