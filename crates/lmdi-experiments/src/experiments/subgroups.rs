//! Subgroups (section 8): whether clusters of scores make a linear model's work easier.
//!
//! Half of Miami Housing trains a forest, the scores of the other half are clustered by k-means (k
//! = 2 to 10), and a linear regression of the sale price on the features is fitted in every
//! cluster. The paper does not say on which rows errors are measured; here they are measured on the
//! rows of the fit, and on others: each cluster's rows are dealt into halves, each of which is
//! predicted by the regression of the other, so that smaller clusters do not win by overfitting.
//! The same is done with all rows as one cluster ("global"). Measured is the ratio of the two mean
//! squared errors, and the number of clusters that comes back when rows are drawn anew (Ben-Hur and
//! others).

use super::unit::{FIELDS, Unit};
use crate::data::{Answers, DataSet, Part, catalogue::find, prepare};
use crate::ensemble::EnsembleKind;
use crate::least_squares::Linear;
use crate::methods::{Explained, Method};
use crate::report::figure::{chart, panel};
use crate::report::markdown::Table;
use crate::run::{Context, Experiment, Measurement, Options, Page, Records};
use anyhow::Result;
use lmdi::explanation::subgroup::{GroupCount, KMeansOptions, SubgroupOptions, k_means, subgroups};
use lmdi::explanation::{Columns, ExplainedRows};
use lmdi::importance::Scores;
use lmdi_io::interrupt::UntilInterrupted;
use rand::Rng;

use super::counterfactual::nearest::METHODS;

const SET: &str = "miami_housing";
const COUNTS: std::ops::RangeInclusive<usize> = 2..=10;

/// The rows that a group's regression is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MeasuredOn {
    /// Each half of the group by the regression of the other half.
    OtherHalf,
    /// The rows it was fitted to.
    SameRows,
}

impl MeasuredOn {
    const ALL: [Self; 2] = [Self::OtherHalf, Self::SameRows];

    /// The start of the measure's name; the number of groups follows.
    fn prefix(self) -> &'static str {
        match self {
            Self::OtherHalf => "relative_error_",
            Self::SameRows => "relative_error_same_rows_",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::OtherHalf => "measured on rows that the regression was not fitted to",
            Self::SameRows => "measured on the rows that the regression was fitted to",
        }
    }
}

/// The experiment.
pub struct Subgroups {
    methods: Vec<Method>,
}

impl Subgroups {
    pub fn new(options: &Options) -> Result<Self> {
        Ok(Self { methods: options.methods(&METHODS)? })
    }
}

impl Experiment for Subgroups {
    type Unit = Unit;

    const NAME: &'static str = "subgroups";
    const TITLE: &'static str = "Subgroups: linear models in clusters of scores";
    const FIELDS: &'static [&'static str] = FIELDS;

    fn units(&self, options: &Options) -> Result<Vec<Unit>> {
        let effort = options.effort();
        let sizes = options.sizes(effort.pick(&[80], &[1000], &[2000]));
        let repetitions = options.repetitions.unwrap_or(effort.pick(1, 2, 10));
        Ok(Unit::all(&self.sets(options)?, &sizes, repetitions))
    }

    fn fields(&self, unit: &Unit) -> Vec<String> {
        unit.fields()
    }

    fn sets(&self, _: &Options) -> Result<Vec<&'static DataSet>> {
        Ok(find(SET).into_iter().collect())
    }

    fn methods(&self, _: &Options) -> Result<Vec<Method>> {
        Ok(self.methods.clone())
    }

    fn run(&self, unit: &Unit, context: &Context) -> Result<Vec<Measurement>> {
        let draws = &mut context.draws(&unit.fields());
        let split = prepare(&context.load(unit.set)?.table, unit.n, 0.5, draws);
        let ensemble =
            EnsembleKind::Forest.train(&split.train, draws.next_u64(), &UntilInterrupted)?;
        let (lime_samples, seed) = (context.lime_samples, draws.next_u64());
        let explained = Explained { ensemble: &ensemble, train: &split.train, lime_samples, seed };
        let predictions = ensemble.predict(&split.test.view(), &UntilInterrupted)?;
        let one_group = vec![0; split.test.rows()];
        let global = MeasuredOn::ALL.map(|on| error(&split.test, &one_group, on));
        let mut measured = Vec::new();
        for &method in &self.methods {
            let scores = explained.scores(method, &split.test.view(), &UntilInterrupted)?;
            for k in COUNTS {
                let options = KMeansOptions { seed, ..KMeansOptions::new(k) };
                let groups = k_means(
                    &scores.values,
                    scores.n_features * scores.n_outputs,
                    &options,
                    &UntilInterrupted,
                )?;
                for (on, global) in MeasuredOn::ALL.into_iter().zip(global) {
                    let value = error(&split.test, &groups.labels, on) / global;
                    let measure = format!("{}{k}", on.prefix());
                    measured.push(Measurement { method: method.name(), measure, value });
                }
            }
            let value = stable_count(&split.test, &scores, &predictions, seed)?;
            measured.push(Measurement {
                method: method.name(),
                measure: "stable_count".into(),
                value,
            });
        }
        Ok(measured)
    }

    fn page(&self, records: &Records) -> Result<Page> {
        let mut text = String::from(
            "Mean squared error of linear regressions in clusters of scores, as a share of the error of one regression for all rows; smaller is better. The paper shows a figure only: LMDI+ lowest throughout, 40 % better than the global model, with an elbow at k = 4, which is also the number of clusters found stable there. It does not say on which rows errors are measured.\n\n",
        );
        let mut panels = Vec::new();
        for on in MeasuredOn::ALL {
            let heading = ["method".to_owned()].into_iter();
            let heading =
                heading.chain(COUNTS.map(|k| format!("k = {k}"))).chain(["stable k".into()]);
            let mut table = Table::new(heading);
            for method in records.methods_in(&METHODS) {
                let mean = |measure: String| {
                    records.summary(|r| r.method == method.name() && r.measure == measure)
                };
                let cells = COUNTS.map(|k| mean(format!("{}{k}", on.prefix())).text(2));
                let cells = cells.chain([mean("stable_count".into()).text(1)]);
                table.row([method.title().to_owned()].into_iter().chain(cells));
            }
            text.push_str(&format!("## Errors {}\n\n{}", on.title(), table.text()));
            let count = |measure: &str| measure.strip_prefix(on.prefix())?.parse::<f64>().ok();
            panels.push(panel(records, on.title(), &METHODS, |_| true, |r| count(&r.measure)));
        }
        let picture = chart(
            "Mean squared error of linear models in clusters, as a share of one for all rows",
            "Miami Housing; mean over repetitions, band of one standard error",
            "number of clusters",
            panels,
            1,
        )?;
        Ok(Page { text, pictures: vec![("subgroups".into(), picture)] })
    }
}

/// Mean squared error of linear regressions in groups. For [`MeasuredOn::OtherHalf`] the rows of
/// each group are dealt in turn to two halves.
fn error(part: &Part, labels: &[u32], on: MeasuredOn) -> f64 {
    let Answers::Numbers(y) = &part.answers else { return f64::NAN };
    let groups = labels.iter().max().map_or(0, |&last| last as usize + 1);
    let mut sum = 0.0;
    for group in 0..groups {
        let rows = (0..labels.len()).filter(|&row| labels[row] as usize == group);
        let mut halves = [Vec::new(), Vec::new()];
        rows.enumerate().for_each(|(at, row)| {
            halves[if on == MeasuredOn::OtherHalf { at % 2 } else { 0 }].push(row);
        });
        for (own, other) in [(0, 1), (1, 0)] {
            // All rows are in the first half, or the group has one row: predicted by itself.
            let fitted = if halves[other].is_empty() { &halves[own] } else { &halves[other] };
            if fitted.is_empty() {
                continue;
            }
            let linear = Linear::fit(&part.x, y, fitted);
            for &row in &halves[own] {
                let residual = y[row] - linear.predict(&part.x, row);
                sum += residual * residual;
            }
        }
    }
    sum / labels.len() as f64
}

/// How many groups come back when rows are drawn anew.
fn stable_count(part: &Part, scores: &Scores, predictions: &[f64], seed: u64) -> Result<f64> {
    let rows = ExplainedRows { x: part.view(), scores, predictions, truth: None, threshold: None };
    let columns = Columns::numeric((0..part.x.cols()).map(|col| format!("x{col}")));
    let count = GroupCount::Stable(*COUNTS.end());
    let options = SubgroupOptions::default().with_count(count).with_rule_depth(1).with_seed(seed);
    let found = subgroups(&rows, &columns, &options, &UntilInterrupted)?;
    Ok(found.choice.map_or(f64::NAN, |choice| choice.k as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lmdi::table::Matrix;

    #[test]
    fn groups_with_their_own_lines_have_no_error() {
        let n = 24;
        let x: Vec<f64> = (0..n).map(|row| (row * 7 % 24) as f64).collect();
        let labels: Vec<u32> = x.iter().map(|&x| u32::from(x > 11.5)).collect();
        let y = x.iter().map(|&x| if x > 11.5 { 100.0 - 3.0 * x } else { 2.0 * x }).collect();
        let part = Part {
            x: Matrix::from_column_major(x, n, 1).expect("a matrix"),
            answers: Answers::Numbers(y),
        };
        for on in MeasuredOn::ALL {
            assert!(error(&part, &labels, on) < 1e-18);
            assert!(error(&part, &vec![0; n], on) > 1.0);
        }
        // A line is never nearer to rows that it was not fitted to.
        let [other, same] = MeasuredOn::ALL.map(|on| error(&part, &vec![0; n], on));
        assert!(same < other);
    }
}
