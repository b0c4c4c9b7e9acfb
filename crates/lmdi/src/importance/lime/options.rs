//! Options of LIME.

use super::Selection;
use crate::importance::Groups;
use crate::setters::setters;
use crate::table::{Encoding, Schema};
use crate::{Error, Result};

/// Neighbours that are drawn, or whose expected sums are taken, unless their number is given.
const DEFAULT_SAMPLES: usize = 5000;

/// Most neighbours that can be asked for; their bins are kept in memory.
const MOST_SAMPLES: usize = 1_000_000;

/// Options of LIME.
///
/// ```
/// use lmdi::importance::lime::LimeOptions;
/// let options = LimeOptions::default().with_n_samples(1000).with_max_columns(5);
/// assert_eq!((options.n_samples, options.max_columns), (Some(1000), Some(5)));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LimeOptions {
    /// Number of neighbours to draw for a row, including the row itself; at most a million. `None`
    /// draws none where predictions are a sum over trees: sums over 5,000 neighbours are replaced
    /// by their expected values. Elsewhere, and for more than 400,000 splits, it draws 5,000.
    pub n_samples: Option<usize>,
    /// Width of the kernel; `None` is 0.75 times the root of the number of columns.
    pub kernel_width: Option<f64>,
    /// Strength of the ridge penalty.
    pub alpha: f64,
    /// How columns are chosen if their number is limited.
    pub selection: Selection,
    /// Maximum number of columns with a score; `None` is all.
    pub max_columns: Option<usize>,
    /// Bins of a numeric column: 4 are quartiles, 10 deciles.
    pub n_bins: usize,
    /// Numeric columns that are categories.
    pub categorical: Vec<usize>,
    /// Columns that are drawn together, such as the 0/1 columns of one categorical column. Their
    /// score is that of the column which is 1 in the row (of the first if none is).
    pub together: Option<Groups>,
    /// Random seed of drawn neighbours.
    pub seed: u64,
}

impl LimeOptions {
    setters! {
        with_alpha(alpha: f64),
        with_selection(selection: Selection),
        with_n_bins(n_bins: usize),
        with_categorical(categorical: Vec<usize>),
        with_seed(seed: u64);
        optional:
        with_n_samples(n_samples: usize),
        with_kernel_width(kernel_width: f64),
        with_max_columns(max_columns: usize),
        with_together(together: Groups),
    }
}

impl Default for LimeOptions {
    fn default() -> Self {
        Self {
            n_samples: None,
            kernel_width: None,
            alpha: 1.0,
            selection: Selection::Auto,
            max_columns: None,
            n_bins: 4,
            categorical: Vec::new(),
            together: None,
            seed: 0,
        }
    }
}

impl LimeOptions {
    /// The defaults for the columns of a schema: the parts of a categorical column are drawn
    /// together, and columns that are not numbers are drawn as categories.
    ///
    /// ```
    /// use lmdi::importance::lime::LimeOptions;
    /// use lmdi::table::{Encoding, Schema};
    /// let mut schema = Schema::numeric(["age", "smoker"]);
    /// schema.columns[1].encoding = Encoding::Truth;
    /// assert_eq!(LimeOptions::for_schema(&schema).categorical, [1]);
    /// ```
    pub fn for_schema(schema: &Schema) -> Self {
        let origins = schema.origins();
        let is_category =
            |&column: &usize| schema.columns[origins[column]].encoding != Encoding::Number;
        let together = origins.iter().map(|&column| column as u32).collect();
        Self {
            categorical: (0..origins.len()).filter(is_category).collect(),
            together: Groups::new(together, schema.columns.len()).ok(),
            ..Self::default()
        }
    }

    /// Number of neighbours, including the row itself.
    pub(super) fn neighbours(&self) -> usize {
        self.n_samples.unwrap_or(DEFAULT_SAMPLES)
    }

    /// Width of the kernel for a number of columns (those drawn together count as one).
    pub(super) fn width_for(&self, n_columns: usize) -> f64 {
        self.kernel_width.unwrap_or(0.75 * (n_columns as f64).sqrt())
    }

    pub(crate) fn check(&self, n_features: usize) -> Result<()> {
        let fail = |name: &'static str, found: String, expected: &str| {
            Err(Error::Parameter { name, found, expected: expected.into() })
        };
        if !(2..=MOST_SAMPLES).contains(&self.neighbours()) {
            return fail("n_samples", self.neighbours().to_string(), "2 to 1,000,000");
        }
        if let Some(width) = self.kernel_width.filter(|width| !(width.is_finite() && *width > 0.0))
        {
            return fail("kernel_width", width.to_string(), "a positive number");
        }
        if !(self.alpha.is_finite() && self.alpha >= 0.0) {
            return fail("alpha", self.alpha.to_string(), "a finite number not below 0");
        }
        if self.max_columns == Some(0) {
            return fail("max_columns", "0".into(), "at least 1");
        }
        if !(2..=100).contains(&self.n_bins) {
            return fail("n_bins", self.n_bins.to_string(), "2 to 100");
        }
        if let Some(feature) = self.categorical.iter().find(|&&feature| feature >= n_features) {
            return fail("categorical", feature.to_string(), "columns of the model");
        }
        self.together.as_ref().map_or(Ok(()), |groups| groups.check(n_features))
    }
}
