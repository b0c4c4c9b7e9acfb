//! Least squares, ridge, lasso and elastic net against scikit-learn 1.9.1 on 30 trees x weights x
//! tables (`testdata/lmdi_plus/make_gaussian.py`).

use super::golden::{Case, Checks, cases, distance};
use super::golden_problem::{Problem, elastic_net, total_loss};
use crate::glm::{Family, GlmOptions, Grid, PenaltyChoice, Strength};
use crate::table::contiguous_folds;
use serde::Deserialize;

#[derive(Deserialize)]
struct Fit {
    penalty: String,
    alpha: f64,
    l1_ratio: f64,
    intercept: f64,
    coef: Vec<f64>,
    objective: f64,
    /// Whether only one vector of slopes attains the minimum.
    unique: bool,
}

#[derive(Deserialize)]
struct Search {
    /// Index of the l1_ratio, index of the alpha.
    chosen: (usize, usize),
    alpha: f64,
    l1_ratio: f64,
    /// Mean over folds, by l1_ratio, then alpha.
    cv_error: Vec<Vec<f64>>,
    intercept: f64,
    coef: Vec<f64>,
}

type GaussianCase = Case<Fit, Search>;

/// Coefficients agree to this, relative to their norm.
const COEFFICIENTS: f64 = 1e-6;

/// Objectives agree to this, relative.
const OBJECTIVE: f64 = 1e-9;

/// Mean errors of the candidates agree to this, relative: fits of tolerance 1e-10 predict to 1e-5.
const FOLD_ERRORS: f64 = 1e-4;

/// Two mean errors closer than this (relative) are a tie that rounding may decide either way.
const NEAR_TIE: f64 = 1e-9;

fn all_cases() -> Vec<GaussianCase> {
    cases("glm_gaussian.json")
}

fn problem(case: &GaussianCase) -> Problem<'_, Fit, Search> {
    Problem::new(case, contiguous_folds(case.y.len(), 3))
}

fn tight(penalty: PenaltyChoice) -> GlmOptions {
    GlmOptions {
        penalty,
        tolerance: 1e-14,
        search_tolerance: 1e-10,
        max_iterations: 100_000,
        ..GlmOptions::reference(Family::Gaussian)
    }
}

/// `1/(2 sum w) sum w (y - eta)^2 + alpha * penalty`, from the definition.
fn objective(
    case: &GaussianCase,
    problem: &Problem<'_, Fit, Search>,
    fit: &Fit,
    intercept: f64,
    slopes: &[f64],
) -> f64 {
    let eta = problem.predictors(intercept, slopes);
    let squares = total_loss(&case.weights, &case.y, &eta, |y, eta| (y - eta) * (y - eta));
    let total: f64 = case.weights.iter().sum();
    squares / (2.0 * total) + fit.alpha * elastic_net(slopes, fit.l1_ratio)
}

#[test]
fn fixed_penalties_give_the_coefficients_of_scikit_learn() {
    let mut checks = Checks::default();
    for case in all_cases() {
        let problem = problem(&case);
        for fit in &case.fits {
            let what = format!(
                "{}, {} alpha {} l1_ratio {}",
                case.name, fit.penalty, fit.alpha, fit.l1_ratio
            );
            let strength = Strength::Alpha(fit.alpha);
            let penalty = match fit.penalty.as_str() {
                "none" => PenaltyChoice::None,
                _ => PenaltyChoice::Fixed { strength, l1_ratio: fit.l1_ratio },
            };
            let found = problem.fit(&tight(penalty));
            checks.that(found.converged, || format!("{what}: not converged, gap {:e}", found.gap));
            let slopes = problem.slopes(&found.coefficients);
            let intercept = found.coefficients.intercept;
            if fit.unique {
                let off = distance(&slopes, &fit.coef);
                checks.that(off <= COEFFICIENTS, || format!("{what}: slopes {off:e} off"));
                let off = (intercept - fit.intercept).abs() / fit.intercept.abs().max(1.0);
                checks.that(off <= COEFFICIENTS, || format!("{what}: intercept {off:e} off"));
            }
            let reached = objective(&case, &problem, fit, intercept, &slopes);
            // A perfect fit has an objective of rounding errors; the response's size bounds those.
            let rounding = 1e-15 * case.y.iter().map(|y| y * y).fold(0.0, f64::max);
            checks.that(reached <= fit.objective * (1.0 + OBJECTIVE) + rounding, || {
                format!("{what}: objective {reached:e}, expected {:e}", fit.objective)
            });
        }
    }
    checks.finish();
}

#[test]
fn the_search_chooses_the_penalty_of_scikit_learn() {
    let reference = GlmOptions::reference(Family::Gaussian);
    let mut checks = Checks::default();
    for case in all_cases() {
        let name = &case.name;
        let problem = problem(&case);
        let found = problem.fit(&tight(reference.penalty.clone()));
        let search = found.search.as_ref().expect("a search");
        checks.that(found.converged, || format!("{name}: not converged, gap {:e}", found.gap));

        let golden: Vec<f64> = case.cv.cv_error.concat();
        assert_eq!(search.candidates.len(), golden.len(), "{name}");
        let off = (0..golden.len())
            .map(|index| (search.mean_error(index) / golden[index] - 1.0).abs())
            .fold(0.0, f64::max);
        checks.that(off <= FOLD_ERRORS, || format!("{name}: a mean error is {off:e} off"));

        let chosen = found.chosen.expect("a penalty");
        let at = search.candidates.iter().position(|c| *c == chosen).expect("a candidate");
        let expected = case.cv.chosen.0 * 100 + case.cv.chosen.1;
        if at != expected {
            let gap = golden[at] / golden[expected] - 1.0;
            checks.that(gap < NEAR_TIE, || {
                format!("{name}: chose candidate {at}, {gap:e} worse than {expected}")
            });
            continue;
        }
        assert_eq!(chosen.l1_ratio, case.cv.l1_ratio, "{name}");
        let Strength::Alpha(alpha) = chosen.strength else { panic!("a search over alphas") };
        checks.that((alpha / case.cv.alpha - 1.0).abs() < 1e-12, || format!("{name}: {alpha}"));
        let off = distance(&problem.slopes(&found.coefficients), &case.cv.coef);
        checks.that(off <= COEFFICIENTS, || format!("{name}: slopes {off:e} off"));
        let off = (found.coefficients.intercept - case.cv.intercept).abs();
        checks.that(off <= COEFFICIENTS * case.cv.intercept.abs().max(1.0), || {
            format!("{name}: intercept {off:e} off")
        });
    }
    checks.finish();
}

#[test]
fn columns_are_scaled_and_centred_as_expected() {
    for case in all_cases() {
        let problem = problem(&case);
        let stumps = &problem.basis.stumps;
        let n_raw = case.columns.iter().filter(|column| column.node.is_none()).count();
        assert_eq!(problem.basis.raw.len(), n_raw, "{}", case.name);
        assert_eq!(stumps.n_splits(), case.columns.len() - n_raw, "{}", case.name);
        for column in &case.columns {
            let (Some(mean), Some(scale)) = (column.mean, column.scale) else { continue };
            let mut raw = problem.basis.raw.iter();
            let raw = raw.find(|raw| raw.feature as usize == column.feature).expect("a raw column");
            assert!((raw.factor * scale - 1.0).abs() < 1e-12, "{}", case.name);
            assert!((raw.mean - mean).abs() <= 1e-12 * mean.abs().max(1.0), "{}", case.name);
        }
    }
}

/// Ridge is solved directly beside ratios that are not; neither may disturb the other.
#[test]
fn a_ratio_is_searched_the_same_alone_and_beside_ridge() {
    for case in all_cases().iter().take(4) {
        let problem = problem(case);
        let errors = |l1_ratios: &[f64]| {
            let grid = Grid::Alphas { count: 8, smallest: 1e-2 };
            let choice = PenaltyChoice::CrossValidated { l1_ratios: l1_ratios.to_vec(), grid };
            let fit = problem.fit(&tight(choice));
            assert!(fit.converged, "{}", case.name);
            fit.search.expect("a search was asked for").fold_error
        };
        let both = errors(&[0.0, 0.5]);
        let apart = [errors(&[0.0]), errors(&[0.5])].concat();
        assert!(distance(&both, &apart) < 1e-12, "{}", case.name);
    }
}
