//! The result of every global method: one number per feature or group of features.

use super::Scores;
use crate::{Error, Result};

/// Importances of features or groups, with their spread.
///
/// Each is the mean over units that measure the same: trees, repetitions or rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Importances {
    /// One number per feature or group.
    pub values: Vec<f64>,
    /// Standard deviation over the units (divided by their number, not by one less).
    pub deviation: Vec<f64>,
    /// Number of units.
    pub n_units: usize,
}

impl Importances {
    /// The mean and deviation over units, each of which has one number per feature.
    ///
    /// Fails if there is no unit, or if units differ in length.
    ///
    /// ```
    /// use lmdi::importance::Importances;
    /// # fn main() -> lmdi::Result<()> {
    /// let found = Importances::over_units(&[vec![1.0, 0.0], vec![3.0, 0.0]])?;
    /// assert_eq!((found.values, found.deviation), (vec![2.0, 0.0], vec![1.0, 0.0]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn over_units(units: &[Vec<f64>]) -> Result<Self> {
        let Some(first) = units.first() else {
            return Err(Error::Data("there is nothing to take the importances from".into()));
        };
        let (n, p) = (units.len() as f64, first.len());
        let mut values = vec![0.0; p];
        for unit in units {
            if unit.len() != p {
                return Err(Error::Shape {
                    what: "importances of a unit".into(),
                    found: unit.len(),
                    expected: p,
                });
            }
            for (value, number) in values.iter_mut().zip(unit) {
                *value += number;
            }
        }
        values.iter_mut().for_each(|value| *value /= n);
        let mut deviation = vec![0.0; p];
        for unit in units {
            for ((square, number), mean) in deviation.iter_mut().zip(unit).zip(&values) {
                *square += (number - mean) * (number - mean);
            }
        }
        deviation.iter_mut().for_each(|square| *square = (*square / n).sqrt());
        Ok(Self { values, deviation, n_units: units.len() })
    }

    /// The mean over rows of |score|, for any local method. Several outputs are added up. Rows
    /// without scores (NaN) are left out.
    ///
    /// Importances of groups are those of grouped scores ([`sum_groups`]): signed scores are added
    /// before the absolute value is taken, so that parts of one column that cancel do not count
    /// twice.
    ///
    /// [`sum_groups`]: crate::explanation::sum_groups
    pub fn of_scores(scores: &Scores) -> Result<Self> {
        let sizes = |row| (0..scores.n_features).map(|feature| scores.size(row, feature)).collect();
        let units: Vec<Vec<f64>> = scores.known_rows().map(sizes).collect();
        Self::over_units(&units)
    }

    /// The features or groups from the most important to the least; ties go to the earlier.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        order.sort_by(|&a, &b| self.values[b].total_cmp(&self.values[a]).then(a.cmp(&b)));
        order
    }
}
