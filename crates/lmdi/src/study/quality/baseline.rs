//! Baselines for a model's quality: predictions that need no trees.
//!
//! The constant is the mean, or the share of each class. The linear model is least squares on
//! standardised columns with a small ridge penalty; missing cells are set to the mean, and each
//! class is an indicator. It never predicts rows that it was fitted to: it is fitted to training
//! rows and measured on others, or cross-fitted. Cost: rows times the square of columns.

use super::assessment::measures;
use crate::glm::Cholesky;
use crate::study::Rows;
use crate::table::{Matrix, Response};

/// Of more encoded columns no linear model is fitted.
const MOST_COLUMNS: usize = 200;
/// Rows that a linear model is fitted to, at most, evenly spaced.
const MOST_ROWS: usize = 20_000;
/// Folds of a cross-fit: row i belongs to fold i modulo this number.
const FOLDS: usize = 5;
/// The ridge penalty per row, of standardised columns.
const RIDGE: f64 = 1e-3;

/// Measures of a constant and of a linear model on the same rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Baselines {
    /// How many rows were predicted.
    pub n_rows: usize,
    /// Name and value of every measure of the constant, the most informative first.
    pub constant: Vec<(&'static str, f64)>,
    /// The same of the linear model; none for many columns.
    pub linear: Option<Vec<(&'static str, f64)>>,
}

impl Baselines {
    /// Fits to some rows and measures on others. None without a target.
    pub fn on_new_rows(fitted_to: &Rows, measured_on: &Rows) -> Option<Self> {
        let (fitted_to, of) = (Sample::new(fitted_to)?, Sample::new(measured_on)?);
        let all: Vec<usize> = (0..fitted_to.y.len()).collect();
        let n = measured_on.len();
        let rows = 0..n;
        Some(Self::measured(
            &of,
            fitted_to.constant(&all).repeat(n),
            fitted_to.linear(&all).map(|linear| linear.predict(of.x, rows.clone())),
        ))
    }

    /// Predicts each of five interleaved folds from the other four. None without a target, or with
    /// fewer rows than folds.
    pub fn cross_fitted(rows: &Rows) -> Option<Self> {
        let of = Sample::new(rows)?;
        let (n, width) = (of.y.len(), of.width);
        if n < FOLDS {
            return None;
        }
        let mut linear = (of.x.cols() <= MOST_COLUMNS).then(|| vec![0.0; n * width]);
        for fold in 0..FOLDS {
            let others: Vec<usize> = (0..n).filter(|row| row % FOLDS != fold).collect();
            let (Some(into), Some(model)) = (&mut linear, of.linear(&others)) else { continue };
            for row in (fold..n).step_by(FOLDS) {
                let predicted = model.predict(of.x, row..row + 1);
                into[row * width..(row + 1) * width].copy_from_slice(&predicted);
            }
        }
        // Means of other folds would be low where the fold is high: worse than any constant.
        let all: Vec<usize> = (0..n).collect();
        Some(Self::measured(&of, of.constant(&all).repeat(n), linear))
    }

    fn measured(of: &Sample<'_>, constant: Vec<f64>, linear: Option<Vec<f64>>) -> Self {
        let measured = |predictions: &[f64]| measures(of.truth, predictions, of.weights, None);
        Self {
            n_rows: of.y.len(),
            constant: measured(&constant),
            linear: linear.map(|predictions| measured(&predictions)),
        }
    }
}

/// Rows with a target.
struct Sample<'a> {
    x: &'a Matrix,
    truth: Response<'a>,
    /// The outcome of each row: a number, or 1 for its class and 0 for others.
    y: Vec<Vec<f64>>,
    width: usize,
    weights: Option<&'a [f64]>,
}

impl<'a> Sample<'a> {
    fn new(rows: &'a Rows) -> Option<Self> {
        let truth = rows.response()?;
        let y: Vec<Vec<f64>> = match truth {
            Response::Numeric(values) => values.iter().map(|&value| vec![value]).collect(),
            Response::Classes { codes, n_classes } => {
                let indicator =
                    |code: u32| move |class| f64::from(u8::from(class == code as usize));
                codes.iter().map(|&code| (0..n_classes).map(indicator(code)).collect()).collect()
            }
        };
        let width = y.first()?.len();
        Some(Self { x: &rows.x, truth, y, width, weights: rows.weights.as_deref() })
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    /// The weighted mean outcome of rows.
    fn constant(&self, rows: &[usize]) -> Vec<f64> {
        let total: f64 = rows.iter().map(|&row| self.weight(row)).sum();
        let mean = |at: usize| {
            rows.iter().map(|&row| self.weight(row) * self.y[row][at]).sum::<f64>() / total
        };
        (0..self.width).map(mean).collect()
    }

    /// The linear model of rows; none for many columns.
    fn linear(&self, rows: &[usize]) -> Option<Linear> {
        let p = self.x.cols();
        if p > MOST_COLUMNS {
            return None;
        }
        let n = rows.len().min(MOST_ROWS);
        let rows: Vec<usize> = (0..n).map(|at| rows[at * rows.len() / n]).collect();
        let columns: Vec<Standardised> =
            (0..p).map(|at| Standardised::new(self.x.column(at), &rows)).collect();
        let cells: Vec<Vec<f64>> = columns
            .iter()
            .enumerate()
            .map(|(at, column)| rows.iter().map(|&row| column.of(self.x.column(at)[row])).collect())
            .collect();
        let weights: Vec<f64> = rows.iter().map(|&row| self.weight(row)).collect();
        let total: f64 = weights.iter().sum();
        let weighted = |a: &[f64], b: &dyn Fn(usize) -> f64| {
            weights.iter().zip(a).enumerate().map(|(at, (w, a))| w * a * b(at)).sum::<f64>()
        };
        let centres: Vec<f64> =
            cells.iter().map(|cells| weighted(cells, &|_| 1.0) / total).collect();
        let mut gram = vec![0.0; p * p];
        for i in 0..p {
            for j in 0..=i {
                let product =
                    weighted(&cells[i], &|at| cells[j][at]) - total * centres[i] * centres[j];
                gram[i * p + j] = product + if i == j { RIDGE * total } else { 0.0 };
            }
        }
        let factor = Cholesky::new(gram, p, RIDGE * total);
        let outcome = self.constant(&rows);
        let slopes = (0..self.width).map(|output| {
            let mut slopes: Vec<f64> = (0..p)
                .map(|at| weighted(&cells[at], &|row| self.y[rows[row]][output] - outcome[output]))
                .collect();
            factor.solve_lower(&mut slopes);
            factor.solve_upper(&mut slopes);
            slopes
        });
        Some(Linear { slopes: slopes.collect(), columns, centres, outcome })
    }
}

/// A column as the linear model reads it.
struct Standardised {
    mean: f64,
    deviation: f64,
}

impl Standardised {
    fn new(cells: &[f64], rows: &[usize]) -> Self {
        let present: Vec<f64> =
            rows.iter().map(|&row| cells[row]).filter(|cell| cell.is_finite()).collect();
        let n = present.len().max(1) as f64;
        let mean = present.iter().sum::<f64>() / n;
        let variance = present.iter().map(|cell| (cell - mean).powi(2)).sum::<f64>() / n;
        let is_usable = variance > 0.0 && variance.is_finite();
        Self { mean, deviation: if is_usable { variance.sqrt() } else { f64::INFINITY } }
    }

    /// A missing cell is at the mean.
    fn of(&self, cell: f64) -> f64 {
        if cell.is_finite() && self.deviation.is_finite() {
            (cell - self.mean) / self.deviation
        } else {
            0.0
        }
    }
}

/// A fitted linear model.
struct Linear {
    slopes: Vec<Vec<f64>>,
    columns: Vec<Standardised>,
    centres: Vec<f64>,
    outcome: Vec<f64>,
}

impl Linear {
    fn predict(&self, x: &Matrix, rows: std::ops::Range<usize>) -> Vec<f64> {
        let of = |row: usize, output: usize| {
            let parts = self.columns.iter().zip(&self.slopes[output]).enumerate();
            let part = |(at, (column, slope)): (usize, (&Standardised, &f64))| {
                slope * (column.of(x.column(at)[row]) - self.centres[at])
            };
            self.outcome[output] + parts.map(part).sum::<f64>()
        };
        rows.flat_map(|row| (0..self.slopes.len()).map(move |output| (row, output)))
            .map(|(row, output)| of(row, output))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::{NamedFrame, Sample as RowSample};
    use crate::table::{Frame, TargetCells};
    use std::sync::Arc;

    fn rows(x: Vec<f64>, target: TargetCells) -> Rows {
        let n = x.len();
        let frame = Frame::new(vec![]).expect("a table without columns");
        Rows {
            table: Arc::new(NamedFrame { name: "t".into(), frame }),
            places: (0..n).collect(),
            x: Matrix::from_column_major(x, n, 1).expect("one column"),
            target: Some(target),
            weights: None,
            sample: RowSample::Training,
            key: None,
        }
    }

    fn first(measures: &[(&str, f64)]) -> f64 {
        measures[0].1
    }

    #[test]
    fn a_line_is_found_and_a_mean_explains_nothing() {
        let x: Vec<f64> = (0..200).map(|at| f64::from(at * 37 % 200)).collect();
        let y: Vec<f64> = x.iter().map(|x| 3.0 * x - 20.0).collect();
        let found = Baselines::cross_fitted(&rows(x, TargetCells::Numbers(y))).expect("measured");
        assert!(first(&found.linear.expect("one column")) > 0.99999);
        assert!(first(&found.constant).abs() < 1e-12, "{:?}", found.constant);
    }

    #[test]
    fn new_rows_are_predicted_from_the_others() {
        let of = |from: u32| {
            let x: Vec<f64> = (from..from + 100).map(|at| f64::from(at * 37 % 100)).collect();
            let codes = x.iter().map(|x| u32::from(*x > 50.0)).collect();
            rows(x, TargetCells::Classes { codes, n_classes: 2 })
        };
        let found = Baselines::on_new_rows(&of(0), &of(500)).expect("measured");
        assert_eq!(first(&found.linear.expect("one column")), 1.0);
        assert_eq!(first(&found.constant), 0.5);
        assert_eq!(found.n_rows, 100);
    }

    #[test]
    fn noise_is_not_predicted() {
        let x: Vec<f64> = (0..300).map(|at| f64::from(at * 7919 % 301)).collect();
        let y: Vec<f64> = (0..300).map(|at| f64::from(at * 104_729 % 293)).collect();
        let found = Baselines::cross_fitted(&rows(x, TargetCells::Numbers(y))).expect("measured");
        assert!(first(&found.linear.expect("one column")) < 0.1);
    }
}
