//! Fidelity: how much of what a model predicts an explanation reproduces.
//!
//! Both are compared as predictions: numbers, or the probabilities of classes. The share is one less
//! the squared difference over the variation of the model's predictions around their mean, class by
//! class (R2). It is at most 1, and below 0 where the mean would be nearer. The slope is that of the
//! least-squares line from the model's predictions to the explained ones, around the same means: above
//! 1 the explanation overstates differences between rows, below 1 it understates them.

/// Below this share, scores say too little about single predictions. One bound for the command, the
/// page and the Python package.
pub use crate::importance::lmdi_plus::LOW_FIDELITY;

/// Of fewer rows, the share says more about chance than about the explanation.
const FEWEST_ROWS: usize = 30;

/// How much of a model's predictions an explanation reproduces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fidelity {
    /// Rows that have both.
    pub n_rows: usize,
    /// Share of the variation of the model's predictions.
    pub share: f64,
    /// How much the explanation moves where the model moves by one.
    pub slope: f64,
    /// Share of the rows that both put into the same class; none for numbers.
    pub same_class: Option<f64>,
}

impl Fidelity {
    /// Compares the model's predictions with explained ones, `width` numbers per row. `class` says
    /// which class probabilities mean. None where the model's predictions do not vary.
    ///
    /// ```
    /// use lmdi::explanation::Fidelity;
    /// let found = Fidelity::measure(&[1.0, 2.0, 3.0], &[1.0, 2.0, 2.0], 1, |_| None);
    /// assert_eq!(found.map(|found| (found.share, found.slope)), Some((0.5, 0.5)));
    /// ```
    pub fn measure(
        model: &[f64],
        explained: &[f64],
        width: usize,
        class: impl Fn(&[f64]) -> Option<usize>,
    ) -> Option<Self> {
        let pairs = model.chunks_exact(width.max(1)).zip(explained.chunks_exact(width.max(1)));
        let known: Vec<(&[f64], &[f64])> = pairs
            .filter(|(model, explained)| {
                model.iter().chain(*explained).all(|cell| cell.is_finite())
            })
            .collect();
        let n = known.len() as f64;
        let (mut left, mut all, mut along) = (0.0, 0.0, 0.0);
        for at in 0..width {
            let mean = known.iter().map(|(model, _)| model[at]).sum::<f64>() / n;
            for (model, explained) in &known {
                left += (model[at] - explained[at]).powi(2);
                all += (model[at] - mean).powi(2);
                along += (model[at] - mean) * (explained[at] - mean);
            }
        }
        let alike = |(model, explained): &&(&[f64], &[f64])| class(model) == class(explained);
        let same_class = (width > 1).then(|| known.iter().filter(alike).count() as f64 / n);
        let (share, slope) = (1.0 - left / all, along / all);
        (all > 0.0).then_some(Self { n_rows: known.len(), share, slope, same_class })
    }

    /// Whether the share is below [`LOW_FIDELITY`], on enough rows to tell (30).
    pub fn is_low(&self) -> bool {
        self.share < LOW_FIDELITY && self.n_rows >= FEWEST_ROWS
    }
}
