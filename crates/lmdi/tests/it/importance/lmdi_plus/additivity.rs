//! Scores add up to the linear predictor, and each is what its block of columns contributes.

use crate::support::random_models::dense_tree::DenseTree;
use crate::support::random_models::{Kind, Table, cases, close, kind, preset};
use lmdi::explanation::sum_groups;
use lmdi::forest::{Aggregation, Ensemble};
use lmdi::importance::TreeSubset;
use lmdi::importance::lmdi_plus::LmdiPlusOptions;
use lmdi::importance::{Groups, LmdiPlus};
use lmdi::random::{below, generator};
use proptest::prelude::*;

/// Scores, base and the size of the terms of one row, feature by feature and output by output.
struct Expected {
    scores: Vec<f64>,
    base: Vec<f64>,
    scale: f64,
}

/// Works a row out from the design of every chosen tree; `None` when no tree is chosen.
fn expected(
    model: &Ensemble,
    explainer: &LmdiPlus,
    dense: &[DenseTree],
    row: usize,
    chosen: impl Fn(usize) -> bool,
) -> Option<Expected> {
    let (p, k) = (explainer.n_features(), explainer.n_outputs());
    let mut found = Expected { scores: vec![0.0; p * k], base: vec![0.0; k], scale: 0.0 };
    let mut count = 0.0;
    for (index, tree) in explainer.trees().iter().enumerate().filter(|(index, _)| chosen(*index)) {
        count += 1.0;
        for output in 0..tree.n_outputs as usize {
            let of_all = tree.first_output as usize + output;
            let b = dense[index].coefficients(tree, output);
            found.base[of_all] += tree.intercept[output];
            found.scale += tree.intercept[output].abs();
            for (feature, score) in dense[index].scores(row, &b, p).into_iter().enumerate() {
                found.scores[feature * k + of_all] += score;
            }
            let terms = dense[index].cells[row].iter().zip(&b);
            found.scale += terms.map(|(cell, b)| (cell * b).abs()).sum::<f64>();
        }
    }
    if count == 0.0 {
        return None;
    }
    let (factor, start) = match model.aggregation {
        Aggregation::Mean => (1.0 / count, vec![0.0; k]),
        Aggregation::Sum { learning_rate } => (learning_rate, model.base_score.clone()),
    };
    found.scores.iter_mut().for_each(|score| *score *= factor);
    for (base, start) in found.base.iter_mut().zip(&start) {
        *base = start + factor * *base;
        found.scale = found.scale.max(start.abs());
    }
    Some(found)
}

proptest! {
    #![proptest_config(cases(150))]

    /// To 1e-9 of the sum of the sizes of all terms.
    #[test]
    fn every_score_is_what_its_block_contributes(
        kind in kind(),
        seed in any::<u64>(),
        include_raw in prop::bool::weighted(0.7),
        penalised in prop::bool::weighted(0.7),
    ) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let options = if penalised { preset(seed) } else {
            // Unpenalised classes may be separable, where coefficients are huge.
            LmdiPlusOptions::ablation(1).expect("a step").with_family(Some(lmdi::glm::Family::Gaussian))
        };
        let known = model.trees.iter().all(|tree| tree.in_bag.is_some());
        let fit_on = if known { options.fit_on } else { None };
        let options = options.with_include_raw(include_raw).with_fit_on(fit_on);
        let explainer = table.explain(&model, &options);
        let dense: Vec<DenseTree> =
            (0..model.trees.len()).map(|tree| DenseTree::new(&table, &model, tree, include_raw)).collect();
        let bagged = known && matches!(kind, Kind::Forest { .. });
        let (p, k) = (explainer.n_features(), explainer.n_outputs());
        let mut random = generator(seed, 3);
        let groups = Groups::new((0..p).map(|_| below(&mut random, 3) as u32).collect(), 3).expect("groups");
        let subsets = [(TreeSubset::All, None), (TreeSubset::OutOfBag(&model), Some(false)), (TreeSubset::InBag(&model), Some(true))];
        for (subset, in_bag) in subsets.into_iter().take(if bagged { 3 } else { 1 }) {
            let scores = table.score(&explainer, subset, false);
            let grouped = sum_groups(&scores, &groups).expect("grouped scores");
            for row in 0..table.rows() {
                let chosen = |tree: usize| in_bag.is_none_or(|wanted| {
                    model.trees[tree].in_bag.as_ref().is_some_and(|bag| (bag.count(row) > 0) == wanted)
                });
                let Some(expected) = expected(&model, &explainer, &dense, row, chosen) else {
                    prop_assert!(scores.row(row).iter().all(|score| score.is_nan()));
                    continue;
                };
                for (at, want) in expected.scores.iter().enumerate() {
                    let found = scores.row(row)[at];
                    prop_assert!(close(found, *want, expected.scale, 1e-9), "row {row}, entry {at}: {found} {want}");
                }
                for output in 0..k {
                    let want: f64 = expected.base[output]
                        + (0..p).map(|feature| expected.scores[feature * k + output]).sum::<f64>();
                    for total in [scores.total(row, output), grouped.total(row, output)] {
                        prop_assert!(close(total, want, expected.scale, 1e-9), "row {row}: {total} {want}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_feature_that_no_tree_uses_scores_zero(kind in kind(), seed in any::<u64>()) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let explainer = table.explain(&model, &preset(seed));
        let scores = table.score(&explainer, TreeSubset::All, false);
        let ranks = explainer.rank_by_rank(&table.x.view(), &lmdi::monitor::Silent).expect("ranks");
        let p = table.x.cols();
        for feature in (0..p).filter(|&f| model.trees.iter().all(|tree| !tree.feature.contains(&(f as u32)))) {
            for row in 0..table.rows() {
                prop_assert_eq!(ranks[row * p + feature], 0.0);
                for output in 0..scores.n_outputs {
                    prop_assert_eq!(scores.get(row, feature, output), 0.0);
                }
            }
        }
    }
}

/// A boosted model whose base score happens to be zero is still a sum, not a mean.
#[test]
fn balanced_classes_do_not_turn_boosting_into_a_forest() {
    let x: Vec<f64> = (0..40).map(f64::from).collect();
    let table = Table::classes(vec![x], (0..40).map(|row| u32::from(row % 20 > 9)).collect(), 2);
    let kind = Kind::Boosted { classes: 2, second_order: false };
    let model = (0..)
        .map(|seed| table.train(kind, seed))
        .find(|model| model.trees.len() > 2)
        .expect("several trees");
    assert_eq!(model.base_score, [0.0]);
    let explainer = table.explain(&model, &LmdiPlusOptions::default());
    assert!(table.score(&explainer, TreeSubset::All, true).standard_error.is_none());
    let options = lmdi::importance::lmdi_plus::ScoreOptions::default()
        .with_trees(TreeSubset::InBag(&model))
        .with_standard_error(false);
    assert!(explainer.score(&table.x.view(), &options, &lmdi::monitor::Silent).is_err());
}
