//! Ranking (section 4.1): whether the features that a simulated response depends on have the
//! largest sizes.
//!
//! Real covariates, five or ten signal features drawn at random, three response functions, several
//! levels of noise and numbers of rows. Measured is the AUROC of the sizes against the signal
//! indicator, row by row of the test part, averaged.

use super::semi_synthetic::{FIELDS, Unit, mean_auroc, measured, simulate};
use crate::data::{DataSet, Kind};
use crate::ensemble::EnsembleKind;
use crate::methods::{Explained, MAIN, Method};
use crate::report::figure::{chart, panel};
use crate::report::markdown::{Table, number};
use crate::report::summary::Summary;
use crate::run::{Context, Experiment, Measurement, Options, Page, Records};
use crate::simulate::Function;
use anyhow::Result;
use lmdi_io::interrupt::UntilInterrupted;
use rand::Rng;

/// The experiment.
pub struct Ranking {
    pub methods: Vec<Method>,
}

impl Ranking {
    pub fn new(options: &Options) -> Result<Self> {
        Ok(Self { methods: options.methods(&MAIN)? })
    }
}

impl Experiment for Ranking {
    type Unit = Unit;

    const NAME: &'static str = "ranking";
    const TITLE: &'static str = "Ranking: signal features of simulated responses";
    const FIELDS: &'static [&'static str] = FIELDS;

    fn units(&self, options: &Options) -> Result<Vec<Unit>> {
        let effort = options.effort();
        let sizes = options.sizes(effort.pick(&[60], &[300], &[300, 500, 1000]));
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
        Ok(self.methods.clone())
    }

    fn run(&self, unit: &Unit, methods: &[Method], context: &Context) -> Result<Vec<Measurement>> {
        let draws = &mut context.draws(&unit.fields());
        let simulated = simulate(&context.load(unit.set)?.table, unit, context.protocol, draws);
        let (train, test) = (&simulated.split.train, &simulated.split.test);
        let ensemble = EnsembleKind::Forest.train(train, draws.next_u64(), &UntilInterrupted)?;
        let explained = Explained::new(&ensemble, train, context, draws.next_u64());
        let sizes = explained.sizes(methods, &test.view(), &UntilInterrupted)?;
        let of_method = |(method, sizes): (&Method, &crate::methods::Sizes)| {
            measured(method.name(), mean_auroc(sizes.rows(), &simulated.is_signal))
        };
        Ok(methods.iter().zip(&sizes).map(of_method).collect())
    }

    fn page(&self, records: &Records) -> Result<Page> {
        let mut text = String::from(
            "Mean AUROC of feature sizes against the signal features, over the rows of the test part and over \
             repetitions; larger is better. The paper shows these results as figures only: there LMDI+ is above LIME, TreeSHAP and Local MDI nearly everywhere.\n\n",
        );
        text.push_str(&overall(records));
        text.push_str(&by_set(records));
        let mut pictures = Vec::new();
        for n in records.values("n") {
            let name = format!("ranking-n{n}");
            pictures.push((name, figure(records, &n)?));
        }
        Ok(Page { text, pictures })
    }
}

/// Methods beside responses, all data sets together.
fn overall(records: &Records) -> String {
    let kinds = [Kind::Regression, Kind::Classification];
    let of_kind = |set: &str| crate::data::catalogue::find(set).map(|set| set.kind);
    let mut heading = vec!["method".to_owned(), "all".into()];
    for kind in kinds {
        for function in Function::ALL {
            let class = if kind == Kind::Classification { "logistic " } else { "" };
            heading.push(format!("{class}{}", function.name().replace('_', " + ")));
        }
    }
    let mut table = Table::new(heading);
    for method in records.methods_in(&MAIN) {
        let own = |record: &&crate::run::Record| record.method == method.name();
        let mut cells = vec![method.title().to_owned()];
        cells.push(Summary::of(records.all.iter().filter(own).map(|r| r.value)).text(3));
        for kind in kinds {
            for function in Function::ALL {
                let mean = records.summary(|record| {
                    own(&record)
                        && of_kind(records.field(record, "set")) == Some(kind)
                        && records.has(record, &[("function", function.name())])
                });
                cells.push(number(mean.mean, 3));
            }
        }
        table.row(cells);
    }
    format!("## All data sets, sizes and noise levels\n\n{}", table.text())
}

fn by_set(records: &Records) -> String {
    let methods = records.methods_in(&MAIN);
    let heading = ["data set"].into_iter().chain(methods.iter().map(|method| method.title()));
    let mut table = Table::new(heading);
    for set in records.values("set") {
        let mean = |method: &&Method| {
            let picked = records.summary(|record| {
                record.method == method.name() && records.has(record, &[("set", &set)])
            });
            number(picked.mean, 3)
        };
        table.row([set.clone()].into_iter().chain(methods.iter().map(mean)));
    }
    format!("## By data set\n\n{}", table.text())
}

fn figure(records: &Records, n: &str) -> Result<lmdi_report::plot::Picture> {
    let mut panels = Vec::new();
    for set in records.values("set") {
        for function in Function::ALL {
            panels.push(panel(
                records,
                &format!("{set}, {}", function.name().replace('_', " + ")),
                &MAIN,
                |record| {
                    records.has(record, &[("set", &set), ("n", n), ("function", function.name())])
                },
                |record| records.field(record, "noise").parse().ok(),
            ));
        }
    }
    chart(
        &format!("AUROC of signal features, {n} rows"),
        "mean over repetitions, band of one standard error",
        "share of variance explained (regression) or of labels flipped (classification)",
        panels,
        3,
    )
}
