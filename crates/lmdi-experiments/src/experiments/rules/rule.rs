//! The rules that are compared.

use super::columns::Columns;
use crate::data::Kind;
use lmdi::glm::{Family, GlmOptions, Grid, Measure, PenaltyChoice, Rule as Winner};

/// Rows that a penalty is judged on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judges {
    /// Three folds of all rows, as in the paper.
    Folds,
    /// The out-of-bag rows, by a fit to the in-bag rows.
    OutOfBag,
    /// Three folds of the out-of-bag rows, by fits to the in-bag rows and the other two.
    OutOfBagFolds,
}

/// How much each row counts in a tree's fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// In-bag rows as often as they were drawn, out-of-bag rows once, as in the paper.
    Drawn,
    /// Every row once.
    Once,
    /// Only the out-of-bag rows.
    OutOfBag,
}

/// A rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its name in result files.
    pub name: &'static str,
    /// The same for people.
    pub title: &'static str,
    pub judges: Judges,
    pub weights: Weights,
    /// Whether the response is divided by its standard deviation. The strength of a penalty on
    /// squares, unlike that on absolute values, depends on the unit of the response.
    pub unit_free: bool,
    pub family: Family,
    pub measure: Measure,
    pub winner: Winner,
    /// How much the mean of all trees' errors, place by place on the grid, counts beside a tree's own: with
    /// 1 all trees take the same place.
    pub forest_share: f64,
    /// Factor on the penalty that wins.
    pub factor: f64,
    pub columns: Columns,
    /// L1 ratios that are tried.
    pub l1_ratios: &'static [f64],
    /// Values of C that are tried for classes.
    pub n_inverse: usize,
    /// Whether the columns that are chosen are fitted once more, with a penalty of their own.
    pub relaxed: bool,
}

impl Rule {
    /// The search for a tree's penalty.
    pub fn search(&self) -> GlmOptions {
        let (_, grid) = GlmOptions::reference_search(self.family);
        let grid = match grid {
            Grid::Inverse { low, high, .. } => Grid::Inverse { count: self.n_inverse, low, high },
            grid => grid,
        };
        let l1_ratios = self.l1_ratios.to_vec();
        GlmOptions::reference(self.family)
            .with_measure(self.measure)
            .with_penalty(PenaltyChoice::CrossValidated { l1_ratios, grid })
    }
}

/// The name of the paper's rule.
pub const REFERENCE: &str = "paper";

/// All rules for a kind of data, the paper's first.
pub fn rules(kind: Kind) -> Vec<Rule> {
    let (family, measure) = match kind {
        Kind::Regression => (Family::Gaussian, Measure::Deviance),
        Kind::Classification => (Family::Binomial, Measure::Accuracy),
    };
    let paper = Rule {
        name: REFERENCE,
        title: "paper: three folds, minimum",
        judges: Judges::Folds,
        weights: Weights::Drawn,
        unit_free: false,
        family,
        measure,
        winner: Winner::Minimum,
        forest_share: 0.0,
        factor: 1.0,
        columns: Columns::DEFAULT,
        l1_ratios: &[0.1, 0.5, 0.99],
        n_inverse: 10,
        relaxed: false,
    };
    let deviance = Rule { measure: Measure::Deviance, ..paper };
    let mut rules = vec![paper];
    if kind == Kind::Classification {
        rules.push(Rule { name: "folds_deviance", title: "three folds, by log-loss", ..deviance });
        rules.push(Rule {
            name: "oob_accuracy",
            title: "out-of-bag rows, by accuracy",
            judges: Judges::OutOfBag,
            ..paper
        });
        rules.push(Rule {
            name: "oob_least_squares",
            title: "out-of-bag rows, least squares on class indicators",
            judges: Judges::OutOfBag,
            family: Family::Gaussian,
            ..deviance
        });
    }
    rules.extend([
        Rule {
            name: "folds_1se",
            title: "three folds, one standard error",
            winner: Winner::OneStandardError,
            ..deviance
        },
        Rule {
            name: "folds_x4",
            title: "three folds, 4 times the penalty",
            factor: 4.0,
            ..deviance
        },
        Rule {
            name: "folds_x16",
            title: "three folds, 16 times the penalty",
            factor: 16.0,
            ..deviance
        },
        Rule {
            name: "folds_forest",
            title: "three folds, one penalty for the forest",
            forest_share: 1.0,
            ..deviance
        },
        Rule { name: "oob", title: "out-of-bag rows", judges: Judges::OutOfBag, ..deviance },
        Rule {
            name: "oob_x4",
            title: "out-of-bag rows, 4 times the penalty",
            judges: Judges::OutOfBag,
            factor: 4.0,
            ..deviance
        },
        Rule {
            name: "oob_forest",
            title: "out-of-bag rows, one penalty for the forest",
            judges: Judges::OutOfBag,
            forest_share: 1.0,
            ..deviance
        },
        Rule {
            name: "oob_folds",
            title: "three folds of out-of-bag rows",
            judges: Judges::OutOfBagFolds,
            ..deviance
        },
        Rule {
            name: "oob_folds_1se",
            title: "three folds of out-of-bag rows, one standard error",
            judges: Judges::OutOfBagFolds,
            winner: Winner::OneStandardError,
            ..deviance
        },
        Rule {
            name: "oob_folds_forest",
            title: "three folds of out-of-bag rows, one penalty for the forest",
            judges: Judges::OutOfBagFolds,
            forest_share: 1.0,
            ..deviance
        },
        Rule {
            name: "oob_once",
            title: "out-of-bag rows, every row counts once",
            judges: Judges::OutOfBag,
            weights: Weights::Once,
            ..deviance
        },
        Rule {
            name: "oob_once_unit_free",
            title: "out-of-bag rows, every row counts once, response standardised",
            judges: Judges::OutOfBag,
            weights: Weights::Once,
            unit_free: kind == Kind::Regression,
            ..deviance
        },
        Rule {
            name: "oob_folds_once",
            title: "three folds of out-of-bag rows, every row counts once",
            judges: Judges::OutOfBagFolds,
            weights: Weights::Once,
            ..deviance
        },
        Rule {
            name: "oob_only",
            title: "three folds of out-of-bag rows, fitted to no others",
            judges: Judges::OutOfBagFolds,
            weights: Weights::OutOfBag,
            ..deviance
        },
    ]);
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_the_first_is_the_papers() {
        for kind in [Kind::Regression, Kind::Classification] {
            let mut names: Vec<&str> = rules(kind).iter().map(|rule| rule.name).collect();
            assert_eq!(names[0], REFERENCE);
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }
}
