//! Counterfactuals: equal to a search by the definition on random rows, restrictions kept, the
//! number of threads without effect.
#![allow(clippy::unwrap_used)]

use lmdi::explanation::{
    Columns, Counterfactual, CounterfactualOptions, Distance, ExplainedRows, Restriction, Space,
    counterfactuals,
};
use lmdi::importance::Scores;
use lmdi::monitor::Silent;
use lmdi::random::{Generator, below, generator, unit};
use lmdi::table::{Encoding, InputColumn, MatrixView, Part, Schema};
use proptest::prelude::*;

/// Three numbers with ties and missing cells, a truth value and a category of three levels.
fn columns() -> Columns {
    let mut schema = Schema::numeric(["a", "b", "c"]);
    schema.columns.push(InputColumn { name: "t".into(), encoding: Encoding::Truth });
    let parts = ["x", "y", "z"].map(|level| Part::Level(level.into())).to_vec();
    schema.columns.push(InputColumn { name: "level".into(), encoding: Encoding::OneHot(parts) });
    Columns::of_schema(&schema)
}

struct Rows {
    cells: Vec<f64>,
    scores: Scores,
    predictions: Vec<f64>,
}

impl Rows {
    fn draw(n: usize, classes: usize, draws: &mut Generator) -> Self {
        let mut cells = Vec::new();
        for _ in 0..n {
            for _ in 0..3 {
                let missing = below(draws, 10) == 0;
                cells.push(if missing { f64::NAN } else { below(draws, 4) as f64 });
            }
            cells.push(below(draws, 2) as f64);
            let level = below(draws, 4);
            cells.extend((0..3).map(|part| f64::from(u8::from(part == level))));
        }
        let outputs = if classes > 2 { classes } else { 1 };
        // Few different scores, so that distances tie.
        let values = (0..n * 5 * outputs).map(|_| below(draws, 5) as f64 - 2.0).collect();
        let scores = Scores { values, ..Scores::zero(n, 5, &vec![0.0; outputs]) };
        let predictions = (0..n * classes.max(1)).map(|_| unit(draws)).collect();
        Self { cells, scores, predictions }
    }

    fn explained(&self) -> ExplainedRows<'_> {
        ExplainedRows {
            x: MatrixView::from_rows(&self.cells, self.scores.n_rows, 7).unwrap(),
            scores: &self.scores,
            predictions: &self.predictions,
            truth: None,
            threshold: None,
        }
    }

    /// The cells of a row, the level as its code.
    fn row(&self, row: usize) -> [f64; 5] {
        let cells = &self.cells[row * 7..(row + 1) * 7];
        let code = cells[4..].iter().position(|&part| part == 1.0).map_or(f64::NAN, |at| at as f64);
        [cells[0], cells[1], cells[2], cells[3], code]
    }

    fn side(&self, row: usize, threshold: Option<f64>) -> usize {
        let width = self.predictions.len() / self.scores.n_rows;
        let shares = &self.predictions[row * width..(row + 1) * width];
        if let Some(threshold) = threshold {
            return usize::from(shares[0] >= threshold);
        }
        let mut best = 0;
        for class in 0..width {
            if shares[class] > shares[best] {
                best = class;
            }
        }
        best
    }
}

fn same(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

fn deviation(rows: &Rows, column: usize) -> f64 {
    let cells: Vec<f64> = (0..rows.scores.n_rows)
        .map(|row| rows.row(row)[column])
        .filter(|cell| !cell.is_nan())
        .collect();
    let n = cells.len().max(1) as f64;
    let mean = cells.iter().sum::<f64>() / n;
    let deviation = (cells.iter().map(|cell| (cell - mean).powi(2)).sum::<f64>() / n).sqrt();
    if deviation > 0.0 { deviation } else { 1.0 }
}

/// Sum of differences, or of their squares.
fn sum(
    queries: &Rows,
    query: usize,
    candidates: &Rows,
    row: usize,
    space: Space,
    distance: Distance,
) -> f64 {
    let differences: Vec<f64> = match space {
        Space::Scores => {
            let pairs = queries.scores.row(query).iter().zip(candidates.scores.row(row));
            pairs.map(|(a, b)| (a - b).abs()).collect()
        }
        Space::Features => (0..5)
            .map(|at| {
                let (a, b) = (queries.row(query)[at], candidates.row(row)[at]);
                match (a.is_nan(), b.is_nan()) {
                    (true, true) => 0.0,
                    (true, false) | (false, true) => 1.0,
                    _ if at == 4 => f64::from(u8::from(a != b)),
                    _ => (a - b).abs() / deviation(candidates, at),
                }
            })
            .collect(),
    };
    match distance {
        Distance::L1 => differences.iter().sum(),
        Distance::L2 => differences.iter().map(|d| d * d).sum(),
    }
}

fn allowed(restriction: Restriction, from: f64, to: f64) -> bool {
    match restriction {
        Restriction::Free => true,
        Restriction::Fixed => same(from, to),
        Restriction::OnlyUp => same(from, to) || to > from,
        Restriction::OnlyDown => same(from, to) || to < from,
    }
}

/// All candidates that fit, sorted: the definition, without any cleverness.
fn expected(
    queries: &Rows,
    query: usize,
    candidates: &Rows,
    options: &CounterfactualOptions,
) -> Vec<usize> {
    let own = queries.side(query, options.threshold);
    let mut fitting: Vec<(f64, usize)> = (0..candidates.scores.n_rows)
        .filter(|&row| {
            let side = candidates.side(row, options.threshold);
            side != own && options.wanted.is_none_or(|wanted| wanted == side)
        })
        .filter(|&row| {
            options.restrictions.iter().enumerate().all(|(at, &restriction)| {
                allowed(restriction, queries.row(query)[at], candidates.row(row)[at])
            })
        })
        .map(|row| (sum(queries, query, candidates, row, options.space, options.distance), row))
        .collect();
    fitting.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    fitting.into_iter().take(options.k).map(|(_, row)| row).collect()
}

fn options() -> impl Strategy<Value = CounterfactualOptions> {
    let space = prop_oneof![Just(Space::Scores), Just(Space::Features)];
    let distance = prop_oneof![Just(Distance::L1), Just(Distance::L2)];
    let any = prop_oneof![
        3 => Just(Restriction::Free),
        1 => Just(Restriction::Fixed),
        1 => Just(Restriction::OnlyUp),
        1 => Just(Restriction::OnlyDown),
    ];
    let of_level = prop_oneof![3 => Just(Restriction::Free), 1 => Just(Restriction::Fixed)];
    let restrictions = prop_oneof![
        Just(vec![]),
        (prop::collection::vec(any, 4), of_level).prop_map(|(mut all, last)| {
            all.push(last);
            all
        }),
    ];
    (1..7_usize, space, distance, prop::option::of(0..2_usize), restrictions).prop_map(
        |(k, space, distance, wanted, restrictions)| {
            CounterfactualOptions::default()
                .with_k(k)
                .with_space(space)
                .with_distance(distance)
                .with_threshold(None)
                .with_wanted(wanted)
                .with_restrictions(restrictions)
        },
    )
}

fn check_found(
    found: &[Counterfactual],
    queries: &Rows,
    query: usize,
    candidates: &Rows,
    options: &CounterfactualOptions,
) {
    let rows: Vec<usize> = found.iter().map(|one| one.row).collect();
    assert_eq!(rows, expected(queries, query, candidates, options));
    for one in found {
        for (space, given) in
            [(Space::Scores, one.score_distance), (Space::Features, one.feature_distance)]
        {
            let sum = sum(queries, query, candidates, one.row, space, options.distance);
            let distance = if options.distance == Distance::L2 { sum.sqrt() } else { sum };
            assert!((distance - given).abs() <= 1e-12 * (1.0 + distance), "{distance} {given}");
        }
        let (from, to) = (queries.row(query), candidates.row(one.row));
        for (at, &restriction) in options.restrictions.iter().enumerate() {
            assert!(allowed(restriction, from[at], to[at]), "{restriction:?} of column {at}");
        }
        let mut changed: Vec<usize> = one.changes.iter().map(|change| change.column).collect();
        changed.sort_unstable();
        let differing: Vec<usize> = (0..5).filter(|&at| !same(from[at], to[at])).collect();
        assert_eq!(changed, differing);
        assert!(one.changes.is_sorted_by(|a, b| a.size >= b.size));
        assert!(one.changes.iter().all(|change| change.score_change.abs() <= change.size));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_nearest_are_those_of_a_search_by_the_definition(
        seed in any::<u64>(), n in 1..60_usize, m in 1..12_usize, classes in 1..4_usize,
        options in options(),
    ) {
        let draws = &mut generator(seed, 0);
        let (queries, candidates) = (Rows::draw(m, classes, draws), Rows::draw(n, classes, draws));
        let threshold = (classes == 1).then(|| unit(draws));
        let options = options.with_threshold(threshold);
        let found =
            counterfactuals(&queries.explained(), &candidates.explained(), &columns(), &options, &Silent)
                .unwrap();
        for (query, found) in found.iter().enumerate() {
            check_found(found, &queries, query, &candidates, &options);
        }
    }
}

#[test]
fn threads_change_nothing() {
    let draws = &mut generator(3, 0);
    let rows = Rows::draw(300, 3, draws);
    let options = CounterfactualOptions::default().with_k(4);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let rows = rows.explained();
        pool.install(|| counterfactuals(&rows, &rows, &columns(), &options, &Silent).unwrap())
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn rows_without_scores_are_neither_asked_nor_found() {
    let draws = &mut generator(4, 0);
    let mut rows = Rows::draw(40, 2, draws);
    rows.scores.values[7 * 5] = f64::NAN;
    let options = CounterfactualOptions::default().with_k(40);
    let rows = rows.explained();
    let found = counterfactuals(&rows, &rows, &columns(), &options, &Silent).unwrap();
    assert!(found[7].is_empty());
    assert!(found.iter().flatten().all(|one| one.row != 7));
    assert!(found.iter().filter(|found| found.is_empty()).count() < 40);
}

#[test]
fn what_cannot_be_asked_is_said() {
    let draws = &mut generator(5, 0);
    let (numbers, classes) = (Rows::draw(9, 1, draws), Rows::draw(9, 2, draws));
    let default = CounterfactualOptions::default();
    let up = |at: usize| {
        let mut all = vec![Restriction::Free; 5];
        all[at] = Restriction::OnlyUp;
        all
    };
    for (rows, options, part) in [
        (&numbers, default.clone(), "`threshold` is not given"),
        (&classes, default.clone().with_threshold(Some(0.5)), "a class is predicted"),
        (&classes, default.clone().with_k(0), "`k` is 0"),
        (&classes, default.clone().with_wanted(Some(2)), "`wanted` is 2"),
        (&classes, default.clone().with_restrictions(up(4)), "categorical"),
        (
            &classes,
            default.clone().with_restrictions(vec![Restriction::Fixed]),
            "restrictions of columns",
        ),
    ] {
        let rows = rows.explained();
        let error = counterfactuals(&rows, &rows, &columns(), &options, &Silent).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}
