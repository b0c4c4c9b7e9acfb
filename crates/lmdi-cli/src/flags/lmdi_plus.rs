//! The options of LMDI+ as flags.

use super::named;
use clap::Args;
use lmdi::glm::{Family, Measure, Rule};
use lmdi::importance::lmdi_plus::{
    Choices, FitOn, FitTo, FoldBy, Glm, LmdiPlusOptions, Preset, Validation,
};

/// How LMDI+ is fitted.
#[derive(Args)]
pub struct LmdiPlusFlags {
    /// Set every option of the method [default: model, unless another flag changes an option]
    #[arg(long, value_parser = named::<Preset>(), help_heading = "LMDI+")]
    preset: Option<Preset>,
    /// A step of the paper's ablation: 1 stumps on in-bag rows without penalty, 2 adds out-of-bag
    /// rows, 3 adds raw columns, 4 adds the elastic net (the full method)
    #[arg(long, value_name = "1..4", conflicts_with = "preset", help_heading = "LMDI+",
        value_parser = clap::value_parser!(u8).range(1..=4))]
    ablation: Option<u8>,
    /// What the trees of a forest are fitted to [default: model]
    #[arg(long, value_parser = named::<FitTo>(), value_name = "WHAT", help_heading = "LMDI+")]
    fit_to: Option<FitTo>,
    /// With --fit-to model: share of the response's deviation from the leaf values that is added to
    /// them, from 0 to 1 [default: 0.5]
    #[arg(long, value_name = "X", help_heading = "LMDI+")]
    response_share: Option<f64>,
    /// Rows that the linear model of a tree is fitted on [default: uniform]
    #[arg(long, value_parser = named::<FitOn>(), value_name = "ROWS", help_heading = "LMDI+")]
    fit_on: Option<FitOn>,
    /// Use stumps only, without raw columns
    #[arg(long, help_heading = "LMDI+")]
    no_raw: bool,
    /// Scale of raw columns, as a multiple of that of the column's largest split; above 1, trends are
    /// penalised less than steps [default: 1; 4 for forests with --fit-to response]
    #[arg(long, value_name = "X", conflicts_with = "no_raw", help_heading = "LMDI+")]
    raw_scale: Option<f64>,
    /// Let raw terms continue beyond the range of the training cells, where trees are flat
    #[arg(long, help_heading = "LMDI+")]
    no_bound_raw: bool,
    /// Penalise a numeric target in its own unit, instead of dividing it by its standard deviation
    /// first
    #[arg(long, help_heading = "LMDI+")]
    no_scale_target: bool,
    /// Penalty of the linear models [default: elastic-net]
    #[arg(long, value_parser = named::<Glm>(), value_name = "KIND", help_heading = "LMDI+")]
    glm: Option<Glm>,
    /// A mixture the elastic net tries, from 0 (ridge) to 1 (lasso); repeatable [default: 0.1, 0.5,
    /// 0.99]
    #[arg(long, value_name = "X", help_heading = "LMDI+")]
    l1_ratio: Vec<f64>,
    /// Fixed strength of the penalty, relative to the mean loss, instead of a search
    #[arg(long, value_name = "X", help_heading = "LMDI+")]
    alpha: Option<f64>,
    /// Fixed inverse strength of the penalty, relative to the summed loss
    #[arg(long, value_name = "X", conflicts_with = "alpha", help_heading = "LMDI+")]
    c: Option<f64>,
    /// Choose the penalty by cross-validation with this many folds [default with --validation
    /// folds: 3]
    #[arg(long, value_name = "N", help_heading = "LMDI+")]
    folds: Option<usize>,
    /// How rows are assigned to folds; implies --validation folds [default: place]
    #[arg(long, value_parser = named::<FoldBy>(), value_name = "BY", help_heading = "LMDI+")]
    fold_by: Option<FoldBy>,
    /// Number of rounds; all trees of a round are fitted at once [default: 4 for forests; boosted
    /// trees one after another]
    #[arg(long, value_name = "N", help_heading = "LMDI+")]
    rounds: Option<usize>,
    /// Fit each tree on its own sample of about this many rows, such that all trees together use
    /// all rows [default: every tree on all rows]
    #[arg(long, value_name = "N", help_heading = "LMDI+")]
    rows_per_tree: Option<usize>,
    /// Rows on which the error of a penalty is measured [default: oob; folds if it is unknown which
    /// rows a tree saw]
    #[arg(long, value_parser = named::<Validation>(), value_name = "ROWS", help_heading = "LMDI+")]
    validation: Option<Validation>,
    /// The error that the penalty search compares [default: deviance]
    #[arg(long, value_parser = named::<Measure>(), value_name = "WHAT", help_heading = "LMDI+")]
    selection: Option<Measure>,
    /// Which penalty wins; 1se implies --validation folds [default: min]
    #[arg(long, value_parser = named::<Rule>(), value_name = "RULE", help_heading = "LMDI+")]
    rule: Option<Rule>,
    /// Family of the response; binomial and poisson imply --fit-to response [default: gaussian;
    /// classes fitted to the response: binomial]
    #[arg(long, value_parser = named::<Family>(), value_name = "FAMILY", help_heading = "LMDI+")]
    family: Option<Family>,
    /// Accuracy of the final fits, as a share of the loss without any column [default: 1e-9]
    #[arg(long, value_name = "X", help_heading = "LMDI+")]
    tolerance: Option<f64>,
    /// Accuracy of the fits that the penalty search compares [default: 1e-3]
    #[arg(long, value_name = "X", help_heading = "LMDI+")]
    search_tolerance: Option<f64>,
    /// Maximum number of iterations of one fit [default: 10000]
    #[arg(long, value_name = "N", help_heading = "LMDI+")]
    max_iterations: Option<usize>,
}

impl LmdiPlusFlags {
    /// The options for a model that predicts classes or not, and is boosted or not.
    pub fn options(&self, of_classes: bool, boosted: bool) -> lmdi::Result<LmdiPlusOptions> {
        self.choices().options(of_classes, boosted)
    }

    fn choices(&self) -> Choices {
        Choices {
            preset: self.preset,
            ablation: self.ablation.map(usize::from),
            fit_to: self.fit_to,
            response_share: self.response_share,
            fit_on: self.fit_on,
            include_raw: self.no_raw.then_some(false),
            raw_scale: self.raw_scale,
            bound_raw: self.no_bound_raw.then_some(false),
            scale_target: self.no_scale_target.then_some(false),
            glm: self.glm,
            l1_ratio: (!self.l1_ratio.is_empty()).then(|| self.l1_ratio.clone()),
            alpha: self.alpha,
            c: self.c,
            folds: self.folds,
            fold_by: self.fold_by,
            rounds: self.rounds,
            rows_per_tree: self.rows_per_tree,
            validation: self.validation,
            selection: self.selection,
            rule: self.rule,
            family: self.family,
            tolerance: self.tolerance,
            search_tolerance: self.search_tolerance,
            max_iterations: self.max_iterations,
        }
    }

    /// The first flag that was given.
    pub fn first_given(&self) -> Option<String> {
        self.choices().first_given().map(|name| match name {
            "include_raw" => "--no-raw".into(),
            "bound_raw" => "--no-bound-raw".into(),
            "scale_target" => "--no-scale-target".into(),
            "C" => "--c".into(),
            name => format!("--{}", name.replace('_', "-")),
        })
    }
}
