//! The compiled router against the plain walk down the tree, on random trees of every kind: the
//! leaves it finds, the predictions, and the LMDI+ scores that are added up on the way.

#![allow(clippy::unwrap_used)]

use lmdi::forest::routing::Router;
use lmdi::forest::{
    Aggregation, CategorySet, Comparison, Ensemble, Growth, Link, Loss, Missing, NONE, Outcome,
    Precision, Tree,
};
use lmdi::importance::LmdiPlus;
use lmdi::importance::OutputScale;
use lmdi::importance::lmdi_plus::{RawTerm, ScoreOptions, TreeFit, TreeModel};
use lmdi::monitor::Silent;
use lmdi::table::Matrix;
use proptest::prelude::*;

const COLUMNS: usize = 3;

/// Cells and thresholds meet here, and in the neighbouring 32- and 64-bit numbers.
const POINTS: [f64; 8] = [0.0, -0.0, 0.1, 1.0, -1.5, 3.0e38, 1e-36, 1e-45];

fn near_point() -> impl Strategy<Value = f64> {
    (prop::sample::select(&POINTS[..]), 0u8..6).prop_map(|(point, shift)| match shift {
        0 => point.next_up(),
        1 => point.next_down(),
        2 => f64::from((point as f32).next_up()),
        3 => f64::from((point as f32).next_down()),
        4 => f64::from(point as f32),
        _ => point,
    })
}

fn cell() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => near_point(),
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(f64::NEG_INFINITY),
        1 => Just(1e300),
        2 => (-1i32..70).prop_map(f64::from),
    ]
}

fn threshold() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => near_point(),
        1 => Just(f64::INFINITY),
        1 => Just(f64::NEG_INFINITY),
        1 => Just(-1e300),
    ]
}

#[derive(Debug, Clone)]
struct Split {
    parent: prop::sample::Index,
    feature: u32,
    threshold: f64,
    missing: Missing,
    categories: Option<CategorySet>,
}

/// Splits of a tree; `plain` ones compile, the others have every rule there is.
fn split(plain: bool) -> impl Strategy<Value = Split> {
    let missing = if plain {
        prop::sample::select(&[Missing::Left, Missing::Right][..]).boxed()
    } else {
        use Missing::{AsZero, Left, Right, ZeroLeft, ZeroRight};
        prop::sample::select(&[Left, Right, ZeroLeft, ZeroRight, AsZero][..]).boxed()
    };
    let set = (any::<u64>(), any::<bool>(), prop::option::of(any::<u64>())).prop_map(
        |(members, members_go_left, known)| CategorySet {
            members: vec![members],
            members_go_left,
            known: known.map(|known| vec![known]),
        },
    );
    let categories = prop::option::of(set).prop_map(move |set| set.filter(|_| !plain));
    (any::<prop::sample::Index>(), 0..COLUMNS as u32, threshold(), missing, categories).prop_map(
        |(parent, feature, threshold, missing, categories)| Split {
            parent,
            feature,
            threshold,
            missing,
            categories,
        },
    )
}

fn tree() -> impl Strategy<Value = Tree> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_flat_map(|(plain, less, single)| {
        prop::collection::vec(split(plain), 0..48).prop_map(move |splits| {
            let n = 1 + 2 * splits.len();
            let mut tree = Tree {
                feature: vec![NONE; n],
                threshold: vec![0.0; n],
                category_set: vec![NONE; n],
                missing: vec![Missing::Left; n],
                left: vec![NONE; n],
                right: vec![NONE; n],
                value: (0..n).map(|node| node as f64).collect(),
                n_values: 1,
                weight: (0..n).map(|node| (node * 7 % 5) as f64).collect(),
                impurity: vec![f64::NAN; n],
                comparison: if less { Comparison::Less } else { Comparison::LessEqual },
                precision: if single { Precision::Single } else { Precision::Double },
                category_sets: Vec::new(),
                in_bag: None,
            };
            for (index, split) in splits.into_iter().enumerate() {
                // Any leaf made so far becomes the parent of the next two nodes.
                let leaves: Vec<usize> =
                    (0..1 + 2 * index).filter(|&at| tree.is_leaf(at)).collect();
                let node = *split.parent.get(&leaves);
                tree.feature[node] = split.feature;
                tree.threshold[node] = split.threshold;
                tree.missing[node] = split.missing;
                tree.left[node] = 1 + 2 * index as u32;
                tree.right[node] = 2 + 2 * index as u32;
                if let Some(set) = split.categories {
                    tree.category_set[node] = tree.category_sets.len() as u32;
                    tree.category_sets.push(set);
                }
            }
            tree
        })
    })
}

/// Seldom so many columns that trees take a larger form, or just about as many.
fn distance() -> impl Strategy<Value = usize> {
    let edge = 1024 / (COLUMNS - 1);
    prop_oneof![18 => Just(1), 1 => edge - 2..edge + 2, 1 => Just(700)]
}

/// Cells of [`COLUMNS`] columns as a matrix, in which the columns lie `apart`. Neighbours with
/// `long` repeat their rows until they fill more than one of the portions in which rows walk.
fn table(cells: &[f64], trees: &mut [Tree], apart: usize, long: bool) -> Matrix {
    let few = cells.len() / COLUMNS;
    let rows = if long && apart == 1 { 27 * few } else { few };
    // An even number where they lie apart: 1,024 is the first that takes the larger form.
    let n_columns = (COLUMNS - 1) * apart + if apart == 1 { 1 } else { 2 };
    let mut spread = vec![0.0; rows * n_columns];
    for (column, cells) in cells.chunks_exact(few).enumerate() {
        for (row, cell) in spread[column * apart * rows..][..rows].iter_mut().enumerate() {
            *cell = cells[(row + row / few) % few];
        }
    }
    for tree in trees {
        tree.feature.iter_mut().filter(|at| **at != NONE).for_each(|at| *at *= apart as u32);
    }
    Matrix::from_column_major(spread, rows, n_columns).unwrap()
}

fn ensemble_of(trees: Vec<Tree>, n_columns: usize) -> Ensemble {
    let ensemble = Ensemble {
        feature_names: (0..n_columns).map(|col| format!("x{col}")).collect(),
        trees,
        output_of_tree: Vec::new(),
        n_outputs: 1,
        aggregation: Aggregation::Sum { learning_rate: 1.0 },
        base_score: vec![0.0],
        link: Link::Identity,
        growth: Growth::Independent,
        outcome: Outcome::Number,
        class_weights: Default::default(),
    };
    ensemble.check().unwrap();
    ensemble
}

fn row_of(x: &Matrix, row: usize) -> Vec<f64> {
    (0..x.cols()).map(|col| x.column(col)[row]).collect()
}

/// A linear model of a tree with numbers that no order of additions leaves the same.
fn linear_model(
    tree: &Tree,
    index: usize,
    outputs: std::ops::Range<usize>,
    raw: bool,
) -> TreeModel {
    let k = outputs.len();
    let number = |at: usize| ((at * 37 + index * 11) % 101) as f64 / 7.0 - 6.0;
    // Every other tree has few steps that are not zero: rows need not walk below them.
    let step = |at: usize| if index % 2 == 1 && !at.is_multiple_of(7) { 0.0 } else { number(at) };
    let mut features: Vec<u32> =
        tree.feature.iter().copied().filter(|&feature| feature != NONE).collect();
    features.sort_unstable();
    features.dedup();
    let term = |feature: u32| RawTerm {
        feature,
        mean: number(feature as usize),
        slope: (0..k).map(|output| number(output + 3)).collect(),
    };
    TreeModel {
        first_output: outputs.start as u32,
        n_outputs: k as u32,
        intercept: vec![0.0; k],
        // What is given for the root must not count.
        step: (0..tree.n_nodes() * k).map(step).collect::<Vec<_>>().into(),
        raw: if raw { features.into_iter().map(term).collect() } else { Vec::new() },
        fits: vec![TreeFit { chosen: None, iterations: 0, gap: 0.0, converged: true }; k],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn compiled_trees_send_every_row_where_the_tree_does(
        mut trees in prop::collection::vec(tree(), 1..4),
        cells in prop::collection::vec(cell(), COLUMNS * 21),
        apart in distance(),
        long in prop::bool::weighted(0.1),
    ) {
        let x = table(&cells, &mut trees, apart, long);
        let rows = x.rows();
        let ensemble = ensemble_of(trees, x.cols());
        let router = Router::new(&ensemble);
        let mut block = router.block();
        block.read(&x.view(), 0..rows);
        let mut leaves = vec![0; rows];
        let applied = ensemble.apply(&x.view(), &Silent).unwrap();
        let predicted = ensemble.predict_raw(&x.view(), &Silent).unwrap();
        let mut sums = vec![0.0; rows];
        for (index, tree) in ensemble.trees.iter().enumerate() {
            router.leaves(index, &block, &mut leaves);
            for row in 0..rows {
                let cells = row_of(&x, row);
                let leaf = tree.leaf_of(&cells) as u32;
                prop_assert_eq!(leaves[row], leaf, "row {:?} of {:?}", cells, tree);
                prop_assert_eq!(applied[row * ensemble.trees.len() + index], leaf);
                let mut path = Vec::new();
                let end = router.walk(index, &block, row, |node, left| {
                    let child = if left { &tree.left } else { &tree.right };
                    path.push(node);
                    assert_eq!(tree.goes_left(node as usize, cells[tree.feature[node as usize] as usize]), left);
                    assert_ne!(child[node as usize], NONE);
                });
                path.push(end);
                prop_assert_eq!(path, ensemble.decision_path(index, &cells));
                sums[row] += tree.value[leaf as usize];
            }
        }
        prop_assert_eq!(predicted, sums);
    }
    /// Scores are the steps of a row's path, added tree by tree from the root down, then the raw
    /// terms: to the last bit, with any number of outputs.
    #[test]
    fn scores_are_the_steps_along_the_path_in_order(
        mut trees in prop::collection::vec(tree(), 1..4),
        cells in prop::collection::vec(cell().prop_filter("scored cells are finite", |x| !x.is_infinite()), COLUMNS * 21),
        apart in distance(),
        long in prop::bool::weighted(0.1),
        raw in any::<bool>(),
        k in 1usize..4,
    ) {
        let x = table(&cells, &mut trees, apart, long);
        let mut ensemble = ensemble_of(trees, x.cols());
        if k > 1 {
            ensemble.outcome = Outcome::Classes((0..k).map(|class| class.to_string()).collect());
            ensemble.link = Link::Softmax;
            ensemble.growth = Growth::SecondOrder(Loss::Multinomial);
            ensemble.n_outputs = k;
            ensemble.base_score = vec![0.0; k];
            ensemble.output_of_tree = vec![0; ensemble.trees.len()];
        }
        ensemble.check().unwrap();
        // Trees add to one output each, to some or to all.
        let models: Vec<TreeModel> = (0..ensemble.trees.len())
            .map(|tree| linear_model(&ensemble.trees[tree], tree, tree.min(k - 1)..k, raw))
            .collect();
        let fitted = LmdiPlus::new(&ensemble, OutputScale::Identity, models).unwrap();
        let scores = fitted.score(&x.view(), &ScoreOptions::default(), &Silent).unwrap();

        let width = x.cols() * k;
        let (mut centre, mut slope, mut offset) = (vec![f64::NAN; x.cols()], vec![0.0; width], vec![0.0; width]);
        for model in fitted.trees() {
            for term in &model.raw {
                let feature = term.feature as usize;
                if centre[feature].is_nan() {
                    centre[feature] = term.mean;
                }
                for (output, s) in term.slope.iter().enumerate() {
                    let at = feature * k + model.first_output as usize + output;
                    slope[at] += s;
                    offset[at] += s * (term.mean - centre[feature]);
                }
            }
        }
        for row in 0..x.rows() {
            let cells = row_of(&x, row);
            let mut expected = vec![0.0; width];
            for (index, (tree, model)) in ensemble.trees.iter().zip(fitted.trees()).enumerate() {
                for path in ensemble.decision_path(index, &cells).windows(2) {
                    let at = tree.feature[path[0] as usize] as usize * k + model.first_output as usize;
                    for output in 0..model.n_outputs as usize {
                        expected[at + output] += model.step.get(path[1] as usize * model.n_outputs as usize + output);
                    }
                }
            }
            for (at, expected) in expected.iter_mut().enumerate() {
                let cell = cells[at / k] - centre[at / k];
                if !cell.is_nan() {
                    *expected += slope[at] * cell - offset[at];
                }
            }
            prop_assert_eq!(&scores.values[row * width..(row + 1) * width], &expected[..], "row {}", row);
        }
    }
}
