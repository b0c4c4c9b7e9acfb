//! Fidelity: how much of a model's predictions an explanation reproduces.
//!
//! Both are compared as predictions: numbers, or the probabilities of classes. The share is R2: one
//! minus the squared differences divided by the squared deviations of the model's predictions from
//! their mean, class by class. It is at most 1, and below 0 if the mean would be closer. The slope
//! is that of the least-squares line from the model's predictions to the explained ones, around the
//! same means. Above 1, the explanation overstates differences between rows; below 1, it
//! understates them.

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
    /// Share of the variance of the model's predictions.
    pub share: f64,
    /// Change of the explanation per unit change of the model.
    pub slope: f64,
    /// Share of the rows that both put into the same class; `None` for regression.
    pub same_class: Option<f64>,
}

impl Fidelity {
    /// Compares the model's predictions with explained ones, `width` numbers per row. `class` says
    /// which class probabilities mean. `None` if the model's predictions do not vary.
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
        let mut sums = FidelitySums::new(width);
        sums.add(model, explained, class);
        sums.finish()
    }

    /// Whether the share is below [`LOW_FIDELITY`], on enough rows to tell (30).
    pub fn is_low(&self) -> bool {
        self.share < LOW_FIDELITY && self.n_rows >= FEWEST_ROWS
    }
}

/// Sums from which fidelity follows, for rows in batches.
#[derive(Debug, Clone)]
pub struct FidelitySums {
    width: usize,
    n_rows: usize,
    same_class: usize,
    /// Per number of a prediction.
    of_output: Vec<OutputSums>,
}

/// Sums around the model's first prediction, which keeps their digits where predictions vary little.
#[derive(Debug, Clone, Copy, Default)]
struct OutputSums {
    centre: Option<f64>,
    model: f64,
    explained: f64,
    model_square: f64,
    product: f64,
    left: f64,
}

impl FidelitySums {
    /// Sums of no rows, for predictions of `width` numbers.
    pub fn new(width: usize) -> Self {
        Self { width, n_rows: 0, same_class: 0, of_output: vec![OutputSums::default(); width] }
    }

    /// Adds rows: the model's predictions and the explained ones. Rows that lack one do not count.
    pub fn add(
        &mut self,
        model: &[f64],
        explained: &[f64],
        class: impl Fn(&[f64]) -> Option<usize>,
    ) {
        let width = self.width.max(1);
        for (model, explained) in model.chunks_exact(width).zip(explained.chunks_exact(width)) {
            if !model.iter().chain(explained).all(|cell| cell.is_finite()) {
                continue;
            }
            self.n_rows += 1;
            self.same_class += usize::from(class(model) == class(explained));
            for (sums, (model, explained)) in
                self.of_output.iter_mut().zip(model.iter().zip(explained))
            {
                let centre = *sums.centre.get_or_insert(*model);
                let (a, b) = (model - centre, explained - centre);
                sums.model += a;
                sums.explained += b;
                sums.model_square += a * a;
                sums.product += a * b;
                sums.left += (a - b) * (a - b);
            }
        }
    }

    /// The fidelity; `None` if the model's predictions do not vary.
    pub fn finish(&self) -> Option<Fidelity> {
        let n = self.n_rows as f64;
        let total = |term: fn(&OutputSums, f64) -> f64| -> f64 {
            self.of_output.iter().map(|sums| term(sums, n)).sum()
        };
        let all = total(|sums, n| sums.model_square - sums.model * sums.model / n);
        let along = total(|sums, n| sums.product - sums.model * sums.explained / n);
        let (share, slope) = (1.0 - total(|sums, _| sums.left) / all, along / all);
        let same_class = (self.width > 1).then_some(self.same_class as f64 / n);
        (all > 0.0).then_some(Fidelity { n_rows: self.n_rows, share, slope, same_class })
    }
}
