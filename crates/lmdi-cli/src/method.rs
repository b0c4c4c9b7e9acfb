//! The choices of LMDI+ as flags.
//!
//! A preset fixes every choice of the method, so that a result can be named by it; only the accuracy of the
//! fits may be set beside it. Without a preset, each flag changes one choice of the preset `paper`.

use crate::options::wrong;
use anyhow::Result;
use clap::{Args, ValueEnum};
use lmdi::glm::{Family, GlmOptions, Measure, PenaltyChoice, Rule, Strength};
use lmdi::importance::lmdi_plus::{FitOn, LmdiPlusOptions};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// Every choice as in the paper
    Paper,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FitOnFlag {
    /// In-bag rows as often as they were drawn, and out-of-bag rows once
    All,
    /// In-bag rows as often as they were drawn
    Inbag,
    /// Out-of-bag rows
    Oob,
    /// Every row once
    Uniform,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Glm {
    /// No penalty
    Ols,
    /// Penalty on squares
    Ridge,
    /// Penalty on absolute values
    Lasso,
    /// Both
    ElasticNet,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Selection {
    Deviance,
    Accuracy,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleFlag {
    /// The smallest error
    Min,
    /// The strongest penalty within one standard error of it
    #[value(name = "1se")]
    OneStandardError,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FamilyFlag {
    Gaussian,
    Binomial,
    Poisson,
}

/// How LMDI+ is fitted.
#[derive(Args)]
pub struct MethodFlags {
    /// Fixes every choice of the method [default: paper, unless another flag changes a choice]
    #[arg(long, value_enum, help_heading = "LMDI+")]
    preset: Option<Preset>,
    /// A step of the paper's ablation: 1 stumps on in-bag rows without penalty, 2 adds out-of-bag
    /// rows, 3 adds raw columns, 4 adds the elastic net (the full method)
    #[arg(long, value_name = "1..4", conflicts_with = "preset", help_heading = "LMDI+",
        value_parser = clap::value_parser!(u8).range(1..=4))]
    ablation: Option<u8>,
    /// Rows that the linear model of a tree is fitted on [default: all; uniform where it is not known
    /// which rows a tree saw, and for boosting]
    #[arg(long, value_enum, value_name = "ROWS", help_heading = "LMDI+")]
    fit_on: Option<FitOnFlag>,
    /// Leave the raw columns out: stumps only
    #[arg(long, help_heading = "LMDI+")]
    no_raw: bool,
    /// Penalty of the linear models [default: elastic-net]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "LMDI+")]
    glm: Option<Glm>,
    /// A mixture the elastic net tries, from 0 (ridge) to 1 (lasso); repeatable [default: 0.1, 0.5,
    /// 0.99]
    #[arg(long, value_name = "X", help_heading = "LMDI+")]
    l1_ratio: Vec<f64>,
    /// Fixed strength of the penalty beside the mean loss, instead of a search
    #[arg(long, value_name = "X", help_heading = "LMDI+")]
    alpha: Option<f64>,
    /// The same as an inverse strength beside the sum of losses
    #[arg(long, value_name = "X", conflicts_with = "alpha", help_heading = "LMDI+")]
    c: Option<f64>,
    /// Folds of the cross-validation that finds the penalty [default: 3]
    #[arg(long, value_name = "N", help_heading = "LMDI+")]
    folds: Option<usize>,
    /// What cross-validation compares [default: deviance; classes: accuracy]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "LMDI+")]
    selection: Option<Selection>,
    /// Which penalty wins [default: min]
    #[arg(long, value_enum, value_name = "RULE", help_heading = "LMDI+")]
    rule: Option<RuleFlag>,
    /// Family of the response [default: gaussian; classes: binomial]
    #[arg(long, value_enum, value_name = "FAMILY", help_heading = "LMDI+")]
    family: Option<FamilyFlag>,
    /// Accuracy of the final fits, as a share of the loss without any column [default: 1e-9]
    #[arg(long, value_name = "X", help_heading = "LMDI+")]
    tolerance: Option<f64>,
    /// Accuracy of the fits that cross-validation compares [default: 1e-3]
    #[arg(long, value_name = "X", help_heading = "LMDI+")]
    search_tolerance: Option<f64>,
    /// Most iterations of one fit [default: 10000]
    #[arg(long, value_name = "N", help_heading = "LMDI+")]
    max_iterations: Option<usize>,
}

impl MethodFlags {
    /// The first flag that was given.
    pub fn first_given(&self) -> Option<&'static str> {
        let accuracy = [
            ("--tolerance", self.tolerance.is_some()),
            ("--search-tolerance", self.search_tolerance.is_some()),
            ("--max-iterations", self.max_iterations.is_some()),
        ];
        let preset = [("--preset", self.preset.is_some()), ("--ablation", self.ablation.is_some())];
        let mut all = preset.iter().chain(&accuracy).filter(|(_, given)| *given);
        self.first_choice().or_else(|| all.next().map(|(flag, _)| *flag))
    }

    /// The first given flag that changes a choice of the method.
    fn first_choice(&self) -> Option<&'static str> {
        let given = [
            ("--fit-on", self.fit_on.is_some()),
            ("--no-raw", self.no_raw),
            ("--glm", self.glm.is_some()),
            ("--l1-ratio", !self.l1_ratio.is_empty()),
            ("--alpha", self.alpha.is_some()),
            ("--c", self.c.is_some()),
            ("--folds", self.folds.is_some()),
            ("--selection", self.selection.is_some()),
            ("--rule", self.rule.is_some()),
            ("--family", self.family.is_some()),
        ];
        given.iter().find(|(_, given)| *given).map(|(flag, _)| *flag)
    }

    /// The options, checked. `usual` is the family that the model is fitted with unless another is
    /// asked for.
    pub fn options(&self, usual: Family) -> Result<LmdiPlusOptions> {
        let mut options = match (self.preset, self.ablation) {
            (None, None) => LmdiPlusOptions::paper(),
            (preset, step) => {
                if let Some(flag) = self.first_choice() {
                    let name = if preset.is_some() { "preset" } else { "ablation" };
                    return Err(wrong(
                        name,
                        format!("given with {flag}"),
                        format!("one of the two: --{name} fixes every choice of the method"),
                    ));
                }
                let step = usize::from(step.unwrap_or(4));
                LmdiPlusOptions::ablation(step)
                    .ok_or_else(|| wrong("ablation", step.to_string(), "a step from 1 to 4"))?
            }
        };
        let family = self.family.map(|family| match family {
            FamilyFlag::Gaussian => Family::Gaussian,
            FamilyFlag::Binomial => Family::Binomial,
            FamilyFlag::Poisson => Family::Poisson,
        });
        options.family = family.or(options.family);
        if let Some(rows) = self.fit_on {
            options.fit_on = Some(match rows {
                FitOnFlag::All => FitOn::All,
                FitOnFlag::Inbag => FitOn::InBag,
                FitOnFlag::Oob => FitOn::OutOfBag,
                FitOnFlag::Uniform => FitOn::Uniform,
            });
        }
        options.include_raw &= !self.no_raw;
        let family = family.unwrap_or(usual);
        options.penalty = self.penalty(family)?.or(options.penalty);
        options.folds = self.folds.unwrap_or(options.folds);
        if let Some(selection) = self.selection {
            options.measure = Some(match selection {
                Selection::Deviance => Measure::Deviance,
                Selection::Accuracy => Measure::Accuracy,
            });
        }
        if let Some(rule) = self.rule {
            options.rule = match rule {
                RuleFlag::Min => Rule::Minimum,
                RuleFlag::OneStandardError => Rule::OneStandardError,
            };
        }
        options.tolerance = self.tolerance.unwrap_or(options.tolerance);
        options.search_tolerance = self.search_tolerance.unwrap_or(options.search_tolerance);
        options.max_iterations = self.max_iterations.unwrap_or(options.max_iterations);
        options.check(family)?;
        Ok(options)
    }

    /// The penalty that the flags ask for; `None` when they leave it to the preset.
    fn penalty(&self, family: Family) -> Result<Option<PenaltyChoice>> {
        let strength = match (self.alpha, self.c) {
            (None, None) => None,
            (Some(alpha), _) => Some(Strength::Alpha(alpha)),
            (None, Some(c)) => Some(Strength::Inverse(c)),
        };
        let glm = match self.glm {
            Some(glm) => glm,
            None if strength.is_none() && self.l1_ratio.is_empty() => return Ok(None),
            None => Glm::ElasticNet,
        };
        if glm != Glm::ElasticNet && !self.l1_ratio.is_empty() {
            return Err(wrong("l1_ratio", "given with another model", "--glm elastic-net"));
        }
        let ratios = match glm {
            Glm::Ols if strength.is_some() => {
                return Err(wrong(
                    "glm",
                    "ols, with --alpha or --c",
                    "ridge, lasso or elastic-net for a penalty",
                ));
            }
            Glm::Ols => return Ok(Some(PenaltyChoice::None)),
            Glm::Ridge => vec![0.0],
            Glm::Lasso => vec![1.0],
            Glm::ElasticNet if self.l1_ratio.is_empty() => vec![0.1, 0.5, 0.99],
            Glm::ElasticNet => self.l1_ratio.clone(),
        };
        match (strength, &ratios[..]) {
            (Some(strength), &[l1_ratio]) => Ok(Some(PenaltyChoice::Fixed { strength, l1_ratio })),
            (Some(_), _) => Err(wrong(
                "l1_ratio",
                format!("{} mixtures with a fixed penalty", ratios.len()),
                "one --l1-ratio",
            )),
            (None, _) => {
                let reference = GlmOptions::reference(family).penalty;
                Ok(Some(match reference {
                    PenaltyChoice::CrossValidated { grid, .. } => {
                        PenaltyChoice::CrossValidated { l1_ratios: ratios, grid }
                    }
                    other => other,
                }))
            }
        }
    }
}

/// The options in a few words, for people; `fit_on` is what was chosen in the end.
pub fn text(options: &LmdiPlusOptions, family: Family, fit_on: FitOn) -> String {
    let reference = GlmOptions::reference(family);
    let penalty = options.penalty.as_ref().unwrap_or(&reference.penalty);
    let rows = match fit_on {
        FitOn::All => "in-bag and out-of-bag rows",
        FitOn::InBag => "in-bag rows",
        FitOn::OutOfBag => "out-of-bag rows",
        FitOn::Uniform => "all rows alike",
    };
    let columns = if options.include_raw { "stumps and raw columns" } else { "stumps only" };
    let model = match family {
        Family::Gaussian => "least squares",
        Family::Binomial => "logistic",
        Family::Poisson => "poisson",
    };
    let how = match penalty {
        PenaltyChoice::None => "no penalty".into(),
        PenaltyChoice::Fixed { strength, l1_ratio } => {
            let strength = match strength {
                Strength::Alpha(alpha) => format!("alpha {alpha}"),
                Strength::Inverse(c) => format!("C {c}"),
            };
            format!("{} with {strength}", penalty_name(&[*l1_ratio]))
        }
        PenaltyChoice::CrossValidated { l1_ratios, .. } => {
            let measure = match options.measure.unwrap_or(reference.measure) {
                Measure::Deviance => "deviance",
                Measure::Accuracy => "accuracy",
            };
            let rule = match options.rule {
                Rule::Minimum => "",
                Rule::OneStandardError => ", one-standard-error rule",
            };
            let name = penalty_name(l1_ratios);
            format!("{name} by {}-fold cross-validation of {measure}{rule}", options.folds)
        }
    };
    format!("{model}, {how}; {columns}, fitted on {rows}")
}

fn penalty_name(ratios: &[f64]) -> String {
    match ratios {
        [0.0] => "ridge".into(),
        [1.0] => "lasso".into(),
        _ => {
            let list: Vec<String> = ratios.iter().map(f64::to_string).collect();
            format!("elastic net (L1 ratio {})", list.join(", "))
        }
    }
}
