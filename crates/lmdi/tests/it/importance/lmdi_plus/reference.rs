//! LMDI+ scores of scikit-learn forests against imodels 3.0.4, and against the same models with their solvers
//! run to convergence (`testdata/lmdi_plus/make_reference.py`).

use crate::support::golden::{Reference, ReferenceScores, distance, mean_spearman, reference};
use lmdi::forest::Outcome;
use lmdi::forest::train::TrainingSet;
use lmdi::importance::LmdiPlus;
use lmdi::importance::lmdi_plus::{LmdiPlusOptions, ScoreOptions};
use lmdi::monitor::Silent;
use lmdi::table::{Matrix, Response};

const NUMBERS: [&str; 2] = ["reference_regression_leaf5.json", "reference_regression_leaf1.json"];
const CLASSES: &str = "reference_classification_leaf1.json";

/// Relative Frobenius distance to the reference's scores.
const SCORES: f64 = 0.01;

/// Mean over rows of the Spearman correlation of |score|.
const SPEARMAN: f64 = 0.98;

/// The paper's choices with solvers run to convergence.
fn tight() -> LmdiPlusOptions {
    LmdiPlusOptions::paper()
        .with_search_tolerance(1e-10)
        .with_tolerance(1e-12)
        .with_max_iterations(100_000)
}

fn explain(golden: &Reference, options: &LmdiPlusOptions) -> LmdiPlus {
    let ensemble = golden.ensemble();
    let codes: Vec<u32> = golden.y_train.iter().map(|&y| y as u32).collect();
    let response = match &ensemble.outcome {
        Outcome::Number => Response::Numeric(&golden.y_train),
        Outcome::Classes(_) => Response::Classes { codes: &codes, n_classes: 2 },
    };
    let x = golden.x_train();
    let explainer =
        LmdiPlus::fit(&ensemble, &TrainingSet::new(x.view(), response), options, &Silent);
    let explainer = explainer.expect("a fit");
    assert_eq!(explainer.n_unconverged(), 0, "fits that did not converge");
    explainer
}

fn scores(explainer: &LmdiPlus, rows: &Matrix) -> Vec<Vec<f64>> {
    let scores = explainer.score(&rows.view(), &ScoreOptions::default(), &Silent).expect("scores");
    (0..scores.n_rows).map(|row| scores.row(row).to_vec()).collect()
}

/// The two parts of a reference: rows and what is expected of them.
fn parts(golden: &Reference) -> [(&'static str, Matrix, &ReferenceScores); 2] {
    [("train", golden.x_train(), &golden.train), ("test", golden.x_test(), &golden.test)]
}

fn agree(what: &str, found: &[Vec<f64>], expected: &[Vec<f64>], tolerance: f64) {
    let off = distance(&found.concat(), &expected.concat());
    assert!(off <= tolerance, "{what}: {off:e} off");
    let spearman = mean_spearman(found, expected);
    assert!(spearman >= SPEARMAN, "{what}: Spearman {spearman}");
}

#[test]
fn scores_of_numbers_are_those_of_the_reference() {
    for file in NUMBERS {
        let golden = reference(file);
        let explainer = explain(&golden, &LmdiPlusOptions::paper());
        for (part, rows, expected) in parts(&golden) {
            let found = scores(&explainer, &rows);
            agree(&format!("{file}, {part}"), &found, &expected.scores, SCORES);
        }
    }
}

#[test]
fn tight_scores_of_numbers_are_those_of_the_converged_reference() {
    for file in NUMBERS {
        let golden = reference(file);
        let explainer = explain(&golden, &tight());
        for (part, rows, expected) in parts(&golden) {
            let found = scores(&explainer, &rows);
            agree(&format!("{file}, {part}"), &found, &expected.scores_converged, 1e-6);
        }
    }
}

#[test]
fn tight_scores_of_classes_are_those_of_the_converged_model() {
    let golden = reference(CLASSES);
    let explainer = explain(&golden, &tight());
    for (part, rows, expected) in parts(&golden) {
        let found = scores(&explainer, &rows);
        agree(part, &found, &expected.scores_converged, 1e-3);
    }
}

/// The accuracies that the search compares hang on single rows, so that a search at the default
/// tolerance may choose another penalty for a tree; it must still be nearer to the converged model than
/// the reference, whose solver stops early.
#[test]
fn scores_of_classes_are_nearer_to_the_converged_model_than_the_reference() {
    let golden = reference(CLASSES);
    let explainer = explain(&golden, &LmdiPlusOptions::paper());
    for (part, rows, expected) in parts(&golden) {
        let converged = expected.scores_converged.concat();
        let ours = distance(&scores(&explainer, &rows).concat(), &converged);
        let theirs = distance(&expected.scores.concat(), &converged);
        assert!(ours < 0.5 * theirs, "{part}: {ours} from convergence, the reference {theirs}");
    }
}

#[test]
fn mean_ranks_are_those_of_the_reference() {
    for file in [NUMBERS[0], NUMBERS[1], CLASSES] {
        let golden = reference(file);
        let explainer = explain(&golden, &tight());
        for (part, rows, expected) in parts(&golden) {
            let found = explainer.rank_by_rank(&rows.view(), &Silent).expect("ranks");
            let (known, wanted): (Vec<f64>, Vec<f64>) = found
                .iter()
                .zip(expected.by_rank.concat())
                .filter_map(|(&found, wanted)| Some((found, wanted?)))
                .unzip();
            let off = distance(&known, &wanted);
            assert!(off <= 1e-4, "{file}, {part}: {off:e} off");
        }
    }
}
