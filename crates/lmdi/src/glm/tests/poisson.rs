//! Poisson regression with a ridge penalty against scikit-learn 1.9.1
//! (`testdata/lmdi_plus/make_poisson.py`).

use super::golden::{cases, distance};
use super::golden_problem::Problem;
use crate::glm::{Family, GlmOptions, PenaltyChoice, Strength};
use crate::table::contiguous_folds;
use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Deserialize)]
struct Fit {
    alpha: f64,
    intercept: f64,
    coef: Vec<f64>,
}

#[test]
fn ridge_gives_the_coefficients_of_scikit_learn() {
    for case in cases::<Fit, Option<IgnoredAny>>("glm_poisson.json") {
        let problem = Problem::new(&case, contiguous_folds(case.y.len(), 3));
        for fit in &case.fits {
            let strength = Strength::Alpha(fit.alpha);
            let found = problem.fit(&GlmOptions {
                penalty: PenaltyChoice::Fixed { strength, l1_ratio: 0.0 },
                tolerance: 1e-15,
                max_iterations: 100_000,
                ..GlmOptions::reference(Family::Poisson)
            });
            assert!(found.converged, "{}, alpha {}: gap {}", case.name, fit.alpha, found.gap);
            let off = distance(&problem.slopes(&found.coefficients), &fit.coef);
            // The weakest penalty leaves directions along which 1e-5 costs less than rounding.
            let tolerance = if fit.alpha < 0.01 { 1e-5 } else { 1e-6 };
            assert!(off <= tolerance, "{}, alpha {}: slopes {off:e} off", case.name, fit.alpha);
            let off = (found.coefficients.intercept - fit.intercept).abs();
            assert!(off <= tolerance * fit.intercept.abs().max(1.0), "{}: {off:e}", case.name);
        }
    }
}
