//! The keywords of `lmdi.LMDIPlus` as options of the library.

use crate::errors::exception;
use lmdi::Error;
use lmdi::forest::{Growth, Outcome};
use lmdi::glm::{Family, GlmOptions, Measure, PenaltyChoice, Rule, Strength};
use lmdi::importance::lmdi_plus::{FitOn, LmdiPlusOptions};
use pyo3::prelude::*;

/// What a user asked for; `None` keeps the choice of the preset.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Keywords {
    ablation: Option<usize>,
    fit_on: Option<String>,
    include_raw: Option<bool>,
    glm: Option<String>,
    l1_ratio: Option<Vec<f64>>,
    alpha: Option<f64>,
    #[pyo3(item("C"))]
    c: Option<f64>,
    folds: Option<usize>,
    selection: Option<String>,
    rule: Option<String>,
    family: Option<String>,
    tolerance: Option<f64>,
    search_tolerance: Option<f64>,
    max_iterations: Option<usize>,
}

impl Keywords {
    /// The options, checked for a model that predicts `outcome`.
    pub fn options(&self, outcome: &Outcome, growth: Growth) -> PyResult<LmdiPlusOptions> {
        let mut options = match self.ablation {
            None => LmdiPlusOptions::paper(),
            Some(step) => LmdiPlusOptions::ablation(step)
                .ok_or_else(|| wrong("ablation", step, "a step from 1 to 4"))?,
        };
        if let Some(name) = &self.fit_on {
            options.fit_on = Some(match name.as_str() {
                "all" => FitOn::All,
                "inbag" => FitOn::InBag,
                "oob" => FitOn::OutOfBag,
                "uniform" => FitOn::Uniform,
                _ => return Err(wrong("fit_on", name, "all, inbag, oob or uniform")),
            });
        }
        if let Some(name) = &self.family {
            options.family = Some(match name.as_str() {
                "gaussian" => Family::Gaussian,
                "binomial" => Family::Binomial,
                "poisson" => Family::Poisson,
                _ => return Err(wrong("family", name, "gaussian, binomial or poisson")),
            });
        }
        let family = options.family.unwrap_or(match (outcome, growth) {
            (Outcome::Classes(_), Growth::Independent) => Family::Binomial,
            _ => Family::Gaussian,
        });
        options.include_raw = self.include_raw.unwrap_or(options.include_raw);
        options.penalty = self.penalty(family)?.or(options.penalty);
        options.folds = self.folds.unwrap_or(options.folds);
        if let Some(name) = &self.selection {
            options.measure = Some(match name.as_str() {
                "deviance" => Measure::Deviance,
                "accuracy" => Measure::Accuracy,
                _ => return Err(wrong("selection", name, "deviance or accuracy")),
            });
        }
        if let Some(name) = &self.rule {
            options.rule = match name.as_str() {
                "min" => Rule::Minimum,
                "1se" => Rule::OneStandardError,
                _ => return Err(wrong("rule", name, "min or 1se")),
            };
        }
        options.tolerance = self.tolerance.unwrap_or(options.tolerance);
        options.search_tolerance = self.search_tolerance.unwrap_or(options.search_tolerance);
        options.max_iterations = self.max_iterations.unwrap_or(options.max_iterations);
        options.check(family).map_err(exception)?;
        Ok(options)
    }

    /// The penalty that the keywords ask for; `None` when they leave it to the preset.
    fn penalty(&self, family: Family) -> PyResult<Option<PenaltyChoice>> {
        let strength = match (self.alpha, self.c) {
            (None, None) => None,
            (Some(alpha), None) => Some(Strength::Alpha(alpha)),
            (None, Some(c)) => Some(Strength::Inverse(c)),
            (Some(_), Some(c)) => return Err(wrong("C", c, "no value beside alpha")),
        };
        let glm = match self.glm.as_deref() {
            Some(glm) => glm,
            None if strength.is_none() && self.l1_ratio.is_none() => return Ok(None),
            None => "elastic_net",
        };
        if glm != "elastic_net"
            && let Some(ratios) = &self.l1_ratio
        {
            return Err(wrong(
                "l1_ratio",
                format!("{ratios:?}"),
                "no value unless glm is elastic_net",
            ));
        }
        let ratios = match glm {
            "ols" if strength.is_some() => {
                return Err(wrong("glm", "ols", "ridge, lasso or elastic_net beside alpha or C"));
            }
            "ols" => return Ok(Some(PenaltyChoice::None)),
            "ridge" => vec![0.0],
            "lasso" => vec![1.0],
            "elastic_net" => self.l1_ratio.clone().unwrap_or_else(|| vec![0.1, 0.5, 0.99]),
            _ => return Err(wrong("glm", glm, "ols, ridge, lasso or elastic_net")),
        };
        match (strength, &ratios[..]) {
            (Some(strength), &[l1_ratio]) => Ok(Some(PenaltyChoice::Fixed { strength, l1_ratio })),
            (Some(_), _) => {
                Err(wrong("l1_ratio", format!("{ratios:?}"), "one number beside a fixed penalty"))
            }
            (None, _) => Ok(Some(match GlmOptions::reference(family).penalty {
                PenaltyChoice::CrossValidated { grid, .. } => {
                    PenaltyChoice::CrossValidated { l1_ratios: ratios, grid }
                }
                other => other,
            })),
        }
    }
}

fn wrong(name: &'static str, found: impl ToString, expected: &str) -> PyErr {
    exception(Error::Parameter { name, found: found.to_string(), expected: expected.into() })
}
