//! Logistic and Poisson fits by passes: the same minimum as in memory, at the same penalty.

use super::{in_batches, model, part, scores, streamed, table};
use crate::support::random_models::{Kind, Table, cases};
use lmdi::forest::ClassWeights;
use lmdi::glm::{Candidate, Family, PenaltyChoice, Strength};
use lmdi::importance::LmdiPlus;
use lmdi::importance::lmdi_plus::LmdiPlusOptions;
use lmdi::importance::lmdi_plus::streaming::{PassStatistics, StreamedFit};
use lmdi::monitor::Silent;
use proptest::prelude::*;

/// Largest difference between scores, as a share of the largest score.
const TOLERANCE: f64 = 1e-6;

/// Gaps to which fits go on: in memory until rounding hides what is left to gain. By passes the last step
/// is a whole Newton step.
const IN_MEMORY: f64 = 1e-18;
const BY_PASSES: f64 = 1e-11;

fn difference(table: &Table, found: &LmdiPlus, expected: &LmdiPlus) -> f64 {
    let (found, expected) = (scores(table, found), scores(table, expected));
    let size = expected.iter().fold(f64::MIN_POSITIVE, |size, x| size.max(x.abs()));
    let differences = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max) / size
}

fn penalties(explainer: &LmdiPlus) -> Vec<Option<Candidate>> {
    explainer.trees().iter().flat_map(|tree| &tree.fits).map(|fit| fit.chosen).collect()
}

fn fixed(strength: Strength, l1_ratio: f64) -> PenaltyChoice {
    PenaltyChoice::Fixed { strength, l1_ratio }
}

/// Counts instead of numbers.
fn counts(mut table: Table) -> Table {
    table.y.iter_mut().for_each(|y| *y = (*y - 38.0).max(0.0).floor());
    table
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn batches_give_the_logistic_fit_of_the_whole(
        seed in any::<u64>(),
        classes in 2..4_usize,
        with_raw in any::<bool>(),
        weighted in any::<bool>(),
        l1_ratio in prop_oneof![Just(0.0), Just(0.1), Just(0.99)],
        c in prop_oneof![Just(0.01), Just(1.0), Just(30.0)],
        per_tree in prop_oneof![Just(None), (40..200_usize).prop_map(Some)],
    ) {
        let table = table(seed, classes);
        let mut model = model(&table, Kind::Forest { classes, bootstrap: true }, seed);
        if weighted && classes == 2 {
            model.class_weights = ClassWeights::Given(vec![1.0, 2.5]);
        }
        let options = LmdiPlusOptions::data().with_include_raw(with_raw);
        let options = options.with_penalty(fixed(Strength::Inverse(c), l1_ratio));
        let options = options.with_rows_per_tree(per_tree);
        let exact = in_batches(&options).with_tolerance(IN_MEMORY);
        let whole = LmdiPlus::fit(&model, &table.set(), &exact, &Silent).expect("a fit");
        let options = in_batches(&options).with_tolerance(BY_PASSES);
        let fit = StreamedFit::new(model, &options).expect("a plan");
        prop_assert_eq!(fit.n_passes(), None);
        let found = streamed(&table, fit, seed);
        prop_assert_eq!(found.n_unconverged(), 0);
        let difference = difference(&table, &found, &whole);
        prop_assert!(difference <= TOLERANCE, "{}", difference);
    }

    #[test]
    fn batches_give_the_poisson_fit_of_the_whole(
        seed in any::<u64>(),
        l1_ratio in prop_oneof![Just(0.0), Just(0.5)],
        alpha in prop_oneof![Just(1e-3), Just(0.1)],
    ) {
        let table = counts(table(seed, 0));
        let model = model(&table, Kind::Forest { classes: 0, bootstrap: true }, seed);
        let options = LmdiPlusOptions::data().with_family(Family::Poisson);
        let options = options.with_penalty(fixed(Strength::Alpha(alpha), l1_ratio));
        let exact = in_batches(&options).with_tolerance(IN_MEMORY);
        let whole = LmdiPlus::fit(&model, &table.set(), &exact, &Silent).expect("a fit");
        let options = in_batches(&options).with_tolerance(BY_PASSES);
        let fit = StreamedFit::new(model, &options).expect("a plan");
        let found = streamed(&table, fit, seed);
        let difference = difference(&table, &found, &whole);
        prop_assert!(difference <= TOLERANCE, "{}", difference);
    }
}

/// Where the sample holds every row, the search is that of the whole: the same penalties but for ties.
#[test]
fn the_search_of_few_rows_is_that_in_memory() {
    let (mut same, mut all) = (0, 0);
    for (seed, classes) in [(1, 2), (2, 3), (3, 2), (4, 0), (5, 0)] {
        let mut table = table(seed, classes);
        let mut options = in_batches(&LmdiPlusOptions::data());
        if classes == 0 {
            table = counts(table);
            options = options.with_family(Family::Poisson);
        }
        let model = model(&table, Kind::Forest { classes, bootstrap: true }, seed);
        let whole = LmdiPlus::fit(&model, &table.set(), &options, &Silent).expect("a fit");
        let fit = StreamedFit::new(model, &options).expect("a plan");
        let found = streamed(&table, fit, seed);
        let near = |(a, b): &(Option<Candidate>, Option<Candidate>)| match (a, b) {
            (Some(a), Some(b)) => {
                let (x, y) = (a.strength.shrinkage(), b.strength.shrinkage());
                a.l1_ratio == b.l1_ratio && (x - y).abs() <= 1e-9 * y
            }
            (a, b) => a == b,
        };
        let pairs: Vec<_> = penalties(&found).into_iter().zip(penalties(&whole)).collect();
        all += pairs.len();
        same += pairs.iter().filter(|pair| near(pair)).count();
        assert_eq!(found.ranges(), whole.ranges());
    }
    assert!(all >= 15, "{all} fits");
    assert_eq!(same, all);
}

/// Classes that a column separates: without a penalty the slopes have no end, but the loss does.
#[test]
fn separable_classes_end() {
    let column: Vec<f64> = (0..200).map(f64::from).collect();
    let codes: Vec<u32> = (0..200).map(|row| u32::from(row >= 80)).collect();
    let table = Table::classes(vec![column.clone(), column], codes, 2);
    let model = model(&table, Kind::Forest { classes: 2, bootstrap: true }, 1);
    for penalty in [PenaltyChoice::None, fixed(Strength::Inverse(1e4), 0.99)] {
        let options = in_batches(&LmdiPlusOptions::data().with_penalty(penalty));
        let mut fit = StreamedFit::new(model.clone(), &options).expect("a plan");
        let all: Vec<usize> = (0..table.rows()).collect();
        while !fit.is_finished() {
            let sums = part(&fit, &table, &all);
            fit.finish_pass(&sums).expect("a pass");
        }
        assert!(fit.passes_done() < 40, "{} passes", fit.passes_done());
        let explainer = fit.finish().expect("done");
        assert_eq!(explainer.n_unconverged(), 0);
        assert!(scores(&table, &explainer).iter().all(|score| score.is_finite()));
    }
}

/// Steps that run out are counted, and the fit is the last point.
#[test]
fn a_limit_of_steps_is_kept_and_told() {
    let table = table(4, 2);
    let model = model(&table, Kind::Forest { classes: 2, bootstrap: true }, 2);
    let options = LmdiPlusOptions::data().with_penalty(fixed(Strength::Inverse(1.0), 0.5));
    let options = in_batches(&options).with_max_iterations(1);
    let fit = StreamedFit::new(model, &options).expect("a plan");
    let found = streamed(&table, fit, 3);
    assert!(found.n_unconverged() > 0);
    assert!(scores(&table, &found).iter().all(|score| score.is_finite()));
}

/// One class alone leaves nothing to fit: the model is a constant, as in memory.
#[test]
fn a_single_class_gives_a_constant() {
    let mut table = table(6, 3);
    let model = model(&table, Kind::Forest { classes: 3, bootstrap: true }, 2);
    table.codes.iter_mut().for_each(|code| *code = 1);
    table.weights = None;
    let options = in_batches(&LmdiPlusOptions::data());
    let whole = LmdiPlus::fit(&model, &table.set(), &options, &Silent).expect("a fit");
    let fit = StreamedFit::new(model, &options).expect("a plan");
    let found = streamed(&table, fit, 3);
    assert!(difference(&table, &found, &whole) <= TOLERANCE);
    assert_eq!(found.n_unconverged(), 0);
}

/// Groups of trees, and a fit that is handed on between passes.
#[test]
fn groups_and_other_machines_change_nothing() {
    let table = table(7, 2);
    let model = model(&table, Kind::Forest { classes: 2, bootstrap: true }, 5);
    let options = in_batches(&LmdiPlusOptions::data());
    let one = streamed(&table, StreamedFit::new(model.clone(), &options).expect("a plan"), 1);
    let mut here = StreamedFit::within_budget(model.clone(), &options, 1).expect("a plan");
    let all: Vec<usize> = (0..table.rows()).collect();
    let mut trees = Vec::new();
    while !here.is_finished() {
        let mut there = StreamedFit::within_budget(model.clone(), &options, 1).expect("a plan");
        there.restore_from_bytes(&here.progress_to_bytes().expect("bytes")).expect("restored");
        trees.push(there.trees_of_pass());
        assert!(there.trees_of_pass().len() <= 1);
        here.finish_pass(&part(&there, &table, &all)).expect("the same pass");
    }
    trees.dedup();
    assert_eq!(trees.len(), model.trees.len() + 1);
    assert!(difference(&table, &here.finish().expect("done"), &one) <= TOLERANCE);
}

/// Damage to bytes is found in every pass, and sums of another pass are refused.
#[test]
fn damaged_bytes_are_refused() {
    let table = table(2, 3);
    let model = model(&table, Kind::Forest { classes: 3, bootstrap: true }, 1);
    let options = in_batches(&LmdiPlusOptions::data());
    let mut fit = StreamedFit::new(model.clone(), &options).expect("a plan");
    let all: Vec<usize> = (0..table.rows()).collect();
    let mut before: Option<PassStatistics> = None;
    while !fit.is_finished() {
        let progress = fit.progress_to_bytes().expect("bytes");
        for length in [0, 17, progress.len() / 3, progress.len() - 1] {
            let mut other = StreamedFit::new(model.clone(), &options).expect("a plan");
            assert!(other.restore_from_bytes(&progress[..length]).is_err(), "{length}");
        }
        let statistics = part(&fit, &table, &all);
        let bytes = statistics.to_bytes().expect("bytes");
        let read = PassStatistics::from_bytes(&bytes).expect("read");
        assert!(read.to_bytes().expect("bytes") == bytes, "the same after a round trip");
        for at in (0..bytes.len()).step_by(1 + bytes.len() / 50) {
            let mut other = bytes.clone();
            other[at] ^= 0x10;
            assert!(PassStatistics::from_bytes(&other).is_err(), "{at}");
        }
        if let Some(before) = &before {
            let error = fit.finish_pass(before).expect_err("another pass");
            assert!(error.to_string().contains("another pass"), "{error}");
        }
        fit.finish_pass(&statistics).expect("a pass");
        before = Some(statistics);
    }
}
