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

/// Sums that are built side by side, since one alone waits for each of its additions.
const PARTIAL_SUMS: usize = 4;

/// Weighted mean and standard deviation of the cells that are not missing, in two passes so that a
/// large mean does not swallow a small spread. Rows of weight zero do not count.
pub(super) fn mean_and_deviation(cells: &[f64], weight: &[f64]) -> Option<(f64, f64)> {
    let [total, sum] = sums(cells, weight, |cell, w| [w, w * cell]);
    if total <= 0.0 {
        return None;
    }
    let mut mean = sum / total;
    if !mean.is_finite() {
        mean = running_mean(cells, weight);
    }
    let [squares, drift] = sums(cells, weight, |cell, w| {
        let centred = cell - mean;
        [w * centred * centred, w * centred]
    });
    // The second pass also tells how far the first mean was off.
    mean += drift / total;
    let variance = (squares - drift * drift / total) / total;
    Some((mean, variance.max(0.0).sqrt()))
}

/// Two sums over the cells that are not missing.
fn sums(cells: &[f64], weight: &[f64], terms: impl Fn(f64, f64) -> [f64; 2]) -> [f64; 2] {
    let add = |sums: &mut [f64; 2], cell: f64, w: f64| {
        let counts = w > 0.0 && !cell.is_nan();
        let [first, second] = terms(cell, w);
        sums[0] += if counts { first } else { 0.0 };
        sums[1] += if counts { second } else { 0.0 };
    };
    let mut partial = [[0.0; 2]; PARTIAL_SUMS];
    let (cells, rest) = cells.as_chunks::<PARTIAL_SUMS>();
    let (weights, rest_weights) = weight.as_chunks::<PARTIAL_SUMS>();
    for (cells, weights) in cells.iter().zip(weights) {
        for k in 0..PARTIAL_SUMS {
            add(&mut partial[k], cells[k], weights[k]);
        }
    }
    let mut total = [0.0; 2];
    for (&cell, &w) in rest.iter().zip(rest_weights) {
        add(&mut total, cell, w);
    }
    for sums in partial {
        total = [total[0] + sums[0], total[1] + sums[1]];
    }
    total
}

/// The mean where a sum of cells overflows.
fn running_mean(cells: &[f64], weight: &[f64]) -> f64 {
    let (mut total, mut mean) = (0.0, 0.0);
    for (&cell, &w) in cells.iter().zip(weight) {
        if w > 0.0 && !cell.is_nan() {
            total += w;
            mean += (cell - mean) * (w / total);
        }
    }
    mean
}
