//! Random ensembles with everything the tree arrays can hold: both comparisons and widths, every
//! missing rule, categorical splits, weights of zero, features that repeat on a path; and rows for
//! them.

use lmdi::forest::{
    Aggregation, CategorySet, Comparison, Ensemble, Growth, Link, Missing, NONE, Outcome,
    Precision, Tree,
};
use lmdi::random::{Generator, below, generator, unit};
use lmdi::table::Matrix;

/// What the trees give and how it becomes a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The mean of numbers.
    Numbers,
    /// The mean of shares of classes.
    Shares(usize),
    /// Log-odds, added up with a learning rate.
    Boosted,
    /// Classes, one tree per class and round.
    BoostedClasses(usize),
}

pub const KINDS: [Kind; 6] = [
    Kind::Numbers,
    Kind::Shares(2),
    Kind::Shares(3),
    Kind::Boosted,
    Kind::BoostedClasses(2),
    Kind::BoostedClasses(3),
];

/// Cells come from a few values, so that they often meet thresholds; some are missing.
pub fn cell(random: &mut Generator) -> f64 {
    match below(random, 10) {
        0 => f64::NAN,
        1 => 0.0,
        _ => below(random, 9) as f64 / 2.0 - 1.0,
    }
}

pub fn rows(seed: u64, n: usize, p: usize) -> Matrix {
    let mut random = generator(seed, 77);
    let cells = (0..n * p).map(|_| cell(&mut random)).collect();
    Matrix::from_column_major(cells, n, p).expect("a full matrix")
}

pub fn row(x: &Matrix, row: usize) -> Vec<f64> {
    (0..x.cols()).map(|col| x.column(col)[row]).collect()
}

/// A tree of up to `splits` splits.
pub fn tree(
    random: &mut Generator,
    p: usize,
    splits: usize,
    n_values: usize,
    shares: bool,
) -> Tree {
    let mut tree = Tree {
        feature: vec![],
        threshold: vec![],
        category_set: vec![],
        missing: vec![],
        left: vec![],
        right: vec![],
        value: vec![],
        n_values,
        weight: vec![],
        impurity: vec![],
        comparison: [Comparison::LessEqual, Comparison::Less][below(random, 2)],
        precision: [Precision::Single, Precision::Double][below(random, 2)],
        category_sets: vec![],
        in_bag: None,
    };
    push_leaf(random, &mut tree, shares);
    for _ in 0..splits {
        let leaves: Vec<usize> = (0..tree.n_nodes()).filter(|&node| tree.is_leaf(node)).collect();
        // Late leaves are deeper: the trees are long rather than balanced.
        let from = leaves.len().saturating_sub(3);
        let node = leaves[from + below(random, leaves.len() - from)];
        split(random, &mut tree, node, p, shares);
    }
    tree
}

fn push_leaf(random: &mut Generator, tree: &mut Tree, shares: bool) -> u32 {
    tree.feature.push(NONE);
    tree.threshold.push(0.0);
    tree.category_set.push(NONE);
    tree.missing.push(Missing::Left);
    tree.left.push(NONE);
    tree.right.push(NONE);
    let mut value: Vec<f64> = (0..tree.n_values).map(|_| unit(random)).collect();
    let sum: f64 = value.iter().sum();
    for value in &mut value {
        *value = if shares { *value / sum } else { 4.0 * *value - 2.0 };
    }
    tree.value.extend(value);
    tree.weight.push([0.0, 1.0, 2.0, 5.5, 11.0][below(random, 5)]);
    tree.impurity.push(f64::NAN);
    (tree.n_nodes() - 1) as u32
}

fn split(random: &mut Generator, tree: &mut Tree, node: usize, p: usize, shares: bool) {
    tree.feature[node] = below(random, p) as u32;
    tree.threshold[node] = below(random, 9) as f64 / 2.0 - 1.0;
    tree.missing[node] = match below(random, 8) {
        0 => Missing::ZeroLeft,
        1 => Missing::ZeroRight,
        2 => Missing::AsZero,
        3..=5 => Missing::Left,
        _ => Missing::Right,
    };
    if below(random, 4) == 0 {
        let known = (below(random, 2) == 0).then(|| vec![0b0111]);
        tree.category_set[node] = tree.category_sets.len() as u32;
        tree.category_sets.push(CategorySet {
            members: vec![below(random, 8) as u64],
            members_go_left: below(random, 2) == 0,
            known,
        });
    }
    tree.left[node] = push_leaf(random, tree, shares);
    tree.right[node] = push_leaf(random, tree, shares);
}

/// A small ensemble of a kind over `p` features.
pub fn ensemble(seed: u64, kind: Kind, p: usize) -> Ensemble {
    let mut random = generator(seed, 3);
    let labels = |n: usize| Outcome::Classes((0..n).map(|class| class.to_string()).collect());
    let n_trees = 1 + below(&mut random, 3);
    let (n_outputs, link, outcome) = match kind {
        Kind::Numbers => (1, Link::Identity, Outcome::Number),
        Kind::Shares(n) => (n, Link::Identity, labels(n)),
        Kind::Boosted => (1, Link::Logit, labels(2)),
        Kind::BoostedClasses(n) => (n, Link::Softmax, labels(n)),
    };
    let shares = matches!(kind, Kind::Shares(_));
    let one_value = matches!(kind, Kind::BoostedClasses(_));
    let n_trees = if one_value { n_outputs * n_trees } else { n_trees };
    let n_values = if one_value { 1 } else { n_outputs };
    let trees = (0..n_trees)
        .map(|_| {
            let splits = below(&mut random, 16);
            tree(&mut random, p, splits, n_values, shares)
        })
        .collect();
    let boosted = matches!(kind, Kind::Boosted | Kind::BoostedClasses(_));
    let ensemble = Ensemble {
        feature_names: (0..p).map(|feature| format!("x{feature}")).collect(),
        trees,
        output_of_tree: if one_value {
            (0..n_trees as u32).map(|t| t % n_outputs as u32).collect()
        } else {
            vec![]
        },
        n_outputs,
        aggregation: if boosted {
            Aggregation::Sum { learning_rate: 0.3 }
        } else {
            Aggregation::Mean
        },
        base_score: (0..n_outputs).map(|o| if boosted { 0.5 - o as f64 } else { 0.0 }).collect(),
        link,
        growth: Growth::Independent,
        outcome,
        class_weights: Default::default(),
    };
    ensemble.check().expect("a valid ensemble");
    ensemble
}
