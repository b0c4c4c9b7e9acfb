//! Weighted mean and squared deviations of numbers, which merge (Chan, Golub and LeVeque 1983).

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

    /// The same numbers, each weighing so many times as much.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self { weight: self.weight * factor, squares: self.squares * factor, ..self }
    }

    /// Mean and standard deviation; `None` where no number counts.
    pub(crate) fn mean_and_deviation(&self) -> Option<(f64, f64)> {
        let variance = (self.squares / self.weight).max(0.0);
        (self.weight > 0.0).then(|| (self.mean, variance.sqrt()))
    }
}
