//! The result of every local method: what each feature adds to each prediction.

/// Scores of some rows, with the numbers they add up to.
///
/// For every row and output, `base + sum of the row's scores` is the model's linear predictor on the
/// scale named by the method (for LMDI+ the link scale).
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// Number of rows.
    pub n_rows: usize,
    /// Number of features.
    pub n_features: usize,
    /// Number of outputs: one for numbers and two classes, else one a class.
    pub n_outputs: usize,
    /// Row by row, feature by feature, one number an output.
    pub values: Vec<f64>,
    /// What a row's scores are added to: row by row, one number an output.
    pub base: Vec<f64>,
    /// Standard error of each score over the trees, laid out like `values`, when asked for and
    /// defined.
    pub standard_error: Option<Vec<f64>>,
}

impl Scores {
    /// Scores of zero over the same base for every row, one number an output.
    pub fn zero(n_rows: usize, n_features: usize, base: &[f64]) -> Self {
        Self {
            n_rows,
            n_features,
            n_outputs: base.len(),
            values: vec![0.0; n_rows * n_features * base.len()],
            base: base.repeat(n_rows),
            standard_error: None,
        }
    }

    /// The scores of one row: feature by feature, one number an output.
    pub fn row(&self, row: usize) -> &[f64] {
        let width = self.n_features * self.n_outputs;
        &self.values[row * width..(row + 1) * width]
    }

    /// One score.
    pub fn get(&self, row: usize, feature: usize, output: usize) -> f64 {
        self.row(row)[feature * self.n_outputs + output]
    }

    /// Base plus the sum of a row's scores: the linear predictor of one output.
    pub fn total(&self, row: usize, output: usize) -> f64 {
        let scores = self.row(row).iter().skip(output).step_by(self.n_outputs);
        self.base[row * self.n_outputs + output] + scores.sum::<f64>()
    }

    /// Mean over rows of the absolute score of every feature in one output.
    pub fn mean_absolute(&self, output: usize) -> Vec<f64> {
        let mut mean = vec![0.0; self.n_features];
        for row in 0..self.n_rows {
            for (feature, mean) in mean.iter_mut().enumerate() {
                *mean += self.get(row, feature, output).abs();
            }
        }
        for mean in &mut mean {
            *mean /= self.n_rows.max(1) as f64;
        }
        mean
    }
}
