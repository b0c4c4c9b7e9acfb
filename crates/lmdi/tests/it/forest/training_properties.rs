//! What must hold for every trained forest and boosted ensemble, on random tables.

#![allow(clippy::unwrap_used)]

use lmdi::forest::train::{
    BoostingParams, Criterion, ForestParams, MaxFeatures, MaxSamples, SplitFinder, TrainingSet,
    train_boosting, train_forest,
};
use lmdi::forest::{Ensemble, Tree, oob_prediction};
use lmdi::monitor::Silent;
use lmdi::table::{Matrix, Response};
use proptest::prelude::*;

/// A small table with ties, missing cells and weights, some of them zero.
#[derive(Debug, Clone)]
struct Table {
    x: Matrix,
    y: Vec<f64>,
    codes: Vec<u32>,
    n_classes: usize,
    weights: Option<Vec<f64>>,
    names: Vec<String>,
    labels: Vec<String>,
}

impl Table {
    fn set(&self) -> TrainingSet<'_> {
        let numeric = self.n_classes == 0;
        TrainingSet {
            x: self.x.view(),
            y: if numeric {
                Response::Numeric(&self.y)
            } else {
                Response::Classes { codes: &self.codes, n_classes: self.n_classes }
            },
            weights: self.weights.as_deref(),
            feature_names: &self.names,
            labels: &self.labels,
        }
    }

    fn row(&self, row: usize) -> Vec<f64> {
        (0..self.x.cols()).map(|col| self.x.column(col)[row]).collect()
    }
}

fn cell() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => (-4i32..4).prop_map(f64::from),
        3 => -10.0..10.0f64,
        1 => Just(f64::NAN),
        1 => Just(-0.0),
    ]
}

fn table() -> impl Strategy<Value = Table> {
    (1usize..70, 1usize..5, prop_oneof![Just(0usize), Just(2), Just(4)], any::<bool>())
        .prop_flat_map(|(rows, cols, n_classes, weighted)| {
            (
                prop::collection::vec(cell(), rows * cols),
                prop::collection::vec((0u8..20).prop_map(|y| f64::from(y) / 4.0), rows),
                prop::collection::vec(0..n_classes.max(1) as u32, rows),
                prop::collection::vec((0u8..8).prop_map(|w| f64::from(w) / 2.0), rows),
            )
                .prop_map(move |(cells, y, codes, mut weights)| {
                    weights[0] = 1.0;
                    Table {
                        x: Matrix::from_column_major(cells, rows, cols).unwrap(),
                        y,
                        codes,
                        n_classes,
                        weights: weighted.then_some(weights),
                        names: (0..cols).map(|col| format!("x{col}")).collect(),
                        labels: (0..n_classes).map(|class| class.to_string()).collect(),
                    }
                })
        })
}

fn forest_params() -> impl Strategy<Value = ForestParams> {
    let shape = (
        prop::option::of(1usize..6),
        2usize..6,
        1usize..4,
        prop::option::of(2usize..12),
        prop_oneof![
            Just(MaxFeatures::All),
            Just(MaxFeatures::Sqrt),
            Just(MaxFeatures::Fraction(0.6))
        ],
    );
    let sampling =
        (any::<bool>(), prop::option::of(0.3..1.0f64), any::<bool>(), any::<bool>(), any::<u64>());
    (shape, sampling, any::<bool>()).prop_map(|(shape, sampling, second)| {
        let (max_depth, min_samples_split, min_samples_leaf, max_leaf_nodes, max_features) = shape;
        let (bootstrap, share, extra_trees, histogram, seed) = sampling;
        ForestParams::regression()
            .with_n_trees(4)
            .with_criterion(if second { Criterion::Entropy } else { Criterion::Gini })
            .with_max_depth(max_depth)
            .with_min_samples_split(min_samples_split)
            .with_min_samples_leaf(min_samples_leaf)
            .with_max_leaf_nodes(max_leaf_nodes)
            .with_max_features(max_features)
            .with_bootstrap(bootstrap)
            .with_max_samples(share.filter(|_| bootstrap).map(MaxSamples::Fraction))
            .with_extra_trees(extra_trees)
            .with_seed(seed)
            .with_split_finder(if histogram && !extra_trees {
                SplitFinder::Histogram
            } else {
                SplitFinder::Exact
            })
    })
}

/// Swaps the criterion for one that fits the response of the table.
fn fitting(table: &Table, params: &ForestParams) -> ForestParams {
    let criterion = match params.criterion {
        criterion if table.n_classes > 0 => criterion,
        Criterion::Entropy if table.y.iter().sum::<f64>() > 0.0 => Criterion::Poisson,
        _ => Criterion::SquaredError,
    };
    params.clone().with_criterion(criterion)
}

/// How many rows a row counts as, at most: its copies where weights are numbers of copies.
fn rows_of(tree: &Tree, table: &Table, row: usize, weight: f64) -> usize {
    match (&tree.in_bag, &table.weights) {
        (Some(_), Some(given)) if given.iter().all(|weight| weight.fract() == 0.0) => {
            weight.min(given[row]) as usize
        }
        _ => usize::from(weight > 0.0),
    }
}

/// In-bag weight of each row in a tree.
fn weights_in(tree: &Tree, table: &Table) -> Vec<f64> {
    (0..table.x.rows())
        .map(|row| match (&tree.in_bag, &table.weights) {
            (Some(in_bag), _) => f64::from(in_bag.count(row)),
            (None, Some(weights)) => weights[row],
            (None, None) => 1.0,
        })
        .collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0)
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn same_bytes(a: &Ensemble, b: &Ensemble) -> bool {
    serde_json::to_string(a).unwrap() == serde_json::to_string(b).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn nodes_hold_the_rows_that_reach_them(table in table(), params in forest_params()) {
        let params = fitting(&table, &params);
        let forest = train_forest(&table.set(), &params, &Silent).unwrap();
        forest.check().unwrap();
        let applied = forest.apply(&table.x.view(), &Silent).unwrap();
        for (index, tree) in forest.trees.iter().enumerate() {
            let weights = weights_in(tree, &table);
            let mut weight = vec![0.0; tree.n_nodes()];
            let mut n_rows = vec![0; tree.n_nodes()];
            let mut sums = vec![0.0; tree.n_nodes() * tree.n_values];
            let mut depth = vec![0; tree.n_nodes()];
            for row in 0..table.x.rows() {
                let path = forest.decision_path(index, &table.row(row));
                let leaf = *path.last().unwrap() as usize;
                prop_assert!(tree.is_leaf(leaf));
                prop_assert_eq!(applied[row * params.n_trees + index] as usize, leaf);
                for (level, &node) in path.iter().enumerate() {
                    let node = node as usize;
                    depth[node] = level;
                    weight[node] += weights[row];
                    n_rows[node] += rows_of(tree, &table, row, weights[row]);
                    if table.n_classes == 0 {
                        sums[node] += weights[row] * table.y[row];
                    } else {
                        sums[node * tree.n_values + table.codes[row] as usize] += weights[row];
                    }
                }
            }
            for node in 0..tree.n_nodes() {
                prop_assert!(close(weight[node], tree.weight[node]));
                for (sum, value) in sums[node * tree.n_values..].iter().zip(tree.value_of(node)) {
                    prop_assert!(close(sum / weight[node], *value), "{} {}", sum / weight[node], value);
                }
                prop_assert!(tree.impurity[node] >= -1e-12);
                prop_assert!(depth[node] <= params.max_depth.unwrap_or(usize::MAX));
                if tree.is_leaf(node) {
                    prop_assert!(n_rows[node] >= params.min_samples_leaf || tree.n_nodes() == 1);
                } else {
                    prop_assert!(n_rows[node] >= params.min_samples_split);
                    let (left, right) = (tree.left[node] as usize, tree.right[node] as usize);
                    prop_assert!(close(tree.weight[left] + tree.weight[right], tree.weight[node]));
                }
            }
            prop_assert!(tree.n_leaves() <= params.max_leaf_nodes.unwrap_or(usize::MAX));
        }
    }

    #[test]
    fn predictions_are_means_of_leaf_values(table in table(), params in forest_params()) {
        let forest = train_forest(&table.set(), &fitting(&table, &params), &Silent).unwrap();
        let predicted = forest.predict(&table.x.view(), &Silent).unwrap();
        let width = forest.n_predictions();
        for row in 0..table.x.rows() {
            let cells = table.row(row);
            for output in 0..width {
                let values = forest.trees.iter().map(|tree| tree.value_of(tree.leaf_of(&cells))[output]);
                let mean = values.sum::<f64>() / forest.trees.len() as f64;
                prop_assert_eq!(predicted[row * width + output], mean);
            }
        }
    }

    #[test]
    fn out_of_bag_means_unseen_trees(table in table(), params in forest_params()) {
        let params = fitting(&table, &params).with_bootstrap(true);
        let forest = train_forest(&table.set(), &params, &Silent).unwrap();
        let oob = oob_prediction(&forest, &table.x.view(), &Silent).unwrap();
        for row in 0..table.x.rows() {
            let cells = table.row(row);
            let unseen = forest.trees.iter().filter(|tree| tree.in_bag.as_ref().unwrap().count(row) == 0);
            let values: Vec<f64> = unseen.map(|tree| tree.value_of(tree.leaf_of(&cells))[0]).collect();
            prop_assert_eq!(oob.n_trees[row] as usize, values.len());
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let found = oob.prediction[row * forest.n_outputs];
            prop_assert!(found == mean || (found.is_nan() && values.is_empty()));
        }
    }

    #[test]
    fn threads_change_no_byte_of_a_forest(table in table(), params in forest_params()) {
        let params = fitting(&table, &params);
        let [one, four] = [1, 4].map(|threads| {
            with_threads(threads, || train_forest(&table.set(), &params, &Silent).unwrap())
        });
        prop_assert!(same_bytes(&one, &four));
    }

    #[test]
    fn boosted_trees_add_up(table in table(), histogram in any::<bool>(), subsample in 0.4..1.0f64, seed in any::<u64>()) {
        let params = BoostingParams::default().with_n_rounds(5).with_min_samples_leaf(2).with_subsample(subsample).with_seed(seed).with_split_finder(if histogram { SplitFinder::Histogram } else { SplitFinder::Exact });
        let model = train_boosting(&table.set(), &params, &Silent).unwrap();
        model.check().unwrap();
        let raw = model.predict_raw(&table.x.view(), &Silent).unwrap();
        for row in 0..table.x.rows() {
            let cells = table.row(row);
            for output in 0..model.n_outputs {
                let mut expected = 0.0;
                for (index, tree) in model.trees.iter().enumerate() {
                    if index % model.n_outputs == output {
                        expected += tree.value[tree.leaf_of(&cells)];
                    }
                }
                let expected = model.base_score[output] + 0.1 * expected;
                prop_assert!(close(raw[row * model.n_outputs + output], expected));
            }
        }
        for tree in &model.trees {
            let total: f64 = (0..table.x.rows())
                .filter(|&row| tree.in_bag.as_ref().is_none_or(|in_bag| in_bag.count(row) > 0))
                .map(|row| table.weights.as_ref().map_or(1.0, |weights| weights[row]))
                .sum();
            prop_assert!(close(tree.weight[0], total));
            for node in (0..tree.n_nodes()).filter(|&node| !tree.is_leaf(node)) {
                let (left, right) = (tree.left[node] as usize, tree.right[node] as usize);
                prop_assert!(close(tree.weight[left] + tree.weight[right], tree.weight[node]));
            }
        }
        let [one, four] = [1, 4].map(|threads| {
            with_threads(threads, || train_boosting(&table.set(), &params, &Silent).unwrap())
        });
        prop_assert!(same_bytes(&one, &four));
    }
}

proptest! {
    /// Doubling is exact, so that it changes no split and no value; it also means that rows are
    /// counted apart from curvatures, which without weights are the count.
    #[test]
    fn doubled_weights_boost_the_same_numbers(table in table(), min_samples_leaf in 1usize..6) {
        let plain = Table { n_classes: 0, weights: None, labels: Vec::new(), ..table };
        let doubled = Table { weights: Some(vec![2.0; plain.y.len()]), ..plain.clone() };
        let params = BoostingParams::default().with_n_rounds(5).with_min_samples_leaf(min_samples_leaf).with_split_finder(SplitFinder::Histogram);
        let [plain, doubled] = [&plain, &doubled].map(|table| {
            let model = train_boosting(&table.set(), &params, &Silent).unwrap();
            let trees: Vec<_> =
                model.trees.into_iter().map(|tree| (tree.feature, tree.threshold, tree.missing, tree.value)).collect();
            (model.base_score, trees)
        });
        prop_assert_eq!(plain, doubled);
    }
}

/// Nodes large enough to be filled by several threads, and rows enough for several blocks.
#[test]
fn threads_change_no_byte_of_a_large_table() {
    let (rows, cols) = (6000, 12);
    let mut random = lmdi::random::generator(7, 0);
    let mut draw = || lmdi::random::unit(&mut random);
    let cells: Vec<f64> =
        (0..rows * cols).map(|_| if draw() < 0.02 { f64::NAN } else { draw() }).collect();
    let y: Vec<f64> = (0..rows).map(|row| cells[row].max(0.3) * 3.0 + draw()).collect();
    let codes: Vec<u32> = y.iter().map(|&y| (y as u32).min(2)).collect();
    let x = Matrix::from_column_major(cells, rows, cols).unwrap();
    let names: Vec<String> = (0..cols).map(|col| format!("x{col}")).collect();
    let labels: Vec<String> = (0..3).map(|class| class.to_string()).collect();
    let regression = TrainingSet {
        x: x.view(),
        y: Response::Numeric(&y),
        weights: None,
        feature_names: &names,
        labels: &[],
    };
    let classes = TrainingSet {
        y: Response::Classes { codes: &codes, n_classes: 3 },
        labels: &labels,
        ..regression
    };
    for set in [regression, classes] {
        for split_finder in [SplitFinder::Exact, SplitFinder::Histogram] {
            let params = BoostingParams::default().with_n_rounds(4).with_split_finder(split_finder);
            let train = || {
                let model = train_boosting(&set, &params, &Silent).unwrap();
                let predicted = model.predict(&x.view(), &Silent).unwrap();
                (model, predicted)
            };
            let (one, predicted_one) = with_threads(1, train);
            let (four, predicted_four) = with_threads(4, train);
            assert!(same_bytes(&one, &four));
            assert_eq!(predicted_one, predicted_four);
        }
    }
    let forest = ForestParams::regression().with_n_trees(8);
    let [one, four] = [1, 4].map(|threads| {
        with_threads(threads, || train_forest(&regression, &forest, &Silent).unwrap())
    });
    assert!(same_bytes(&one, &four));
}

/// Over many trees a row is drawn as often as its weight says: within six standard deviations.
#[test]
fn bootstrap_samples_follow_the_weights() {
    const ROWS: usize = 20;
    const TREES: usize = 500;
    for weighted in [false, true] {
        let weights: Vec<f64> =
            (0..ROWS).map(|row| if weighted { (row % 4) as f64 } else { 1.0 }).collect();
        let table = Table {
            x: Matrix::from_column_major((0..ROWS).map(|row| row as f64).collect(), ROWS, 1)
                .unwrap(),
            y: (0..ROWS).map(|row| (row % 3) as f64).collect(),
            codes: Vec::new(),
            n_classes: 0,
            weights: weighted.then(|| weights.clone()),
            names: vec!["x".into()],
            labels: Vec::new(),
        };
        let params = ForestParams::regression().with_n_trees(TREES).with_max_depth(Some(1));
        let forest = train_forest(&table.set(), &params, &Silent).unwrap();
        let total: f64 = weights.iter().sum();
        for (row, weight) in weights.iter().enumerate() {
            let counts = forest.trees.iter().map(|tree| tree.in_bag.as_ref().unwrap().count(row));
            let drawn = f64::from(counts.sum::<u32>());
            // Weights are numbers of copies here, and as many copies are drawn as there are.
            let (draws, share) = (total * TREES as f64, weight / total);
            let deviation = (draws * share * (1.0 - share)).sqrt();
            assert!(
                (drawn - draws * share).abs() <= 6.0 * deviation,
                "row {row} of weight {weight}: drawn {drawn} times, expected {}",
                draws * share
            );
        }
    }
}
