//! LMDI+ as users configure it: a preset, or single options by name.
//!
//! A preset sets every option of the method, so that its name identifies a result; only the
//! accuracy of the fits may be set in addition. Without one, each given option changes the preset
//! `model`. The command line and the Python package both fill in [`Choices`]; how options combine
//! is decided here.

use super::{FitOn, FitTo, FoldBy, LmdiPlusOptions, Validation};
use crate::glm::{Family, GlmOptions, Measure, PenaltyChoice, Rule, Strength};
use crate::named::Named;
use crate::{Error, Result};

/// A named set of options, by the question it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// What does the model do? The default: [`LmdiPlusOptions::model`].
    Model,
    /// What do the data say? [`LmdiPlusOptions::data`].
    Data,
    /// Every option as in the paper: [`LmdiPlusOptions::paper`].
    Paper,
}

impl Preset {
    fn options(self) -> LmdiPlusOptions {
        match self {
            Preset::Model => LmdiPlusOptions::model(),
            Preset::Data => LmdiPlusOptions::data(),
            Preset::Paper => LmdiPlusOptions::paper(),
        }
    }
}

impl Named for Preset {
    const PARAMETER: &'static str = "preset";
    const ALL: &'static [Self] = &[Preset::Model, Preset::Data, Preset::Paper];

    fn name(self) -> &'static str {
        match self {
            Preset::Model => "model",
            Preset::Data => "data",
            Preset::Paper => "paper",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Preset::Model => "What does the model do? Fitted to its leaf values",
            Preset::Data => "What do the data say? Fitted to the response",
            Preset::Paper => "Every option as in the paper",
        }
    }
}

/// The kind of penalty of the linear models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glm {
    /// None.
    Ols,
    /// On squares.
    Ridge,
    /// On absolute values.
    Lasso,
    /// On both.
    ElasticNet,
}

impl Named for Glm {
    const PARAMETER: &'static str = "glm";
    const ALL: &'static [Self] = &[Glm::Ols, Glm::Ridge, Glm::Lasso, Glm::ElasticNet];

    fn name(self) -> &'static str {
        match self {
            Glm::Ols => "ols",
            Glm::Ridge => "ridge",
            Glm::Lasso => "lasso",
            Glm::ElasticNet => "elastic-net",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Glm::Ols => "No penalty",
            Glm::Ridge => "L2 penalty",
            Glm::Lasso => "L1 penalty",
            Glm::ElasticNet => "L1 and L2 penalties",
        }
    }
}

/// The options that a user set; `None` leaves an option to the preset.
///
/// ```
/// use lmdi::glm::{PenaltyChoice, Strength};
/// use lmdi::importance::lmdi_plus::{Choices, Glm, Preset};
///
/// let ridge = Choices { glm: Some(Glm::Ridge), alpha: Some(0.1), ..Choices::default() };
/// let fixed = PenaltyChoice::Fixed { strength: Strength::Alpha(0.1), l1_ratio: 0.0 };
/// assert_eq!(ridge.options(false, false)?.penalty, Some(fixed));
///
/// let both = Choices { preset: Some(Preset::Paper), ..ridge };
/// let error = both.options(false, false).unwrap_err();
/// assert!(error.to_string().contains("fixes every choice"));
/// # Ok::<(), lmdi::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choices {
    /// Sets every option of the method.
    pub preset: Option<Preset>,
    /// A step of the paper's ablation, which sets them too; see [`LmdiPlusOptions::ablation`].
    pub ablation: Option<usize>,
    /// What trees are fitted to.
    pub fit_to: Option<FitTo>,
    /// Share of the response's deviation that is added to the leaf values.
    pub response_share: Option<f64>,
    /// Rows to fit on.
    pub fit_on: Option<FitOn>,
    /// Whether raw columns are inputs beside the stumps.
    pub include_raw: Option<bool>,
    /// Scale of raw columns, as a multiple of that of their largest stump.
    pub raw_scale: Option<f64>,
    /// Whether raw terms stay constant outside the range of the training cells.
    pub bound_raw: Option<bool>,
    /// Whether least squares divides the response by its standard deviation first.
    pub scale_target: Option<bool>,
    /// Kind of penalty.
    pub glm: Option<Glm>,
    /// Mixtures that the elastic net tries.
    pub l1_ratio: Option<Vec<f64>>,
    /// Fixed strength relative to the mean loss, of the unscaled response unless `scale_target` is
    /// set.
    pub alpha: Option<f64>,
    /// Fixed inverse strength relative to the summed loss.
    pub c: Option<f64>,
    /// Rows on which the error of a penalty is measured.
    pub validation: Option<Validation>,
    /// Number of cross-validation folds; implies validation by folds.
    pub folds: Option<usize>,
    /// How rows are assigned to folds; implies validation by folds.
    pub fold_by: Option<FoldBy>,
    /// Number of rounds; all trees of a round are fitted at once.
    pub rounds: Option<usize>,
    /// Rows that each tree is fitted on, assigned by their hashes.
    pub rows_per_tree: Option<usize>,
    /// The error that the penalty search compares.
    pub selection: Option<Measure>,
    /// Which candidate wins.
    pub rule: Option<Rule>,
    /// Family of the response.
    pub family: Option<Family>,
    /// Accuracy of the final fits.
    pub tolerance: Option<f64>,
    /// Accuracy of the fits that the penalty search compares.
    pub search_tolerance: Option<f64>,
    /// Maximum number of iterations of one fit.
    pub max_iterations: Option<usize>,
}

impl Choices {
    /// The name of the first option that was set.
    pub fn first_given(&self) -> Option<&'static str> {
        let others = [
            ("preset", self.preset.is_some()),
            ("ablation", self.ablation.is_some()),
            ("rows_per_tree", self.rows_per_tree.is_some()),
            ("tolerance", self.tolerance.is_some()),
            ("search_tolerance", self.search_tolerance.is_some()),
            ("max_iterations", self.max_iterations.is_some()),
        ];
        self.first_choice().or_else(|| first(&others))
    }

    /// The name of the first choice of the method that was made. How many rows a tree is fitted on and
    /// how exactly is no such choice: presets leave it open.
    fn first_choice(&self) -> Option<&'static str> {
        first(&[
            ("fit_to", self.fit_to.is_some()),
            ("response_share", self.response_share.is_some()),
            ("fit_on", self.fit_on.is_some()),
            ("include_raw", self.include_raw.is_some()),
            ("raw_scale", self.raw_scale.is_some()),
            ("bound_raw", self.bound_raw.is_some()),
            ("scale_target", self.scale_target.is_some()),
            ("glm", self.glm.is_some()),
            ("l1_ratio", self.l1_ratio.is_some()),
            ("alpha", self.alpha.is_some()),
            ("C", self.c.is_some()),
            ("validation", self.validation.is_some()),
            ("folds", self.folds.is_some()),
            ("fold_by", self.fold_by.is_some()),
            ("rounds", self.rounds.is_some()),
            ("selection", self.selection.is_some()),
            ("rule", self.rule.is_some()),
            ("family", self.family.is_some()),
        ])
    }

    /// The options, checked, for a model that predicts classes or not and is boosted or not.
    pub fn options(&self, of_classes: bool, boosted: bool) -> Result<LmdiPlusOptions> {
        let mut options = self.fixed()?;
        options.fit_to = self.fitted_to().unwrap_or(options.fit_to);
        if let Some(share) = self.response_share {
            options.response_share = share;
        }
        options.family = self.family.or(options.family);
        let family = options.family(of_classes, boosted);
        options.fit_on = self.fit_on.or(options.fit_on);
        options.include_raw = self.include_raw.unwrap_or(options.include_raw);
        options.raw_scale = self.raw_scale.or(options.raw_scale);
        options.bound_raw = self.bound_raw.unwrap_or(options.bound_raw);
        // A strength that is given is meant beside the loss of the response as it is.
        let fixed = self.alpha.is_some() || self.c.is_some();
        options.scale_target = self.scale_target.unwrap_or(options.scale_target && !fixed);
        options.penalty = self.penalty(family)?.or(options.penalty);
        options.validation = self.judges()?.or(options.validation);
        options.folds = self.folds.unwrap_or(options.folds);
        options.fold_by = self.fold_by.unwrap_or(options.fold_by);
        options.rounds = self.rounds.or(options.rounds);
        options.rows_per_tree = self.rows_per_tree.or(options.rows_per_tree);
        options.measure = self.selection.or(options.measure);
        options.rule = self.rule.unwrap_or(options.rule);
        options.tolerance = self.tolerance.unwrap_or(options.tolerance);
        options.search_tolerance = self.search_tolerance.unwrap_or(options.search_tolerance);
        options.max_iterations = self.max_iterations.unwrap_or(options.max_iterations);
        options.check(of_classes, boosted)?;
        Ok(options)
    }

    /// What trees are fitted to, where a choice says it: only a response has a family and an accuracy.
    fn fitted_to(&self) -> Option<FitTo> {
        let of_response = self.family.is_some_and(|family| family != Family::Gaussian)
            || self.selection == Some(Measure::Accuracy);
        self.fit_to.or(of_response.then_some(FitTo::Response))
    }

    /// What the preset or the step of the ablation says before any choice.
    fn fixed(&self) -> Result<LmdiPlusOptions> {
        let name = match (self.preset, self.ablation) {
            (None, None) => return Ok(LmdiPlusOptions::default()),
            (Some(_), Some(_)) => {
                return Err(invalid("preset", "given with ablation", "one of the two"));
            }
            (Some(_), None) => "a preset",
            (None, Some(_)) => "a step of the ablation",
        };
        if let Some(choice) = self.first_choice() {
            return Err(invalid(
                choice,
                format!("given with {name}"),
                format!("one of the two: {name} fixes every choice of the method"),
            ));
        }
        match (self.preset, self.ablation) {
            (None, Some(step)) => LmdiPlusOptions::ablation(step)
                .ok_or_else(|| invalid("ablation", step.to_string(), "a step from 1 to 4")),
            (Some(preset), _) => Ok(preset.options()),
            (None, None) => Ok(LmdiPlusOptions::default()),
        }
    }

    /// The rows on which penalties are validated. A number of folds, how they are assigned and the
    /// one-standard-error rule need folds; `None` when nothing that was asked for says which.
    fn judges(&self) -> Result<Option<Validation>> {
        let by_folds = match (self.folds, self.fold_by, self.rule) {
            (Some(folds), ..) => Some(("folds", folds.to_string())),
            (None, Some(fold_by), _) => Some(("fold_by", fold_by.name().to_owned())),
            (None, None, Some(Rule::OneStandardError)) => Some(("rule", "1se".to_owned())),
            _ => None,
        };
        match (self.validation, by_folds) {
            (Some(Validation::OutOfBag), Some((name, found))) => {
                Err(invalid(name, format!("{found}, with validation oob"), "validation folds"))
            }
            (None, Some(_)) => Ok(Some(Validation::Folds)),
            (asked, _) => Ok(asked),
        }
    }

    /// The penalty that is asked for; `None` when it is left to the preset.
    fn penalty(&self, family: Family) -> Result<Option<PenaltyChoice>> {
        let strength = match (self.alpha, self.c) {
            (None, None) => None,
            (Some(alpha), None) => Some(Strength::Alpha(alpha)),
            (None, Some(c)) => Some(Strength::Inverse(c)),
            (Some(_), Some(c)) => return Err(invalid("C", c.to_string(), "no value beside alpha")),
        };
        let (default, grid) = GlmOptions::reference_search(family);
        let glm = match self.glm {
            Some(glm) => glm,
            None if strength.is_none() && self.l1_ratio.is_none() => return Ok(None),
            None => Glm::ElasticNet,
        };
        if let (Some(ratios), Glm::Ols | Glm::Ridge | Glm::Lasso) = (&self.l1_ratio, glm) {
            let found = format!("{ratios:?} with {}", glm.name());
            return Err(invalid("l1_ratio", found, "no value unless glm is elastic-net"));
        }
        let l1_ratios = match glm {
            Glm::Ols if strength.is_some() => {
                return Err(invalid(
                    "glm",
                    "ols, with alpha or C",
                    "ridge, lasso or elastic-net beside alpha or C",
                ));
            }
            Glm::Ols => return Ok(Some(PenaltyChoice::None)),
            Glm::Ridge => vec![0.0],
            Glm::Lasso => vec![1.0],
            Glm::ElasticNet => self.l1_ratio.clone().unwrap_or(default),
        };
        match (strength, &l1_ratios[..]) {
            (Some(strength), &[l1_ratio]) => Ok(Some(PenaltyChoice::Fixed { strength, l1_ratio })),
            (Some(strength), _) if self.l1_ratio.is_none() => {
                let (name, value) = match strength {
                    Strength::Alpha(alpha) => ("alpha", alpha),
                    Strength::Inverse(c) => ("C", c),
                };
                Err(invalid(
                    name,
                    format!("{value} without l1_ratio"),
                    "one l1_ratio beside it, such as 0.5; ridge and lasso need none",
                ))
            }
            (Some(_), ratios) => Err(invalid(
                "l1_ratio",
                format!("{ratios:?}"),
                "one number beside a fixed penalty (alpha or C)",
            )),
            (None, _) => Ok(Some(PenaltyChoice::CrossValidated { l1_ratios, grid })),
        }
    }
}

/// The first name that is marked.
fn first(given: &[(&'static str, bool)]) -> Option<&'static str> {
    given.iter().find(|(_, given)| *given).map(|(name, _)| *name)
}

fn invalid(name: &'static str, found: impl Into<String>, expected: impl Into<String>) -> Error {
    Error::Parameter { name, found: found.into(), expected: expected.into() }
}
