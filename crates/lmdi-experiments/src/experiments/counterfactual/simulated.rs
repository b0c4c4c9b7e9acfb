//! Counterfactuals where signal is known (appendix): which features stay close.
//!
//! 2,000 rows of ten independent normal features; the class is the sign of `5 x1 + 4 x2 + 3 x3 + 2
//! x4 + x5` plus normal noise with standard deviation 0.1 (the paper says "epsilon = 0.1"). Half of
//! the rows train. Measured is the mean absolute difference of each feature between a test row and
//! its counterfactual.

use super::nearest::{METHODS, OBSERVED, mean_differences};
use crate::data::prepare::standardise;
use crate::data::{Answers, DataSet, Part};
use crate::methods::Method;
use crate::report::figure::chart;
use crate::report::markdown::Table;
use crate::run::{Context, Experiment, Measurement, Options, Page, Records};
use crate::simulate::{correlated_features, normal::normal};
use anyhow::Result;
use lmdi_report::plot::{Panel, Point, Series};

const FEATURES: usize = 10;
const SLOPES: [f64; 5] = [5.0, 4.0, 3.0, 2.0, 1.0];
const NOISE: f64 = 0.1;

/// The experiment.
pub struct CounterfactualSim {
    methods: Vec<Method>,
}

/// Number of rows and the repetition.
pub struct Unit {
    rows: usize,
    repetition: usize,
}

impl CounterfactualSim {
    pub fn new(options: &Options) -> Result<Self> {
        Ok(Self { methods: options.methods(&METHODS)? })
    }
}

impl Experiment for CounterfactualSim {
    type Unit = Unit;

    const NAME: &'static str = "counterfactual-sim";
    const TITLE: &'static str = "Counterfactuals where signal is known";
    const FIELDS: &'static [&'static str] = &["rows", "repetition"];

    fn units(&self, options: &Options) -> Result<Vec<Unit>> {
        let effort = options.effort();
        let rows = options.sizes(effort.pick(&[80], &[1000], &[2000]))[0];
        let repetitions = options.repetitions.unwrap_or(effort.pick(1, 2, 10));
        Ok((0..repetitions).map(|repetition| Unit { rows, repetition }).collect())
    }

    fn fields(&self, unit: &Unit) -> Vec<String> {
        vec![unit.rows.to_string(), unit.repetition.to_string()]
    }

    fn sets(&self, _: &Options) -> Result<Vec<&'static DataSet>> {
        Ok(Vec::new())
    }

    fn methods(&self, _: &Options) -> Result<Vec<Method>> {
        Ok(self.methods.clone())
    }

    fn run(&self, unit: &Unit, methods: &[Method], context: &Context) -> Result<Vec<Measurement>> {
        let draws = &mut context.draws(&self.fields(unit));
        let x = correlated_features(unit.rows, FEATURES, 0, 0.0, draws);
        let noise = normal(draws, unit.rows);
        let class = |row: usize| {
            let linear: f64 =
                SLOPES.iter().enumerate().map(|(k, slope)| slope * x.column(k)[row]).sum();
            u32::from(linear + NOISE * noise[row] > 0.0)
        };
        let part = |rows: Vec<usize>| Part {
            x: x.take_rows(&rows),
            answers: Answers::Classes(rows.iter().map(|&row| class(row)).collect()),
        };
        let half = unit.rows / 2;
        let split = standardise(part((0..half).collect()), part((half..unit.rows).collect()));
        let mut measured = Vec::new();
        for (method, differences) in mean_differences(&split, methods, context, draws)? {
            for (feature, value) in differences.into_iter().enumerate() {
                let measure = format!("difference_{}", feature + 1);
                measured.push(Measurement { method, measure, value });
            }
        }
        Ok(measured)
    }

    fn page(&self, records: &Records) -> Result<Page> {
        let names: Vec<(&str, &str)> = METHODS
            .iter()
            .map(|method| (method.name(), method.title()))
            .chain([(OBSERVED, "Observed data")])
            .filter(|(name, _)| records.all.iter().any(|record| record.method == *name))
            .collect();
        let mean = |method: &str, feature: usize| {
            let measure = format!("difference_{feature}");
            records.summary(|record| record.method == method && record.measure == measure)
        };
        let heading = ["method".to_owned()].into_iter();
        let mut table = Table::new(heading.chain((1..=FEATURES).map(|k| format!("x{k}"))));
        let mut series = Vec::new();
        for (name, title) in names {
            let summaries: Vec<_> = (1..=FEATURES).map(|k| mean(name, k)).collect();
            table.row([title.to_owned()].into_iter().chain(summaries.iter().map(|s| s.text(2))));
            let point = |(at, s): (usize, &crate::report::summary::Summary)| Point {
                x: at as f64 + 1.0,
                mean: s.mean,
                error: s.error,
            };
            series.push(Series {
                name: title.into(),
                points: summaries.iter().enumerate().map(point).collect(),
            });
        }
        let panel = Panel { title: "mean absolute difference".into(), series };
        let picture = chart(
            "How far counterfactuals are, feature by feature",
            "features 1 to 5 carry signal, from strong to weak; mean over repetitions, band of one standard error",
            "feature",
            vec![panel],
            1,
        )?;
        let text = format!(
            "Mean absolute difference, feature by feature, between a test row and its counterfactual. Features 1 to 5 carry signal, from the strongest to the weakest; a method should keep them closer than the rest. The paper shows a figure only, with that result for every method and the opposite for the observed data.\n\n{}",
            table.text()
        );
        Ok(Page { text, pictures: vec![("counterfactual-sim".into(), picture)] })
    }
}
