//! Ablation (section 6, tables 2 and 3, and the appendix): steps of LMDI+ and other ensembles, by
//! selection and stability.
//!
//! The paper's forest is explained by the three steps that lead to LMDI+ as well; the other
//! ensembles by the paper's four methods. What is retrained on the kept features is always the
//! paper's forest.

use super::protocol::{kept, selection, stable, unique};
use super::selection::four;
use crate::data::prepare::THIRD;
use crate::data::{DataSet, prepare};
use crate::ensemble::EnsembleKind;
use crate::methods::{Method, VARIANTS};
use crate::report::markdown::{Table, number};
use crate::report::paper;
use crate::report::ranks::{Better, average_ranks};
use crate::run::{Context, Experiment, Measurement, Options, Page, Records};
use anyhow::Result;

const PERCENTS: [usize; 2] = [10, 20];

const BASE: [Method; 7] = [
    Method::LmdiRank,
    Method::LmdiScore,
    Method::DataRank,
    Method::DataScore,
    Method::Lime,
    Method::TreeShap,
    Method::LocalMdi,
];

const MODELS: [EnsembleKind; 7] = [
    EnsembleKind::Forest,
    EnsembleKind::Trees(10),
    EnsembleKind::Trees(50),
    EnsembleKind::Leaf(5),
    EnsembleKind::Leaf(10),
    EnsembleKind::Boosting,
    EnsembleKind::StochasticBoosting,
];

/// The experiment.
pub struct Ablation {
    methods: Vec<Method>,
}

/// A data set, an ensemble and the repetition.
pub struct Unit {
    set: &'static DataSet,
    model: EnsembleKind,
    n: usize,
    repetition: usize,
}

impl Ablation {
    pub fn new(options: &Options) -> Result<Self> {
        let all: Vec<Method> = BASE.into_iter().chain(VARIANTS).collect();
        Ok(Self { methods: options.methods(&all)? })
    }
}

impl Experiment for Ablation {
    type Unit = Unit;

    const NAME: &'static str = "ablation";
    const TITLE: &'static str = "Ablation: steps of LMDI+ and other ensembles";
    const FIELDS: &'static [&'static str] = &["set", "ensemble", "n", "repetition"];

    fn units(&self, options: &Options) -> Result<Vec<Unit>> {
        let effort = options.effort();
        let n = options.sizes(effort.pick(&[60], &[300], &[2000]))[0];
        let repetitions = options.repetitions.unwrap_or(effort.pick(1, 1, 15));
        let mut units = Vec::new();
        for repetition in 0..repetitions {
            for model in MODELS {
                units.extend(options.sets()?.into_iter().map(|set| Unit {
                    set,
                    model,
                    n,
                    repetition,
                }));
            }
        }
        Ok(units)
    }

    fn fields(&self, unit: &Unit) -> Vec<String> {
        vec![
            unit.set.key.into(),
            unit.model.name(),
            unit.n.to_string(),
            unit.repetition.to_string(),
        ]
    }

    fn sets(&self, options: &Options) -> Result<Vec<&'static DataSet>> {
        options.sets()
    }

    fn methods(&self, _: &Options) -> Result<Vec<Method>> {
        Ok(self.methods.clone())
    }

    fn applies(&self, method: Method, unit: &Unit) -> bool {
        match unit.model {
            EnsembleKind::Forest => true,
            model if model.is_boosted() => BASE.contains(&method) && method.explains_boosting(),
            _ => BASE.contains(&method),
        }
    }

    fn run(&self, unit: &Unit, methods: &[Method], context: &Context) -> Result<Vec<Measurement>> {
        let draws = &mut context.draws(&self.fields(unit));
        let split = prepare(&context.load(unit.set)?.table, unit.n, THIRD, draws);
        let mut measured = selection(&split, unit.model, methods, &PERCENTS, context, draws)?;
        measured.extend(stable(&split, unit.model, methods, &PERCENTS, context, draws)?);
        Ok(measured)
    }

    fn page(&self, records: &Records) -> Result<Page> {
        let mut text = String::from(
            "Average rank over data sets, 1 is best, by selection (R² or AUROC after retraining on the top features of each row) and by stability (different features among the top ones of five fits). LMDI+ is ranked by the mean rank over trees or by |score|; both ways compete with the other methods, not with each other.\n\n",
        );
        text.push_str(&table_2(records));
        for ensemble in &paper::ENSEMBLES {
            text.push_str(&table_3(records, ensemble));
        }
        Ok(Page { text, pictures: Vec::new() })
    }
}

/// Ranks by selection at 10 and 20 % and by stability at 10 and 20 %.
fn ranks_of(records: &Records, methods: &[Method], ensemble: &str) -> Vec<Vec<f64>> {
    let cells = [("ensemble", ensemble)];
    let by =
        |measure: String, better| average_ranks(records, methods, &measure, better, &cells).ranks;
    let mut columns: Vec<Vec<f64>> =
        PERCENTS.iter().map(|&k| by(kept(k), Better::Larger)).collect();
    columns.extend(PERCENTS.iter().map(|&k| by(unique(k), Better::Smaller)));
    columns
}

fn heading(first: &str) -> Table {
    let mut heading = vec![first.to_owned()];
    for what in ["selection 10 %", "selection 20 %", "stability 10 %", "stability 20 %"] {
        heading.extend([format!("{what}: paper"), "by rank".into(), "by score".into()]);
    }
    Table::new(heading)
}

/// One line of paper, by rank, by score for each of the four columns; the paper has no numbers for
/// some.
fn line(
    name: &str,
    theirs: &[f64; 4],
    by_rank: &[Vec<f64>],
    by_score: &[Vec<f64>],
    row: usize,
) -> Vec<String> {
    let mut cells = vec![name.to_owned()];
    for (column, theirs) in theirs.iter().enumerate() {
        cells.extend([*theirs, by_rank[column][row], by_score[column][row]].map(|x| number(x, 2)));
    }
    cells
}

/// The library's default in the place of the paper's LMDI+, among the same other methods.
fn default_line(records: &Records, ensemble: &str, count: usize) -> Vec<String> {
    let [by_rank, by_score] = [Method::DataRank, Method::DataScore]
        .map(|lmdi| ranks_of(records, &four(lmdi)[..count], ensemble));
    line("LMDI+ data, instead", &[f64::NAN; 4], &by_rank, &by_score, 0)
}

/// The rank of each step among TreeSHAP, LIME and Local MDI.
fn table_2(records: &Records) -> String {
    let mut table = heading("variant");
    let steps = [
        (
            "1: in-bag rows, no raw features, no penalty",
            Method::VariantRank(1),
            Method::VariantScore(1),
        ),
        ("2: and out-of-bag rows", Method::VariantRank(2), Method::VariantScore(2)),
        ("3: and raw features", Method::VariantRank(3), Method::VariantScore(3)),
        ("LMDI+: and elastic net", Method::LmdiRank, Method::LmdiScore),
    ];
    for ((name, by_rank, by_score), theirs) in steps.into_iter().zip(&paper::VARIANT_RANKS) {
        let [by_rank, by_score] =
            [by_rank, by_score].map(|method| ranks_of(records, &four(method), "forest"));
        table.row(line(name, theirs, &by_rank, &by_score, 0));
    }
    table.row(default_line(records, "forest", 4));
    format!(
        "## Table 2: the steps of LMDI+, each among TreeSHAP, LIME and Local MDI\n\n{}",
        table.text()
    )
}

fn table_3(records: &Records, ensemble: &paper::EnsembleRanks) -> String {
    let mut table = heading("method");
    let count = ensemble.ranks.len();
    let [by_rank, by_score] = [Method::LmdiRank, Method::LmdiScore]
        .map(|lmdi| ranks_of(records, &four(lmdi)[..count], ensemble.ensemble));
    for (row, theirs) in ensemble.ranks.iter().enumerate() {
        table.row(line(paper::METHODS[row], theirs, &by_rank, &by_score, row));
    }
    table.row(default_line(records, ensemble.ensemble, count));
    format!("## Table 3 and appendix: {}\n\n{}", ensemble.ensemble.replace('_', " "), table.text())
}
