//! Stability (section 5): whether models from other seeds name the same features.

use super::protocol::{stable, unique};
use super::selection::four;
use crate::data::prepare::THIRD;
use crate::data::{DataSet, prepare};
use crate::ensemble::EnsembleKind;
use crate::experiments::unit::{FIELDS, Unit};
use crate::methods::{LMDI_VARIANTS, MAIN, Method};
use crate::report::figure::{chart, panel};
use crate::report::markdown::{Table, number};
use crate::report::ranks::{Better, average_ranks};
use crate::run::{Context, Experiment, Measurement, Options, Page, Records};
use anyhow::Result;

const PERCENTS: [usize; 4] = [10, 20, 30, 40];

/// The experiment.
pub struct Stability {
    methods: Vec<Method>,
}

impl Stability {
    pub fn new(options: &Options) -> Result<Self> {
        Ok(Self { methods: options.methods(&MAIN)? })
    }
}

impl Experiment for Stability {
    type Unit = Unit;

    const NAME: &'static str = "stability";
    const TITLE: &'static str = "Stability: the same features from other seeds";
    const FIELDS: &'static [&'static str] = FIELDS;

    fn units(&self, options: &Options) -> Result<Vec<Unit>> {
        let effort = options.effort();
        let sizes = options.sizes(effort.pick(&[60], &[300], &[500, 1000, 2000]));
        let repetitions = options.repetitions.unwrap_or(effort.pick(1, 1, 15));
        Ok(Unit::all(&options.sets()?, &sizes, repetitions))
    }

    fn fields(&self, unit: &Unit) -> Vec<String> {
        unit.fields()
    }

    fn sets(&self, options: &Options) -> Result<Vec<&'static DataSet>> {
        options.sets()
    }

    fn methods(&self, _: &Options) -> Result<Vec<Method>> {
        Ok(self.methods.clone())
    }

    fn run(&self, unit: &Unit, methods: &[Method], context: &Context) -> Result<Vec<Measurement>> {
        let draws = &mut context.draws(&unit.fields());
        let split = prepare(&context.load(unit.set)?.table, unit.n, THIRD, draws);
        stable(&split, EnsembleKind::Forest, methods, &PERCENTS, context, draws)
    }

    fn page(&self, records: &Records) -> Result<Page> {
        let mut text = String::from(
            "Five forests from five seeds explain all rows. Measured is how many different features are among the top ones of a row in any of the five, as a share of all features; smaller is better. The paper shows these results as figures only, in which LMDI+ has the smallest share throughout.\n\n",
        );
        for n in records.values("n") {
            text.push_str(&average(records, &n));
        }
        text.push_str(&by_set(records));
        Ok(Page { text, pictures: vec![("stability".into(), figure(records)?)] })
    }
}

fn average(records: &Records, n: &str) -> String {
    let mut table = Table::new(
        ["average rank".to_owned()].into_iter().chain(PERCENTS.map(|k| format!("top {k} %"))),
    );
    for (lmdi, _) in LMDI_VARIANTS {
        let methods = four(lmdi);
        let ranks = PERCENTS.map(|k| {
            average_ranks(records, &methods, &unique(k), Better::Smaller, &[("n", n)]).ranks
        });
        for (row, method) in methods.iter().enumerate() {
            let against =
                if row == 0 { String::new() } else { format!(" (beside {})", lmdi.title()) };
            let cells = ranks.iter().map(|ranks| number(ranks[row], 2));
            table.row([format!("{}{against}", method.title())].into_iter().chain(cells));
        }
    }
    format!(
        "## {n} rows: average rank among the paper's four methods, 1 is best\n\n{}",
        table.text()
    )
}

fn by_set(records: &Records) -> String {
    let methods = records.methods_in(&MAIN);
    let heading = ["data set", "n"].into_iter().chain(methods.iter().map(|method| method.title()));
    let mut table = Table::new(heading);
    for set in records.values("set") {
        for n in records.values("n") {
            let cells = methods.iter().map(|method| {
                let picked = records.summary(|record| {
                    record.method == method.name()
                        && record.measure == unique(20)
                        && records.has(record, &[("set", &set), ("n", &n)])
                });
                picked.text(3)
            });
            table.row([set.clone(), n.clone()].into_iter().chain(cells));
        }
    }
    format!("## Share of different features among the top 20 %\n\n{}", table.text())
}

fn figure(records: &Records) -> Result<lmdi_report::plot::Picture> {
    let share = |measure: &str| measure.strip_prefix("unique_")?.parse::<f64>().ok();
    let mut panels = Vec::new();
    for set in records.values("set") {
        for n in records.values("n") {
            let cells = [("set", set.as_str()), ("n", n.as_str())];
            panels.push(panel(
                records,
                &format!("{set}, {n} rows"),
                &MAIN,
                |record| records.has(record, &cells),
                |record| share(&record.measure),
            ));
        }
    }
    chart(
        "Different features among the top ones of five fits, as a share of all",
        "mean over repetitions, band of one standard error",
        "percent of features",
        panels,
        3,
    )
}
