//! What bootstrap samples owe to weights: copies of rows, chances, and rows that stay out of bag.

#![allow(clippy::unwrap_used)]

use lmdi::forest::train::{
    Criterion, ForestParams, MaxFeatures, MaxSamples, SplitFinder, TrainingSet, train_forest,
};
use lmdi::forest::{Ensemble, Tree};
use lmdi::monitor::Silent;
use lmdi::random::{below, generator};
use lmdi::table::{Matrix, Response};
use proptest::prelude::*;

/// Rows with ties, missing cells and a response, some of them equal.
#[derive(Debug, Clone)]
struct Table {
    rows: Vec<Row>,
    n_classes: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Row {
    cells: Vec<f64>,
    y: f64,
    class: u32,
    weight: f64,
}

impl Table {
    fn forest(&self, params: &ForestParams, weighted: bool) -> Ensemble {
        let (rows, cols) = (self.rows.len(), self.rows[0].cells.len());
        let cells = (0..cols).flat_map(|col| self.rows.iter().map(move |row| row.cells[col]));
        let x = Matrix::from_column_major(cells.collect(), rows, cols).unwrap();
        let y: Vec<f64> = self.rows.iter().map(|row| row.y).collect();
        let codes: Vec<u32> = self.rows.iter().map(|row| row.class).collect();
        let weights: Vec<f64> = self.rows.iter().map(|row| row.weight).collect();
        let names: Vec<String> = (0..cols).map(|col| format!("x{col}")).collect();
        let labels: Vec<String> = (0..self.n_classes).map(|class| class.to_string()).collect();
        let set = TrainingSet {
            x: x.view(),
            y: match self.n_classes {
                0 => Response::Numeric(&y),
                n_classes => Response::Classes { codes: &codes, n_classes },
            },
            weights: weighted.then_some(&weights),
            feature_names: &names,
            labels: &labels,
        };
        train_forest(&set, params, &Silent).unwrap()
    }

    fn shuffled(&self, seed: u64) -> Self {
        let mut random = generator(seed, 0);
        let mut rows = self.rows.clone();
        (1..rows.len()).for_each(|at| rows.swap(at, below(&mut random, at + 1)));
        Self { rows, ..self.clone() }
    }

    /// Each row as often as its weight says.
    fn repeated(&self) -> Self {
        let copies = |row: &Row| std::iter::repeat_n(row.clone(), row.weight as usize);
        Self { rows: self.rows.iter().flat_map(copies).collect(), ..self.clone() }
    }

    fn weighing(mut self, weight: impl Fn(usize) -> f64) -> Self {
        self.rows.iter_mut().enumerate().for_each(|(at, row)| row.weight = weight(at));
        self
    }
}

fn cell() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (0i32..3).prop_map(f64::from),
        2 => (0i32..60).prop_map(|x| f64::from(x) / 7.0),
        1 => Just(f64::NAN),
    ]
}

/// A table whose weights are whole numbers up to four.
fn table() -> impl Strategy<Value = Table> {
    (1usize..40, 1usize..5, prop_oneof![Just(0usize), Just(2), Just(3)]).prop_flat_map(
        |(rows, cols, n_classes)| {
            let row = (
                prop::collection::vec(cell(), cols),
                (0u8..30).prop_map(|y| f64::from(y) / 3.0),
                0..n_classes.max(1) as u32,
                (0u8..5).prop_map(f64::from),
            );
            let row = row.prop_map(|(cells, y, class, weight)| Row { cells, y, class, weight });
            prop::collection::vec(row, rows).prop_map(move |mut rows| {
                rows[0].weight = 2.0;
                Table { rows, n_classes }
            })
        },
    )
}

fn params() -> impl Strategy<Value = ForestParams> {
    let draws = prop_oneof![
        2 => Just(None),
        1 => (0.2..1.0f64).prop_map(|share| Some(MaxSamples::Fraction(share))),
        1 => (1usize..50).prop_map(|count| Some(MaxSamples::Count(count))),
    ];
    let shape = (1usize..4, prop::option::of(2usize..8), any::<bool>());
    (draws, shape, any::<bool>(), any::<bool>(), any::<bool>(), any::<u64>()).prop_map(
        |(max_samples, shape, extra_trees, second, some_columns, seed)| {
            let (min_samples_leaf, max_leaf_nodes, histogram) = shape;
            let finder =
                if histogram && !extra_trees { SplitFinder::Histogram } else { SplitFinder::Exact };
            ForestParams::regression()
                .with_n_trees(3)
                .with_min_samples_leaf(min_samples_leaf)
                .with_max_leaf_nodes(max_leaf_nodes)
                .with_split_finder(finder)
                .with_criterion(if second { Criterion::Entropy } else { Criterion::Gini })
                .with_max_features(if some_columns { MaxFeatures::Sqrt } else { MaxFeatures::All })
                .with_bootstrap(true)
                .with_max_samples(max_samples)
                .with_extra_trees(extra_trees)
                .with_seed(seed)
        },
    )
}

/// Swaps the criterion for one that fits the response of the table.
fn fitting(table: &Table, params: &ForestParams) -> ForestParams {
    let counted = table.rows.iter().filter(|row| row.weight > 0.0);
    let criterion = match params.criterion {
        criterion if table.n_classes > 0 => criterion,
        Criterion::Entropy if counted.map(|row| row.y).sum::<f64>() > 0.0 => Criterion::Poisson,
        _ => Criterion::SquaredError,
    };
    params.clone().with_criterion(criterion)
}

/// The trees to the bit, without the rows that they drew.
fn trees_of(mut forest: Ensemble) -> String {
    forest.trees.iter_mut().for_each(|tree| tree.in_bag = None);
    serde_json::to_string(&forest).unwrap()
}

fn draws_of(tree: &Tree) -> Vec<u32> {
    let in_bag = tree.in_bag.as_ref().unwrap();
    (0..in_bag.len()).map(|row| in_bag.count(row)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whole weights are numbers of rows, whatever the order of either table.
    #[test]
    fn a_weight_is_so_many_rows(table in table(), params in params(), seed in any::<u64>()) {
        let params = fitting(&table, &params);
        let weighted = table.shuffled(seed).forest(&params, true);
        let repeated = table.repeated().shuffled(seed ^ 1).forest(&params, false);
        // Copies of a row share its draws.
        let draws = |forest: &Ensemble| -> Vec<u32> {
            forest.trees.iter().map(|tree| draws_of(tree).iter().sum()).collect()
        };
        prop_assert_eq!(draws(&weighted), draws(&repeated));
        let weighted = trees_of(weighted);
        prop_assert_eq!(&weighted, &trees_of(repeated));
        prop_assert_eq!(&weighted, &trees_of(table.forest(&params, true)));
    }

    /// Without weights too, the order of a table with equal rows is of no account.
    #[test]
    fn equal_rows_may_lie_anywhere(table in table(), params in params(), seed in any::<u64>()) {
        let params = fitting(&table.clone().weighing(|_| 1.0), &params);
        let mut doubled = table;
        doubled.rows.push(doubled.rows[0].clone());
        let shuffled = doubled.shuffled(seed).forest(&params, false);
        prop_assert_eq!(trees_of(doubled.forest(&params, false)), trees_of(shuffled));
    }

    /// Rows of weight zero are as if they were not there, with weights of any kind.
    #[test]
    fn weight_zero_is_no_row(
        table in table(), params in params(), factor in prop_oneof![Just(1.0), Just(0.3), Just(1e6)]
    ) {
        let params = fitting(&table, &params);
        let mut table = table;
        table.rows.iter_mut().for_each(|row| row.weight *= factor);
        let mut kept = table.clone();
        kept.rows.retain(|row| row.weight > 0.0);
        prop_assert_eq!(trees_of(table.forest(&params, true)), trees_of(kept.forest(&params, true)));
    }
}

/// 200 rows, each another one.
fn distinct() -> Table {
    let row = |at: usize| Row {
        cells: vec![at as f64, (at * 37 % 101) as f64],
        y: (at % 7) as f64,
        class: 0,
        weight: 1.0,
    };
    Table { rows: (0..200).map(row).collect(), n_classes: 0 }
}

/// Rows that differ and weigh the same are drawn by their place in the table, as often as there are
/// rows.
#[test]
fn distinct_rows_are_drawn_in_the_order_of_the_table() {
    let params = ForestParams::regression().with_n_trees(3).with_seed(11);
    let mut expected = Vec::new();
    for tree in 0..3 {
        let mut random = generator(11, tree);
        let mut counts = vec![0; 200];
        (0..200).for_each(|_| counts[below(&mut random, 200)] += 1);
        expected.push(counts);
    }
    for weight in [None, Some(1.0), Some(0.3), Some(5.0), Some(1e9)] {
        let table = distinct().weighing(|_| weight.unwrap_or(1.0));
        let forest = table.forest(&params, weight.is_some());
        let found: Vec<_> = forest.trees.iter().map(draws_of).collect();
        assert_eq!(found, expected, "{weight:?}");
    }
}

/// The number of draws is that of the copies where weights are small whole numbers, else that of the
/// rows with a weight; rows stay out of bag.
#[test]
fn draws_are_as_many_as_makes_sense() {
    let survey = |at: usize| (50_000 + 1_237 * at) as f64;
    type Weights<'a> = &'a dyn Fn(usize) -> f64;
    let cases: [(&str, Weights, u32); 8] = [
        ("counts", &|at| (at % 4) as f64, 300),
        ("all two", &|_| 2.0, 400),
        ("four on average", &|at| if at % 2 == 0 { 3.0 } else { 5.0 }, 800),
        ("more than four", &|at| if at == 0 { 5.0 } else { 4.0 }, 200),
        ("survey", &survey, 200),
        ("shares of one", &|at| survey(at) / 1e8, 200),
        ("a mask", &|at| f64::from(u8::from(at < 20)), 20),
        ("fractions, some zero", &|at| (at % 4) as f64 / 3.0, 150),
    ];
    for (what, weight, expected) in cases {
        let table = distinct().weighing(weight);
        let share = Some(MaxSamples::Fraction(0.5));
        for (max_samples, expected) in [(None, expected), (share, expected / 2)] {
            let params = ForestParams::regression().with_n_trees(20).with_max_samples(max_samples);
            let forest = table.forest(&params, true);
            let mut left_out = 0;
            for tree in &forest.trees {
                let draws = draws_of(tree);
                assert_eq!(draws.iter().sum::<u32>(), expected, "{what}");
                let counts = |row: usize| table.rows[row].weight > 0.0;
                left_out += (0..200).filter(|&row| draws[row] == 0 && counts(row)).count();
            }
            assert!(left_out > 40, "{what}: {left_out} rows out of bag in 20 trees");
        }
    }
}
