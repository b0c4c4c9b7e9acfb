//! The result of every local method: what each feature adds to each prediction.

/// Scores of some rows, with the numbers they add up to.
///
/// For every row and output, `base + sum of the row's scores` is the model's linear predictor on
/// the scale named by the method (for LMDI+ the link scale).
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// Number of rows.
    pub n_rows: usize,
    /// Number of features.
    pub n_features: usize,
    /// Number of outputs: one for numbers and two classes, else one per class.
    pub n_outputs: usize,
    /// Row by row, feature by feature, one number per output.
    pub values: Vec<f64>,
    /// The base that a row's scores are added to: row by row, one number per output.
    pub base: Vec<f64>,
    /// Standard error of each score over the trees, laid out like `values`, if requested and
    /// defined.
    pub standard_error: Option<Vec<f64>>,
}

impl Scores {
    /// Scores of zero over the same base for every row, one number per output.
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

    /// Replaces rows by those of other scores of the same features and outputs, in their order.
    pub(crate) fn replace_rows(&mut self, rows: &[usize], others: &Self) {
        let (width, k) = (self.n_features * self.n_outputs, self.n_outputs);
        for (from, &to) in rows.iter().enumerate() {
            self.values[to * width..(to + 1) * width].copy_from_slice(others.row(from));
            self.base[to * k..(to + 1) * k].copy_from_slice(&others.base[from * k..(from + 1) * k]);
            if let (Some(mine), Some(theirs)) = (&mut self.standard_error, &others.standard_error) {
                mine[to * width..(to + 1) * width]
                    .copy_from_slice(&theirs[from * width..(from + 1) * width]);
            }
        }
    }

    /// The scores of one row: feature by feature, one number per output.
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

    /// Whether a row has scores. Rows that no tree could explain have NaN instead.
    pub fn is_known(&self, row: usize) -> bool {
        self.row(row).iter().all(|score| !score.is_nan())
    }

    /// The rows that have scores.
    pub fn known_rows(&self) -> impl Iterator<Item = usize> {
        (0..self.n_rows).filter(|&row| self.is_known(row))
    }

    /// The size of a feature in a row: |score|, added up over outputs.
    pub fn size(&self, row: usize, feature: usize) -> f64 {
        let outputs = &self.row(row)[feature * self.n_outputs..(feature + 1) * self.n_outputs];
        outputs.iter().map(|score| score.abs()).sum()
    }

    /// Mean |score| of every feature in one output, over the rows that have scores; zero if none
    /// has.
    ///
    /// ```
    /// use lmdi::importance::Scores;
    /// let values = vec![1.0, -4.0, 3.0, 0.0, f64::NAN, f64::NAN];
    /// let scores = Scores { values, ..Scores::zero(3, 2, &[0.0]) };
    /// assert_eq!(scores.mean_absolute(0), [2.0, 2.0]);
    /// ```
    pub fn mean_absolute(&self, output: usize) -> Vec<f64> {
        self.mean_over(self.known_rows(), |row, feature| self.get(row, feature, output).abs())
    }

    /// Mean [`size`](Self::size) of every feature over some rows; zero without rows.
    pub fn mean_sizes(&self, rows: impl Iterator<Item = usize>) -> Vec<f64> {
        self.mean_over(rows, |row, feature| self.size(row, feature))
    }

    fn mean_over(
        &self,
        rows: impl Iterator<Item = usize>,
        of: impl Fn(usize, usize) -> f64,
    ) -> Vec<f64> {
        let mut sums = vec![0.0; self.n_features];
        let mut n = 0_usize;
        for row in rows {
            n += 1;
            sums.iter_mut().enumerate().for_each(|(feature, sum)| *sum += of(row, feature));
        }
        sums.iter_mut().for_each(|sum| *sum /= n.max(1) as f64);
        sums
    }

    /// The scores of some of the rows, in the order given.
    pub fn take_rows(&self, rows: &[usize]) -> Self {
        let width = self.n_features * self.n_outputs;
        let take = |cells: &[f64], width: usize| -> Vec<f64> {
            rows.iter().flat_map(|&row| &cells[row * width..(row + 1) * width]).copied().collect()
        };
        Self {
            n_rows: rows.len(),
            values: take(&self.values, width),
            base: take(&self.base, self.n_outputs),
            standard_error: self.standard_error.as_ref().map(|errors| take(errors, width)),
            ..*self
        }
    }
}
