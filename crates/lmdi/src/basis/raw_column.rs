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

/// Cells whose mean is the first guess at the mean of all.
const GUESSED_FROM: usize = 256;

/// A guess this many standard deviations off has cost too many digits.
const FAR: f64 = 3.0;

/// Weighted mean and standard deviation of the cells that are not missing. Sums are taken around a guess at the
/// mean, and once more around the mean they give if the guess was far off, so that a large mean does not swallow a
/// small spread. Rows of weight zero do not count.
pub(super) fn mean_and_deviation(cells: &[f64], weight: &[f64]) -> Option<(f64, f64)> {
    let counts = |(cell, w): &(&f64, &f64)| **w > 0.0 && !cell.is_nan();
    let first: Vec<f64> =
        cells.iter().zip(weight).filter(counts).take(GUESSED_FROM).map(|(cell, _)| *cell).collect();
    let guess = first.iter().sum::<f64>() / first.len() as f64;
    let mut moments = Moments::around(guess, cells, weight);
    if moments.total <= 0.0 {
        return None;
    }
    if !moments.mean().is_finite() {
        moments = Moments::around(running_mean(cells, weight), cells, weight);
    } else if moments.is_far() {
        moments = Moments::around(moments.mean(), cells, weight);
    }
    Some((moments.mean(), moments.variance().sqrt()))
}

/// Sums of weights and of weighted first and second powers of the distance from a centre.
struct Moments {
    centre: f64,
    total: f64,
    drift: f64,
    squares: f64,
}

impl Moments {
    fn around(centre: f64, cells: &[f64], weight: &[f64]) -> Self {
        let add = |sums: &mut [f64; 3], cell: f64, w: f64| {
            let counts = w > 0.0 && !cell.is_nan();
            let centred = cell - centre;
            for (sum, term) in sums.iter_mut().zip([w, w * centred, w * centred * centred]) {
                *sum += if counts { term } else { 0.0 };
            }
        };
        let mut partial = [[0.0; 3]; PARTIAL_SUMS];
        let (cells, rest) = cells.as_chunks::<PARTIAL_SUMS>();
        let (weights, rest_weights) = weight.as_chunks::<PARTIAL_SUMS>();
        for (cells, weights) in cells.iter().zip(weights) {
            for k in 0..PARTIAL_SUMS {
                add(&mut partial[k], cells[k], weights[k]);
            }
        }
        let mut sums = [0.0; 3];
        for (&cell, &w) in rest.iter().zip(rest_weights) {
            add(&mut sums, cell, w);
        }
        for part in partial {
            sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        let [total, drift, squares] = sums;
        Self { centre, total, drift, squares }
    }

    fn mean(&self) -> f64 {
        self.centre + self.drift / self.total
    }

    fn variance(&self) -> f64 {
        ((self.squares - self.drift * self.drift / self.total) / self.total).max(0.0)
    }

    fn is_far(&self) -> bool {
        let off = self.drift / self.total;
        off * off > FAR * FAR * self.variance()
    }
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
