//! Logistic regression against certified optima and scikit-learn's solvers on 15 trees x weights x
//! tables (`testdata/lmdi_plus/make_logistic.py`).

use super::golden::{Case, Checks, cases, distance};
use super::golden_problem::{Problem, elastic_net, total_loss};
use crate::glm::{Family, GlmFit, GlmOptions, Measure, PenaltyChoice, Rule, Strength};
use crate::table::stratified_folds;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Fit {
    c: f64,
    l1_ratio: f64,
    objective: f64,
    intercept: f64,
    coef: Vec<f64>,
    /// What scikit-learn's solvers reached.
    objective_of: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Chosen {
    /// Index of C, index of the l1_ratio.
    chosen: (usize, usize),
    objective: f64,
}

/// Everything by C, then l1_ratio, then fold.
#[derive(Deserialize)]
struct Search {
    fold_weight: Vec<f64>,
    correct_weight: Vec<Vec<Vec<f64>>>,
    log_loss: Vec<Vec<Vec<f64>>>,
    smallest_margin: Vec<Vec<Vec<f64>>>,
    by_accuracy: Chosen,
    by_log_loss: Chosen,
}

type LogisticCase = Case<Fit, Search>;

/// An objective may exceed the best known one by this, relative.
const OBJECTIVE: f64 = 1e-9;

/// Two mean errors closer than this (relative) are a tie that rounding may decide either way.
const NEAR_TIE: f64 = 1e-9;

fn all_cases() -> Vec<LogisticCase> {
    cases("glm_logistic.json")
}

fn problem(case: &LogisticCase) -> Problem<'_, Fit, Search> {
    Problem::new(case, stratified_folds(&case.codes(), 3))
}

fn tight(penalty: PenaltyChoice, measure: Measure) -> GlmOptions {
    GlmOptions {
        penalty,
        measure,
        tolerance: 1e-13,
        search_tolerance: 1e-13,
        max_iterations: 100_000,
        ..GlmOptions::reference(Family::Binomial)
    }
}

fn log_loss(y: f64, eta: f64) -> f64 {
    eta.max(0.0) - y * eta + (-eta.abs()).exp().ln_1p()
}

/// `C sum w logloss + l1 |b|_1 + (1 - l1)/2 |b|_2^2`, from the definition.
fn objective(
    case: &LogisticCase,
    problem: &Problem<'_, Fit, Search>,
    found: &GlmFit,
    c: f64,
    l1_ratio: f64,
) -> f64 {
    let slopes = problem.slopes(&found.coefficients);
    let eta = problem.predictors(found.coefficients.intercept, &slopes);
    c * total_loss(&case.weights, &case.y, &eta, log_loss) + elastic_net(&slopes, l1_ratio)
}

#[test]
fn objectives_are_no_worse_than_the_best_solver() {
    let mut checks = Checks::default();
    for case in all_cases() {
        let problem = problem(&case);
        for fit in &case.fits {
            let what = format!("{}, C {} l1_ratio {}", case.name, fit.c, fit.l1_ratio);
            let strength = Strength::Inverse(fit.c);
            let penalty = PenaltyChoice::Fixed { strength, l1_ratio: fit.l1_ratio };
            let found = problem.fit(&tight(penalty, Measure::Accuracy));
            checks.that(found.converged, || format!("{what}: not converged, gap {:e}", found.gap));
            let reached = objective(&case, &problem, &found, fit.c, fit.l1_ratio);
            let best = fit.objective_of.values().copied().fold(fit.objective, f64::min);
            checks.that(reached <= best * (1.0 + OBJECTIVE), || {
                format!("{what}: objective {reached:e}, {:e} above {best:e}", reached / best - 1.0)
            });
            if fit.l1_ratio < 1.0 && fit.c <= 1.0 {
                let off = distance(&problem.slopes(&found.coefficients), &fit.coef);
                checks.that(off <= 1e-6, || format!("{what}: slopes {off:e} off"));
                let off = (found.coefficients.intercept - fit.intercept).abs();
                checks.that(off <= 1e-6 * fit.intercept.abs().max(1.0), || {
                    format!("{what}: intercept {off:e} off")
                });
            }
        }
    }
    checks.finish();
}

#[test]
fn maximum_likelihood_is_reached_where_it_exists() {
    let mut seen = 0;
    for case in all_cases() {
        let Some(golden) = &case.unpenalised else { continue };
        seen += 1;
        let problem = problem(&case);
        let found = problem.fit(&tight(PenaltyChoice::None, Measure::Accuracy));
        assert!(found.converged, "{}: gap {}", case.name, found.gap);
        let slopes = problem.slopes(&found.coefficients);
        let eta = problem.predictors(found.coefficients.intercept, &slopes);
        let reached = total_loss(&case.weights, &case.y, &eta, log_loss);
        assert!(reached <= golden.objective * (1.0 + OBJECTIVE), "{}: {reached}", case.name);
        if golden.unique {
            assert!(distance(&slopes, &golden.coef) <= 1e-5, "{}", case.name);
            let off = (found.coefficients.intercept - golden.intercept).abs();
            assert!(off <= 1e-5 * golden.intercept.abs().max(1.0), "{}", case.name);
        }
    }
    assert!(seen >= 4, "{seen} cases cannot be separated; expected at least 4");
}

#[test]
fn the_search_scores_and_chooses_as_converged_scikit_learn() {
    let reference = GlmOptions::reference(Family::Binomial);
    let mut checks = Checks::default();
    for case in all_cases() {
        let problem = problem(&case);
        for measure in [Measure::Accuracy, Measure::Deviance] {
            let what = format!("{}, {measure:?}", case.name);
            let found = problem.fit(&tight(reference.penalty.clone(), measure));
            let search = found.search.as_ref().expect("a search");
            let mut golden = Vec::new();
            for c in 0..10 {
                // Held-out log-loss of nearly separated classes hangs on digits of large slopes
                // that hardly change the objective.
                let tolerance = if c < 7 { 1e-5 } else { 2e-2 };
                for ratio in 0..3 {
                    let errors: Vec<f64> = (0..3)
                        .map(|fold| match measure {
                            Measure::Accuracy => {
                                let correct = case.cv.correct_weight[c][ratio][fold];
                                1.0 - correct / case.cv.fold_weight[fold]
                            }
                            Measure::Deviance => 2.0 * case.cv.log_loss[c][ratio][fold],
                        })
                        .collect();
                    for (fold, &error) in errors.iter().enumerate() {
                        // A row on the boundary may be counted either way.
                        if measure == Measure::Accuracy
                            && case.cv.smallest_margin[c][ratio][fold] < 1e-9
                        {
                            continue;
                        }
                        let ours = search.fold_error[(c * 3 + ratio) * 3 + fold];
                        let off = (ours - error).abs() / error.max(1e-3);
                        checks.that(off <= tolerance, || {
                            format!("{what}: {c} {ratio} fold {fold}: {ours}, not {error}")
                        });
                    }
                    golden.push(errors.iter().sum::<f64>() / 3.0);
                }
            }
            let expected = match measure {
                Measure::Accuracy => &case.cv.by_accuracy,
                Measure::Deviance => &case.cv.by_log_loss,
            };
            let wanted = expected.chosen.0 * 3 + expected.chosen.1;
            let chosen = found.chosen.expect("a penalty");
            let at = search.candidates.iter().position(|c| *c == chosen).expect("a candidate");
            if at != wanted {
                let gap = golden[at] - golden[wanted];
                checks.that(gap < NEAR_TIE * golden[wanted], || {
                    format!("{what}: chose {at}, {gap:e} worse than {wanted}")
                });
                continue;
            }
            let Strength::Inverse(c) = chosen.strength else { panic!("a search over C") };
            let reached = objective(&case, &problem, &found, c, chosen.l1_ratio);
            checks.that(reached <= expected.objective * (1.0 + OBJECTIVE), || {
                format!("{what}: objective {reached:e}, expected {:e}", expected.objective)
            });
        }
    }
    checks.finish();
}

/// Accuracy hangs on single rows: the default search must still find what accurate fits lead to.
#[test]
fn the_default_search_chooses_as_an_accurate_one() {
    let reference = GlmOptions::reference(Family::Binomial);
    let mut checks = Checks::default();
    for case in all_cases() {
        let problem = problem(&case);
        for (measure, rule) in [
            (Measure::Accuracy, Rule::Minimum),
            (Measure::Accuracy, Rule::OneStandardError),
            (Measure::Deviance, Rule::Minimum),
        ] {
            let accurate = GlmOptions { rule, ..tight(reference.penalty.clone(), measure) };
            let default = GlmOptions { measure, rule, ..reference.clone() };
            let (wanted, found) = (problem.fit(&accurate), problem.fit(&default));
            checks.that(wanted.chosen == found.chosen, || {
                format!(
                    "{}, {measure:?} {rule:?}: {:?}, not {:?}",
                    case.name, found.chosen, wanted.chosen
                )
            });
        }
    }
    checks.finish();
}
