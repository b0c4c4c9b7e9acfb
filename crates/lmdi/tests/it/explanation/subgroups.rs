//! Subgroups: k-means against scikit-learn (`testdata/k_means`), rules against the rows they are
//! stated for, the choice of the number of groups, descriptions by hand, threads without effect.
#![allow(clippy::unwrap_used)]

use lmdi::explanation::subgroup::description::ValueSummary;
use lmdi::explanation::subgroup::{
    GroupCount, KMeansOptions, NO_GROUP, SubgroupOptions, Subgroups, k_means, subgroups,
};
use lmdi::explanation::{Columns, ExplainedRows};
use lmdi::importance::Scores;
use lmdi::monitor::{Monitor, Silent};
use lmdi::random::{Generator, below, generator, unit};
use lmdi::table::{
    CellFormat, ColumnFormat, DateOrder, Encoding, InputColumn, MatrixView, Part, Response, Schema,
};
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct Reached {
    k: usize,
    restarts: usize,
    best: f64,
    median: f64,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    points: Vec<Vec<f64>>,
    results: Vec<Reached>,
}

/// Sums of squares may differ by rounding.
const TOLERANCE: f64 = 1e-9;

#[test]
fn sums_of_squares_are_no_worse_than_scikit_learns() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/k_means/inertia.json");
    let cases: Vec<Case> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let (mut worse_than_best, mut all) = (0, 0);
    for Case { name, points, results } in &cases {
        let width = points[0].len();
        let points = points.concat();
        for Reached { k, restarts, best, median } in results {
            let options = KMeansOptions::new(*k).with_restarts(*restarts);
            let found = k_means(&points, width, &options, &Silent).unwrap();
            assert!(found.converged);
            let of_labels = inertia(&points, width, &found.labels, *k);
            assert!((of_labels - found.inertia).abs() <= TOLERANCE * of_labels, "{name} {k}");
            assert!(
                found.inertia <= median * (1.0 + TOLERANCE),
                "{name} {k}: {} {median}",
                found.inertia
            );
            all += 1;
            worse_than_best += usize::from(found.inertia > best * (1.0 + TOLERANCE));
        }
    }
    // The best of five runs of scikit-learn has five times as many restarts; now and then it is
    // lucky.
    assert!(worse_than_best <= 2, "{worse_than_best} of {all}");
}

/// The sum of squares of a grouping, by its definition.
fn inertia(points: &[f64], width: usize, labels: &[u32], k: usize) -> f64 {
    let mut sum = 0.0;
    for group in 0..k as u32 {
        let members: Vec<&[f64]> = points
            .chunks(width)
            .zip(labels)
            .filter(|(_, label)| **label == group)
            .map(|(point, _)| point)
            .collect();
        for at in 0..width {
            let mean = members.iter().map(|point| point[at]).sum::<f64>() / members.len() as f64;
            sum += members.iter().map(|point| (point[at] - mean).powi(2)).sum::<f64>();
        }
    }
    sum
}

/// Rows around `n_groups` centres in score space that their cells give away, with noise columns.
struct Rows {
    cells: Vec<f64>,
    scores: Scores,
    predictions: Vec<f64>,
    truth: Vec<f64>,
    of_rows: Vec<usize>,
}

fn columns() -> Columns {
    Columns::of_schema(&schema())
}

fn schema() -> Schema {
    let mut schema = Schema::numeric(["size", "noise"]);
    let parts = ["north", "south"].map(|level| Part::Level(level.into())).to_vec();
    schema.columns.push(InputColumn { name: "side".into(), encoding: Encoding::OneHot(parts) });
    schema
}

impl Rows {
    /// Group 0: small; 1: large and north; 2: large and south. Group 0 has half of the rows.
    fn draw(n: usize, draws: &mut Generator) -> Self {
        let (mut cells, mut values, mut predictions, mut truth) = (vec![], vec![], vec![], vec![]);
        let mut of_rows = vec![];
        for row in 0..n {
            let group = [0, 1, 0, 2][row % 4];
            let is_north = if group == 0 { below(draws, 2) == 0 } else { group == 1 };
            let size = if group == 0 { 10.0 } else { 50.0 } + 20.0 * unit(draws);
            let noise = if below(draws, 9) == 0 { f64::NAN } else { unit(draws) };
            cells.extend([
                size,
                noise,
                f64::from(u8::from(is_north)),
                f64::from(u8::from(!is_north)),
            ]);
            let centre = [[-5.0, 0.0], [5.0, 4.0], [5.0, -4.0]][group];
            values.extend([centre[0] + unit(draws), 0.1 * unit(draws), centre[1] + unit(draws)]);
            predictions.push(centre[0] + centre[1]);
            truth.push(centre[0] + centre[1] + if row % 8 < 4 { 2.0 } else { -2.0 });
            of_rows.push(group);
        }
        let scores = Scores { values, ..Scores::zero(n, 3, &[0.0]) };
        Self { cells, scores, predictions, truth, of_rows }
    }

    fn explained(&self) -> ExplainedRows<'_> {
        ExplainedRows {
            x: MatrixView::from_rows(&self.cells, self.scores.n_rows, 4).unwrap(),
            scores: &self.scores,
            predictions: &self.predictions,
            truth: Some(Response::Numeric(&self.truth)),
            threshold: None,
        }
    }

    fn group(&self, options: &SubgroupOptions) -> Subgroups {
        subgroups(&self.explained(), &columns(), options, &Silent).unwrap()
    }
}

#[test]
fn groups_that_are_there_are_counted_found_and_described() {
    let rows = Rows::draw(400, &mut generator(1, 0));
    let found = rows.group(&SubgroupOptions::default());
    let choice = found.choice.as_ref().unwrap();
    assert!(choice.stable);
    assert_eq!((choice.k, found.groups.len()), (3, 3));
    // Groups are numbered by size, then by their first row.
    let expected: Vec<u32> = rows.of_rows.iter().map(|&group| group as u32).collect();
    assert_eq!(found.of_rows, expected);
    let [small, north, south] = &found.groups[..] else { panic!("three groups") };
    assert_eq!((small.size, north.size, south.size), (200, 100, 100));
    assert_eq!(small.mean_prediction, [-5.0]);
    assert!((small.error.unwrap() - 2.0).abs() < 1e-12);
    assert_eq!(small.rule.text(&columns()), "size <= 40");
    // The same numbers as days since 1970.
    let mut dated = schema();
    let format = CellFormat::Date(DateOrder::YearMonthDay);
    dated.reading.formats.push(ColumnFormat { name: "size".into(), format, missing: vec![] });
    assert_eq!(small.rule.text(&Columns::of_schema(&dated)), "size <= 1970-02-10");
    assert_eq!(north.traits[0].column, 0);
    assert_eq!(small.traits[0].value_effect, -1.0);
    assert!(matches!(
        north.traits[1].values,
        ValueSummary::Category { level: Some(_), share, .. } if share == 1.0 || share == 0.0
    ));
    let text = north.rule.text(&columns());
    assert!(text.starts_with("size > ") && text.ends_with("side is north"), "{text}");
    for group in &found.groups {
        assert_eq!((group.rule.accuracy, group.rule.precision, group.rule.recall), (1.0, 1.0, 1.0));
    }
}

#[test]
fn rules_find_their_rows_with_the_stated_accuracy() {
    let draws = &mut generator(2, 0);
    let mut rows = Rows::draw(300, draws);
    // Scores that cells do not give away.
    rows.scores.values.iter_mut().for_each(|score| *score += 6.0 * unit(draws));
    rows.scores.values[3] = f64::NAN;
    for k in [2, 4, 7] {
        let options = SubgroupOptions::default().with_count(GroupCount::Given(k));
        let found = rows.group(&options);
        assert_eq!(found.of_rows[1], NO_GROUP);
        let x = rows.explained().x;
        for (group, described) in found.groups.iter().enumerate() {
            let mut counts = [[0.0; 2]; 2];
            for (row, &of_row) in found.of_rows.iter().enumerate().filter(|(_, g)| **g != NO_GROUP)
            {
                let is_found = described.rule.finds(&x, row);
                counts[usize::from(is_found)][usize::from(of_row == group as u32)] += 1.0;
            }
            let rule = &described.rule;
            assert_eq!(rule.accuracy, (counts[0][0] + counts[1][1]) / 299.0);
            assert_eq!(rule.recall, counts[1][1] / (counts[0][1] + counts[1][1]));
            assert_eq!(rule.precision, counts[1][1] / (counts[1][0] + counts[1][1]));
            assert!(rule.accuracy > 0.5 && rule.alternatives.iter().all(|all| all.len() <= 3));
            // The definition of Cliff's delta, for the first column.
            let cells = |inside: bool| {
                let of_rows = found.of_rows.iter().enumerate();
                let wanted = of_rows
                    .filter(move |(_, g)| **g != NO_GROUP && (**g == group as u32) == inside);
                wanted.map(|(row, _)| x.get(row, 0)).collect::<Vec<f64>>()
            };
            let (inside, outside) = (cells(true), cells(false));
            let pairs = inside.iter().flat_map(|a| outside.iter().map(move |b| (a, b)));
            let signs: f64 = pairs.map(|(a, b)| f64::from(i8::from(a > b) - i8::from(a < b))).sum();
            let delta = signs / (inside.len() * outside.len()) as f64;
            let of_size = described.traits.iter().find(|one| one.column == 0).unwrap();
            assert!((of_size.value_effect - delta).abs() < 1e-12);
        }
    }
}

#[test]
fn a_cloud_without_groups_has_no_stable_number_of_them() {
    let draws = &mut generator(3, 0);
    let mut rows = Rows::draw(300, draws);
    rows.scores.values.iter_mut().for_each(|score| *score = unit(draws));
    let found = rows.group(&SubgroupOptions::default());
    let choice = found.choice.unwrap();
    assert!(!choice.stable, "{:?}", choice.candidates.iter().map(|c| c.alike).collect::<Vec<_>>());
}

#[test]
fn seeds_decide_and_threads_change_nothing() {
    let rows = Rows::draw(700, &mut generator(4, 0));
    let run = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = SubgroupOptions::default().with_seed(seed).with_pairs(5);
        pool.install(|| rows.group(&options))
    };
    assert_eq!(run(1, 0), run(3, 0));
    assert_ne!(run(1, 0).choice, run(1, 1).choice);
}

#[test]
fn few_different_rows_make_few_groups() {
    let mut rows = Rows::draw(40, &mut generator(5, 0));
    for (at, score) in rows.scores.values.iter_mut().enumerate() {
        *score = f64::from(u8::from(at / 3 < 10));
    }
    let options = SubgroupOptions::default().with_count(GroupCount::Given(6));
    let found = rows.group(&options);
    assert_eq!(found.groups.len(), 2);
    assert_eq!((found.groups[0].size, found.inertia), (30, 0.0));
    rows.scores.values.fill(1.0);
    let found = rows.group(&options);
    assert_eq!(
        (found.groups.len(), found.groups[0].rule.text(&columns()).as_str()),
        (1, "every row")
    );
}

struct Stop;

impl Monitor for Stop {
    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn work_can_be_stopped_and_bad_numbers_are_named() {
    let rows = Rows::draw(40, &mut generator(6, 0));
    let options = SubgroupOptions::default();
    let error = subgroups(&rows.explained(), &columns(), &options, &Stop).unwrap_err();
    assert_eq!(error, lmdi::Error::Interrupted);
    for (options, part) in [
        (options.with_count(GroupCount::Given(1)), "`groups` is 1"),
        (options.with_count(GroupCount::Given(41)), "at most 40"),
        (options.with_restarts(0), "`restarts` is 0"),
        (options.with_rule_depth(0), "`rule_depth` is 0"),
    ] {
        let error = subgroups(&rows.explained(), &columns(), &options, &Silent).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}
