//! MDI+ against imodels 3.0.4 (`testdata/mdi_plus`) to 1e-6, and its identities on random forests.
#![allow(clippy::unwrap_used)]

use crate::support::random_models::{Kind, Table, cases, close};
use lmdi::file::Model;
use lmdi::forest::train::TrainingSet;
use lmdi::glm::{Family, GlmOptions, PenaltyChoice, Strength, fit_glm};
use lmdi::importance::mdi::{MdiScale, mdi};
use lmdi::importance::mdi_plus::{MdiPlusGlm, MdiPlusOptions, MdiPlusPenalty, mdi_plus};
use lmdi::importance::{Groups, Importances, Metric};
use lmdi::monitor::Silent;
use lmdi::table::{MatrixView, Response, metrics};
use proptest::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

const TOLERANCE: f64 = 1e-6;

#[derive(Deserialize)]
struct Case {
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    raw: bool,
    model: serde_json::Value,
    importances: BTreeMap<String, Vec<f64>>,
}

fn golden() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/mdi_plus/forests.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn metric(name: &str) -> Metric<'static> {
    match name {
        "r2" => Metric::R2,
        "absolute-error" => Metric::AbsoluteError,
        "log-loss" => Metric::LogLoss,
        "auroc" => Metric::Auroc,
        other => panic!("unknown metric {other}"),
    }
}

#[test]
fn importances_are_those_of_imodels() {
    for (index, case) in golden().into_iter().enumerate() {
        let ensemble = Model::from_bytes(case.model.to_string().as_bytes()).unwrap().ensemble;
        let cells = case.x.concat();
        let x = MatrixView::from_rows(&cells, case.x.len(), 5).unwrap();
        let codes: Vec<u32> = case.y.iter().map(|&y| y as u32).collect();
        for (name, expected) in case.importances {
            let response = match name.as_str() {
                "r2" | "absolute-error" => Response::Numeric(&case.y),
                _ => Response::Classes { codes: &codes, n_classes: 2 },
            };
            let options = MdiPlusOptions::for_response(&response)
                .with_metric(metric(&name))
                .with_include_raw(case.raw)
                .with_above_constant(false);
            let groups = Groups::singles(5);
            let found =
                mdi_plus(&ensemble, &TrainingSet::new(x, response), &groups, &options, &Silent)
                    .unwrap();
            for (feature, (found, expected)) in found.values.iter().zip(&expected).enumerate() {
                let what = format!("case {index}, {name}, feature {feature}");
                assert!(
                    (found - expected).abs() <= TOLERANCE,
                    "{what}: {found}, expected {expected}"
                );
            }
            // A column that no tree splits on, counted from the constant prediction.
            let options = options.with_above_constant(true);
            let found =
                mdi_plus(&ensemble, &TrainingSet::new(x, response), &groups, &options, &Silent)
                    .unwrap();
            assert_eq!((found.values[4], found.deviation[4]), (0.0, 0.0), "case {index}, {name}");
        }
    }
}

fn run(
    table: &Table,
    model: &lmdi::forest::Ensemble,
    groups: &Groups,
    options: &MdiPlusOptions<'_>,
) -> Importances {
    mdi_plus(model, &table.set(), groups, options, &Silent).unwrap()
}

fn glms(classes: usize) -> Vec<(MdiPlusGlm, MdiPlusPenalty)> {
    let net = MdiPlusPenalty::ElasticNet { l1_ratios: vec![0.5] };
    let mut glms = vec![
        (MdiPlusGlm::Gaussian, MdiPlusPenalty::None),
        (MdiPlusGlm::Gaussian, MdiPlusPenalty::ridge(MdiPlusGlm::Gaussian)),
        (MdiPlusGlm::Gaussian, net.clone()),
    ];
    let huber = MdiPlusGlm::Huber { epsilon: 1.35 };
    if classes == 0 {
        glms.push((huber, MdiPlusPenalty::None));
        glms.push((huber, MdiPlusPenalty::Ridge { alphas: vec![0.1, 10.0] }));
    } else {
        glms.push((MdiPlusGlm::Logistic, MdiPlusPenalty::Ridge { alphas: vec![0.1, 10.0] }));
        glms.push((MdiPlusGlm::Logistic, net));
    }
    glms
}

proptest! {
    #![proptest_config(cases(25))]

    /// Every model and penalty: finite, exactly zero for features without a split, the same bytes
    /// on any number of threads, and a user's metric is as good as a built-in one.
    #[test]
    fn every_model_is_sound(classes in prop_oneof![Just(0_usize), Just(2), Just(3)], seed in any::<u64>()) {
        let table = Table::random(seed, classes);
        let model = table.train(Kind::Forest { classes, bootstrap: true }, seed);
        let groups = Groups::singles(table.x.cols());
        for (glm, penalty) in glms(classes) {
            let default = MdiPlusOptions::for_response(&table.response());
            let options = default.with_glm(glm).with_penalty(penalty).with_metric(if classes == 0 { Metric::SquaredError } else { Metric::LogLoss });
            let found = run(&table, &model, &groups, &options);
            for (feature, value) in found.values.iter().enumerate() {
                prop_assert!(value.is_finite(), "{glm:?}: {value}");
                if model.trees.iter().all(|tree| !tree.feature.contains(&(feature as u32))) {
                    prop_assert_eq!(*value, 0.0);
                }
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
            prop_assert_eq!(&found, &pool.install(|| run(&table, &model, &groups, &options)));
            let own = |response: &Response<'_>, prediction: &[f64], weights: Option<&[f64]>| match *response {
                Response::Numeric(y) => -metrics::rmse(y, prediction, weights).powi(2),
                Response::Classes { codes, n_classes } => -metrics::log_loss(codes, prediction, n_classes, weights),
            };
            let custom = options.clone().with_metric(Metric::Custom(&own));
            prop_assert_eq!(&found, &run(&table, &model, &groups, &custom));
        }
    }

    /// Partial predictions, row by row: refitting dense ridge without each row gives the same R2
    /// importance for all features as one group, to 1e-6; the parts of a group add up.
    #[test]
    fn a_group_of_all_is_the_left_out_prediction(seed in any::<u64>()) {
        let mut table = Table::random(seed, 0);
        table.weights = None;
        let model = table.train(Kind::Forest { classes: 0, bootstrap: true }, seed);
        let alpha = 0.7;
        let options = MdiPlusOptions::for_response(&table.response()).with_penalty(MdiPlusPenalty::Ridge { alphas: vec![alpha] }).with_include_raw(false).with_metric(Metric::SquaredError).with_above_constant(false);
        let all = Groups::new(vec![0; table.x.cols()], 1).expect("one group");
        let found = run(&table, &model, &all, &options).values[0];
        // A strength of 1 / l2 is the penalty l2 on the sum over rows.
        let strength = Strength::Inverse(1.0 / alpha);
        let ridge = GlmOptions::reference(Family::Gaussian).with_penalty(PenaltyChoice::Fixed { strength, l1_ratio: 0.0 });
        let mut errors = Vec::new();
        for tree in model.trees.iter().filter(|tree| tree.n_nodes() > 1) {
            let basis = lmdi::basis::Basis::of(tree, &table.x.view(), false);
            let leaves = tree.leaves_of(&table.x.view());
            let mut sum = 0.0;
            for left_out in 0..table.rows() {
                let weight: Vec<f64> = (0..table.rows()).map(|row| f64::from(u8::from(row != left_out))).collect();
                let rows = lmdi::basis::TreeRows::new(&table.x.view(), &basis, &leaves, &weight, &vec![0; table.rows()], 1);
                let fit = fit_glm(&basis, &rows, &rows.gather(&table.y), &ridge).coefficients;
                let mut constant = Vec::new();
                basis.stumps.leaf_offsets(&fit.stump, &mut constant);
                let leaf = basis.stumps.leaf_of_tree_node[leaves[left_out] as usize] as usize;
                let error = table.y[left_out] - fit.intercept - constant[leaf];
                sum -= error * error;
            }
            errors.push(sum / table.rows() as f64);
        }
        prop_assume!(!errors.is_empty());
        let expected = errors.iter().sum::<f64>() / errors.len() as f64;
        prop_assert!(close(found, expected, 1e-3, 1e-6), "{found} {expected}");
    }
}

/// In the bag, the part of a feature explains what its splits explain, so that without leaving rows
/// out and without a penalty MDI+ would be MDI: the order of clearly different features agrees.
#[test]
fn the_order_is_that_of_mdi_where_features_differ_much() {
    let n = 120;
    let column = |step: usize| (0..n).map(|row| ((row * step) % n) as f64).collect::<Vec<f64>>();
    let columns = vec![column(7), column(11), column(37)];
    let y = (0..n).map(|row| columns[0][row] * 10.0 + columns[1][row]).collect();
    let table = Table::numeric(columns, y);
    let model = table.train(Kind::Forest { classes: 0, bootstrap: true }, 4);
    let groups = Groups::singles(3);
    let options = MdiPlusOptions::for_response(&table.response());
    let found = run(&table, &model, &groups, &options);
    assert_eq!(found.order()[0], mdi(&model, &groups, MdiScale::Share).unwrap().order()[0]);
    assert!(found.values[0] > 0.8 && found.values[2] < 0.1, "{:?}", found.values);
}

/// Robust regression does not follow a wild response.
#[test]
fn huber_ignores_wild_responses() {
    let n = 80;
    let columns = vec![(0..n).map(f64::from).collect::<Vec<f64>>()];
    let mut y: Vec<f64> = (0..n).map(|row| f64::from(row) / 10.0).collect();
    y[40] = 1e4;
    let mut table = Table::numeric(columns, y);
    let model = table.train(Kind::Forest { classes: 0, bootstrap: true }, 4);
    table.y[40] = 4.0;
    let clean = table.y.clone();
    let absolute = |glm, penalty, y: &[f64]| {
        let mut table = table.clone();
        table.y = y.to_vec();
        let default = MdiPlusOptions::for_response(&table.response());
        let options = default
            .with_glm(glm)
            .with_penalty(penalty)
            .with_metric(Metric::AbsoluteError)
            .with_above_constant(false);
        run(&table, &model, &Groups::singles(1), &options).values[0]
    };
    let mut wild = clean.clone();
    wild[40] = 1e4;
    let ridge = MdiPlusPenalty::Ridge { alphas: vec![100.0] };
    // The wild row itself costs 1e4 / 80; the rest must stay close.
    let huber =
        absolute(MdiPlusGlm::Huber { epsilon: 1.35 }, ridge.clone(), &wild) + 1e4 / f64::from(n);
    let squares = absolute(MdiPlusGlm::Gaussian, ridge, &wild) + 1e4 / f64::from(n);
    assert!(huber > -2.5, "{huber}");
    assert!(squares < -50.0, "{squares}");
}

#[test]
fn wrong_input_is_named() {
    let table = Table::random(3, 0);
    let model = table.train(Kind::Forest { classes: 0, bootstrap: true }, 1);
    let boosted = table.train(Kind::Boosted { classes: 0, second_order: false }, 1);
    let default = MdiPlusOptions::for_response(&table.response());
    let groups = Groups::singles(table.x.cols());
    let message = |model, options: &MdiPlusOptions<'_>| {
        mdi_plus(model, &table.set(), &groups, options, &Silent).unwrap_err().to_string()
    };
    assert!(message(&boosted, &default).contains("defined for forests"));
    let logistic = default.clone().with_glm(MdiPlusGlm::Logistic);
    assert!(message(&model, &logistic).contains("`glm` is logistic"));
    let none = default.with_penalty(MdiPlusPenalty::Ridge { alphas: vec![] });
    assert!(message(&model, &none).contains("`alphas`"));
}
