//! Options of LMDI+.

use crate::glm::{Family, GlmOptions, Measure, PenaltyChoice, Rule};
use crate::named::Named;
use crate::setters::setters;
use crate::{Error, Result};

/// The rows that a tree's linear model is fitted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitOn {
    /// In-bag rows weighted by how often they were drawn, and out-of-bag rows with weight one.
    All,
    /// In-bag rows only, weighted by how often they were drawn.
    InBag,
    /// Out-of-bag rows only.
    OutOfBag,
    /// All rows with weight one: boosting, and models whose bootstrap is unknown.
    Uniform,
}

impl Named for FitOn {
    const PARAMETER: &'static str = "fit_on";
    const ALL: &'static [Self] = &[FitOn::All, FitOn::InBag, FitOn::OutOfBag, FitOn::Uniform];

    fn name(self) -> &'static str {
        match self {
            FitOn::All => "all",
            FitOn::InBag => "inbag",
            FitOn::OutOfBag => "oob",
            FitOn::Uniform => "uniform",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            FitOn::All => "In-bag rows as often as they were drawn, and out-of-bag rows once",
            FitOn::InBag => "In-bag rows as often as they were drawn",
            FitOn::OutOfBag => "Out-of-bag rows",
            FitOn::Uniform => "Every row once",
        }
    }
}

/// What the linear models of a forest's trees are fitted to. Boosted trees have one target: what
/// the trees before them left over, on the scale of their own leaf values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitTo {
    /// The tree's own leaf values, plus a share of the response's deviation from them: what does
    /// the model do?
    Model,
    /// The response itself: what do the data say?
    Response,
}

impl Named for FitTo {
    const PARAMETER: &'static str = "fit_to";
    const ALL: &'static [Self] = &[FitTo::Model, FitTo::Response];

    fn name(self) -> &'static str {
        match self {
            FitTo::Model => "model",
            FitTo::Response => "response",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            FitTo::Model => "The trees' own leaf values: what does the model do?",
            FitTo::Response => "The response: what do the data say?",
        }
    }
}

/// The rows on which the error of a penalty is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validation {
    /// Each fold of all rows in turn, predicted by a fit to the others.
    Folds,
    /// The tree's out-of-bag rows, predicted by a fit to its in-bag rows. In-bag rows shaped the
    /// splits, so validating on them favours too little shrinkage. A tree without out-of-bag rows
    /// is validated by folds.
    OutOfBag,
}

impl Named for Validation {
    const PARAMETER: &'static str = "validation";
    const ALL: &'static [Self] = &[Validation::Folds, Validation::OutOfBag];

    fn name(self) -> &'static str {
        match self {
            Validation::Folds => "folds",
            Validation::OutOfBag => "oob",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Validation::Folds => "Each fold in turn",
            Validation::OutOfBag => "The tree's out-of-bag rows",
        }
    }
}

/// How rows are assigned to cross-validation folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldBy {
    /// By their position in the table, in contiguous blocks, stratified by class.
    Place,
    /// By a hash of their cells, so that the order of rows does not matter, as in a fit on a stream
    /// of rows.
    Cells,
}

impl Named for FoldBy {
    const PARAMETER: &'static str = "fold_by";
    const ALL: &'static [Self] = &[FoldBy::Place, FoldBy::Cells];

    fn name(self) -> &'static str {
        match self {
            FoldBy::Place => "place",
            FoldBy::Cells => "cells",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            FoldBy::Place => "Contiguous blocks of rows",
            FoldBy::Cells => "A hash of the row's cells",
        }
    }
}

/// Scale of raw columns where a forest is fitted to the response. On the scale of stumps, a penalty
/// that removes noisy steps removes weak trends too; `docs/results.md` has other scales.
const TREND_SCALE: f64 = 4.0;

/// Beyond this scale, or below its inverse, a raw column costs nothing or never enters, and products
/// of columns lose their digits.
const MOST_RAW_SCALE: f64 = 1e6;

/// Options of LMDI+; the default is the preset [`LmdiPlusOptions::model`].
///
/// ```
/// use lmdi::importance::lmdi_plus::{FitOn, LmdiPlusOptions};
/// let options = LmdiPlusOptions::paper().with_fit_on(FitOn::Uniform).with_folds(5);
/// assert_eq!((options.fit_on, options.folds), (Some(FitOn::Uniform), 5));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LmdiPlusOptions {
    /// What the trees of a forest are fitted to.
    pub fit_to: FitTo,
    /// With [`FitTo::Model`]: share of the response's deviation from the leaf value that is added
    /// to the target, from 0 (the model alone) to 1.
    pub response_share: f64,
    /// Rows to fit on; `None` chooses [`FitOn::All`] if bootstrap counts are known, else
    /// [`FitOn::Uniform`].
    pub fit_on: Option<FitOn>,
    /// Whether the raw columns of the features a tree uses are inputs beside its stumps.
    pub include_raw: bool,
    /// Scale of raw columns, as a multiple of that of the feature's largest stump: above 1, trends
    /// are penalised less than steps. `None` chooses 4 for forests fitted to the response, else 1.
    pub raw_scale: Option<f64>,
    /// Whether raw terms stay constant outside the range of the training cells, where trees are
    /// flat.
    pub bound_raw: bool,
    /// Family of the fits; `None` chooses binomial for forests of classes fitted to the response
    /// (one model per class if there are three or more), else gaussian.
    pub family: Option<Family>,
    /// Whether least squares divides the target by its standard deviation first, and multiplies the
    /// coefficients by it again. Otherwise a squared penalty depends on the unit of the target:
    /// prices in cents would be shrunk far more than prices in millions.
    pub scale_target: bool,
    /// Penalty, or how to find it; `None` chooses the reference's search for the family.
    pub penalty: Option<PenaltyChoice>,
    /// Rows on which the error of a penalty is measured; `None` chooses [`Validation::OutOfBag`] if
    /// each tree's rows are known and both in-bag and out-of-bag rows are fitted on, else
    /// [`Validation::Folds`].
    pub validation: Option<Validation>,
    /// Number of cross-validation folds.
    pub folds: usize,
    /// How rows are assigned to them.
    pub fold_by: FoldBy,
    /// Number of rounds; all trees of a round are fitted at once, to what earlier rounds left over.
    /// `None` takes four for forests that are fitted to the model, and fits boosted trees one after
    /// another.
    pub rounds: Option<usize>,
    /// Approximate number of rows that each tree is fitted on. Rows are assigned by a hash of their
    /// cells or key, and each goes to the same number of trees, give or take one. `None` fits every
    /// tree on all rows.
    pub rows_per_tree: Option<usize>,
    /// The error that the search compares; `None` chooses accuracy for classes, else deviance.
    pub measure: Option<Measure>,
    /// Which candidate wins.
    pub rule: Rule,
    /// Accuracy of the fits that the search compares; see [`GlmOptions`].
    pub search_tolerance: f64,
    /// Accuracy of the final fits.
    pub tolerance: f64,
    /// Maximum number of iterations of one fit.
    pub max_iterations: usize,
}

impl LmdiPlusOptions {
    setters! {
        with_fit_to(fit_to: FitTo),
        with_response_share(response_share: f64),
        with_include_raw(include_raw: bool),
        with_bound_raw(bound_raw: bool),
        with_scale_target(scale_target: bool),
        with_folds(folds: usize),
        with_fold_by(fold_by: FoldBy),
        with_rule(rule: Rule),
        with_search_tolerance(search_tolerance: f64),
        with_tolerance(tolerance: f64),
        with_max_iterations(max_iterations: usize);
        optional:
        with_fit_on(fit_on: FitOn),
        with_raw_scale(raw_scale: f64),
        with_rounds(rounds: usize),
        with_rows_per_tree(rows_per_tree: usize),
        with_family(family: Family),
        with_penalty(penalty: PenaltyChoice),
        with_validation(validation: Validation),
        with_measure(measure: Measure),
    }
}

impl Default for LmdiPlusOptions {
    fn default() -> Self {
        Self::model()
    }
}

impl LmdiPlusOptions {
    /// What does the model do? Trees are fitted to their own leaf values, plus half of the
    /// response's deviation from them. The refit then predicts almost what the model predicts
    /// (`docs/results.md`), and scores are on the model's own scale: probabilities for a forest of
    /// classes. The rest is as in [`LmdiPlusOptions::data`].
    pub fn model() -> Self {
        Self { fit_to: FitTo::Model, ..Self::data() }
    }

    /// What do the data say? Trees are fitted to the response. Every row counts once. The penalty of each
    /// tree is the one whose fit to the tree's in-bag rows predicts its out-of-bag rows best, by deviance;
    /// the unit of the response does not matter. The rest is as in the paper. It ranks features better than
    /// the paper's rule in simulations (`docs/results.md`), and in less time.
    pub fn data() -> Self {
        Self {
            fit_on: Some(FitOn::Uniform),
            raw_scale: None,
            bound_raw: true,
            scale_target: true,
            validation: None,
            measure: Some(Measure::Deviance),
            ..Self::paper()
        }
    }

    /// Every option as in the paper's experiments: elastic net with the penalty of each tree at the
    /// minimum of three-fold cross-validation, by squared error or accuracy, over scikit-learn's
    /// grids.
    pub fn paper() -> Self {
        let reference = GlmOptions::reference(Family::Gaussian);
        Self {
            fit_to: FitTo::Response,
            response_share: 0.5,
            fit_on: None,
            include_raw: true,
            raw_scale: Some(1.0),
            bound_raw: false,
            family: None,
            scale_target: false,
            penalty: None,
            validation: Some(Validation::Folds),
            folds: reference.folds,
            fold_by: FoldBy::Place,
            rounds: None,
            rows_per_tree: None,
            measure: None,
            rule: reference.rule,
            search_tolerance: reference.search_tolerance,
            tolerance: reference.tolerance,
            max_iterations: reference.max_iterations,
        }
    }

    /// The paper's ablation, step by step: 1 fits stumps to in-bag rows without penalty (which is the
    /// change of node means along the path), 2 adds out-of-bag rows, 3 adds raw columns, and 4 adds
    /// the elastic net, which is the full method. `None` for any other step.
    pub fn ablation(step: usize) -> Option<Self> {
        let full = Self::paper();
        let plain = Self { penalty: Some(PenaltyChoice::None), ..full.clone() };
        match step {
            1 => Some(Self { fit_on: Some(FitOn::InBag), include_raw: false, ..plain }),
            2 => Some(Self { fit_on: Some(FitOn::All), include_raw: false, ..plain }),
            3 => Some(Self { fit_on: Some(FitOn::All), ..plain }),
            4 => Some(full),
            _ => None,
        }
    }

    /// Checks every option before any work, for a model that predicts classes or not and is boosted or
    /// not.
    pub fn check(&self, of_classes: bool, boosted: bool) -> Result<()> {
        let share = self.response_share;
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::Parameter {
                name: "response_share",
                found: share.to_string(),
                expected: "a number from 0 to 1".into(),
            });
        }
        if let Some(scale) = self.raw_scale
            && !(1.0 / MOST_RAW_SCALE..=MOST_RAW_SCALE).contains(&scale)
        {
            return Err(Error::Parameter {
                name: "raw_scale",
                found: scale.to_string(),
                expected: format!("a number from {:e} to {MOST_RAW_SCALE:e}", 1.0 / MOST_RAW_SCALE),
            });
        }
        if self.rounds == Some(0) {
            return Err(Error::Parameter {
                name: "rounds",
                found: "0".into(),
                expected: "at least one round".into(),
            });
        }
        if self.rows_per_tree == Some(0) {
            return Err(Error::Parameter {
                name: "rows_per_tree",
                found: "0".into(),
                expected: "at least one row".into(),
            });
        }
        self.glm(self.family(of_classes, boosted)).map(drop)
    }

    /// The family of the fits: the one that is set, or the default for such a model.
    pub fn family(&self, of_classes: bool, boosted: bool) -> Family {
        let by_classes = of_classes && !boosted && self.fit_to == FitTo::Response;
        self.family.unwrap_or(if by_classes { Family::Binomial } else { Family::Gaussian })
    }

    /// The scale of raw columns: the one that is set, or the default for such a model.
    pub fn raw_scale(&self, boosted: bool) -> f64 {
        let default = match self.fit_to {
            FitTo::Response if !boosted => TREND_SCALE,
            _ => 1.0,
        };
        self.raw_scale.unwrap_or(default)
    }

    /// The options of the linear models, once the family is known.
    pub(super) fn glm(&self, family: Family) -> Result<GlmOptions> {
        let reference = GlmOptions::reference(family);
        let options = GlmOptions {
            family,
            penalty: self.penalty.clone().unwrap_or(reference.penalty),
            folds: self.folds,
            measure: self.measure.unwrap_or(reference.measure),
            rule: self.rule,
            search_tolerance: self.search_tolerance,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
        };
        options.check()?;
        Ok(options)
    }
}
