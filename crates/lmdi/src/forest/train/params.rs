//! Parameters of forests and boosting, checked before any work starts.

use crate::named::Named;
use crate::setters::setters;
use crate::{Error, Result};

/// How many columns are tried at each split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MaxFeatures {
    /// Every column.
    All,
    /// This many columns.
    Count(usize),
    /// This share of the columns, at least one.
    Fraction(f64),
    /// The square root of the number of columns, rounded down, at least one.
    Sqrt,
}

impl MaxFeatures {
    /// The number of columns tried out of `n_features`.
    pub fn count(self, n_features: usize) -> usize {
        let wanted = match self {
            MaxFeatures::All => n_features,
            MaxFeatures::Count(count) => count,
            MaxFeatures::Fraction(share) => (share * n_features as f64) as usize,
            MaxFeatures::Sqrt => n_features.isqrt(),
        };
        wanted.clamp(1, n_features.max(1))
    }

    fn check(self, n_features: usize) -> Result<()> {
        match self {
            MaxFeatures::Count(count) => within("max_features", count, 1, n_features),
            MaxFeatures::Fraction(share) => {
                share_of("max_features", share, "a share above 0 and at most 1")
            }
            MaxFeatures::All | MaxFeatures::Sqrt => Ok(()),
        }
    }
}

/// How many rows a bootstrap sample draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MaxSamples {
    /// This many draws.
    Count(usize),
    /// This share of what would be drawn without a limit.
    Fraction(f64),
}

/// The criterion that a split reduces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// Mean squared error (regression).
    SquaredError,
    /// Half the Poisson deviance (regression on counts).
    Poisson,
    /// Gini impurity (classification).
    Gini,
    /// Entropy in bits (classification).
    Entropy,
}

impl Named for Criterion {
    const PARAMETER: &'static str = "criterion";
    const ALL: &'static [Self] =
        &[Criterion::SquaredError, Criterion::Poisson, Criterion::Gini, Criterion::Entropy];

    fn name(self) -> &'static str {
        match self {
            Criterion::SquaredError => "squared-error",
            Criterion::Poisson => "poisson",
            Criterion::Gini => "gini",
            Criterion::Entropy => "entropy",
        }
    }
}

/// How candidate splits are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitFinder {
    /// Exact, except for boosting on more than [`HISTOGRAM_ROWS`] rows.
    Auto,
    /// Every boundary between two different values is a candidate.
    Exact,
    /// Values are put into at most [`MAX_BINS`] bins first; only bin boundaries are candidates.
    Histogram,
}

impl Named for SplitFinder {
    const PARAMETER: &'static str = "split_finder";
    const ALL: &'static [Self] = &[SplitFinder::Auto, SplitFinder::Exact, SplitFinder::Histogram];

    fn name(self) -> &'static str {
        match self {
            SplitFinder::Auto => "auto",
            SplitFinder::Exact => "exact",
            SplitFinder::Histogram => "histogram",
        }
    }
}

/// Boosting with [`SplitFinder::Auto`] uses histograms above this number of rows.
pub const HISTOGRAM_ROWS: usize = 10_000;

/// The largest number of bins of a histogram, missing cells apart.
pub const MAX_BINS: usize = 255;

/// Parameters of a forest: bagged trees or extra-trees.
///
/// ```
/// use lmdi::forest::train::{ForestParams, MaxFeatures};
/// let params = ForestParams::regression().with_n_trees(20).with_max_features(MaxFeatures::Sqrt);
/// assert!(params.bootstrap && params.max_depth.is_none());
/// let shallow = params.with_max_depth(3);
/// assert_eq!(shallow.max_depth, Some(3));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ForestParams {
    /// Number of trees.
    pub n_trees: usize,
    /// The criterion that a split reduces.
    pub criterion: Criterion,
    /// Maximum depth of a leaf; the root has depth 0. `None` is unlimited.
    pub max_depth: Option<usize>,
    /// Minimum number of rows in a node to split it.
    pub min_samples_split: usize,
    /// Minimum number of distinct in-bag rows in a leaf.
    pub min_samples_leaf: usize,
    /// Maximum number of leaves; the split with the largest decrease is made first. `None` is
    /// unlimited.
    pub max_leaf_nodes: Option<usize>,
    /// A split must decrease the impurity, weighted by the node's share of the weight, by this.
    pub min_impurity_decrease: f64,
    /// Columns tried at each split.
    pub max_features: MaxFeatures,
    /// Whether each tree sees a sample drawn with replacement, or all rows.
    pub bootstrap: bool,
    /// Size of the bootstrap sample; `None` draws as many rows as there are, and as many as their
    /// weights add up to where these are numbers of copies (see
    /// [`train_forest`](super::train_forest)).
    pub max_samples: Option<MaxSamples>,
    /// Draw one random threshold per column instead of searching for the best (extra-trees).
    pub extra_trees: bool,
    /// Same seed, same forest.
    pub seed: u64,
    /// How candidate splits are found.
    pub split_finder: SplitFinder,
}

impl ForestParams {
    setters! {
        with_n_trees(n_trees: usize),
        with_criterion(criterion: Criterion),
        with_min_samples_split(min_samples_split: usize),
        with_min_samples_leaf(min_samples_leaf: usize),
        with_min_impurity_decrease(min_impurity_decrease: f64),
        with_max_features(max_features: MaxFeatures),
        with_bootstrap(bootstrap: bool),
        with_extra_trees(extra_trees: bool),
        with_seed(seed: u64),
        with_split_finder(split_finder: SplitFinder);
        optional:
        with_max_depth(max_depth: usize),
        with_max_leaf_nodes(max_leaf_nodes: usize),
        with_max_samples(max_samples: MaxSamples),
    }
}

impl ForestParams {
    /// 100 bootstrapped trees on squared error, all columns tried at each split.
    pub fn regression() -> Self {
        Self {
            n_trees: 100,
            criterion: Criterion::SquaredError,
            max_depth: None,
            min_samples_split: 2,
            min_samples_leaf: 1,
            max_leaf_nodes: None,
            min_impurity_decrease: 0.0,
            max_features: MaxFeatures::All,
            bootstrap: true,
            max_samples: None,
            extra_trees: false,
            seed: 0,
            split_finder: SplitFinder::Auto,
        }
    }

    /// 100 bootstrapped trees on Gini impurity, the square root of the columns tried at each split.
    pub fn classification() -> Self {
        Self { criterion: Criterion::Gini, max_features: MaxFeatures::Sqrt, ..Self::regression() }
    }

    /// Fails with the first parameter outside its range for a table with `n_features` columns.
    pub fn check(&self, n_features: usize) -> Result<()> {
        within("n_trees", self.n_trees, 1, MAX_TREES)?;
        check_tree_shape(
            self.max_depth,
            self.min_samples_split,
            self.min_samples_leaf,
            self.max_leaf_nodes,
        )?;
        if !(self.min_impurity_decrease >= 0.0 && self.min_impurity_decrease.is_finite()) {
            return Err(Error::Parameter {
                name: "min_impurity_decrease",
                found: self.min_impurity_decrease.to_string(),
                expected: "a finite number not below 0".into(),
            });
        }
        self.max_features.check(n_features)?;
        if self.extra_trees && self.split_finder == SplitFinder::Histogram {
            return Err(Error::Parameter {
                name: "split_finder",
                found: "histogram with random thresholds".into(),
                expected: "exact or auto for extra-trees, which search no threshold".into(),
            });
        }
        match self.max_samples {
            Some(_) if !self.bootstrap => Err(Error::Parameter {
                name: "max_samples",
                found: "a value without bootstrap".into(),
                expected: "no value, or bootstrap turned on".into(),
            }),
            Some(MaxSamples::Count(count)) => within("max_samples", count, 1, u32::MAX as usize),
            Some(MaxSamples::Fraction(share)) => {
                share_of("max_samples", share, "a share above 0 and at most 1")
            }
            None => Ok(()),
        }
    }
}

/// When boosting stops before its last round.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct EarlyStopping {
    /// Share of the rows held out to measure the loss; these rows grow no tree.
    pub validation_fraction: f64,
    /// Rounds without improvement after which boosting stops.
    pub patience: usize,
    /// A loss counts as improved when it falls below the best so far by more than this.
    pub tolerance: f64,
}

impl EarlyStopping {
    setters! {
        with_validation_fraction(validation_fraction: f64),
        with_patience(patience: usize),
        with_tolerance(tolerance: f64),
    }
}

impl Default for EarlyStopping {
    fn default() -> Self {
        Self { validation_fraction: 0.1, patience: 10, tolerance: 1e-7 }
    }
}

/// Parameters of gradient boosting.
///
/// The exact finder grows least-squares trees on the gradient and sets leaf values by one Newton
/// step; the histogram finder takes the second derivative into the split search too.
///
/// ```
/// use lmdi::forest::train::{BoostingParams, EarlyStopping};
/// let stopping = EarlyStopping::default().with_patience(20);
/// let params = BoostingParams::default().with_n_rounds(500).with_early_stopping(stopping);
/// assert_eq!(params.early_stopping, Some(stopping));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BoostingParams {
    /// Number of rounds; a round adds a tree, or one tree per class with three or more classes.
    pub n_rounds: usize,
    /// Factor on every tree value.
    pub learning_rate: f64,
    /// Maximum depth of a leaf; `None` is unlimited.
    pub max_depth: Option<usize>,
    /// Minimum number of rows in a node to split it.
    pub min_samples_split: usize,
    /// Minimum number of rows in a leaf.
    pub min_samples_leaf: usize,
    /// Maximum number of leaves of a tree; `None` is unlimited.
    pub max_leaf_nodes: Option<usize>,
    /// Columns tried at each split.
    pub max_features: MaxFeatures,
    /// Share of the rows each round is grown on, drawn without replacement.
    pub subsample: f64,
    /// L2 penalty on leaf values (histogram finder only).
    pub l2: f64,
    /// Number of bins (histogram finder only), at most [`MAX_BINS`].
    pub max_bins: usize,
    /// When to stop early; `None` runs every round.
    pub early_stopping: Option<EarlyStopping>,
    /// Same seed, same ensemble.
    pub seed: u64,
    /// How candidate splits are found.
    pub split_finder: SplitFinder,
}

impl BoostingParams {
    setters! {
        with_n_rounds(n_rounds: usize),
        with_learning_rate(learning_rate: f64),
        with_min_samples_split(min_samples_split: usize),
        with_min_samples_leaf(min_samples_leaf: usize),
        with_max_features(max_features: MaxFeatures),
        with_subsample(subsample: f64),
        with_l2(l2: f64),
        with_max_bins(max_bins: usize),
        with_seed(seed: u64),
        with_split_finder(split_finder: SplitFinder);
        optional:
        with_max_depth(max_depth: usize),
        with_max_leaf_nodes(max_leaf_nodes: usize),
        with_early_stopping(early_stopping: EarlyStopping),
    }
}

impl Default for BoostingParams {
    fn default() -> Self {
        Self {
            n_rounds: 100,
            learning_rate: 0.1,
            max_depth: None,
            min_samples_split: 2,
            min_samples_leaf: 20,
            max_leaf_nodes: Some(31),
            max_features: MaxFeatures::All,
            subsample: 1.0,
            l2: 0.0,
            max_bins: MAX_BINS,
            early_stopping: None,
            seed: 0,
            split_finder: SplitFinder::Auto,
        }
    }
}

impl BoostingParams {
    /// Fails with the first parameter outside its range for a table with `n_features` columns.
    pub fn check(&self, n_features: usize) -> Result<()> {
        within("n_rounds", self.n_rounds, 1, MAX_TREES)?;
        check_tree_shape(
            self.max_depth,
            self.min_samples_split,
            self.min_samples_leaf,
            self.max_leaf_nodes,
        )?;
        self.max_features.check(n_features)?;
        within("max_bins", self.max_bins, 2, MAX_BINS)?;
        share_of("subsample", self.subsample, "a share above 0 and at most 1")?;
        let nonnegative = [("learning_rate", self.learning_rate), ("l2", self.l2)];
        for (name, found) in nonnegative {
            if !(found >= 0.0 && found.is_finite()) {
                return Err(Error::Parameter {
                    name,
                    found: found.to_string(),
                    expected: "a finite number not below 0".into(),
                });
            }
        }
        if let Some(stopping) = self.early_stopping {
            let share = stopping.validation_fraction;
            if !(share > 0.0 && share < 1.0) {
                return Err(Error::Parameter {
                    name: "validation_fraction",
                    found: share.to_string(),
                    expected: "a share above 0 and below 1".into(),
                });
            }
            within("patience", stopping.patience, 1, MAX_TREES)?;
            if !(stopping.tolerance >= 0.0 && stopping.tolerance.is_finite()) {
                return Err(Error::Parameter {
                    name: "tolerance",
                    found: stopping.tolerance.to_string(),
                    expected: "a finite number not below 0".into(),
                });
            }
        }
        Ok(())
    }

    /// Whether histograms are used on `rows` rows.
    pub fn uses_histograms(&self, rows: usize) -> bool {
        match self.split_finder {
            SplitFinder::Auto => rows > HISTOGRAM_ROWS,
            SplitFinder::Exact => false,
            SplitFinder::Histogram => true,
        }
    }
}

/// More trees than this are a slip of the keyboard.
const MAX_TREES: usize = 10_000_000;

fn check_tree_shape(
    max_depth: Option<usize>,
    min_samples_split: usize,
    min_samples_leaf: usize,
    max_leaf_nodes: Option<usize>,
) -> Result<()> {
    if let Some(depth) = max_depth {
        within("max_depth", depth, 1, u32::MAX as usize)?;
    }
    within("min_samples_split", min_samples_split, 2, u32::MAX as usize)?;
    within("min_samples_leaf", min_samples_leaf, 1, u32::MAX as usize)?;
    match max_leaf_nodes {
        Some(leaves) => within("max_leaf_nodes", leaves, 2, u32::MAX as usize),
        None => Ok(()),
    }
}

fn within(name: &'static str, found: usize, least: usize, most: usize) -> Result<()> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    Err(Error::Parameter {
        name,
        found: found.to_string(),
        expected: format!("a whole number from {least} to {most}"),
    })
}

fn share_of(name: &'static str, found: f64, expected: &str) -> Result<()> {
    if found > 0.0 && found <= 1.0 {
        return Ok(());
    }
    Err(Error::Parameter { name, found: found.to_string(), expected: expected.into() })
}
