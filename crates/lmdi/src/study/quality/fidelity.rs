//! Fidelity of explained rows, and what to say about it.
//!
//! Fidelity is meaningful on rows that are new to the model and to its explainer: held-out, test
//! and given rows, and training rows predicted out of bag. On rows that a model was fitted to, it
//! also predicts noise, which LMDI+ leaves out on purpose; there the figure is shown without a
//! warning.

use crate::explanation::{Fidelity, FidelitySums, LOW_FIDELITY, PredictedBy};
use crate::forest::decision::class_of;
use crate::importance::lmdi_plus::FitTo;
use crate::study::{Explained, Fitting, Sample, Study};
use crate::text::short_number;

/// Predictions out of bag by fewer trees per row vary with the trees more than with the model.
const ENOUGH_TREES: f64 = 15.0;

/// Slopes nearer to 1 than this are by chance.
const STRAIGHT: f64 = 0.05;

/// Fidelity on a sample of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FidelityOn {
    /// What was found.
    pub of: Fidelity,
    /// The rows.
    pub sample: Sample,
    /// The trees that predicted them.
    pub by: PredictedBy,
}

impl FidelityOn {
    /// Whether the rows are new to the trees that predicted them, and predicted by enough trees.
    pub fn is_fair(&self) -> bool {
        match (self.by, self.sample) {
            (PredictedBy::OutOfBag { trees, .. }, _) => trees >= ENOUGH_TREES,
            (_, Sample::HoldOut | Sample::Test | Sample::Unspecified) => true,
            (_, Sample::Training | Sample::FittedOn) => false,
        }
    }

    /// What the rows are called.
    pub fn rows(&self) -> &'static str {
        match (self.by, self.sample) {
            (PredictedBy::OutOfBag { .. }, _) => "training rows, out of bag",
            (_, Sample::Training) => "training rows",
            (_, Sample::HoldOut) => "hold-out rows",
            (_, Sample::FittedOn) => "rows that the explainer was fitted to",
            (_, Sample::Test) => "test rows",
            (_, Sample::Unspecified) => "given rows",
        }
    }

    /// The figure in words.
    pub fn sentence(&self, method: &str) -> String {
        let classes = self.of.same_class.map_or(String::new(), |share| {
            format!(", and gives {} of the rows the same class", percent(share))
        });
        format!(
            "{method} reproduces {} of the variation in the model's predictions ({}){classes}.",
            percent(self.of.share.max(0.0)),
            self.rows()
        )
    }

    /// A warning for readers, in the words of the command; `None` if enough is explained or the
    /// rows are not new.
    pub fn warning(&self, study: &Study) -> Option<String> {
        if !self.of.is_low() || !self.is_fair() {
            return None;
        }
        let slope = self.of.slope;
        let direction = if (slope - 1.0).abs() < STRAIGHT {
            String::new()
        } else {
            let verb = if slope > 1.0 { "overstate" } else { "understate" };
            let by = short_number((100.0 * (slope - 1.0)).abs().round());
            format!(" On average they {verb} differences between rows by {by} %.")
        };
        let method = study.method().title();
        let is_known = self.sample != Sample::Unspecified || self.by != PredictedBy::AllTrees;
        let known =
            if is_known { "" } else { " If the model was trained on them, this says little." };
        Some(format!(
            "{method} reproduces only {} of the variation in the model's predictions ({}), so its scores say little \
             about single predictions.{known}{direction} {}--method tree-shap explains predictions exactly.",
            percent(self.of.share.max(0.0)),
            self.rows(),
            nearer(study)
        ))
    }
}

/// A warning for readers if LMDI+ is far from a boosted model on the rows it was fitted to, in the
/// words of the command.
///
/// There are two causes. Rows, target or weights are not those of training; that cannot be where the
/// model was trained by the study. Or the model follows what does not hold up on other rows, such as
/// noise, which penalties leave out.
pub fn fit_warning(study: &Study) -> Option<String> {
    let share = study.explainer().linear_models()?.fidelity()?;
    if share >= LOW_FIDELITY {
        return None;
    }
    let cause = if study.job().is_some() {
        "Its penalties leave out what does not hold up on other rows, and much of this model does not."
    } else {
        "Either they are not the rows the model was trained on, with the same target and --weight: check \
         that first. Or much of the model does not hold up on other rows, and the penalties leave it out."
    };
    Some(format!(
        "On the rows it was fitted to, LMDI+ reproduces only {:.0} % of the variation in the model's output. \
         {cause} --method tree-shap explains the output exactly.",
        100.0 * share.max(0.0)
    ))
}

/// Fidelity on rows that are explained in batches.
pub struct StreamedFidelity<'s> {
    study: &'s Study,
    sums: FidelitySums,
    /// That of all rows, where they came at once.
    of_whole: Option<FidelityOn>,
    last: Option<(Sample, PredictedBy)>,
}

impl<'s> StreamedFidelity<'s> {
    /// That of no rows.
    pub fn of(study: &'s Study) -> Self {
        let sums = FidelitySums::new(study.model.ensemble.n_predictions());
        Self { study, sums, of_whole: None, last: None }
    }

    /// Adds explained rows; `are_all` says that there are no others.
    pub fn add(&mut self, explained: &Explained, are_all: bool) {
        if are_all {
            self.of_whole = explained.fidelity;
            return;
        }
        // What adds up by definition needs no measure.
        let Some(account) = explained.account.as_ref().filter(|account| !account.is_exact) else {
            return;
        };
        let class = |shares: &[f64]| class_of(shares, self.study.model.threshold);
        self.sums.add(&explained.predictions, &account.as_predictions, class);
        self.last = Some((explained.rows.sample, explained.predicted_by));
    }

    /// How much of the predictions is explained.
    pub fn finish(&self) -> Option<FidelityOn> {
        let streamed = || {
            let (sample, by) = self.last?;
            Some(FidelityOn { of: self.sums.finish()?, sample, by })
        };
        self.of_whole.or_else(streamed)
    }
}

/// A choice of LMDI+ that comes nearer to the model, where one is known to.
fn nearer(study: &Study) -> &'static str {
    match study.fitting() {
        // Boosted trees are fitted to the model by every preset.
        Fitting::LinearModels { options, .. }
            if options.fit_to == FitTo::Response && !study.model.ensemble.is_boosted() =>
        {
            "--preset model follows the model more closely, and "
        }
        _ => "",
    }
}

fn percent(share: f64) -> String {
    if share < 1.0 && share > 0.9995 {
        return "over 99.9 %".into();
    }
    format!("{:.1} %", 100.0 * share)
}
