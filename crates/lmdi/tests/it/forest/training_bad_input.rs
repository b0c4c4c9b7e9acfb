//! Bad and degenerate input to training: a clear error, or the documented rule.

#![allow(clippy::unwrap_used)]

use lmdi::Error;
use lmdi::forest::train::{
    BoostingParams, Criterion, EarlyStopping, ForestParams, MaxFeatures, MaxSamples, SplitFinder,
    TrainingSet, train_boosting, train_forest,
};
use lmdi::forest::{Ensemble, oob_prediction};
use lmdi::monitor::{Monitor, Silent};
use lmdi::table::{Matrix, Response};
use std::sync::atomic::{AtomicU64, Ordering};

fn names(n: usize) -> Vec<String> {
    (0..n).map(|col| format!("x{col}")).collect()
}

fn forest(
    cells: &[f64],
    y: &[f64],
    weights: Option<&[f64]>,
    params: &ForestParams,
) -> lmdi::Result<Ensemble> {
    let cols = if y.is_empty() { 1 } else { cells.len() / y.len() };
    let x = Matrix::from_column_major(cells.to_vec(), y.len(), cols)?;
    let (y, feature_names) = (Response::Numeric(y), &names(cols));
    train_forest(
        &TrainingSet { x: x.view(), y, weights, feature_names, labels: &[] },
        params,
        &Silent,
    )
}

fn message(result: lmdi::Result<Ensemble>) -> String {
    result.expect_err("training must fail").to_string()
}

#[test]
fn cells_must_fit_32_bits() {
    let params = ForestParams::regression();
    for bad in [f64::INFINITY, f64::NEG_INFINITY, 1e39] {
        let found = message(forest(&[1.0, 2.0, bad], &[1.0, 2.0, 3.0], None, &params));
        assert!(found.contains("column `x0`, row 2"), "{found}");
    }
}

#[test]
fn tables_need_rows_responses_and_weights() {
    let params = ForestParams::regression();
    assert!(message(forest(&[], &[], None, &params)).contains("0 rows"));
    let found = message(forest(&[1.0, 2.0], &[1.0, f64::NAN], None, &params));
    assert!(found.contains("row 1"), "{found}");
    let found = message(forest(&[1.0, 2.0], &[1.0, 2.0], Some(&[1.0, -1.0]), &params));
    assert!(found.contains("weight of row 1 is -1"), "{found}");
    let found = message(forest(&[1.0, 2.0], &[1.0, 2.0], Some(&[0.0, 0.0]), &params));
    assert!(found.contains("add up to 0"), "{found}");
    let found = message(forest(&[1.0, 2.0], &[1.0, 2.0], Some(&[1.0]), &params));
    assert!(found.contains("weights: found 1, expected 2"), "{found}");
}

#[test]
fn parameters_are_checked_first() {
    let base = ForestParams::regression;
    let cases = [
        (base().with_n_trees(0), "n_trees"),
        (base().with_max_depth(Some(0)), "max_depth"),
        (base().with_min_samples_split(1), "min_samples_split"),
        (base().with_min_samples_leaf(0), "min_samples_leaf"),
        (base().with_max_leaf_nodes(Some(1)), "max_leaf_nodes"),
        (base().with_min_impurity_decrease(f64::NAN), "min_impurity_decrease"),
        (base().with_max_features(MaxFeatures::Count(2)), "max_features"),
        (base().with_max_features(MaxFeatures::Fraction(0.0)), "max_features"),
        (base().with_max_samples(Some(MaxSamples::Fraction(1.5))), "max_samples"),
        (base().with_max_samples(Some(MaxSamples::Count(5))).with_bootstrap(false), "max_samples"),
        (base().with_criterion(Criterion::Gini), "criterion"),
        (base().with_extra_trees(true).with_split_finder(SplitFinder::Histogram), "split_finder"),
    ];
    for (params, name) in cases {
        let error = forest(&[1.0, 2.0], &[1.0, 2.0], None, &params).err();
        assert!(
            matches!(error, Some(Error::Parameter { name: found, .. }) if found == name),
            "{name}"
        );
    }
    let base = BoostingParams::default;
    let stop = |validation_fraction, patience| {
        let stopping = EarlyStopping::default()
            .with_validation_fraction(validation_fraction)
            .with_patience(patience);
        base().with_early_stopping(Some(stopping))
    };
    let cases = [
        (base().with_learning_rate(-1.0), "learning_rate"),
        (base().with_subsample(0.0), "subsample"),
        (base().with_max_bins(256), "max_bins"),
        (base().with_l2(f64::INFINITY), "l2"),
        (stop(1.0, 5), "validation_fraction"),
        (stop(0.01, 5), "validation_fraction"),
        (stop(0.5, 0), "patience"),
    ];
    let x = Matrix::from_column_major(vec![1.0, 2.0], 2, 1).unwrap();
    let y = Response::Numeric(&[1.0, 2.0]);
    let set = TrainingSet { x: x.view(), y, weights: None, feature_names: &names(1), labels: &[] };
    for (params, name) in cases {
        let error = train_boosting(&set, &params, &Silent).err();
        assert!(
            matches!(error, Some(Error::Parameter { name: found, .. }) if found == name),
            "{name}"
        );
    }
}

#[test]
fn poisson_needs_responses_not_below_zero() {
    let params = ForestParams::regression().with_criterion(Criterion::Poisson);
    assert!(message(forest(&[1.0, 2.0], &[1.0, -2.0], None, &params)).contains("row 1"));
    assert!(
        message(forest(&[1.0, 2.0], &[0.0, 0.0], None, &params)).contains("all responses are 0")
    );
}

#[test]
fn tables_without_anything_to_learn_give_single_leaves() {
    let params = ForestParams::regression().with_n_trees(3);
    let nan = f64::NAN;
    let tables: [(&[f64], &[f64]); 4] = [
        (&[1.0], &[5.0]),
        (&[1.0, 2.0, 3.0], &[5.0, 5.0, 5.0]),
        (&[1.0, 1.0, 1.0], &[5.0, 5.0, 5.0]),
        (&[nan, nan, nan], &[5.0, 5.0, 5.0]),
    ];
    for (cells, y) in tables {
        let model = forest(cells, y, None, &params).unwrap();
        assert!(model.trees.iter().all(|tree| tree.n_nodes() == 1 && tree.value == [5.0]));
    }
    let model = forest(&[nan, nan, nan], &[1.0, 2.0, 3.0], None, &params).unwrap();
    assert!(model.trees.iter().all(|tree| tree.n_nodes() == 1));
}

#[test]
fn small_responses_are_split_as_large_ones_are() {
    let params = ForestParams::regression().with_n_trees(1).with_bootstrap(false);
    let cells = [1.0, 2.0, 3.0, 4.0];
    let sizes = [1e-12, 1.0, 1e12].map(|size| {
        let y = [1.0, 2.0, 4.0, 8.0].map(|y| y * size);
        forest(&cells, &y, None, &params).unwrap().trees[0].n_nodes()
    });
    assert_eq!(sizes, [7, 7, 7]);
}

#[test]
fn weights_with_a_bootstrap_decide_what_is_drawn() {
    let cells: Vec<f64> = (0..200).map(f64::from).collect();
    let weights: Vec<f64> = (0..200).map(|row| if row % 2 == 0 { 0.0 } else { 3.0 }).collect();
    let params = ForestParams::regression().with_n_trees(5);
    let model = forest(&cells, &cells, Some(&weights), &params).unwrap();
    for tree in &model.trees {
        let in_bag = tree.in_bag.as_ref().unwrap();
        assert!((0..200).step_by(2).all(|row| in_bag.count(row) == 0));
        assert_eq!((0..200).map(|row| in_bag.count(row)).sum::<u32>(), 300);
        assert_eq!(tree.weight[0], 300.0);
    }
}

#[test]
fn early_stopping_keeps_the_best_rounds() {
    let mut random = lmdi::random::generator(1, 0);
    let cells: Vec<f64> = (0..300).map(|_| lmdi::random::unit(&mut random)).collect();
    let y: Vec<f64> = cells
        .iter()
        .map(|x| f64::from(u8::from(*x > 0.5)) + lmdi::random::unit(&mut random))
        .collect();
    let x = Matrix::from_column_major(cells, 300, 1).unwrap();
    let set = TrainingSet {
        x: x.view(),
        y: Response::Numeric(&y),
        weights: None,
        feature_names: &names(1),
        labels: &[],
    };
    let stopping =
        EarlyStopping::default().with_validation_fraction(0.2).with_patience(5).with_tolerance(0.0);
    for split_finder in [SplitFinder::Exact, SplitFinder::Histogram] {
        let params = BoostingParams::default()
            .with_n_rounds(500)
            .with_early_stopping(Some(stopping))
            .with_split_finder(split_finder);
        let stopped = train_boosting(&set, &params, &Silent).unwrap();
        assert!((5..200).contains(&stopped.trees.len()), "{}", stopped.trees.len());
        let all = params.with_n_rounds(stopped.trees.len() + 5);
        assert_eq!(train_boosting(&set, &all, &Silent).unwrap().trees.len(), stopped.trees.len());
    }
}

#[test]
fn out_of_bag_needs_bootstrap_counts_of_the_same_table() {
    let params = ForestParams::regression().with_n_trees(2).with_bootstrap(false);
    let model = forest(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0], None, &params).unwrap();
    let x = Matrix::from_column_major(vec![1.0, 2.0], 2, 1).unwrap();
    let error = oob_prediction(&model, &x.view(), &Silent).unwrap_err().to_string();
    assert!(error.contains("bootstrap"), "{error}");
    let model =
        forest(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0], None, &ForestParams::regression()).unwrap();
    assert!(matches!(oob_prediction(&model, &x.view(), &Silent), Err(Error::Shape { .. })));
    let wide = Matrix::from_column_major(vec![1.0, 2.0], 1, 2).unwrap();
    assert!(matches!(model.predict(&wide.view(), &Silent), Err(Error::Shape { .. })));
}

#[derive(Default)]
struct StopsAfter {
    limit: u64,
    done: AtomicU64,
}

impl Monitor for StopsAfter {
    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.done.load(Ordering::Relaxed) >= self.limit
    }
}

#[test]
fn training_reports_progress_and_can_be_stopped() {
    let x = Matrix::from_column_major(vec![1.0, 2.0, 3.0], 3, 1).unwrap();
    let y = Response::Numeric(&[1.0, 2.0, 4.0]);
    let set = TrainingSet { x: x.view(), y, weights: None, feature_names: &names(1), labels: &[] };
    let patient = StopsAfter { limit: u64::MAX, ..StopsAfter::default() };
    train_forest(&set, &ForestParams::regression().with_n_trees(9), &patient).unwrap();
    assert_eq!(patient.done.load(Ordering::Relaxed), 9);
    let stops = StopsAfter { limit: 3, ..StopsAfter::default() };
    assert_eq!(train_forest(&set, &ForestParams::regression(), &stops), Err(Error::Interrupted));
    let stops = StopsAfter { limit: 3, ..StopsAfter::default() };
    assert_eq!(train_boosting(&set, &BoostingParams::default(), &stops), Err(Error::Interrupted));
}
