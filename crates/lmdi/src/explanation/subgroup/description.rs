//! What distinguishes a group from the rows outside it.
//!
//! Scores are compared by their means, which are in units of the prediction, so that columns can be
//! ordered by them. Values are compared by a number from -1 to 1 that needs no unit: for numbers
//! Cliff's delta, the probability that a value in the group is larger than one outside minus the
//! probability that it is smaller; for categories the difference in the share of the level that
//! differs most.

use super::super::{Columns, ExplainedRows};
use super::NO_GROUP;
use super::rule::GroupRule;
use crate::importance::rank_in_place;
use crate::table::Response;
use rayon::prelude::*;

/// A group of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Subgroup {
    /// Number of rows.
    pub size: usize,
    /// Share of the rows that belong to any group.
    pub share: f64,
    /// Mean prediction: one number, or the mean probability of every class.
    pub mean_prediction: Vec<f64>,
    /// Mean actual outcome, or the share of every class, if known.
    pub mean_truth: Option<Vec<f64>>,
    /// Root mean squared error, or the share of rows whose most probable class is wrong, if known.
    pub error: Option<f64>,
    /// All columns, by how much their mean score differs from that of the other rows, the largest
    /// first.
    pub traits: Vec<Trait>,
    /// A short rule that finds its rows.
    pub rule: GroupRule,
}

/// A column in one group and outside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Trait {
    /// The column.
    pub column: usize,
    /// Mean score in the group, output by output.
    pub mean_score: Vec<f64>,
    /// Mean score of the other rows, output by output; NaN if there are none.
    pub mean_score_elsewhere: Vec<f64>,
    /// How far the values of the group differ, from -1 (all smaller) over 0 to 1 (all larger); for
    /// categories the difference in shares of the level. NaN where there is nothing to compare.
    pub value_effect: f64,
    /// The values.
    pub values: ValueSummary,
}

impl Trait {
    /// Absolute difference of the mean scores, added over outputs; 0 if all rows are in the group.
    pub fn score_effect(&self) -> f64 {
        let pairs = self.mean_score.iter().zip(&self.mean_score_elsewhere);
        let sum: f64 = pairs.map(|(a, b)| (a - b).abs()).sum();
        if sum.is_nan() { 0.0 } else { sum }
    }
}

/// Values of a column in a group and outside it.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueSummary {
    /// Numbers, by their quartiles; NaN where there is no value.
    Number {
        /// First quartile, median and third quartile of the group.
        quartiles: [f64; 3],
        /// The same of the other rows.
        quartiles_elsewhere: [f64; 3],
        /// Share of missing cells in the group.
        missing: f64,
        /// The same of the other rows.
        missing_elsewhere: f64,
    },
    /// The level whose share differs most.
    Category {
        /// Its code; `None` if no row has a level.
        level: Option<u32>,
        /// Its share in the group.
        share: f64,
        /// Its share of the other rows.
        share_elsewhere: f64,
    },
}

/// Rows and groups, with what all descriptions need.
pub(super) struct Described<'a> {
    rows: &'a ExplainedRows<'a>,
    of_rows: &'a [u32],
    grouped: usize,
    columns: Vec<GroupedColumn>,
}

/// A column of the grouped rows.
struct GroupedColumn {
    cells: Vec<f64>,
    /// Ranks among the cells of grouped rows that are not missing; empty for categories.
    ranks: Vec<f64>,
    n_levels: usize,
    is_category: bool,
}

impl<'a> Described<'a> {
    pub fn new(rows: &'a ExplainedRows<'a>, columns: &Columns, of_rows: &'a [u32]) -> Self {
        let of_column = |column: &super::super::ColumnLayout| {
            let cells = column.cells(&rows.x);
            if column.is_category() {
                let largest = cells.iter().copied().fold(-1.0, f64::max);
                // A code that is not in the list of levels has no name, but is counted.
                let n_levels = (largest + 1.0) as usize;
                return GroupedColumn { cells, ranks: vec![], n_levels, is_category: true };
            }
            let mut sizes: Vec<(f64, u32)> = (0..cells.len())
                .filter(|&row| of_rows[row] != NO_GROUP && !cells[row].is_nan())
                .map(|row| (cells[row], row as u32))
                .collect();
            let mut ranks = vec![f64::NAN; cells.len()];
            rank_in_place(&mut sizes, |row, rank| ranks[row as usize] = rank);
            GroupedColumn { cells, ranks, n_levels: 0, is_category: false }
        };
        let grouped = of_rows.iter().filter(|&&group| group != NO_GROUP).count();
        let columns = columns.as_slice().par_iter().map(of_column).collect();
        Self { rows, of_rows, grouped, columns }
    }

    /// Describes one group.
    pub fn describe(&self, group: u32, rule: GroupRule) -> Subgroup {
        let members: Vec<usize> =
            (0..self.of_rows.len()).filter(|&row| self.of_rows[row] == group).collect();
        let mut traits: Vec<Trait> =
            (0..self.columns.len()).map(|column| self.trait_of(column, group)).collect();
        traits.sort_by(|a, b| {
            b.score_effect().total_cmp(&a.score_effect()).then(a.column.cmp(&b.column))
        });
        let width = self.rows.prediction_width();
        let mut mean_prediction = vec![0.0; width];
        for &row in &members {
            let prediction = self.rows.prediction(row);
            mean_prediction.iter_mut().zip(prediction).for_each(|(mean, cell)| *mean += cell);
        }
        let size = members.len() as f64;
        mean_prediction.iter_mut().for_each(|mean| *mean /= size);
        let truth = self.rows.truth.map(|truth| self.truth(&truth, &members));
        Subgroup {
            size: members.len(),
            share: size / self.grouped as f64,
            mean_prediction,
            error: truth.as_ref().map(|(_, error)| *error),
            mean_truth: truth.map(|(mean, _)| mean),
            traits,
            rule,
        }
    }

    /// Mean truth and error of some rows.
    fn truth(&self, truth: &Response<'_>, members: &[usize]) -> (Vec<f64>, f64) {
        let size = members.len() as f64;
        match truth {
            Response::Numeric(y) => {
                let mean = members.iter().map(|&row| y[row]).sum::<f64>() / size;
                let off = |&row: &usize| y[row] - self.rows.prediction(row)[0];
                let square = members.iter().map(|row| off(row) * off(row)).sum::<f64>() / size;
                (vec![mean], square.sqrt())
            }
            Response::Classes { codes, n_classes } => {
                let mut shares = vec![0.0; *n_classes];
                members.iter().for_each(|&row| shares[codes[row] as usize] += 1.0 / size);
                let is_wrong = |&&row: &&usize| self.rows.class(row) != codes[row] as usize;
                (shares, members.iter().filter(is_wrong).count() as f64 / size)
            }
        }
    }

    fn trait_of(&self, column: usize, group: u32) -> Trait {
        let k = self.rows.scores.n_outputs;
        let (mut inside, mut outside) = (vec![0.0; k], vec![0.0; k]);
        let mut size = 0.0;
        for (row, &of_row) in self.of_rows.iter().enumerate() {
            if of_row == NO_GROUP {
                continue;
            }
            let sums = if of_row == group { &mut inside } else { &mut outside };
            size += f64::from(u8::from(of_row == group));
            for (output, sum) in sums.iter_mut().enumerate() {
                *sum += self.rows.scores.get(row, column, output);
            }
        }
        let others = self.grouped as f64 - size;
        inside.iter_mut().for_each(|sum| *sum /= size);
        outside.iter_mut().for_each(|sum| *sum /= others);
        let cells = &self.columns[column];
        let (values, value_effect) =
            if cells.is_category { self.levels(cells, group) } else { self.numbers(cells, group) };
        Trait { column, mean_score: inside, mean_score_elsewhere: outside, value_effect, values }
    }

    fn numbers(&self, column: &GroupedColumn, group: u32) -> (ValueSummary, f64) {
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        let mut missing = [0.0; 2];
        let mut rank_sum = 0.0;
        for (row, &of_row) in self.of_rows.iter().enumerate() {
            if of_row == NO_GROUP {
                continue;
            }
            let is_member = of_row == group;
            if column.cells[row].is_nan() {
                missing[usize::from(!is_member)] += 1.0;
            } else if is_member {
                inside.push(column.cells[row]);
                rank_sum += column.ranks[row];
            } else {
                outside.push(column.cells[row]);
            }
        }
        let (n, m) = (inside.len() as f64, outside.len() as f64);
        let larger = (rank_sum - n * (n + 1.0) / 2.0) / (n * m);
        let values = ValueSummary::Number {
            quartiles: quartiles(&mut inside),
            quartiles_elsewhere: quartiles(&mut outside),
            missing: missing[0] / (missing[0] + n),
            missing_elsewhere: missing[1] / (missing[1] + m),
        };
        (values, 2.0 * larger - 1.0)
    }

    fn levels(&self, column: &GroupedColumn, group: u32) -> (ValueSummary, f64) {
        let mut counts = vec![[0.0_f64; 2]; column.n_levels];
        let mut sizes = [0.0; 2];
        for (&cell, &of_row) in column.cells.iter().zip(self.of_rows) {
            if of_row != NO_GROUP {
                let side = usize::from(of_row != group);
                sizes[side] += 1.0;
                if cell >= 0.0 {
                    counts[cell as usize][side] += 1.0;
                }
            }
        }
        let shares = |counts: &[f64; 2]| [counts[0] / sizes[0], counts[1] / sizes[1]];
        let difference = |[inside, outside]: [f64; 2]| inside - outside;
        let mut best = None;
        for (level, counts) in counts.iter().enumerate() {
            let size = difference(shares(counts)).abs();
            if best.is_none_or(|(_, largest)| size > largest) {
                best = Some((level, size));
            }
        }
        let level = best.map(|(level, _)| level as u32);
        let shares = best.map_or([f64::NAN; 2], |(level, _)| shares(&counts[level]));
        let values = ValueSummary::Category { level, share: shares[0], share_elsewhere: shares[1] };
        (values, difference(shares))
    }
}

/// Quartiles by linear interpolation between neighbours.
fn quartiles(values: &mut [f64]) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [0.25, 0.5, 0.75].map(|share| {
        let Some(last) = values.len().checked_sub(1) else { return f64::NAN };
        let at = share * last as f64;
        let below = at as usize;
        let above = (below + 1).min(last);
        values[below] + (at - below as f64) * (values[above] - values[below])
    })
}
