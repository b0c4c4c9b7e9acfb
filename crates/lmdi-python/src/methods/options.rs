//! The keywords of `lmdi.LMDIPlus` as choices of the library.

use lmdi::forest::{Ensemble, Outcome};
use lmdi::importance::lmdi_plus::{Choices, LmdiPlusOptions};
use lmdi::named::Named;
use pyo3::prelude::*;

/// What a user asked for; `None` keeps the choice of the preset.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Keywords {
    preset: Option<String>,
    ablation: Option<usize>,
    fit_to: Option<String>,
    response_share: Option<f64>,
    fit_on: Option<String>,
    include_raw: Option<bool>,
    raw_scale: Option<f64>,
    bound_raw: Option<bool>,
    scale_target: Option<bool>,
    glm: Option<String>,
    l1_ratio: Option<Vec<f64>>,
    alpha: Option<f64>,
    #[pyo3(item("C"))]
    c: Option<f64>,
    folds: Option<usize>,
    fold_by: Option<String>,
    rounds: Option<usize>,
    rows_per_tree: Option<usize>,
    validation: Option<String>,
    selection: Option<String>,
    rule: Option<String>,
    family: Option<String>,
    tolerance: Option<f64>,
    search_tolerance: Option<f64>,
    max_iterations: Option<usize>,
}

impl Keywords {
    /// The options, checked for a model.
    pub fn options(self, ensemble: &Ensemble) -> lmdi::Result<LmdiPlusOptions> {
        let of_classes = matches!(ensemble.outcome, Outcome::Classes(_));
        let choices = Choices {
            preset: named(&self.preset)?,
            ablation: self.ablation,
            fit_to: named(&self.fit_to)?,
            response_share: self.response_share,
            fit_on: named(&self.fit_on)?,
            include_raw: self.include_raw,
            raw_scale: self.raw_scale,
            bound_raw: self.bound_raw,
            scale_target: self.scale_target,
            glm: named(&self.glm)?,
            l1_ratio: self.l1_ratio,
            alpha: self.alpha,
            c: self.c,
            folds: self.folds,
            fold_by: named(&self.fold_by)?,
            rounds: self.rounds,
            rows_per_tree: self.rows_per_tree,
            validation: named(&self.validation)?,
            selection: named(&self.selection)?,
            rule: named(&self.rule)?,
            family: named(&self.family)?,
            tolerance: self.tolerance,
            search_tolerance: self.search_tolerance,
            max_iterations: self.max_iterations,
        };
        choices.options(of_classes, ensemble.is_boosted())
    }
}

/// The choice of a name, if one is given.
fn named<T: Named>(name: &Option<String>) -> lmdi::Result<Option<T>> {
    name.as_deref().map(T::from_name).transpose()
}
