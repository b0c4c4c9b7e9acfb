//! Trees of 40 levels and more: scores add up, and agree with each leaf's game worked out on its
//! own.

use super::random_trees::tree as random_tree;
use lmdi::forest::{
    Aggregation, Comparison, Ensemble, Growth, Link, Missing, NONE, Outcome, Precision, Tree,
};
use lmdi::importance::tree_shap::{InterventionalTreeShap, TreeShap};
use lmdi::monitor::Silent;
use lmdi::random::{Generator, below, generator, unit};
use lmdi::table::Matrix;

/// A chain of `levels` splits, each with a leaf on one side, over `p` features in turn.
fn chain(random: &mut Generator, levels: usize, p: usize) -> Tree {
    let mut tree = Tree {
        comparison: Comparison::LessEqual,
        precision: Precision::Double,
        ..random_tree(random, p, 0, 1, false)
    };
    tree.weight[0] = 1e6;
    let mut node = 0;
    for level in 0..levels {
        tree.feature[node] = ((level * 7) % p) as u32;
        tree.threshold[node] = unit(random);
        tree.missing[node] = [Missing::Left, Missing::Right][below(random, 2)];
        let share = 0.05 + 0.9 * unit(random);
        let weights = [tree.weight[node] * share, tree.weight[node] * (1.0 - share)];
        for weight in weights {
            tree.feature.push(NONE);
            tree.threshold.push(0.0);
            tree.category_set.push(NONE);
            tree.missing.push(Missing::Left);
            tree.left.push(NONE);
            tree.right.push(NONE);
            tree.value.push(20.0 * unit(random) - 10.0);
            tree.weight.push(weight);
            tree.impurity.push(f64::NAN);
        }
        let n = tree.n_nodes() as u32;
        (tree.left[node], tree.right[node]) = (n - 2, n - 1);
        node = n as usize - 1 - below(random, 2);
    }
    tree
}

fn forest(seed: u64, levels: usize, p: usize) -> Ensemble {
    let mut random = generator(seed, 0);
    let ensemble = Ensemble {
        feature_names: (0..p).map(|feature| feature.to_string()).collect(),
        trees: (0..4).map(|_| chain(&mut random, levels, p)).collect(),
        output_of_tree: vec![],
        n_outputs: 1,
        aggregation: Aggregation::Mean,
        base_score: vec![0.0],
        link: Link::Identity,
        growth: Growth::Independent,
        outcome: Outcome::Number,
        class_weights: Default::default(),
    };
    ensemble.check().expect("a valid ensemble");
    ensemble
}

fn uniform_rows(seed: u64, n: usize, p: usize) -> Matrix {
    let mut random = generator(seed, 1);
    let cells = (0..n * p).map(|_| unit(&mut random)).collect();
    Matrix::from_column_major(cells, n, p).expect("a full matrix")
}

/// Scores of one tree from the games of its leaves: with the other factors as a polynomial in the
/// number of known features, each power has its weight. All terms of a sum have one sign.
fn leaf_by_leaf(tree: &Tree, row: &[f64], p: usize) -> Vec<f64> {
    let mut scores = vec![0.0; p];
    let mut waiting = vec![(0_usize, Vec::<(usize, f64, f64)>::new())];
    while let Some((node, path)) = waiting.pop() {
        if !tree.is_leaf(node) {
            let feature = tree.feature[node] as usize;
            let left = tree.goes_left(node, row[feature]);
            let total =
                tree.weight[tree.left[node] as usize] + tree.weight[tree.right[node] as usize];
            for (child, goes) in [(tree.left[node], left), (tree.right[node], !left)] {
                let mut path = path.clone();
                let at = path.iter().position(|entry| entry.0 == feature).unwrap_or_else(|| {
                    path.push((feature, 1.0, 1.0));
                    path.len() - 1
                });
                path[at].1 *= tree.weight[child as usize] / total;
                path[at].2 *= f64::from(u8::from(goes));
                waiting.push((child as usize, path));
            }
            continue;
        }
        for (at, &(feature, share, follows)) in path.iter().enumerate() {
            let mut powers = vec![1.0];
            for (_, share, follows) in
                path.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, entry)| *entry)
            {
                let mut next = vec![0.0; powers.len() + 1];
                for (power, value) in powers.iter().enumerate() {
                    next[power] += value * share;
                    next[power + 1] += value * follows;
                }
                powers = next;
            }
            let n = powers.len() - 1;
            let mut sets = 1.0;
            let mut sum = 0.0;
            for (power, value) in powers.iter().enumerate() {
                sum += value / (sets * (n + 1) as f64);
                sets *= (n - power) as f64 / (power + 1) as f64;
            }
            scores[feature] += tree.value_of(node)[0] * (follows - share) * sum;
        }
    }
    scores
}

#[test]
fn deep_trees_agree_with_the_games_of_their_leaves_and_add_up() {
    for (levels, p) in [(40, 40), (40, 9), (64, 64), (100, 70)] {
        let ensemble = forest(levels as u64, levels, p);
        let x = uniform_rows(p as u64, 20, p);
        let shap = TreeShap::new(&ensemble).expect("an explainer");
        let scores = shap.explain(&x.view(), &Silent).expect("scores");
        let raw = ensemble.predict_raw(&x.view(), &Silent).expect("predictions");
        for (row, raw) in raw.iter().enumerate() {
            let total = scores.total(row, 0);
            assert!((total - raw).abs() < 1e-12, "{levels} levels: {total}, expected {raw}");
        }
        let cells: Vec<f64> = (0..p).map(|col| x.column(col)[3]).collect();
        let mut expected = vec![0.0; p];
        for tree in &ensemble.trees {
            for (sum, score) in expected.iter_mut().zip(leaf_by_leaf(tree, &cells, p)) {
                *sum += score / 4.0;
            }
        }
        for (feature, expected) in expected.iter().enumerate() {
            let found = scores.get(3, feature, 0);
            assert!(
                (found - expected).abs() < 1e-12,
                "{levels} levels, {feature}: {found} {expected}"
            );
        }
    }
}

#[test]
fn interactions_and_interventional_scores_of_deep_trees_add_up() {
    let (levels, p) = (70, 66);
    let ensemble = forest(5, levels, p);
    let x = uniform_rows(6, 9, p);
    let raw = ensemble.predict_raw(&x.view(), &Silent).expect("predictions");
    let shap = TreeShap::new(&ensemble).expect("an explainer");
    let scores = shap.explain(&x.view(), &Silent).expect("scores");
    let sums = shap.interactions(&x.view(), &Silent).expect("interactions").scores();
    for (sum, score) in sums.values.iter().zip(&scores.values) {
        assert!((sum - score).abs() < 1e-10, "{sum}, expected {score}");
    }
    let background = uniform_rows(7, 30, p);
    let shap = InterventionalTreeShap::new(&ensemble, &background.view(), &Silent).expect("rows");
    let scores = shap.explain(&x.view(), &Silent).expect("scores");
    for (row, raw) in raw.iter().enumerate() {
        let total = scores.total(row, 0);
        assert!((total - raw).abs() < 1e-10, "{total}, expected {raw}");
    }
}

/// A chain whose deep leaves are reached: few rows leave it at each split.
fn long_paths(seed: u64, levels: usize, p: usize) -> Ensemble {
    let mut ensemble = forest(seed, levels, p);
    for tree in &mut ensemble.trees {
        for node in 0..tree.n_nodes() {
            if !tree.is_leaf(node) {
                let goes_on_left = !tree.is_leaf(tree.left[node] as usize);
                tree.threshold[node] = if goes_on_left { 0.97 } else { 0.03 };
            }
        }
    }
    ensemble
}

/// Interventional scores of one tree against one background row, from the games of its leaves: a leaf
/// is reached by those features that only the row sends there, and none that only the other one does.
fn against_one(tree: &Tree, row: &[f64], other: &[f64], scores: &mut [f64]) {
    let mut waiting = vec![(0, vec![(true, true); row.len()])];
    while let Some((node, reached)) = waiting.pop() {
        if !tree.is_leaf(node) {
            let feature = tree.feature[node] as usize;
            let left = [tree.goes_left(node, row[feature]), tree.goes_left(node, other[feature])];
            for (child, is_left) in [(tree.left[node], true), (tree.right[node], false)] {
                let mut reached = reached.clone();
                reached[feature].0 &= left[0] == is_left;
                reached[feature].1 &= left[1] == is_left;
                waiting.push((child as usize, reached));
            }
            continue;
        }
        if reached.contains(&(false, false)) {
            continue;
        }
        let needed = |pair| reached.iter().filter(|one| **one == pair).count();
        let (own, others) = (needed((true, false)), needed((false, true)));
        // 1 / (n choose k), for the orders in which exactly the right features come first.
        let weight = |first: usize, last: usize| {
            (1..=first).map(|at| at as f64 / (last + at) as f64).product::<f64>()
        };
        for (feature, pair) in reached.iter().enumerate() {
            scores[feature] += tree.value_of(node)[0]
                * match pair {
                    (true, false) => weight(own - 1, others) / (own + others) as f64,
                    (false, true) => -weight(own, others - 1) / (own + others) as f64,
                    _ => 0.0,
                };
        }
    }
}

/// More features on a path than one word of a set holds.
#[test]
fn interventional_scores_of_long_paths_are_those_of_the_games_of_their_leaves() {
    let (levels, p) = (140, 141);
    let ensemble = long_paths(8, levels, p);
    let (x, background) = (uniform_rows(9, 4, p), uniform_rows(10, 6, p));
    let cells =
        |x: &Matrix, row: usize| -> Vec<f64> { (0..p).map(|col| x.column(col)[row]).collect() };
    let shap = InterventionalTreeShap::new(&ensemble, &background.view(), &Silent).expect("rows");
    let scores = shap.explain(&x.view(), &Silent).expect("scores");
    let mut late = 0.0;
    for row in 0..x.rows() {
        let mut expected = vec![0.0; p];
        for tree in &ensemble.trees {
            for other in 0..background.rows() {
                against_one(tree, &cells(&x, row), &cells(&background, other), &mut expected);
            }
        }
        for (feature, expected) in expected.iter().enumerate() {
            let expected = expected / (ensemble.trees.len() * background.rows()) as f64;
            let found = scores.get(row, feature, 0);
            assert!((found - expected).abs() < 1e-12, "row {row}, {feature}: {found} {expected}");
            // The feature of a level is 7 times its number, modulo p.
            let is_late = (64..levels).any(|level| (level * 7) % p == feature);
            late += if is_late { expected.abs() } else { 0.0 };
        }
    }
    assert!(late > 0.1, "features beyond the first word score: {late}");
}

#[test]
fn trees_too_deep_for_interactions_are_refused() {
    let ensemble = forest(5, 300, 281);
    let x = uniform_rows(6, 1, 281);
    let shap = TreeShap::new(&ensemble).expect("scores alone are no problem");
    shap.explain(&x.view(), &Silent).expect("scores");
    let refused = shap.interactions(&x.view(), &Silent).map(|found| found.n_rows);
    let error = refused.expect_err("too deep").to_string();
    assert!(error.contains("too deep for interactions"), "{error}");
}
