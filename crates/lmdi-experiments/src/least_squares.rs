//! Ordinary least squares with an intercept, for a few dozen columns.
//!
//! Columns and responses are centred, the normal equations are solved by elimination with the
//! largest pivot. A column whose pivot is as good as zero (it follows from the others, or is
//! constant) has slope zero.

use lmdi::table::Matrix;

/// A linear model.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    intercept: f64,
    slopes: Vec<f64>,
}

/// Pivots below this share of the largest diagonal are taken for zero.
const NO_PIVOT: f64 = 1e-10;

impl Linear {
    /// Fits some rows.
    pub fn fit(x: &Matrix, y: &[f64], rows: &[usize]) -> Self {
        let p = x.cols();
        let n = rows.len() as f64;
        let mean_of =
            |cell: &dyn Fn(usize) -> f64| rows.iter().map(|&row| cell(row)).sum::<f64>() / n;
        let means: Vec<f64> = (0..p).map(|col| mean_of(&|row| x.column(col)[row])).collect();
        let mean_y = mean_of(&|row| y[row]);
        let width = p + 1;
        // The normal equations, with the right side as the last column.
        let mut system = vec![0.0; p * width];
        for &row in rows {
            let centred: Vec<f64> = (0..p).map(|col| x.column(col)[row] - means[col]).collect();
            for (i, a) in centred.iter().enumerate() {
                for (j, b) in centred.iter().enumerate() {
                    system[i * width + j] += a * b;
                }
                system[i * width + p] += a * (y[row] - mean_y);
            }
        }
        let slopes = solve(&mut system, p);
        let at_mean: f64 = slopes.iter().zip(&means).map(|(slope, mean)| slope * mean).sum();
        Self { intercept: mean_y - at_mean, slopes }
    }

    pub fn predict(&self, x: &Matrix, row: usize) -> f64 {
        let terms = self.slopes.iter().enumerate().map(|(col, slope)| slope * x.column(col)[row]);
        self.intercept + terms.sum::<f64>()
    }
}

/// Gauss-Jordan elimination of p equations with the right side as the last column.
fn solve(system: &mut [f64], p: usize) -> Vec<f64> {
    let width = p + 1;
    let largest = (0..p).map(|k| system[k * width + k]).fold(0.0, f64::max);
    let mut solved = vec![false; p];
    let mut free: Vec<usize> = (0..p).collect();
    for _ in 0..p {
        // Symmetric and without negative diagonal: the largest diagonal is the best pivot.
        let Some((at, &k)) = free
            .iter()
            .enumerate()
            .max_by(|a, b| system[a.1 * width + a.1].total_cmp(&system[b.1 * width + b.1]))
        else {
            break;
        };
        if system[k * width + k] <= NO_PIVOT * largest {
            break;
        }
        free.swap_remove(at);
        solved[k] = true;
        let pivot = system[k * width + k];
        for i in (0..p).filter(|&i| i != k) {
            let factor = system[i * width + k] / pivot;
            for j in 0..width {
                system[i * width + j] -= factor * system[k * width + j];
            }
        }
    }
    let slope = |k: usize| system[k * width + p] / system[k * width + k];
    (0..p).map(|k| if solved[k] { slope(k) } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::normal::normal;
    use lmdi::random::generator;

    #[test]
    fn a_linear_response_is_found_even_with_a_repeated_column() {
        let rows = 40;
        let mut cells = normal(&mut generator(1, 0), 2 * rows);
        let double: Vec<f64> = cells[..rows].iter().map(|x| 2.0 * x).collect();
        cells.extend(double);
        cells.extend(vec![3.0; rows]);
        let x = Matrix::from_column_major(cells, rows, 4).expect("a matrix");
        let y: Vec<f64> =
            (0..rows).map(|row| 1.0 + 2.0 * x.column(0)[row] - 3.0 * x.column(1)[row]).collect();
        let all: Vec<usize> = (0..rows).collect();
        let linear = Linear::fit(&x, &y, &all[..30]);
        for (row, y) in y.iter().enumerate().skip(30) {
            assert!((linear.predict(&x, row) - y).abs() < 1e-9, "row {row}");
        }
    }

    #[test]
    fn a_single_row_is_its_own_mean() {
        let x = Matrix::from_column_major(vec![1.0, 2.0], 2, 1).expect("a matrix");
        assert_eq!(Linear::fit(&x, &[5.0, 9.0], &[0]).predict(&x, 1), 5.0);
    }
}
