//! Subgroups (section 8): whether clusters of scores make a linear model's work easier.
//!
//! Half of Miami Housing trains a forest, the scores of the other half are clustered by k-means (k
//! = 2 to 10), and a linear regression of the sale price on the features is fitted in every
//! cluster. The paper does not say on which rows errors are measured; here they are measured on the
//! rows of the fit, and on others: each cluster's rows are dealt into halves, each of which is
//! predicted by the regression of the other, so that smaller clusters do not win by overfitting.
//! In the authors' code, all rows are used and the halves are drawn at random, 100 times. The same is
//! done with all rows as one cluster ("global"). Measured is the ratio of the two mean
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
use lmdi::random::{Generator, below, generator};
use lmdi_io::interrupt::UntilInterrupted;
use rand::Rng;

use super::counterfactual::nearest::METHODS;

const SET: &str = "miami_housing";
/// Random halves of a cluster in the authors' code.
const HALVINGS: usize = 100;
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
        let all_rows = options.protocol.pick(2000, usize::MAX);
        let sizes = options.sizes(&[effort.pick(80, 1000, all_rows)]);
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

    fn run(&self, unit: &Unit, methods: &[Method], context: &Context) -> Result<Vec<Measurement>> {
        let draws = &mut context.draws(&unit.fields());
        let split = prepare(&context.load(unit.set)?.table, unit.n, 0.5, draws);
        let ensemble =
            EnsembleKind::Forest.train(&split.train, draws.next_u64(), &UntilInterrupted)?;
        let seed = draws.next_u64();
        let explained = Explained::new(&ensemble, &split.train, context, seed);
        let predictions = ensemble.predict(&split.test.view(), &UntilInterrupted)?;
        let one_group = vec![0; split.test.rows()];
        let halvings = context.protocol.pick(None, Some(HALVINGS));
        let error = |labels: &[u32], on: MeasuredOn| {
            // The same draws for all, so that methods differ by their groups only.
            let random = halvings.map(|times| (times, generator(seed, 1)));
            error(&split.test, labels, on, random)
        };
        let global = MeasuredOn::ALL.map(|on| error(&one_group, on));
        let mut measured = Vec::new();
        for &method in methods {
            let scores = explained.scores(method, &split.test.view(), &UntilInterrupted)?;
            for k in COUNTS {
                let options = KMeansOptions::new(k).with_seed(seed);
                let groups = k_means(
                    &scores.values,
                    scores.n_features * scores.n_outputs,
                    &options,
                    &UntilInterrupted,
                )?;
                for (on, global) in MeasuredOn::ALL.into_iter().zip(global) {
                    let value = error(&groups.labels, on) / global;
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
/// each group are dealt in turn to two halves or, with draws, to random halves that many times.
fn error(
    part: &Part,
    labels: &[u32],
    on: MeasuredOn,
    mut random: Option<(usize, Generator)>,
) -> f64 {
    let Answers::Numbers(y) = &part.answers else { return f64::NAN };
    let groups = labels.iter().max().map_or(0, |&last| last as usize + 1);
    let mut sum = 0.0;
    for group in 0..groups {
        let mut rows: Vec<usize> =
            (0..labels.len()).filter(|&row| labels[row] as usize == group).collect();
        sum += match (on, &mut random) {
            (MeasuredOn::SameRows, _) => squares(part, y, &rows, &rows),
            (MeasuredOn::OtherHalf, None) => {
                let half = |which: usize| rows.iter().skip(which).step_by(2).copied().collect();
                let halves: [Vec<usize>; 2] = [half(0), half(1)];
                squares(part, y, &halves[1], &halves[0]) + squares(part, y, &halves[0], &halves[1])
            }
            (MeasuredOn::OtherHalf, Some((times, draws))) => {
                let mut of_group = 0.0;
                for _ in 0..*times {
                    for at in 1..rows.len() {
                        rows.swap(at, below(draws, at + 1));
                    }
                    let (fitted, measured) = rows.split_at(rows.len() / 2);
                    let rows_per_measured = rows.len() as f64 / measured.len().max(1) as f64;
                    of_group += squares(part, y, fitted, measured) * rows_per_measured;
                }
                of_group / *times as f64
            }
        };
    }
    sum / labels.len() as f64
}

/// Sum of squared errors on some rows of a regression fitted to others; a single row of a group is
/// predicted by itself.
fn squares(part: &Part, y: &[f64], fitted: &[usize], measured: &[usize]) -> f64 {
    let fitted = if fitted.is_empty() { measured } else { fitted };
    if fitted.is_empty() {
        return 0.0;
    }
    let linear = Linear::fit(&part.x, y, fitted);
    measured.iter().map(|&row| (y[row] - linear.predict(&part.x, row)).powi(2)).sum()
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
            for random in [None, Some((5, generator(1, 0)))] {
                assert!(error(&part, &labels, on, random.clone()) < 1e-18);
                assert!(error(&part, &vec![0; n], on, random) > 1.0);
            }
        }
        // A line is never nearer to rows that it was not fitted to.
        let [other, same] = MeasuredOn::ALL.map(|on| error(&part, &vec![0; n], on, None));
        assert!(same < other);
    }
}
