//! Correlation (section 4.2, figure 2): whether signal features are found among features that
//! correlate with them.
//!
//! 250 rows of 100 normal features, the first 50 with pairwise correlation rho. The response is
//! linear + LSS in the first six, with a share of variance explained of 0.1. Measured is the mean
//! rank (1 is the most important) of three groups: signal, correlated with signal, independent. The
//! authors' code has a linear response, and fits LMDI+ with five folds and six L1 ratios.

use crate::data::prepare::{THIRD, standardise};
use crate::data::{Answers, DataSet, Part};
use crate::ensemble::EnsembleKind;
use crate::methods::{Explained, MAIN, Method, Sizes};
use crate::report::figure::chart;
use crate::report::markdown::Table;
use crate::run::{Context, Experiment, Measurement, Options, Page, Protocol, Records};
use crate::simulate::{Function, correlated_features, with_noise};
use anyhow::Result;
use lmdi::table::rank_in_place;
use lmdi_io::interrupt::UntilInterrupted;
use lmdi_report::plot::{Panel, Point, Series};
use rand::Rng;
use std::ops::Range;

const FEATURES: usize = 100;
const BLOCK: usize = 50;
const SIGNAL: usize = 6;
const PVE: f64 = 0.1;
/// L1 ratios of the authors' code, with five folds.
const REFERENCE_L1_RATIOS: [f64; 6] = [0.1, 0.5, 0.7, 0.9, 0.95, 0.99];

const GROUPS: [(&str, Range<usize>); 3] =
    [("signal", 0..SIGNAL), ("correlated", SIGNAL..BLOCK), ("independent", BLOCK..FEATURES)];

/// The experiment.
pub struct Correlation {
    methods: Vec<Method>,
}

/// A correlation and the repetition.
pub struct Unit {
    rho: f64,
    rows: usize,
    repetition: usize,
}

impl Correlation {
    pub fn new(options: &Options) -> Result<Self> {
        Ok(Self { methods: options.methods(&MAIN)? })
    }
}

impl Experiment for Correlation {
    type Unit = Unit;

    const NAME: &'static str = "correlation";
    const TITLE: &'static str = "Correlation: signal among features that correlate with it";
    const FIELDS: &'static [&'static str] = &["rho", "rows", "repetition"];

    fn units(&self, options: &Options) -> Result<Vec<Unit>> {
        let effort = options.effort();
        let correlations: &[f64] =
            effort.pick(&[0.9], &[0.5, 0.7, 0.9, 0.99], &[0.5, 0.6, 0.7, 0.8, 0.9, 0.99]);
        let rows = options.sizes(effort.pick(&[60], &[250], &[250]))[0];
        let repetitions = options.repetitions.unwrap_or(effort.pick(1, 4, 50));
        let of = |repetition| correlations.iter().map(move |&rho| Unit { rho, rows, repetition });
        Ok((0..repetitions).flat_map(of).collect())
    }

    fn fields(&self, unit: &Unit) -> Vec<String> {
        vec![unit.rho.to_string(), unit.rows.to_string(), unit.repetition.to_string()]
    }

    fn sets(&self, _: &Options) -> Result<Vec<&'static DataSet>> {
        Ok(Vec::new())
    }

    fn methods(&self, _: &Options) -> Result<Vec<Method>> {
        Ok(self.methods.clone())
    }

    fn run(&self, unit: &Unit, methods: &[Method], context: &Context) -> Result<Vec<Measurement>> {
        let draws = &mut context.draws(&self.fields(unit));
        let x = correlated_features(unit.rows, FEATURES, BLOCK, unit.rho, draws);
        let signal: Vec<usize> = (0..SIGNAL).collect();
        let response = context.protocol.pick(Function::LinearLss, Function::Linear);
        let y = with_noise(&response.mean(&x.view(), &signal), PVE, draws);
        let n_test = (THIRD * unit.rows as f64).ceil() as usize;
        let part = |rows: Vec<usize>| {
            let answers = Answers::Numbers(rows.iter().map(|&row| y[row]).collect());
            Part { x: x.take_rows(&rows), answers }
        };
        let split = standardise(part((n_test..unit.rows).collect()), part((0..n_test).collect()));
        let ensemble =
            EnsembleKind::Forest.train(&split.train, draws.next_u64(), &UntilInterrupted)?;
        let explained = Explained::new(&ensemble, &split.train, context, draws.next_u64());
        let explained = match context.protocol {
            Protocol::Paper => explained,
            Protocol::Reference => explained.searching(5, &REFERENCE_L1_RATIOS),
        };
        let sizes = explained.sizes(methods, &split.test.view(), &UntilInterrupted)?;
        let mut measured = Vec::new();
        for (method, sizes) in methods.iter().zip(&sizes) {
            let ranks = mean_ranks(sizes);
            for (group, range) in GROUPS {
                let value = ranks[range.clone()].iter().sum::<f64>() / range.len() as f64;
                let measure = format!("rank_{group}");
                measured.push(Measurement { method: method.name(), measure, value });
            }
        }
        Ok(measured)
    }

    fn page(&self, records: &Records) -> Result<Page> {
        let methods = records.methods_in(&MAIN);
        let correlations = records.values("rho");
        let heading = ["method".to_owned(), "group".into()].into_iter();
        let mut table =
            Table::new(heading.chain(correlations.iter().map(|rho| format!("rho {rho}"))));
        let mean = |method: &Method, group: &str, rho: &str| {
            records.summary(|record| {
                record.method == method.name()
                    && record.measure == format!("rank_{group}")
                    && records.has(record, &[("rho", rho)])
            })
        };
        for method in &methods {
            for (group, _) in GROUPS {
                let cells = correlations.iter().map(|rho| mean(method, group, rho).text(1));
                table.row([method.title().to_owned(), group.into()].into_iter().chain(cells));
            }
        }
        let panels = methods
            .iter()
            .map(|method| Panel {
                title: method.title().into(),
                series: GROUPS
                    .iter()
                    .map(|(group, _)| Series {
                        name: (*group).into(),
                        points: correlations
                            .iter()
                            .map(|rho| {
                                let summary = mean(method, group, rho);
                                let x = rho.parse().unwrap_or(f64::NAN);
                                Point { x, mean: summary.mean, error: summary.error }
                            })
                            .collect(),
                    })
                    .collect(),
            })
            .collect();
        let picture = chart(
            "Mean rank of three groups of features",
            "1 is the most important of 100; mean over repetitions, band of one standard error",
            "correlation within the block",
            panels,
            4,
        )?;
        let text = format!(
            "Mean rank (1 is the most important of 100 features) of six signal features, of 44 that correlate with them and of 50 that are independent; a method should rank signal first at every correlation. The paper shows a figure only: there LIME, TreeSHAP and Local MDI rank independent features above signal when the correlation is strong, and LMDI+ does not.\n\n{}",
            table.text()
        );
        Ok(Page { text, pictures: vec![("correlation".into(), picture)] })
    }
}

/// The mean over rows of each feature's rank, 1 for the largest size; equal sizes share their
/// ranks.
fn mean_ranks(sizes: &Sizes) -> Vec<f64> {
    let p = sizes.n_features;
    let mut sum = vec![0.0; p];
    let mut n_rows = 0.0;
    for row in sizes.rows() {
        let mut list: Vec<(f64, u32)> =
            row.iter().enumerate().map(|(at, size)| (-size, at as u32)).collect();
        rank_in_place(&mut list, |feature, rank| sum[feature as usize] += rank);
        n_rows += 1.0;
    }
    sum.iter().map(|sum| sum / n_rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_size_has_rank_one() {
        let sizes = Sizes { n_features: 3, values: vec![0.5, 2.0, 0.5, 3.0, 2.0, 1.0] };
        assert_eq!(mean_ranks(&sizes), [1.75, 1.5, 2.75]);
    }
}
