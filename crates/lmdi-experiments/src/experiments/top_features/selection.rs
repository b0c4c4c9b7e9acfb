//! Selection (section 4.3, table 1): whether the features that a method keeps predict.

use super::protocol::{kept, selection};
use crate::data::prepare::THIRD;
use crate::data::{DataSet, prepare};
use crate::ensemble::EnsembleKind;
use crate::experiments::unit::{FIELDS, Unit};
use crate::methods::{LMDI_VARIANTS, MAIN, Method};
use crate::report::figure::{chart, panel};
use crate::report::markdown::{Table, number};
use crate::report::paper;
use crate::report::ranks::{Better, average_ranks};
use crate::run::{Context, Experiment, Measurement, Options, Page, Records};
use anyhow::Result;

/// The experiment.
pub struct Selection {
    methods: Vec<Method>,
    percents: Vec<usize>,
}

impl Selection {
    pub fn new(options: &Options) -> Result<Self> {
        let effort = options.effort();
        let percents: &[usize] =
            effort.pick(&[20], &[10, 20, 30, 40], &[10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
        Ok(Self { methods: options.methods(&MAIN)?, percents: percents.to_vec() })
    }
}

impl Experiment for Selection {
    type Unit = Unit;

    const NAME: &'static str = "selection";
    const TITLE: &'static str = "Selection: features that predict, kept and retrained";
    const FIELDS: &'static [&'static str] = FIELDS;

    fn units(&self, options: &Options) -> Result<Vec<Unit>> {
        let effort = options.effort();
        let sizes = options.sizes(effort.pick(&[60], &[500], &[2000]));
        let repetitions = options.repetitions.unwrap_or(effort.pick(1, 1, 20));
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
        selection(&split, EnsembleKind::Forest, methods, &self.percents, context, draws)
    }

    fn page(&self, records: &Records) -> Result<Page> {
        let mut text = String::from(
            "Of every training row only the top features by a method are kept, the others are replaced by the column's mean (in a column of two values by the other value), the forest is retrained and measured on the test rows as they are: R² for numbers, AUROC for classes.\n\n",
        );
        text.push_str(&table_1(records));
        text.push_str(&all_methods(records));
        text.push_str(&by_set(records, &[10, 20, 30, 40]));
        Ok(Page { text, pictures: vec![("selection".into(), figure(records)?)] })
    }
}

/// The paper's four methods, with one way of ranking by LMDI+.
pub fn four(lmdi: Method) -> [Method; 4] {
    [lmdi, Method::Lime, Method::TreeShap, Method::LocalMdi]
}

fn table_1(records: &Records) -> String {
    let percents = [10, 20, 30, 40];
    let mut heading = vec!["method".to_owned()];
    for percent in percents {
        heading.push(format!("{percent} %: paper"));
        heading.extend(LMDI_VARIANTS.map(|(_, variant)| variant.to_owned()));
    }
    let mut table = Table::new(heading);
    let found = |lmdi: Method, percent: usize| {
        average_ranks(records, &four(lmdi), &kept(percent), Better::Larger, &[])
    };
    for (row, name) in paper::METHODS.iter().enumerate() {
        let mut cells = vec![(*name).to_owned()];
        for (column, &percent) in percents.iter().enumerate() {
            cells.push(number(paper::SELECTION_RANKS[row][column], 2));
            for (lmdi, _) in LMDI_VARIANTS {
                cells.push(number(found(lmdi, percent).ranks[row], 2));
            }
        }
        table.row(cells);
    }
    let n_sets = found(Method::LmdiRank, 20).n_sets;
    format!(
        "## Table 1: average rank among the paper's four methods\n\nOver {n_sets} data sets; 1 is best. LMDI+ is ranked by the mean rank over trees or by |score|, with the paper's choices or with the library's default; each way competes with the other three methods, not with the other ways.\n\n{}",
        table.text()
    )
}

fn all_methods(records: &Records) -> String {
    let methods: Vec<Method> = records.methods_in(&MAIN).into_iter().copied().collect();
    let percents = [10, 20, 30, 40];
    let mut table =
        Table::new(["method".to_owned()].into_iter().chain(percents.map(|k| format!("{k} %"))));
    let ranks =
        percents.map(|k| average_ranks(records, &methods, &kept(k), Better::Larger, &[]).ranks);
    for (row, method) in methods.iter().enumerate() {
        let cells = ranks.iter().map(|ranks| number(ranks[row], 2));
        table.row([method.title().to_owned()].into_iter().chain(cells));
    }
    format!("## Average rank among all methods\n\n{}", table.text())
}

/// Means of every method and data set at some shares.
pub fn by_set(records: &Records, percents: &[usize]) -> String {
    let methods = records.methods_in(&MAIN);
    let mut text = String::new();
    for &percent in percents {
        let heading = ["data set"].into_iter().chain(methods.iter().map(|method| method.title()));
        let mut table = Table::new(heading);
        for set in records.values("set") {
            let cells = methods.iter().map(|method| {
                let picked = records.summary(|record| {
                    record.method == method.name()
                        && record.measure == kept(percent)
                        && records.has(record, &[("set", &set)])
                });
                picked.text(3)
            });
            table.row([set.clone()].into_iter().chain(cells));
        }
        text.push_str(&format!("## Top {percent} % kept\n\n{}", table.text()));
    }
    text
}

fn figure(records: &Records) -> Result<lmdi_report::plot::Picture> {
    let share = |measure: &str| measure.strip_prefix("kept_")?.parse::<f64>().ok();
    let panels = records
        .values("set")
        .iter()
        .map(|set| {
            let own = |record: &crate::run::Record| records.has(record, &[("set", set)]);
            panel(records, set, &MAIN, own, |record| share(&record.measure))
        })
        .collect();
    chart(
        "R² or AUROC after retraining on the top features of each row",
        "mean over repetitions, band of one standard error",
        "percent of features kept",
        panels,
        3,
    )
}
