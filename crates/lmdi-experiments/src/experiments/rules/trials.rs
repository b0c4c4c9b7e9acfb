//! Trials: changes of the presets `data` and `model`, as methods of the other experiments.
//!
//! A rule that ranks well may still select, repeat or compare rows badly. Each trial changes a
//! preset in one way or a few: `model`, or `data` with raw columns on the scale of stumps, as it
//! used to be. Trials can be named in `--methods` of `ranking`, `selection`, `stability` and
//! `counterfactual`, which then train the same forests as for every other method.

use super::columns::Columns;
use super::refit::{refit, search_and_fit};
use super::rule::{Judges, Rule, rules};
use super::search::{Judged, Trees};
use crate::data::Part;
use lmdi::Result;
use lmdi::forest::Ensemble;
use lmdi::importance::LmdiPlus;
use lmdi::importance::lmdi_plus::LmdiPlusOptions;
use lmdi::monitor::Silent;

/// A change of a preset.
pub struct Trial {
    /// Its names in result files: by rank and by score.
    pub names: [&'static str; 2],
    /// The same for people.
    pub titles: [&'static str; 2],
    change: Change,
}

/// What is changed.
enum Change {
    /// The rule of the preset `data`.
    Data(fn(&mut Rule)),
    /// The options of the preset `model`.
    Model(fn(LmdiPlusOptions) -> LmdiPlusOptions),
}

/// A trial from its name, its title and what it changes.
macro_rules! trial {
    ($name:literal, $title:literal, $change:expr) => {
        Trial {
            names: [concat!("trial_", $name, "_by_rank"), concat!("trial_", $name, "_by_score")],
            titles: [concat!($title, " (by rank)"), concat!($title, " (by score)")],
            change: Change::Data($change),
        }
    };
    ($name:literal, $title:literal, model: $change:expr) => {
        Trial { change: Change::Model($change), ..trial!($name, $title, |_| {}) }
    };
}

/// All trials.
pub static TRIALS: [Trial; 33] = [
    trial!("none", "raw columns on the scale of stumps, one fold", |_| {}),
    trial!("folds", "three folds of out-of-bag rows", folds),
    trial!("fitted_rows", "and columns scaled on the fitted rows", |rule| {
        folds(rule);
        rule.columns.on_fitted_rows = true;
    }),
    trial!("fine_grid", "and 31 values of C", |rule| {
        folds(rule);
        rule.n_inverse = 31;
    }),
    trial!("relaxed", "and a relaxed fit", |rule| {
        folds(rule);
        rule.relaxed = true;
    }),
    trial!("pooled", "and errors pooled by half", |rule| {
        folds(rule);
        rule.forest_share = 0.5;
    }),
    trial!("raw_x2", "and raw columns times 2", |rule| {
        folds(rule);
        rule.columns.raw = 2.0;
    }),
    trial!("raw_alike", "and raw columns alike", |rule| {
        folds(rule);
        rule.columns.level = 1.0;
    }),
    trial!("deep_more", "and deep stumps penalised more", |rule| {
        folds(rule);
        rule.columns.depth = 0.5;
    }),
    trial!("deep_less", "and deep stumps penalised less", |rule| {
        folds(rule);
        rule.columns.depth = -0.25;
    }),
    trial!("ridge_like", "and L1 ratios from 0.01", |rule| {
        folds(rule);
        rule.l1_ratios = &[0.01, 0.1, 0.5];
    }),
    trial!("x2", "raw columns times 2, one fold", |rule| rule.columns.raw = 2.0),
    trial!("x4", "preset `data`: raw columns times 4, one fold", |rule| rule.columns.raw = 4.0),
    trial!("x8", "raw columns times 8, one fold", |rule| rule.columns.raw = 8.0),
    trial!("x16", "raw columns times 16, one fold", |rule| rule.columns.raw = 16.0),
    trial!("alike", "raw columns alike, one fold", |rule| {
        rule.columns.level = 1.0;
    }),
    trial!("alike_x2", "raw columns alike and times 2, one fold", |rule| {
        rule.columns = Columns { level: 1.0, raw: 2.0, ..Columns::DEFAULT };
    }),
    trial!("both", "raw columns alike, deep stumps penalised more, one fold", |rule| {
        rule.columns = Columns { level: 1.0, depth: 0.5, ..Columns::DEFAULT };
    }),
    trial!("alike_x4", "raw columns alike and times 4, one fold", |rule| {
        rule.columns = Columns { level: 1.0, raw: 4.0, ..Columns::DEFAULT };
    }),
    trial!("alike_x8", "raw columns alike and times 8, one fold", |rule| {
        rule.columns = Columns { level: 1.0, raw: 8.0, ..Columns::DEFAULT };
    }),
    trial!(
        "both_x2",
        "raw columns alike and times 2, deep stumps penalised more, one fold",
        |rule| {
            rule.columns = Columns { level: 1.0, depth: 0.5, raw: 2.0, ..Columns::DEFAULT };
        }
    ),
    trial!(
        "both_x4",
        "raw columns alike and times 4, deep stumps penalised more, one fold",
        |rule| {
            rule.columns = Columns { level: 1.0, depth: 0.5, raw: 4.0, ..Columns::DEFAULT };
        }
    ),
    trial!(
        "half_x2",
        "raw columns alike and times 2, deep stumps penalised a little more, one fold",
        |rule| {
            rule.columns = Columns { level: 1.0, depth: 0.25, raw: 2.0, ..Columns::DEFAULT };
        }
    ),
    trial!("folds_alike_x2", "three folds, raw columns alike and times 2", |rule| {
        folds(rule);
        rule.columns = Columns { level: 1.0, raw: 2.0, ..Columns::DEFAULT };
    }),
    trial!("level_x3", "raw columns half alike and times 3, one fold", |rule| {
        rule.columns = Columns { level: 0.5, raw: 3.0, ..Columns::DEFAULT };
    }),
    trial!("level_x6", "raw columns half alike and times 6, one fold", |rule| {
        rule.columns = Columns { level: 0.5, raw: 6.0, ..Columns::DEFAULT };
    }),
    trial!(
        "level_half_x4",
        "raw columns half alike and times 4, deep stumps penalised a little more, one fold",
        |rule| {
            rule.columns = Columns { level: 0.5, depth: 0.25, raw: 4.0, ..Columns::DEFAULT };
        }
    ),
    trial!("folds_x4", "three folds, raw columns times 4", |rule| {
        folds(rule);
        rule.columns.raw = 4.0;
    }),
    trial!("folds_level_x4", "three folds, raw columns half alike and times 4", |rule| {
        folds(rule);
        rule.columns = Columns { level: 0.5, raw: 4.0, ..Columns::DEFAULT };
    }),
    trial!("x4_deep", "raw columns times 4, deep stumps penalised more, one fold", |rule| {
        rule.columns = Columns { depth: 0.5, raw: 4.0, ..Columns::DEFAULT };
    }),
    trial!(
        "x16_deep_ridge",
        "raw columns times 16, deep stumps penalised more, L1 ratio 0.1, one fold",
        |rule| {
            rule.columns = Columns { depth: 0.5, raw: 16.0, ..Columns::DEFAULT };
            rule.l1_ratios = &[0.1];
        }
    ),
    trial!("folds_x64_ridge", "three folds, raw columns times 64, L1 ratio 0.1", |rule| {
        folds(rule);
        rule.columns.raw = 64.0;
        rule.l1_ratios = &[0.1];
    }),
    trial!("model_x4", "`model`, raw columns times 4", model: |model| model.with_raw_scale(4.0)),
];

fn folds(rule: &mut Rule) {
    rule.judges = Judges::OutOfBagFolds;
}

impl Trial {
    /// Fits the forest's trees to what it was trained on.
    pub fn fit(&self, ensemble: &Ensemble, train: &Part) -> Result<LmdiPlus> {
        let change = match self.change {
            Change::Data(change) => change,
            Change::Model(change) => {
                let options = change(LmdiPlusOptions::model());
                return LmdiPlus::fit(ensemble, &train.set(), &options, &Silent);
            }
        };
        let known = rules(train.answers.kind());
        let data = known.iter().find(|rule| rule.name == DATA);
        let mut rule = *data.ok_or_else(|| lmdi::Error::Data(format!("no rule {DATA}")))?;
        change(&mut rule);
        let trees = Trees::new(ensemble, train);
        let fitted = if rule.forest_share > 0.0 {
            let chosen = Judged::new(&trees, &rule).choose(&rule);
            refit(&trees, ensemble, &rule, &chosen)
        } else {
            search_and_fit(&trees, ensemble, &rule)
        };
        let range = |column: usize| {
            let cells = train.x.column(column);
            cells.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &cell| {
                [low.min(cell), high.max(cell)]
            })
        };
        fitted?.within((0..train.x.cols()).map(range).collect())
    }
}

/// The name of the rule of the preset `data`, which has its raw columns on the scale of stumps.
const DATA: &str = "oob_once_unit_free";
