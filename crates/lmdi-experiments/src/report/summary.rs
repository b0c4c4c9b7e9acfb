//! Means over repetitions, and their standard errors.

use crate::run::{Record, Records};

/// The mean of some numbers and its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    pub n: usize,
    pub mean: f64,
    /// Standard deviation over n - 1, divided by the root of n; NaN for fewer than two numbers.
    pub error: f64,
}

impl Summary {
    /// Of all numbers that are not NaN.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let numbers: Vec<f64> = numbers.into_iter().filter(|x| !x.is_nan()).collect();
        let n = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / n;
        let squares: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
        let error = if numbers.len() < 2 { f64::NAN } else { (squares / (n - 1.0) / n).sqrt() };
        Self { n: numbers.len(), mean, error }
    }

    /// Mean and error as text with some decimals.
    pub fn text(&self, decimals: usize) -> String {
        match (self.n, self.error.is_nan()) {
            (0, _) => "–".into(),
            (_, true) => format!("{:.decimals$}", self.mean),
            _ => format!("{:.decimals$} ± {:.decimals$}", self.mean, self.error),
        }
    }
}

impl Records {
    /// Summary of the values that a condition picks.
    pub fn summary(&self, picks: impl Fn(&Record) -> bool) -> Summary {
        Summary::of(self.all.iter().filter(|record| picks(record)).map(|record| record.value))
    }

    /// Whether a record has these cells in these fields.
    pub fn has(&self, record: &Record, cells: &[(&str, &str)]) -> bool {
        cells.iter().all(|(field, cell)| self.field(record, field) == *cell)
    }

    /// The names of those of these methods that were measured, in this order.
    pub fn methods_in<'m>(
        &self,
        methods: &'m [crate::methods::Method],
    ) -> Vec<&'m crate::methods::Method> {
        let measured = |name: &str| self.all.iter().any(|record| record.method == name);
        methods.iter().filter(|method| measured(method.name())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_error_by_hand() {
        let summary = Summary::of([1.0, 2.0, f64::NAN, 3.0]);
        assert_eq!((summary.n, summary.mean), (3, 2.0));
        assert!((summary.error - 1.0 / 3f64.sqrt()).abs() < 1e-15);
        assert_eq!(summary.text(2), "2.00 ± 0.58");
        assert_eq!(Summary::of([4.0]).text(1), "4.0");
        assert_eq!(Summary::of([]).text(1), "–");
    }
}
