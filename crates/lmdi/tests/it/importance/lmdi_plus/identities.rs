//! Identities of the stump basis that hold exactly: orthogonality, the tree as least squares, the
//! elastic net as a soft threshold, and MDI as explained variance.

use crate::support::random_models::dense_tree::{Column, DenseTree, path_of};
use crate::support::random_models::{Kind, Table, bagged, cases, close, kind};
use lmdi::basis::Basis;
use lmdi::forest::Ensemble;
use lmdi::glm::{Family, PenaltyChoice, Strength};
use lmdi::importance::TreeSubset;
use lmdi::importance::lmdi_plus::{FitOn, FitTo, LmdiPlusOptions};
use lmdi::monitor::Silent;
use proptest::prelude::*;

/// In-bag rows where they are known; all rows are in the bag elsewhere.
fn in_bag_only(model: &Ensemble, options: LmdiPlusOptions) -> LmdiPlusOptions {
    let known = model.trees.iter().all(|tree| tree.in_bag.is_some());
    options.with_fit_on(Some(if known { FitOn::InBag } else { FitOn::Uniform }))
}

/// The mean of the leaf values below every node by in-bag weight, node by node. Where all rows have the same
/// second derivative, that is the value of the node itself.
fn mean_leaf_values(dense: &DenseTree) -> Vec<f64> {
    let tree = &dense.tree;
    let mut means = tree.value.clone();
    for node in (0..tree.n_nodes()).rev().filter(|&node| !tree.is_leaf(node)) {
        let (left, right) = (tree.left[node] as usize, tree.right[node] as usize);
        let (n_left, n_right) = (dense.node_weight[left], dense.node_weight[right]);
        for value in 0..tree.n_values {
            let at = |child: usize| means[child * tree.n_values + value];
            means[node * tree.n_values + value] =
                (n_left * at(left) + n_right * at(right)) / (n_left + n_right);
        }
    }
    means
}

proptest! {
    #![proptest_config(cases(150))]

    /// Mean zero, orthogonal, squares add up to the weight of the node: to 1e-12 of the weight of the
    /// root. The library's columns are these columns, raw ones included.
    #[test]
    fn stumps_are_orthogonal_in_the_bag(kind in kind(), seed in any::<u64>()) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        for index in 0..model.trees.len() {
            let dense = DenseTree::new(&table, &model, index, true);
            let basis = Basis::on_sample(&model.trees[index], &table.x.view(), true, |row| dense.in_bag[row]);
            let total: f64 = dense.in_bag.iter().sum();
            let stumps: Vec<usize> = (0..dense.columns.len())
                .filter(|&j| matches!(dense.columns[j], Column::Stump { .. })).collect();
            for &i in &stumps {
                let Column::Stump { node } = dense.columns[i] else { unreachable!() };
                let sum = |value: &dyn Fn(&[f64]) -> f64| {
                    dense.cells.iter().zip(&dense.in_bag).map(|(cells, w)| w * value(cells)).sum::<f64>()
                };
                prop_assert!(close(sum(&|cells| cells[i]), 0.0, total, 1e-12));
                for &j in &stumps {
                    let want = if i == j { dense.node_weight[node] } else { 0.0 };
                    prop_assert!(close(sum(&|cells| cells[i] * cells[j]), want, total, 1e-12));
                }
                let split = (0..basis.stumps.n_splits())
                    .find(|&s| basis.stumps.tree_node[s] as usize == node).expect("every split");
                let (left, right) = (model.trees[index].left[node] as usize, model.trees[index].right[node] as usize);
                let (n_left, n_right) = (dense.node_weight[left], dense.node_weight[right]);
                prop_assert!(close(basis.stumps.left_value[split], -(n_right / n_left).sqrt(), 0.0, 1e-12));
                prop_assert!(close(basis.stumps.right_value[split], (n_left / n_right).sqrt(), 0.0, 1e-12));
            }
            let raw = dense.columns.iter().zip(&dense.feature).skip(stumps.len());
            prop_assert_eq!(basis.raw.len(), dense.columns.len() - stumps.len());
            for (found, (column, &feature)) in basis.raw.iter().zip(raw) {
                let Column::Raw { mean, factor } = *column else { unreachable!() };
                prop_assert_eq!(found.feature as usize, feature);
                prop_assert!(close(found.mean, mean, 0.1, 1e-12), "{} {mean}", found.mean);
                prop_assert!(close(found.factor, factor, 0.0, 1e-9), "{} {factor}", found.factor);
            }
        }
    }

    /// The first step of the ablation gives the model back, whatever its loss: its raw output, and as
    /// scores the changes along the path of the mean leaf value below each node. Fitted to the model, it comes
    /// back from rows that a tree did not see as well, whatever share the response has. To 1e-9.
    #[test]
    fn least_squares_is_the_model_itself(
        kind in kind(),
        seed in any::<u64>(),
        all_rows in any::<bool>(),
        response_share in 0.0..=1.0,
    ) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let boosted = matches!(kind, Kind::Boosted { .. });
        let mut options = in_bag_only(&model, LmdiPlusOptions::ablation(1).expect("a step").with_family(Some(Family::Gaussian)));
        if all_rows {
            options.fit_to = FitTo::Model;
            options.response_share = response_share;
            options.fit_on = Some(FitOn::Uniform);
        }
        let explainer = table.explain(&model, &options);
        let scores = table.score(&explainer, TreeSubset::All, false);
        let predicted = model.predict_raw(&table.x.view(), &Silent).expect("predictions");
        let k = explainer.n_outputs();
        let factor = if boosted { 0.3 } else { 1.0 / model.trees.len() as f64 };
        let means: Vec<Vec<f64>> = (0..model.trees.len())
            .map(|tree| mean_leaf_values(&DenseTree::new(&table, &model, tree, false)))
            .collect();
        for row in 0..table.rows() {
            for output in 0..k {
                // Forests of two classes have one output, the second class.
                let class = if kind.classes() == 2 && !boosted { 1 } else { output };
                let want = predicted[row * model.n_outputs + class];
                let found = scores.total(row, output);
                prop_assert!(close(found, want, 1.0, 1e-9), "row {row}: {found} {want}");
                let mut changes = vec![0.0; table.x.cols()];
                for (index, tree) in model.trees.iter().enumerate() {
                    let value = match model.output_of_tree.get(index) {
                        Some(&of_tree) if of_tree as usize != output => continue,
                        Some(_) => 0,
                        None => class,
                    };
                    for step in path_of(tree, &table.row(row)).windows(2) {
                        let at = |node: usize| means[index][node * tree.n_values + value];
                        let change = at(step[1]) - at(step[0]);
                        changes[tree.feature[step[0]] as usize] += factor * change;
                    }
                }
                for (feature, change) in changes.into_iter().enumerate() {
                    let found = scores.get(row, feature, output);
                    prop_assert!(close(found, change, 1.0, 1e-9), "row {row}: {found} {change}");
                }
            }
        }
    }

    /// On in-bag rows the stumps are orthogonal, so each slope of the elastic net is a soft threshold of
    /// its own gradient. To 1e-9.
    #[test]
    fn in_bag_elastic_net_is_a_soft_threshold(
        seed in any::<u64>(),
        bootstrap in any::<bool>(),
        share in 0.0..1.2_f64,
        l1_ratio in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0_f64],
    ) {
        let table = Table::random(seed, 0);
        let model = table.train(Kind::Forest { classes: 0, bootstrap }, seed);
        let alpha = 0.5 * share;
        let options = in_bag_only(&model, LmdiPlusOptions::paper().with_include_raw(false).with_penalty(Some(PenaltyChoice::Fixed { strength: Strength::Alpha(alpha), l1_ratio })));
        let explainer = table.explain(&model, &options);
        for (index, fitted) in explainer.trees().iter().enumerate() {
            let dense = DenseTree::new(&table, &model, index, false);
            let total: f64 = dense.in_bag.iter().sum();
            let weighted = |value: &dyn Fn(usize) -> f64| {
                (0..table.rows()).map(|row| dense.in_bag[row] * value(row)).sum::<f64>()
            };
            let mean = weighted(&|row| table.y[row]) / total;
            prop_assert!(close(fitted.intercept[0], mean, 1.0, 1e-9));
            for (j, b) in dense.coefficients(fitted, 0).into_iter().enumerate() {
                let Column::Stump { node } = dense.columns[j] else { unreachable!() };
                let gradient = weighted(&|row| dense.cells[row][j] * (table.y[row] - mean));
                let l1 = total * alpha * l1_ratio;
                let kept = gradient.signum() * (gradient.abs() - l1).max(0.0);
                let want = kept / (dense.node_weight[node] + total * alpha * (1.0 - l1_ratio));
                prop_assert!(close(b, want, 1.0, 1e-9), "{b} {want}");
            }
        }
    }

    /// The mean decrease in impurity of a feature, from the impurities of the nodes, is the in-bag
    /// variance of its scores: its share of R^2 times the variance of the response. To 1e-9.
    #[test]
    fn impurity_decrease_is_explained_variance(seed in any::<u64>()) {
        let table = Table::random(seed, 0);
        let forest = table.train(Kind::Forest { classes: 0, bootstrap: true }, seed);
        for tree in &forest.trees {
            let model = Ensemble { trees: vec![tree.clone()], ..forest.clone() };
            let explainer = table.explain(&model, &LmdiPlusOptions::ablation(1).expect("a step"));
            let scores = table.score(&explainer, TreeSubset::All, false);
            let dense = DenseTree::new(&table, &model, 0, false);
            let total: f64 = dense.in_bag.iter().sum();
            let mut decrease = vec![0.0; table.x.cols()];
            for node in (0..tree.n_nodes()).filter(|&node| !tree.is_leaf(node)) {
                let of = |node: usize| tree.weight[node] * tree.impurity[node] / total;
                decrease[tree.feature[node] as usize] +=
                    of(node) - of(tree.left[node] as usize) - of(tree.right[node] as usize);
            }
            for (feature, decrease) in decrease.into_iter().enumerate() {
                let weighted = |value: &dyn Fn(usize) -> f64| {
                    (0..table.rows()).map(|row| dense.in_bag[row] * value(row)).sum::<f64>() / total
                };
                let variance = weighted(&|row| scores.get(row, feature, 0).powi(2));
                let shared = weighted(&|row| scores.get(row, feature, 0) * table.y[row]);
                prop_assert!(close(variance, decrease, 1.0, 1e-9), "{variance} {decrease}");
                prop_assert!(close(shared, decrease, 1.0, 1e-9), "{shared} {decrease}");
            }
        }
    }

    /// Sample weights steer the draws of a forest; in-bag rows then count as often as they were drawn.
    #[test]
    fn in_bag_fits_know_the_sample_by_its_draws(kind in bagged(), seed in any::<u64>()) {
        let mut table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let options = in_bag_only(&model, LmdiPlusOptions::paper().with_family(Some(Family::Gaussian)));
        let weighted = table.explain(&model, &options);
        table.weights = None;
        let plain = table.explain(&model, &options);
        prop_assert_eq!(weighted.trees(), plain.trees());
    }
}
