//! A raw column of the basis: a feature itself, centred and scaled like its stumps.
//!
//! ```text
//! column(x) = (x - mean) * factor,   factor = max_v sd(stump_v) / sd(x)
//! ```
//!
//! where mean and standard deviations are over the in-bag sample and v runs over the tree's splits
//! on the feature, so that raw and stump columns of one feature carry a comparable penalty. A
//! missing cell is set to the mean and contributes nothing.

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
