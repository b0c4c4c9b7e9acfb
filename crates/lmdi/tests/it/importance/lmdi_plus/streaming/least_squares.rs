//! Least squares: to 1e-9, in a number of passes that is known.

use super::{in_batches, model, part, scores, streamed, table};
use crate::support::random_models::{Kind, Table, cases};
use lmdi::forest::ClassWeights;
use lmdi::glm::PenaltyChoice;
use lmdi::importance::LmdiPlus;
use lmdi::importance::lmdi_plus::streaming::{
    PassStatistics, SolvedTrees, StreamedFit, StreamedRows,
};
use lmdi::importance::lmdi_plus::{FitOn, FitTo, LmdiPlusOptions, Validation};
use lmdi::monitor::Silent;
use lmdi::table::hash_key;
use proptest::prelude::*;

/// Largest difference between scores, as a share of the largest score.
const TOLERANCE: f64 = 1e-9;

fn assert_same(table: &Table, found: &LmdiPlus, expected: &LmdiPlus) {
    let (found_scores, expected_scores) = (scores(table, found), scores(table, expected));
    let size = expected_scores.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    for (at, (a, b)) in found_scores.iter().zip(&expected_scores).enumerate() {
        assert!((a - b).abs() <= TOLERANCE * size, "score {at}: {a} is not {b} (of {size})");
    }
    assert_eq!(found.ranges(), expected.ranges());
    for (a, b) in found.tree_sizes().iter().zip(expected.tree_sizes()) {
        assert!((a - b).abs() <= TOLERANCE * b.abs().max(size), "size {a} is not {b}");
    }
    let shares = |explainer: &LmdiPlus| explainer.kept().concat();
    assert_eq!(shares(found).len(), shares(expected).len());
    for (a, b) in shares(found).iter().zip(&shares(expected)) {
        assert!((a - b).abs() <= TOLERANCE, "kept share {a} is not {b}");
    }
}

fn kinds() -> impl Strategy<Value = Kind> {
    let classes = prop_oneof![Just(0_usize), Just(2), Just(3)];
    (classes, any::<bool>(), any::<bool>()).prop_map(|(classes, forest, second_order)| match forest
    {
        true => Kind::Forest { classes, bootstrap: true },
        false => Kind::Boosted { classes, second_order },
    })
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn batches_give_the_fit_of_the_whole(
        seed in any::<u64>(),
        kind in kinds(),
        rounds in prop_oneof![Just(None), (1..4_usize).prop_map(Some)],
        with_raw in any::<bool>(),
        share in prop_oneof![Just(0.5), Just(0.0), Just(1.0)],
        weighted in any::<bool>(),
        per_tree in prop_oneof![Just(None), (40..200_usize).prop_map(Some)],
        scale in prop_oneof![Just(1.0), 0.1..8.0],
    ) {
        let table = table(seed, kind.classes());
        let mut model = model(&table, kind, seed);
        if weighted && kind.classes() == 2 {
            model.class_weights = ClassWeights::Given(vec![1.0, 2.5]);
        }
        // In memory, boosted trees follow one another unless rounds are set.
        let rounds = if model.is_boosted() { rounds.or(Some(2)) } else { rounds };
        let options = LmdiPlusOptions::default().with_include_raw(with_raw).with_response_share(share);
        let options = rounds.map_or(options.clone(), |rounds| options.with_rounds(rounds));
        let options = options.with_rows_per_tree(per_tree).with_raw_scale(scale);
        let options = in_batches(&options);
        let whole = LmdiPlus::fit(&model, &table.set(), &options, &Silent).expect("a fit");
        let fit = StreamedFit::new(model, &options).expect("a plan");
        assert_same(&table, &streamed(&table, fit, seed), &whole);
    }

    /// Sums that do not fit a budget take more passes and give the same.
    #[test]
    fn groups_of_trees_change_nothing(seed in any::<u64>(), kind in kinds()) {
        let table = table(seed, kind.classes());
        let model = model(&table, kind, seed);
        let options = in_batches(&LmdiPlusOptions::default());
        let one = StreamedFit::new(model.clone(), &options).expect("a plan");
        let many = StreamedFit::within_budget(model.clone(), &options, 1).expect("a plan");
        prop_assert_eq!(many.n_passes(), Some(model.trees.len() + 1));
        prop_assert!(one.n_passes() <= many.n_passes());
        assert_same(&table, &streamed(&table, many, seed), &streamed(&table, one, seed ^ 1));
    }
}

/// The other schemes: to the response, with a fixed penalty and without one.
#[test]
fn other_targets_and_penalties_agree_too() {
    let table = table(11, 0);
    let model = model(&table, Kind::Forest { classes: 0, bootstrap: true }, 3);
    for (fit_to, penalty) in [
        (FitTo::Response, None),
        (FitTo::Response, Some(PenaltyChoice::None)),
        (FitTo::Model, Some(PenaltyChoice::None)),
    ] {
        let options = LmdiPlusOptions::data().with_fit_to(fit_to);
        let options = in_batches(&penalty.map_or(options.clone(), |one| options.with_penalty(one)));
        let whole = LmdiPlus::fit(&model, &table.set(), &options, &Silent);
        let fit = StreamedFit::new(model.clone(), &options).expect("a plan");
        assert_same(&table, &streamed(&table, fit, 5), &whole.expect("a fit"));
    }
}

/// A fit can be handed to another machine between two passes.
#[test]
fn a_fit_goes_on_elsewhere() {
    let table = table(5, 2);
    let model = model(&table, Kind::Boosted { classes: 2, second_order: true }, 1);
    let options = in_batches(&LmdiPlusOptions::default().with_rounds(3));
    let all: Vec<usize> = (0..table.rows()).collect();
    let mut here = StreamedFit::new(model.clone(), &options).expect("a plan");
    while !here.is_finished() {
        let mut there = StreamedFit::new(model.clone(), &options).expect("a plan");
        there.restore_from_bytes(&here.progress_to_bytes().expect("bytes")).expect("restored");
        let statistics = part(&there, &table, &all);
        here.finish_pass(&statistics).expect("the same pass");
    }
    let whole = StreamedFit::new(model, &options).expect("a plan");
    assert_same(&table, &here.finish().expect("done"), &streamed(&table, whole, 9));
}

#[test]
fn folds_can_go_by_a_key() {
    let table = table(8, 0);
    let model = model(&table, Kind::Forest { classes: 0, bootstrap: true }, 1);
    let keys: Vec<u64> =
        (0..table.rows()).map(|row| hash_key(format!("customer {row}").as_bytes())).collect();
    let fitted = |hashes: Option<&[u64]>| {
        let options = LmdiPlusOptions::default();
        let mut fit = StreamedFit::new(model.clone(), &options).expect("a plan");
        while !fit.is_finished() {
            let mut statistics = fit.statistics();
            let (x, response) = (table.x.view(), table.response());
            let rows = StreamedRows { x, response, weights: None, hashes };
            fit.accumulate(&mut statistics, &rows).expect("sums");
            fit.finish_pass(&statistics).expect("a pass");
        }
        scores(&table, &fit.finish().expect("done"))
    };
    assert_ne!(fitted(Some(&keys)), fitted(None));
    assert_eq!(fitted(Some(&keys)), fitted(Some(&keys)));
}

#[test]
fn what_cannot_be_streamed_is_refused() {
    let table = table(8, 2);
    let model = model(&table, Kind::Forest { classes: 2, bootstrap: true }, 1);
    let says = |options: &LmdiPlusOptions| match StreamedFit::new(model.clone(), options) {
        Ok(_) => panic!("{options:?} is possible"),
        Err(error) => error.to_string(),
    };
    let options = LmdiPlusOptions::default();
    let of_bags = options.clone().with_fit_on(FitOn::InBag);
    assert!(says(&of_bags).contains("fit_on"));
    let by_bags = options.clone().with_validation(Validation::OutOfBag);
    assert!(says(&by_bags).contains("validation"));
    let mut fit = StreamedFit::new(model.clone(), &options).expect("a plan");
    let nothing = fit.statistics();
    let error = fit.finish_pass(&nothing).expect_err("no row");
    assert!(error.to_string().contains("no row"), "{error}");
    let all: Vec<usize> = (0..table.rows()).collect();
    let first = part(&fit, &table, &all);
    fit.finish_pass(&first).expect("the first pass");
    let error = fit.finish_pass(&first).expect_err("another pass");
    assert!(error.to_string().contains("another pass"), "{error}");
    assert!(fit.finish().expect_err("not done").to_string().contains("1 of "));
    let error = StreamedFit::new(model, &options).expect("a plan").statistics().merge(&first);
    assert!(error.is_ok(), "the same pass of the same model");
}

/// Bytes are checked: damage anywhere is found, and no length makes room for more than there is.
#[test]
fn damaged_bytes_are_refused() {
    let table = table(2, 2);
    let model = model(&table, Kind::Boosted { classes: 2, second_order: false }, 1);
    let mut fit = StreamedFit::new(model, &LmdiPlusOptions::default()).expect("a plan");
    let all: Vec<usize> = (0..table.rows()).collect();
    for _ in 0..2 {
        let statistics = part(&fit, &table, &all);
        let bytes = statistics.to_bytes().expect("bytes");
        let read = PassStatistics::from_bytes(&bytes).expect("read");
        assert!(read.to_bytes().expect("bytes") == bytes, "the same after a round trip");
        for length in [0, 7, 16, 17, bytes.len() / 2, bytes.len() - 1] {
            assert!(PassStatistics::from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        for at in (0..bytes.len()).step_by(97) {
            let mut other = bytes.clone();
            other[at] ^= 0x40;
            assert!(PassStatistics::from_bytes(&other).is_err(), "{at}");
        }
        assert!(SolvedTrees::from_bytes(&bytes).is_err(), "of another kind");
        fit.finish_pass(&statistics).expect("a pass");
    }
}
