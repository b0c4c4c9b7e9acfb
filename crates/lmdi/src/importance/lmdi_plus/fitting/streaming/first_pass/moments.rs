//! Weighted mean and squared deviations of numbers, and products of two, which merge (Chan, Golub and
//! LeVeque 1983).

/// Sums of numbers around their own mean.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Moments {
    pub(crate) weight: f64,
    pub(crate) mean: f64,
    /// Weighted squared deviations from the mean.
    pub(crate) squares: f64,
}

impl Moments {
    /// Those of some numbers; missing ones and weights of zero do not count.
    pub(crate) fn of(cells: &[f64], weight: &[f64]) -> Self {
        let counting = || cells.iter().zip(weight).filter(|(cell, w)| **w > 0.0 && !cell.is_nan());
        let total: f64 = counting().map(|(_, w)| w).sum();
        let Some((&first, _)) = counting().next() else { return Self::default() };
        let mean = first + counting().map(|(x, w)| w * (x - first)).sum::<f64>() / total;
        let squares = counting().map(|(x, w)| w * (x - mean) * (x - mean)).sum();
        Self { weight: total, mean, squares }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        if other.weight <= 0.0 {
            return;
        }
        let total = self.weight + other.weight;
        let between = other.mean - self.mean;
        self.mean += between * (other.weight / total);
        self.squares += other.squares + between * between * self.weight * (other.weight / total);
        self.weight = total;
    }

    /// The same numbers, with all weights multiplied by this.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self { weight: self.weight * factor, squares: self.squares * factor, ..self }
    }

    /// The variance; zero where no number counts.
    pub(crate) fn variance(&self) -> f64 {
        if self.weight > 0.0 { (self.squares / self.weight).max(0.0) } else { 0.0 }
    }

    /// Mean and standard deviation; `None` where no number counts.
    pub(crate) fn mean_and_deviation(&self) -> Option<(f64, f64)> {
        (self.weight > 0.0).then(|| (self.mean, self.variance().sqrt()))
    }
}

/// Sums of the products of two numbers around their means, over rows where neither is missing. The
/// [`Moments`] of the first number are kept beside it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Product {
    /// Mean of the second number.
    pub(crate) mean: f64,
    /// Weighted products of the deviations from both means.
    pub(crate) products: f64,
}

impl Product {
    /// That of some cells, whose moments are known, with a number per row that is never missing.
    pub(crate) fn of(cells: &[f64], numbers: &[f64], weight: &[f64], moments: &Moments) -> Self {
        let counting = || {
            let rows = cells.iter().zip(numbers).zip(weight);
            rows.filter(|((cell, _), w)| **w > 0.0 && !cell.is_nan())
        };
        let Some(((_, &first), _)) = counting().next() else { return Self::default() };
        let from_first = counting().map(|((_, y), w)| w * (y - first)).sum::<f64>();
        let mean = first + from_first / moments.weight;
        let products =
            counting().map(|((cell, y), w)| w * (cell - moments.mean) * (y - mean)).sum();
        Self { mean, products }
    }

    /// Adds that of other rows. `mine` and `theirs` are the moments of the first number before the rows
    /// come together.
    pub(crate) fn merge(&mut self, other: &Self, mine: &Moments, theirs: &Moments) {
        if theirs.weight <= 0.0 {
            return;
        }
        let share = theirs.weight / (mine.weight + theirs.weight);
        let between = [theirs.mean - mine.mean, other.mean - self.mean];
        self.mean += between[1] * share;
        self.products += other.products + between[0] * between[1] * mine.weight * share;
    }
}
