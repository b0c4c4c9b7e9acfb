//! The compiled router against the plain walk down the tree, on random trees of every kind.

#![allow(clippy::unwrap_used)]

use lmdi::forest::routing::Router;
use lmdi::forest::{
    Aggregation, CategorySet, Comparison, Ensemble, Growth, Link, Missing, NONE, Outcome,
    Precision, Tree,
};
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
        prop::collection::vec(split(plain), 0..24).prop_map(move |splits| {
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn compiled_trees_send_every_row_where_the_tree_does(
        mut trees in prop::collection::vec(tree(), 1..4),
        cells in prop::collection::vec(cell(), COLUMNS * 21),
        wide in prop::bool::weighted(0.1),
    ) {
        // Trees compile to a smaller form when their columns' numbers are small.
        let (apart, rows) = (if wide { 700 } else { 1 }, cells.len() / COLUMNS);
        let n_columns = (COLUMNS - 1) * apart + 1;
        let mut spread = vec![0.0; rows * n_columns];
        for (column, cells) in cells.chunks_exact(rows).enumerate() {
            spread[column * apart * rows..][..rows].copy_from_slice(cells);
        }
        for tree in &mut trees {
            tree.feature.iter_mut().filter(|at| **at != NONE).for_each(|at| *at *= apart as u32);
        }
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
        };
        ensemble.check().unwrap();
        let x = Matrix::from_column_major(spread, rows, n_columns).unwrap();
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
                let cells: Vec<f64> = (0..n_columns).map(|col| x.column(col)[row]).collect();
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
}
