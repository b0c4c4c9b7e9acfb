//! Rules: how to choose the penalty of each tree's linear model.
//!
//! The paper takes, tree by tree, the minimum of three-fold cross-validation over all rows. In-bag
//! rows shaped the splits, so that judging on them favours too little shrinkage. Here the same
//! forests are fitted by several rules, on the semi-synthetic data of the ranking experiment: rules
//! are to be chosen on the first half of the data sets (every other one of the paper's list) and
//! confirmed on the second.
//!
//! | file | what |
//! |---|---|
//! | `search` | the errors of all penalties, judged on several kinds of rows |
//! | `rule` | the rules |
//! | `columns` | how columns are scaled, and so how strongly each is penalised |
//! | `refit` | every tree at its chosen penalty, as an explainer |
//! | `combine` | ways to put what the trees say together |
//! | `trials` | changes of the preset `data`, as methods of the other experiments |

mod columns;
mod combine;
mod refit;
mod rule;
mod search;
pub mod trials;

use super::signal::semi_synthetic::{FIELDS, Unit, mean_auroc, simulate};
use crate::data::catalogue::{CATALOGUE, find};
use crate::data::{DataSet, Kind};
use crate::ensemble::EnsembleKind;
use crate::methods::Method;
use crate::report::markdown::{Table, number};
use crate::report::summary::Summary;
use crate::run::{Context, Experiment, Measurement, Options, Page, Records};
use anyhow::Result;
use combine::{WAYS, combine};
use lmdi_io::interrupt::{self, UntilInterrupted};
use rand::Rng;
use refit::refit;
use rule::{REFERENCE, rules};
use search::{Judged, Trees};

/// The experiment.
pub struct Rules;

impl Experiment for Rules {
    type Unit = Unit;

    const NAME: &'static str = "rules";
    const TITLE: &'static str = "Rules: how to choose penalties";
    const FIELDS: &'static [&'static str] = FIELDS;

    fn units(&self, options: &Options) -> Result<Vec<Unit>> {
        let effort = options.effort();
        let sizes = options.sizes(effort.pick(&[60], &[300], &[300]));
        let repetitions = options.repetitions.unwrap_or(effort.pick(1, 1, 30));
        Ok(Unit::all(&options.sets()?, &sizes, repetitions, effort))
    }

    fn fields(&self, unit: &Unit) -> Vec<String> {
        unit.fields()
    }

    fn sets(&self, options: &Options) -> Result<Vec<&'static DataSet>> {
        options.sets()
    }

    fn methods(&self, _: &Options) -> Result<Vec<Method>> {
        Ok(Vec::new())
    }

    fn run(&self, unit: &Unit, _: &[Method], context: &Context) -> Result<Vec<Measurement>> {
        let draws = &mut context.draws(&unit.fields());
        let simulated = simulate(&context.load(unit.set)?.table, unit, context.protocol, draws);
        let (train, test) = (&simulated.split.train, &simulated.split.test);
        let ensemble = EnsembleKind::Forest.train(train, draws.next_u64(), &UntilInterrupted)?;
        let trees = Trees::new(&ensemble, train);
        let mut judged: Vec<Judged> = Vec::new();
        let mut measured = Vec::new();
        for rule in rules(unit.set.kind) {
            if interrupt::requested() {
                return Err(lmdi::Error::Interrupted.into());
            }
            let at = match judged.iter().position(|known| known.is_for(&rule)) {
                Some(at) => at,
                None => {
                    judged.push(Judged::new(&trees, &rule));
                    judged.len() - 1
                }
            };
            let explainer = refit(&trees, &ensemble, &rule, &judged[at].choose(&rule))?;
            let combined = combine(&explainer, &ensemble, &test.view(), &UntilInterrupted)?;
            for ((measure, _), sizes) in WAYS.into_iter().zip(combined) {
                let value = mean_auroc(sizes.rows(), &simulated.is_signal);
                measured.push(Measurement { method: rule.name, measure: measure.into(), value });
            }
        }
        Ok(measured)
    }

    fn page(&self, records: &Records) -> Result<Page> {
        let mut text = String::from(
            "Mean AUROC of signal features by LMDI+ under several rules and ways to combine trees, and in brackets the mean difference from the paper's rule and mean rank in the same forests with its standard error over units. Rules are to be chosen on the first half of the data sets and confirmed on the second.\n\n",
        );
        for kind in [Kind::Regression, Kind::Classification] {
            for half in [Half::Choose, Half::Confirm] {
                let sets: Vec<&str> = CATALOGUE
                    .iter()
                    .filter(|set| set.kind == kind && Half::of(set) == half)
                    .map(|set| set.key)
                    .collect();
                text.push_str(&format!(
                    "## {}: {} ({})\n\n{}",
                    if kind == Kind::Regression { "Regression" } else { "Classification" },
                    if half == Half::Choose {
                        "data sets that rules are chosen on"
                    } else {
                        "data sets that confirm"
                    },
                    sets.join(", "),
                    table(records, kind, half)
                ));
            }
        }
        Ok(Page { text, pictures: Vec::new() })
    }
}

/// The half of the data sets that one belongs to: every other one of its kind, in the paper's
/// order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Choose,
    Confirm,
}

impl Half {
    fn of(set: &DataSet) -> Self {
        let same_kind = CATALOGUE.iter().filter(|other| other.kind == set.kind);
        let at = same_kind.take_while(|other| other.key != set.key).count();
        if at.is_multiple_of(2) { Half::Choose } else { Half::Confirm }
    }
}

fn table(records: &Records, kind: Kind, half: Half) -> String {
    let headings = WAYS.map(|(_, heading)| heading);
    let mut table = Table::new(["rule"].into_iter().chain(headings));
    let belongs = |record: &&crate::run::Record| {
        find(records.field(record, "set"))
            .is_some_and(|set| set.kind == kind && Half::of(set) == half)
    };
    let of = |name: &str, measure: &str| -> Vec<(Vec<String>, f64)> {
        let own = |record: &&crate::run::Record| record.method == name && record.measure == measure;
        let own = records.all.iter().filter(belongs).filter(own);
        own.map(|record| (record.unit.clone(), record.value)).collect()
    };
    let reference = of(REFERENCE, WAYS[0].0);
    for rule in rules(kind) {
        let mut cells = vec![rule.title.to_owned()];
        for (measure, _) in WAYS {
            let own = of(rule.name, measure);
            let differences = own.iter().filter_map(|(unit, value)| {
                let (_, other) = reference.iter().find(|(known, _)| known == unit)?;
                Some(value - other)
            });
            let mean = number(Summary::of(own.iter().map(|(_, value)| *value)).mean, 4);
            cells.push(format!("{mean} ({})", Summary::of(differences).text(4)));
        }
        table.row(cells);
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_half_has_three_data_sets_of_each_kind() {
        for kind in [Kind::Regression, Kind::Classification] {
            let of_kind = CATALOGUE.iter().filter(|set| set.kind == kind);
            assert_eq!(of_kind.filter(|set| Half::of(set) == Half::Choose).count(), 3);
        }
    }
}
