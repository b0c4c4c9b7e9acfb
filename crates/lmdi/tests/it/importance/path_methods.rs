//! Identities of the methods that follow paths, on random models of every kind.

use crate::support::random_models::{Kind, Table, cases, close, kind};
use lmdi::forest::Aggregation;
use lmdi::glm::Family;
use lmdi::importance::lmdi_plus::{FitOn, LmdiPlusOptions};
use lmdi::importance::mdi::{MdiScale, mdi};
use lmdi::importance::{Groups, Importances, LocalMdi, Saabas, TreeShap, TreeSubset};
use lmdi::monitor::Silent;
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(150))]

    /// Saabas is the first step of LMDI+'s ablation, to 1e-9 (least squares rounds).
    #[test]
    fn saabas_is_the_first_step_of_the_ablation(kind in kind(), seed in any::<u64>()) {
        // Leaf values of boosted classes are Newton steps, not means of what the fit sees.
        prop_assume!(matches!(kind, Kind::Forest { .. }) || kind.classes() == 0);
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let known = model.trees.iter().all(|tree| tree.in_bag.is_some());
        let options = LmdiPlusOptions::ablation(1).expect("a step").with_family(Some(Family::Gaussian)).with_fit_on(Some(if known { FitOn::InBag } else { FitOn::Uniform }));
        let fitted = table.score(&table.explain(&model, &options), TreeSubset::All, false);
        let walked = Saabas::new(&model).expect("a model")
            .explain(&table.x.view(), &Silent).expect("scores");
        for (a, b) in fitted.values.iter().zip(&walked.values).chain(fitted.base.iter().zip(&walked.base)) {
            prop_assert!(close(*a, *b, 1.0, 1e-9), "{a} {b}");
        }
    }

    /// Base plus Saabas scores is the raw output, to 1e-12; features without a split get exactly
    /// zero; rows in another order get the same bytes.
    #[test]
    fn saabas_adds_up(kind in kind(), seed in any::<u64>()) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let explainer = Saabas::new(&model).expect("a model");
        let scores = explainer.explain(&table.x.view(), &Silent).expect("scores");
        let raw = model.predict_raw(&table.x.view(), &Silent).expect("predictions");
        let k = model.n_outputs;
        for row in 0..table.rows() {
            for output in 0..scores.n_outputs {
                let want = raw[row * k + if scores.n_outputs < k { 1 } else { output }];
                prop_assert!(close(scores.total(row, output), want, 1.0, 1e-12));
            }
            for feature in 0..scores.n_features {
                if model.trees.iter().all(|tree| !tree.feature.contains(&(feature as u32))) {
                    prop_assert!((0..scores.n_outputs).all(|output| scores.get(row, feature, output) == 0.0));
                }
            }
        }
        let backwards: Vec<usize> = (0..table.rows()).rev().collect();
        let turned = explainer.explain(&table.x.take_rows(&backwards).view(), &Silent).expect("scores");
        for row in 0..table.rows() {
            prop_assert_eq!(turned.row(row), scores.row(table.rows() - 1 - row));
        }
    }

    /// The mean over trees is not all of a forest's output where it starts from something.
    #[test]
    fn saabas_and_tree_shap_start_where_the_forest_does(
        classes in prop_oneof![Just(0_usize), Just(2), Just(3)], seed in any::<u64>()
    ) {
        let table = Table::random(seed, classes);
        let mut model = table.train(Kind::Forest { classes, bootstrap: false }, seed);
        model.base_score = (0..model.n_outputs).map(|output| 0.5 + output as f64).collect();
        let raw = model.predict_raw(&table.x.view(), &Silent).expect("predictions");
        let saabas = Saabas::new(&model).expect("a model").explain(&table.x.view(), &Silent);
        let shap = TreeShap::new(&model).expect("a model").explain(&table.x.view(), &Silent);
        let k = model.n_outputs;
        for scores in [saabas.expect("scores"), shap.expect("scores")] {
            for row in 0..table.rows() {
                for output in 0..scores.n_outputs {
                    let want = raw[row * k + if scores.n_outputs < k { 1 } else { output }];
                    prop_assert!(close(scores.total(row, output), want, 1.0, 1e-12));
                }
            }
        }
    }

    /// The in-bag mean of local MDI is MDI, tree by tree, to 1e-9.
    #[test]
    fn local_mdi_splits_mdi_up(classes in prop_oneof![Just(0_usize), Just(2), Just(3)], seed in any::<u64>()) {
        let table = Table::random(seed, classes);
        let whole = table.train(Kind::Forest { classes, bootstrap: true }, seed);
        for tree in &whole.trees {
            let mut model = whole.clone();
            model.trees = vec![tree.clone()];
            prop_assert_eq!(model.aggregation, Aggregation::Mean);
            let scores = LocalMdi::new(&model).expect("a forest")
                .explain(&table.x.view(), &Silent).expect("scores");
            let p = scores.n_features;
            let global = mdi(&model, &Groups::singles(p), MdiScale::Impurity).expect("impurities").values;
            let counts = tree.in_bag.as_ref().expect("bootstrap");
            for (feature, global) in global.iter().enumerate() {
                let sum: f64 = (0..table.rows())
                    .map(|row| f64::from(counts.count(row)) * scores.get(row, feature, 0)).sum();
                let total: f64 = (0..table.rows()).map(|row| f64::from(counts.count(row))).sum();
                prop_assert!(close(sum / total, *global, 1.0, 1e-9), "{} {}", sum / total, global);
            }
        }
    }
}

/// Mean |score| leaves rows without scores out.
#[test]
fn mean_absolute_scores() {
    let table = Table::random(3, 0);
    let model = table.train(Kind::Forest { classes: 0, bootstrap: true }, 3);
    let explainer = Saabas::new(&model).expect("a model");
    let unseen = TreeSubset::OutOfBag(&model);
    let scores = explainer.explain_on(&table.x.view(), unseen, &Silent).expect("scores");
    let known: Vec<usize> = (0..table.rows()).filter(|&row| !scores.base[row].is_nan()).collect();
    assert!(!known.is_empty() && known.len() < table.rows());
    let found = Importances::of_scores(&scores).expect("rows");
    assert_eq!(found.n_units, known.len());
    for (feature, value) in found.values.iter().enumerate() {
        let sum: f64 = known.iter().map(|&row| scores.get(row, feature, 0).abs()).sum();
        assert!((value - sum / known.len() as f64).abs() < 1e-12);
    }
}
