//! Counterfactuals: similar rows with another decision.
//!
//! For a row, the answers are the nearest candidates (usually training rows) on the other side of
//! the decision: another predicted class, or a prediction beyond a threshold. Every answer is a
//! real row, so impossible combinations of values never occur.
//!
//! Distance is measured between scores (section 8 of the paper: rows are close if the same columns
//! matter to them in the same way) or between cells. Every answer comes with both distances.
//! Between cells, numbers differ in standard deviations of the candidates; a different category, or
//! a cell that is missing on one side only, counts as one.
//!
//! Restrictions exclude candidates: a column must not change, or may only increase or decrease.
//!
//! Ties are ordered by the position of the candidate. Time is queries x candidates x columns, in
//! parallel over queries; most candidates are dropped after a few columns. Memory is one copy of
//! the candidates' scores or cells, and the answers.

mod nearest;
mod restriction;
mod space;

use super::{Columns, ExplainedRows};
use crate::monitor::Monitor;
use crate::setters::setters;
use crate::{Error, Result};
use nearest::Nearest;
use rayon::prelude::*;
use space::Points;

pub use restriction::Restriction;
pub use space::{Distance, Space};

/// Options of counterfactuals.
///
/// ```
/// use lmdi::explanation::{CounterfactualOptions, Space};
/// let options = CounterfactualOptions::default().with_k(3).with_space(Space::Features);
/// assert_eq!((options.k, options.threshold), (3, None));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CounterfactualOptions {
    /// Number of counterfactuals per row.
    pub k: usize,
    /// Where distance is measured.
    pub space: Space,
    /// How it is measured.
    pub distance: Distance,
    /// For regression, the threshold of the decision: below, or at and above. Classes need none.
    pub threshold: Option<f64>,
    /// The wanted side: a class, or 0 for below and 1 for above the threshold. `None` accepts any
    /// other side.
    pub wanted: Option<usize>,
    /// What may change, column by column; empty allows everything.
    pub restrictions: Vec<Restriction>,
}

impl CounterfactualOptions {
    setters! {
        with_k(k: usize),
        with_space(space: Space),
        with_distance(distance: Distance),
        with_restrictions(restrictions: Vec<Restriction>);
        optional:
        with_threshold(threshold: f64),
        with_wanted(wanted: usize),
    }
}

impl Default for CounterfactualOptions {
    fn default() -> Self {
        Self {
            k: 1,
            space: Space::Scores,
            distance: Distance::L1,
            threshold: None,
            wanted: None,
            restrictions: Vec::new(),
        }
    }
}

/// A row on the other side.
#[derive(Debug, Clone, PartialEq)]
pub struct Counterfactual {
    /// Its place among the candidates.
    pub row: usize,
    /// Distance between the scores.
    pub score_distance: f64,
    /// Distance between the cells.
    pub feature_distance: f64,
    /// The columns whose cells differ, by how much their scores differ, the largest first.
    pub changes: Vec<Change>,
}

/// A column that differs between a row and its counterfactual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The column.
    pub column: usize,
    /// Its score there minus its score here; where every class has scores, those of the class that is
    /// predicted here.
    pub score_change: f64,
    /// Absolute difference of its scores, added over outputs.
    pub size: f64,
}

/// The counterfactuals of each query among the candidates, the nearest first; fewer than asked for,
/// or none, where no more candidates are on the other side and allowed. The monitor advances by one
/// per query.
///
/// ```
/// use lmdi::explanation::{Columns, CounterfactualOptions, ExplainedRows, counterfactuals};
/// use lmdi::{importance::Scores, monitor::Silent, table::MatrixView};
/// # fn main() -> lmdi::Result<()> {
/// let incomes = [10.0, 30.0, 50.0];
/// let scores = Scores { values: vec![-2.0, 0.5, 2.0], ..Scores::zero(3, 1, &[0.0]) };
/// let rows = ExplainedRows {
///     x: MatrixView::from_rows(&incomes, 3, 1)?,
///     scores: &scores,
///     predictions: &[0.9, 0.1, 0.4, 0.6, 0.1, 0.9], // two classes
///     truth: None, threshold: None,
/// };
/// let columns = Columns::numeric(["income"]);
/// let found = counterfactuals(&rows, &rows, &columns, &CounterfactualOptions::default(), &Silent)?;
/// // The first row is refused; the nearest that is not has an income of 30.
/// assert_eq!((found[0][0].row, found[0][0].score_distance), (1, 2.5));
/// # Ok(())
/// # }
/// ```
pub fn counterfactuals(
    queries: &ExplainedRows<'_>,
    candidates: &ExplainedRows<'_>,
    columns: &Columns,
    options: &CounterfactualOptions,
    monitor: &dyn Monitor,
) -> Result<Vec<Vec<Counterfactual>>> {
    queries.check(columns)?;
    candidates.check(columns)?;
    if queries.scores.n_outputs != candidates.scores.n_outputs {
        return Err(Error::Shape {
            what: "outputs of the queries' scores".into(),
            found: queries.scores.n_outputs,
            expected: candidates.scores.n_outputs,
        });
    }
    options.check(queries, candidates, columns)?;
    let scores = Points::of_scores(queries.scores, candidates.scores);
    let cells = Points::of_cells(&queries.x, &candidates.x, columns);
    let searched = match options.space {
        Space::Scores => &scores,
        Space::Features => &cells,
    };
    let rows: Vec<usize> =
        (0..candidates.n_rows()).filter(|&row| candidates.is_known(row)).collect();
    let sides: Vec<u32> = rows.iter().map(|&row| options.side(candidates, row)).collect();
    let nearest = Nearest::new(searched, rows, sides, options.distance);
    let limits = restriction::limits(&options.restrictions);
    (0..queries.n_rows())
        .into_par_iter()
        .map(|query| {
            monitor.check()?;
            let mut found = Vec::new();
            if queries.is_known(query) {
                let own = options.side(queries, query);
                let fits = |side: u32, row: usize| {
                    side != own
                        && options.wanted.is_none_or(|wanted| side as usize == wanted)
                        && limits.iter().all(|&(column, limit)| {
                            limit.allows(cells.query(query)[column], cells.candidate(row)[column])
                        })
                };
                for row in nearest.search(searched.query(query), options.k, fits) {
                    found.push(Counterfactual {
                        row,
                        score_distance: scores.distance(query, row, options.distance),
                        feature_distance: cells.distance(query, row, options.distance),
                        changes: changes(queries, query, candidates, row, &cells),
                    });
                }
            }
            monitor.advance(1);
            Ok(found)
        })
        .collect()
}

impl CounterfactualOptions {
    fn check(
        &self,
        queries: &ExplainedRows<'_>,
        candidates: &ExplainedRows<'_>,
        columns: &Columns,
    ) -> Result<()> {
        let invalid = |name, found: String, expected: &str| {
            Err(Error::Parameter { name, found, expected: expected.into() })
        };
        if self.k == 0 {
            return invalid("k", "0".into(), "at least 1");
        }
        let width = candidates.prediction_width();
        if queries.n_rows() > 0 && candidates.n_rows() > 0 && queries.prediction_width() != width {
            return Err(Error::Shape {
                what: "numbers in a query's prediction".into(),
                found: queries.prediction_width(),
                expected: width,
            });
        }
        match self.threshold {
            None if width == 1 => {
                return invalid(
                    "threshold",
                    "not given".into(),
                    "the number at which the decision changes",
                );
            }
            Some(_) if width > 1 => {
                return invalid(
                    "threshold",
                    "given, but a class is predicted".into(),
                    "no threshold",
                );
            }
            Some(threshold) if !threshold.is_finite() => {
                return invalid("threshold", threshold.to_string(), "a finite number");
            }
            _ => {}
        }
        if let Some(wanted) = self.wanted.filter(|&wanted| wanted >= width.max(2)) {
            return invalid("wanted", wanted.to_string(), &format!("below {}", width.max(2)));
        }
        restriction::check(&self.restrictions, columns)
    }

    /// Where a row lies: its class, or 0 below and 1 at or above the threshold.
    fn side(&self, rows: &ExplainedRows<'_>, row: usize) -> u32 {
        match self.threshold {
            Some(threshold) => u32::from(rows.prediction(row)[0] >= threshold),
            None => rows.class(row) as u32,
        }
    }
}

fn changes(
    queries: &ExplainedRows<'_>,
    query: usize,
    candidates: &ExplainedRows<'_>,
    row: usize,
    cells: &Points,
) -> Vec<Change> {
    let k = queries.scores.n_outputs;
    let (from, to) = (queries.scores.row(query), candidates.scores.row(row));
    let (own, other) = (cells.query(query), cells.candidate(row));
    let output = if k == 1 { 0 } else { queries.class(query) };
    let mut changes: Vec<Change> = (0..own.len())
        .filter(|&column| !restriction::same(own[column], other[column]))
        .map(|column| {
            let outputs = column * k..(column + 1) * k;
            let size =
                from[outputs.clone()].iter().zip(&to[outputs]).map(|(a, b)| (a - b).abs()).sum();
            let at = column * k + output;
            Change { column, score_change: to[at] - from[at], size }
        })
        .collect();
    changes.sort_by(|a, b| b.size.total_cmp(&a.size).then(a.column.cmp(&b.column)));
    changes
}
