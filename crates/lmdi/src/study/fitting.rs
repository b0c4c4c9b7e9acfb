//! How an explainer is fitted.
//!
//! LMDI+ can use which rows each tree saw. That is known only for the rows that the model was
//! trained on. Other rows all have the same weight, unless the model does not record what it was
//! trained on and the user states it.

use super::{ExplainerOptions, Rows, Sample};
use crate::file::Model;
use crate::forest::{Ensemble, Outcome};
use crate::glm::{Family, GlmOptions, PenaltyChoice, Rule, Strength};
use crate::importance::lmdi_plus::{
    FitOn, FitTo, LmdiPlus, LmdiPlusOptions, RowChoice, Validation,
};
use crate::importance::{LocalMethod, Needs};
use crate::monitor::Stages;
use crate::named::Named;
use crate::{Error, Result};

/// How an explainer was fitted.
#[derive(Debug, Clone, PartialEq)]
pub enum Fitting {
    /// LMDI+ was fitted.
    LinearModels {
        /// With these options.
        options: LmdiPlusOptions,
        /// For this family of responses.
        family: Family,
        /// The rows that the options meant.
        chosen: RowChoice,
        /// Number of rows.
        n_rows: usize,
        /// Why it does not count which rows each tree saw, if the model says that.
        unknown_bags: Option<UnknownBags>,
    },
    /// It was kept in a model file, with this text about its fit.
    Kept(String),
    /// It fits linear models around each row it explains, to this many rows.
    AroundRows(usize),
    /// It draws neighbours from this many rows.
    Neighbours(usize),
    /// It needs only the trees.
    None,
}

/// Why it is unknown which rows each tree saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownBags {
    /// The model was trained on other rows.
    OtherRows,
    /// The model does not record which rows it was trained on.
    Unsaid,
}

impl Fitting {
    /// What the linear models are, in words; `None` if there are none.
    pub fn linear_models(&self) -> Option<String> {
        match self {
            Self::LinearModels { options, family, chosen, .. } => {
                Some(models_text(options, *family, *chosen))
            }
            _ => None,
        }
    }

    /// The inputs of the linear models and what they are fitted to, in words; `None` if there are
    /// none.
    pub fn inputs(&self) -> Option<String> {
        match self {
            Self::LinearModels { options, chosen, .. } => Some(inputs_text(options, *chosen)),
            _ => None,
        }
    }

    /// All of it on one line, as a model file keeps it; empty if nothing was fitted.
    pub fn description(&self) -> String {
        match (self, self.linear_models(), self.inputs()) {
            (Self::Kept(text), ..) => text.clone(),
            (_, Some(models), Some(inputs)) => format!("{models}; {inputs}"),
            _ => String::new(),
        }
    }
}

fn models_text(options: &LmdiPlusOptions, family: Family, chosen: RowChoice) -> String {
    let reference = GlmOptions::reference(family);
    let penalty = options.penalty.as_ref().unwrap_or(&reference.penalty);
    let model = match family {
        Family::Gaussian if options.fit_to == FitTo::Model => "least squares, fitted to the model",
        Family::Gaussian if options.scale_target => "least squares of the scaled target",
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
            let measure = options.measure.unwrap_or(reference.measure).name();
            let rule = match options.rule {
                Rule::Minimum => "",
                Rule::OneStandardError => ", one-standard-error rule",
            };
            let name = penalty_name(l1_ratios);
            let judges = match chosen.validation {
                Validation::Folds => format!("{}-fold cross-validation", options.folds),
                Validation::OutOfBag => "out-of-bag rows".into(),
            };
            format!("{name} by {measure} in {judges}{rule}")
        }
    };
    format!("{model}, {how}")
}

fn inputs_text(options: &LmdiPlusOptions, chosen: RowChoice) -> String {
    let columns = if options.include_raw { "stumps and raw columns" } else { "stumps only" };
    let rows = match chosen.fit_on {
        FitOn::All => "in-bag and out-of-bag rows",
        FitOn::InBag => "in-bag rows",
        FitOn::OutOfBag => "out-of-bag rows",
        FitOn::Uniform => "all rows, each counted once",
    };
    format!("{columns}, fitted on {rows}")
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

/// The explainer of a model by a method. `rows` are those to learn from, where the method does.
pub(super) fn fit(
    model: &Model,
    options: &ExplainerOptions,
    rows: Option<&Rows>,
    stages: &dyn Stages,
) -> Result<(Box<dyn LocalMethod>, Fitting)> {
    if let ExplainerOptions::LmdiPlus(wanted) = options {
        let rows = rows.ok_or_else(|| options.needs("rows with their target"))?;
        return fit_lmdi_plus(model, wanted, rows, stages);
    }
    let background = rows.map(|rows| rows.x.view());
    let set = rows.and_then(|rows| rows.training_set(&[], &[]));
    let explainer = options.explainer(&model.ensemble, background, set.as_ref(), stages)?;
    let has_background = matches!(options, ExplainerOptions::Lime { background: Some(_), .. });
    let fitting = match (options.method().needs(), rows) {
        (Needs::Training, Some(rows)) => Fitting::AroundRows(rows.len()),
        (Needs::Background, Some(rows)) if !has_background => Fitting::Neighbours(rows.len()),
        _ => Fitting::None,
    };
    Ok((explainer, fitting))
}

fn fit_lmdi_plus(
    model: &Model,
    wanted: &LmdiPlusOptions,
    rows: &Rows,
    stages: &dyn Stages,
) -> Result<(Box<dyn LocalMethod>, Fitting)> {
    let ensemble = &model.ensemble;
    let of_classes = matches!(ensemble.outcome, Outcome::Classes(_));
    let family = wanted.family(of_classes, ensemble.is_boosted());
    let (options, unknown_bags) = settled(model, wanted, rows.sample)?;
    let chosen = options.rows(ensemble, rows.len())?;
    let Some(set) = rows.training_set(&[], &[]) else {
        return Err(Error::Data("the rows to fit LMDI+ to have no target".into()));
    };
    let monitor = stages.start("Fitting LMDI+", ensemble.trees.len());
    let explainer = LmdiPlus::fit(ensemble, &set, &options, &*monitor)?;
    let n_rows = rows.len();
    let fitting = Fitting::LinearModels { options, family, chosen, n_rows, unknown_bags };
    Ok((Box::new(explainer), fitting))
}

/// The options for rows of this sample: which rows each tree saw counts for the training rows
/// alone.
fn settled(
    model: &Model,
    wanted: &LmdiPlusOptions,
    sample: Sample,
) -> Result<(LmdiPlusOptions, Option<UnknownBags>)> {
    let mut options = wanted.clone();
    if sample == Sample::Training || !has_bags(&model.ensemble) {
        return Ok((options, None));
    }
    // A model of another program does not say which rows those were: then the user may.
    let unsaid = model.metadata.fingerprint.is_none();
    let by_tree = [
        (FitOn::PARAMETER, options.fit_on.is_some_and(|fit_on| fit_on != FitOn::Uniform)),
        (Validation::PARAMETER, options.validation == Some(Validation::OutOfBag)),
    ];
    let by_tree = by_tree.iter().find(|(_, chosen)| *chosen).map(|(name, _)| *name);
    match by_tree {
        Some(_) if unsaid => Ok((options, None)),
        Some(name) => Err(Error::Parameter {
            name,
            found: "a choice by which rows each tree saw".into(),
            expected: "fit_on uniform and validation folds: these are not the rows that the model was trained on"
                .into(),
        }),
        None => {
            options.fit_on = Some(FitOn::Uniform);
            options.validation = Some(Validation::Folds);
            let why = if unsaid { UnknownBags::Unsaid } else { UnknownBags::OtherRows };
            Ok((options, Some(why)))
        }
    }
}

fn has_bags(ensemble: &Ensemble) -> bool {
    ensemble.trees.iter().all(|tree| tree.in_bag.is_some())
}
