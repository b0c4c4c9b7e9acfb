//! A data set as it was read: numbers only, no cell missing, duplicates of columns left out.
//!
//! Missing cells (only Ozone has any) become the mean of their column. Columns of one value, exact
//! copies of an earlier column and, where the data set asks for it, columns that correlate with an
//! earlier kept one by more than a limit are left out. Text columns become the index of their
//! label.

use super::catalogue::{DataSet, Kind};
use anyhow::{Result, bail, ensure};
use lmdi::table::{Frame, Matrix, Values};

/// All rows of a data set.
#[derive(Debug)]
pub struct Table {
    pub set: &'static DataSet,
    pub x: Matrix,
    pub answers: Vec<f64>,
}

impl Table {
    /// Takes a frame; `target` names the column that is predicted.
    pub fn new(set: &'static DataSet, frame: &Frame, target: &str) -> Result<Self> {
        let answers = answers(set, &frame.require(target)?.values)?;
        let mut kept: Vec<Vec<f64>> = Vec::new();
        for column in frame.columns().iter().filter(|column| column.name != target) {
            let cells = numbers(&column.values);
            let limit = set.largest_correlation.unwrap_or(1.0);
            let repeats = |earlier: &Vec<f64>| {
                *earlier == cells || (limit < 1.0 && correlation(earlier, &cells).abs() > limit)
            };
            if cells.iter().all(|cell| *cell == cells[0]) || kept.iter().any(repeats) {
                continue;
            }
            kept.push(cells);
        }
        ensure!(!kept.is_empty(), "{}: no column varies", set.key);
        let x = Matrix::from_column_major(kept.concat(), frame.rows(), kept.len())?;
        Ok(Self { set, x, answers })
    }
}

/// The target as numbers; classes as 0 and 1.
fn answers(set: &DataSet, values: &Values) -> Result<Vec<f64>> {
    let cells = match values {
        Values::Numbers(cells) => cells.clone(),
        Values::Labels(_) if set.kind == Kind::Regression => {
            bail!("{}: the target holds text; expected numbers", set.key)
        }
        Values::Labels(_) => numbers(values),
    };
    if let Some(row) = cells.iter().position(|cell| !cell.is_finite()) {
        bail!("{}: the target of row {} is missing", set.key, row + 1);
    }
    if set.kind == Kind::Regression {
        return Ok(cells);
    }
    let mut classes = cells.clone();
    classes.sort_by(f64::total_cmp);
    classes.dedup();
    ensure!(
        classes.len() == 2,
        "{}: the target has {} different values; expected two classes",
        set.key,
        classes.len()
    );
    Ok(cells.iter().map(|&cell| f64::from(u8::from(cell == classes[1]))).collect())
}

/// Cells as numbers, the missing ones at the mean of the others.
fn numbers(values: &Values) -> Vec<f64> {
    let mut cells: Vec<f64> = match values {
        Values::Numbers(cells) => cells.clone(),
        Values::Labels(labels) => {
            let mut levels: Vec<&str> =
                (0..labels.len()).filter_map(|row| labels.get(row)).collect();
            levels.sort_unstable();
            levels.dedup();
            let code = |level: &str| levels.binary_search(&level).map_or(f64::NAN, |at| at as f64);
            (0..labels.len()).map(|row| labels.get(row).map_or(f64::NAN, code)).collect()
        }
    };
    let (sum, count) = cells
        .iter()
        .filter(|cell| !cell.is_nan())
        .fold((0.0, 0.0), |(sum, count), cell| (sum + cell, count + 1.0));
    let mean = if count > 0.0 { sum / count } else { 0.0 };
    cells.iter_mut().filter(|cell| cell.is_nan()).for_each(|cell| *cell = mean);
    cells
}

/// Pearson's correlation.
pub fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let mean = |cells: &[f64]| cells.iter().sum::<f64>() / n;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (da, db) = (a - mean_a, b - mean_b);
        ab += da * db;
        aa += da * da;
        bb += db * db;
    }
    ab / (aa * bb).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::catalogue::find;
    use lmdi::table::Column;

    fn numbers(name: &str, cells: &[f64]) -> Column {
        Column { name: name.into(), values: Values::Numbers(cells.to_vec()) }
    }

    fn frame(target: &[f64]) -> Frame {
        Frame::new(vec![
            numbers("a", &[1.0, 2.0, 3.0, 5.0]),
            numbers("copy", &[1.0, 2.0, 3.0, 5.0]),
            numbers("nearly", &[1.0, 2.0, 3.0, 5.1]),
            numbers("constant", &[7.0; 4]),
            numbers("gaps", &[f64::NAN, 4.0, 8.0, f64::NAN]),
            numbers("target", target),
        ])
        .expect("a frame")
    }

    #[test]
    fn copies_and_constants_go_and_gaps_are_filled() {
        let set = find("puma_robot").expect("known");
        let table = Table::new(set, &frame(&[1.0, 2.0, 3.0, 4.0]), "target").expect("a table");
        assert_eq!(table.x.cols(), 3);
        assert_eq!(table.x.column(1), [1.0, 2.0, 3.0, 5.1]);
        assert_eq!(table.x.column(2), [6.0, 4.0, 8.0, 6.0]);
    }

    #[test]
    fn strongly_correlated_columns_go_where_asked_for() {
        let set = find("ozone").expect("known");
        let table = Table::new(set, &frame(&[5.0, 9.0, 5.0, 5.0]), "target").expect("a table");
        assert_eq!(table.x.cols(), 2);
        assert_eq!(table.x.column(1), [6.0, 4.0, 8.0, 6.0]);
        assert_eq!(table.answers, [0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_target_that_does_not_fit_is_refused() {
        let set = find("spam").expect("known");
        let error = Table::new(set, &frame(&[1.0, 2.0, 3.0, 4.0]), "target").expect_err("four");
        assert!(error.to_string().contains("4 different values"), "{error}");
    }
}
