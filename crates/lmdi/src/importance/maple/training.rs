//! The training rows of MAPLE, and weighted moments of them.

use crate::importance::moments::Moments;
use crate::table::{MatrixView, Response};

/// Cells and responses of the training rows.
#[derive(Debug)]
pub(super) struct TrainingRows {
    /// Cells less the column means, row by row; missing ones are zero.
    cells: Vec<f64>,
    /// Mean of each column.
    pub(super) mean: Vec<f64>,
    /// Responses, output by output.
    pub(super) target: Vec<Vec<f64>>,
}

impl TrainingRows {
    pub(super) fn new(x: &MatrixView<'_>, response: &Response<'_>) -> Self {
        let (cells, mean) = centred(x);
        Self { cells, mean, target: targets(response) }
    }

    /// Weighted moments of some columns of training rows, in two passes.
    pub(super) fn moments(&self, shared: &[(u32, f64)], columns: &[usize]) -> Moments {
        let (p, q, k) = (self.mean.len(), columns.len(), self.target.len());
        let line = |row: u32| &self.cells[row as usize * p..(row as usize + 1) * p];
        let total: f64 = shared.iter().map(|(_, w)| w).sum();
        let share = if total > 0.0 { 1.0 / total } else { 0.0 };
        let mut mean = vec![0.0; q];
        let mut response_mean = vec![0.0; k];
        for &(row, w) in shared {
            let cells = line(row);
            for (mean, &column) in mean.iter_mut().zip(columns) {
                *mean += w * share * cells[column];
            }
            for (mean, y) in response_mean.iter_mut().zip(&self.target) {
                *mean += w * share * y[row as usize];
            }
        }
        let mut gram = vec![0.0; q * q];
        let mut cross = vec![0.0; k * q];
        let mut response_square = vec![0.0; k];
        let mut centred = vec![0.0; q];
        for &(row, w) in shared {
            let cells = line(row);
            for ((centred, &column), mean) in centred.iter_mut().zip(columns).zip(&mean) {
                *centred = cells[column] - mean;
            }
            for a in 0..q {
                let scaled = w * centred[a];
                for (sum, b) in gram[a * q..=a * q + a].iter_mut().zip(&centred) {
                    *sum += scaled * b;
                }
            }
            for output in 0..k {
                let y = w * (self.target[output][row as usize] - response_mean[output]);
                response_square[output] +=
                    y * (self.target[output][row as usize] - response_mean[output]);
                for (sum, x) in cross[output * q..(output + 1) * q].iter_mut().zip(&centred) {
                    *sum += y * x;
                }
            }
        }
        for a in 0..q {
            for b in 0..a {
                gram[b * q + a] = gram[a * q + b];
            }
        }
        Moments { mean, gram, response_mean, cross, response_square }
    }
}

/// Cells less their column's mean, row by row, missing ones zero; and the means.
fn centred(x: &MatrixView<'_>) -> (Vec<f64>, Vec<f64>) {
    let p = x.cols();
    let mut cells = vec![0.0; x.rows() * p];
    let mut means = Vec::with_capacity(p);
    let mut column = Vec::new();
    for at in 0..p {
        x.column_into(at, &mut column);
        let present = column.iter().filter(|cell| !cell.is_nan());
        let count = present.clone().count().max(1) as f64;
        let mean = present.map(|cell| cell / count).sum::<f64>();
        for (row, cell) in column.iter().enumerate().filter(|(_, cell)| !cell.is_nan()) {
            cells[row * p + at] = cell - mean;
        }
        means.push(mean);
    }
    (cells, means)
}

/// The numbers that each output's local models are fitted to: the response, or the class as 0 and 1.
pub(super) fn targets(response: &Response<'_>) -> Vec<Vec<f64>> {
    match response {
        Response::Numeric(y) => vec![y.to_vec()],
        Response::Classes { codes, n_classes } => {
            let first = if *n_classes == 2 { 1 } else { 0 };
            let is =
                |class: u32| codes.iter().map(|&code| f64::from(u8::from(code == class))).collect();
            (first..*n_classes as u32).map(is).collect()
        }
    }
}
