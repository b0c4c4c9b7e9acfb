//! Options of the linear model of each tree.

use crate::glm::model::family::Family;
use crate::glm::model::penalty::Penalty;
use crate::named::Named;
use crate::setters::setters;
use crate::{Error, Result};

/// Strength of a penalty in one of the two common forms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strength {
    /// Factor on the penalty, relative to the loss averaged over rows (scikit-learn's `alpha`).
    Alpha(f64),
    /// Factor on the loss summed over rows, relative to the plain penalty (scikit-learn's `C`).
    Inverse(f64),
}

impl Strength {
    /// The penalty of this strength for rows of total weight `total`.
    pub fn penalty(self, l1_ratio: f64, total: f64) -> Penalty {
        match self {
            Strength::Alpha(alpha) => Penalty::from_alpha(alpha, l1_ratio, total),
            Strength::Inverse(c) => Penalty::from_inverse(c, l1_ratio),
        }
    }

    /// Larger is more shrinkage; comparable within one form.
    pub fn shrinkage(self) -> f64 {
        match self {
            Strength::Alpha(alpha) => alpha,
            Strength::Inverse(c) => 1.0 / c,
        }
    }
}

/// Strengths to search.
#[derive(Debug, Clone, PartialEq)]
pub enum Grid {
    /// `count` log-spaced alphas from the smallest that sets every slope to zero down to `smallest`
    /// times it.
    Alphas {
        /// How many.
        count: usize,
        /// The last as a share of the first.
        smallest: f64,
    },
    /// `count` log-spaced values of C.
    Inverse {
        /// How many.
        count: usize,
        /// The smallest.
        low: f64,
        /// The largest.
        high: f64,
    },
    /// These, tried in this order.
    Given(Vec<Strength>),
}

/// The penalty, or how to find it.
#[derive(Debug, Clone, PartialEq)]
pub enum PenaltyChoice {
    /// Least squares or maximum likelihood.
    None,
    /// This one.
    Fixed {
        /// Its strength.
        strength: Strength,
        /// 0 is ridge, 1 is lasso.
        l1_ratio: f64,
    },
    /// The best of a grid by cross-validation.
    CrossValidated {
        /// Mixtures to try; 0 is ridge, 1 is lasso.
        l1_ratios: Vec<f64>,
        /// Strengths to try with each.
        grid: Grid,
    },
}

/// The error that the penalty search compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Deviance: squared error, log-loss or Poisson deviance.
    Deviance,
    /// Share of wrong labels; for the binomial family only.
    Accuracy,
}

impl Named for Measure {
    const PARAMETER: &'static str = "selection";
    const ALL: &'static [Self] = &[Measure::Deviance, Measure::Accuracy];

    fn name(self) -> &'static str {
        match self {
            Measure::Deviance => "deviance",
            Measure::Accuracy => "accuracy",
        }
    }
}

/// Which candidate wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The smallest mean error; the first of the grid on ties.
    Minimum,
    /// The strongest penalty, at the winner's mixture, whose mean error is within one standard
    /// error (over folds) of the smallest.
    OneStandardError,
}

impl Named for Rule {
    const PARAMETER: &'static str = "rule";
    const ALL: &'static [Self] = &[Rule::Minimum, Rule::OneStandardError];

    fn name(self) -> &'static str {
        match self {
            Rule::Minimum => "min",
            Rule::OneStandardError => "1se",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Rule::Minimum => "The smallest error",
            Rule::OneStandardError => "The strongest penalty within one standard error of it",
        }
    }
}

/// All options of the linear model of a tree.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GlmOptions {
    /// Response family.
    pub family: Family,
    /// Penalty, or how to find it.
    pub penalty: PenaltyChoice,
    /// Number of cross-validation folds.
    pub folds: usize,
    /// The error that the penalty search compares.
    pub measure: Measure,
    /// Which candidate wins.
    pub rule: Rule,
    /// Accuracy of the fits that the penalty search compares: duality gap as a share of the null
    /// model's loss. Candidates that may still win are solved more and more accurately, so that
    /// with the default the choice is that of an exhaustive search (NUMERICS.md has the figures).
    /// Least squares at 1e-4 or more first solves a few candidates; the errors of those that it
    /// never solves are NaN. Below 1e-4 it solves all of them to this accuracy.
    pub search_tolerance: f64,
    /// Accuracy of the final fit, on the same scale.
    pub tolerance: f64,
    /// Maximum number of sweeps (or Newton steps) of one fit.
    pub max_iterations: usize,
}

impl GlmOptions {
    setters! {
        with_penalty(penalty: PenaltyChoice),
        with_folds(folds: usize),
        with_measure(measure: Measure),
        with_rule(rule: Rule),
        with_search_tolerance(search_tolerance: f64),
        with_tolerance(tolerance: f64),
        with_max_iterations(max_iterations: usize),
    }

    /// scikit-learn's `ElasticNetCV(cv=3, l1_ratio=[0.1, 0.5, 0.99])` for the gaussian family, and
    /// `LogisticRegressionCV(cv=3, l1_ratios=[0.1, 0.5, 0.99], Cs=10)` by accuracy for the
    /// binomial; Poisson models search alphas by deviance.
    pub fn reference(family: Family) -> Self {
        let (l1_ratios, grid) = Self::reference_search(family);
        Self {
            family,
            penalty: PenaltyChoice::CrossValidated { l1_ratios, grid },
            folds: 3,
            measure: match family {
                Family::Binomial => Measure::Accuracy,
                _ => Measure::Deviance,
            },
            rule: Rule::Minimum,
            search_tolerance: 1e-3,
            tolerance: 1e-9,
            max_iterations: 10_000,
        }
    }

    /// The mixtures and strengths that [`GlmOptions::reference`] tries.
    pub fn reference_search(family: Family) -> (Vec<f64>, Grid) {
        let grid = match family {
            Family::Gaussian | Family::Poisson => Grid::Alphas { count: 100, smallest: 1e-3 },
            Family::Binomial => Grid::Inverse { count: 10, low: 1e-4, high: 1e4 },
        };
        (vec![0.1, 0.5, 0.99], grid)
    }

    /// The same without a penalty.
    pub fn unpenalised(family: Family) -> Self {
        Self { penalty: PenaltyChoice::None, ..Self::reference(family) }
    }

    /// Checks every option before any work.
    pub fn check(&self) -> Result<()> {
        let fail = |name: &'static str, found: String, expected: &str| {
            Err(Error::Parameter { name, found, expected: expected.into() })
        };
        let ratio_ok = |ratio: f64| (0.0..=1.0).contains(&ratio);
        let strength_ok = |strength: &Strength| match *strength {
            Strength::Alpha(alpha) => alpha.is_finite() && alpha >= 0.0,
            Strength::Inverse(c) => c.is_finite() && c > 0.0,
        };
        match &self.penalty {
            PenaltyChoice::None => {}
            PenaltyChoice::Fixed { strength, l1_ratio } => {
                if !ratio_ok(*l1_ratio) {
                    return fail("l1_ratio", l1_ratio.to_string(), "a number from 0 to 1");
                }
                if !strength_ok(strength) {
                    let (name, found) = match strength {
                        Strength::Alpha(alpha) => ("alpha", alpha),
                        Strength::Inverse(c) => ("C", c),
                    };
                    return fail(name, found.to_string(), "a finite positive number");
                }
            }
            PenaltyChoice::CrossValidated { l1_ratios, grid } => {
                if l1_ratios.is_empty() || !l1_ratios.iter().copied().all(ratio_ok) {
                    return fail("l1_ratio", format!("{l1_ratios:?}"), "numbers from 0 to 1");
                }
                let grid_ok = match grid {
                    Grid::Alphas { count, smallest } => {
                        *count >= 1 && *smallest > 0.0 && *smallest <= 1.0
                    }
                    Grid::Inverse { count, low, high } => {
                        *count >= 1 && *low > 0.0 && low <= high && high.is_finite()
                    }
                    Grid::Given(list) => !list.is_empty() && list.iter().all(strength_ok),
                };
                if !grid_ok {
                    return fail("grid", format!("{grid:?}"), "at least one positive strength");
                }
                if self.folds < 2 {
                    return fail("folds", self.folds.to_string(), "at least 2");
                }
            }
        }
        if self.measure == Measure::Accuracy && self.family != Family::Binomial {
            return fail(
                "measure",
                "accuracy".into(),
                "deviance, for a response that is not two classes",
            );
        }
        for (name, value) in
            [("search_tolerance", self.search_tolerance), ("tolerance", self.tolerance)]
        {
            if !(value > 0.0 && value < 1.0) {
                return fail(name, value.to_string(), "a number between 0 and 1");
            }
        }
        if self.max_iterations == 0 {
            return fail("max_iterations", "0".into(), "at least 1");
        }
        Ok(())
    }
}
