//! A raw column of the basis: a feature itself, centred and scaled like its stumps.
//!
//! ```text
//! column(x) = (x - mean) * factor,   factor = max_v sd(stump_v) / sd(x)
//! ```
//!
//! where mean and standard deviations are over the in-bag sample and v runs over the tree's splits on
//! the feature, so that raw and stump columns of one feature carry comparable penalty. A missing
//! cell sits at the mean and contributes nothing.

/// One raw column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RawColumn {
    /// The feature.
    pub feature: u32,
    /// In-bag mean of the cells that are not missing.
    pub mean: f64,
    /// Factor on the centred cell; zero when the feature is constant in the bag.
    pub factor: f64,
}

impl RawColumn {
    /// The column's value for one cell.
    #[inline]
    pub fn value(&self, cell: f64) -> f64 {
        if cell.is_nan() { 0.0 } else { (cell - self.mean) * self.factor }
    }
}

/// Weighted mean and standard deviation of the cells that are not missing, in two passes so that a
/// large mean does not swallow a small spread. Rows of weight zero do not count.
pub(super) fn mean_and_deviation(
    cells: &[f64],
    weight: impl Fn(usize) -> f64,
) -> Option<(f64, f64)> {
    let mut total = 0.0;
    let mut mean = 0.0;
    for (row, &cell) in cells.iter().enumerate() {
        let w = weight(row);
        if w > 0.0 && !cell.is_nan() {
            total += w;
            // A running mean cannot overflow where a sum of cells could.
            mean += (cell - mean) * (w / total);
        }
    }
    if total <= 0.0 {
        return None;
    }
    let mut squares = 0.0;
    let mut drift = 0.0;
    for (row, &cell) in cells.iter().enumerate() {
        let w = weight(row);
        if w > 0.0 && !cell.is_nan() {
            let centred = cell - mean;
            squares += w * centred * centred;
            drift += w * centred;
        }
    }
    // The second pass also tells how far the running mean was off.
    mean += drift / total;
    let variance = (squares - drift * drift / total) / total;
    Some((mean, variance.max(0.0).sqrt()))
}
