//! Rows as points, and the distance between two of them.

use super::super::Columns;
use crate::importance::Scores;
use crate::named::Named;
use crate::table::MatrixView;
use std::borrow::Cow;

/// Where distance is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Space {
    /// Between scores.
    #[default]
    Scores,
    /// Between cells.
    Features,
}

impl Named for Space {
    const PARAMETER: &'static str = "space";
    const ALL: &'static [Self] = &[Self::Scores, Self::Features];

    fn name(self) -> &'static str {
        match self {
            Self::Scores => "scores",
            Self::Features => "features",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Scores => "The same columns matter in the same way",
            Self::Features => "Cells are similar, with numbers in standard deviations",
        }
    }
}

/// How coordinates become a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Distance {
    /// The sum of absolute differences.
    #[default]
    L1,
    /// The root of the sum of squares.
    L2,
}

impl Named for Distance {
    const PARAMETER: &'static str = "distance";
    const ALL: &'static [Self] = &[Self::L1, Self::L2];

    fn name(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::L2 => "l2",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::L1 => "Sum of absolute differences",
            Self::L2 => "Root of the sum of squares",
        }
    }
}

impl Distance {
    /// What one difference adds to the sum.
    #[inline]
    pub(super) fn term(self, difference: f64) -> f64 {
        match self {
            Self::L1 => difference,
            Self::L2 => difference * difference,
        }
    }

    fn finish(self, sum: f64) -> f64 {
        match self {
            Self::L1 => sum,
            Self::L2 => sum.sqrt(),
        }
    }
}

/// What one coordinate is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Coordinate {
    /// A number to be divided by a scale.
    Number(f64),
    /// Equal or different.
    Category,
}

impl Coordinate {
    /// How far two values are apart. A cell that is missing on one side only is one away.
    #[inline]
    pub(super) fn difference(self, a: f64, b: f64) -> f64 {
        let difference = match self {
            Self::Number(scale) => (a - b).abs() / scale,
            Self::Category => f64::from(u8::from(a != b)),
        };
        if a.is_nan() || b.is_nan() {
            f64::from(u8::from(a.is_nan() != b.is_nan()))
        } else {
            difference
        }
    }
}

/// Queries and candidates as points with the same coordinates.
pub(super) struct Points<'a> {
    pub coordinates: Vec<Coordinate>,
    queries: Cow<'a, [f64]>,
    candidates: Cow<'a, [f64]>,
}

impl<'a> Points<'a> {
    /// Scores, each a coordinate.
    pub fn of_scores(queries: &'a Scores, candidates: &'a Scores) -> Self {
        let width = candidates.n_features * candidates.n_outputs;
        Self {
            coordinates: vec![Coordinate::Number(1.0); width],
            queries: Cow::Borrowed(&queries.values),
            candidates: Cow::Borrowed(&candidates.values),
        }
    }

    /// Cells, each column a coordinate: numbers in standard deviations of the candidates.
    pub fn of_cells(
        queries: &MatrixView<'_>,
        candidates: &MatrixView<'_>,
        columns: &Columns,
    ) -> Self {
        let width = columns.len();
        let mut coordinates = Vec::with_capacity(width);
        let mut of_queries = vec![0.0; queries.rows() * width];
        let mut of_candidates = vec![0.0; candidates.rows() * width];
        for (at, column) in columns.as_slice().iter().enumerate() {
            let cells = column.cells(candidates);
            coordinates.push(if column.is_category() {
                Coordinate::Category
            } else {
                Coordinate::Number(scale(&cells))
            });
            for (row, cell) in cells.into_iter().enumerate() {
                of_candidates[row * width + at] = cell;
            }
            for row in 0..queries.rows() {
                of_queries[row * width + at] = column.cell(queries, row);
            }
        }
        Self { coordinates, queries: Cow::Owned(of_queries), candidates: Cow::Owned(of_candidates) }
    }

    pub fn query(&self, row: usize) -> &[f64] {
        let width = self.coordinates.len();
        &self.queries[row * width..(row + 1) * width]
    }

    pub fn candidate(&self, row: usize) -> &[f64] {
        let width = self.coordinates.len();
        &self.candidates[row * width..(row + 1) * width]
    }

    /// The distance between a query and a candidate, added coordinate by coordinate.
    pub fn distance(&self, query: usize, candidate: usize, distance: Distance) -> f64 {
        let pairs = self.query(query).iter().zip(self.candidate(candidate)).zip(&self.coordinates);
        let terms = pairs.map(|((&a, &b), coordinate)| distance.term(coordinate.difference(a, b)));
        distance.finish(terms.sum())
    }
}

/// Standard deviation of the cells that are not missing; one where they do not vary.
fn scale(cells: &[f64]) -> f64 {
    let present = || cells.iter().filter(|cell| !cell.is_nan());
    let n = present().count().max(1) as f64;
    let mean = present().sum::<f64>() / n;
    let variance = present().map(|cell| (cell - mean) * (cell - mean)).sum::<f64>() / n;
    let deviation = variance.sqrt();
    if deviation > 0.0 && deviation.is_finite() { deviation } else { 1.0 }
}
