//! LMDI+ on boosted models of other libraries: without penalty and raw columns it gives the library's raw
//! output back, and its scores add up to its own.
//!
//! The models of `testdata/import` named `train_...` were trained without penalty on leaf values, so the
//! working targets, their scale and the base have to be exactly those of the library. The
//! libraries add gradients in 32 bits; 1e-4 of the spread of the raw output is the tolerance.
#![allow(clippy::unwrap_used)]

use crate::support::imported::{load_training, training_names};
use lmdi::forest::train::TrainingSet;
use lmdi::forest::{Growth, Outcome};
use lmdi::glm::PenaltyChoice;
use lmdi::importance::lmdi_plus::{LmdiPlus, LmdiPlusOptions, ScoreOptions};
use lmdi::monitor::Silent;
use lmdi::table::Response;

#[test]
fn an_unpenalised_fit_gives_the_models_raw_output_back() {
    let names = training_names();
    assert!(names.len() >= 16, "{}", names.len());
    for name in &names {
        let case = load_training(name);
        let ensemble = &case.model.ensemble;
        let codes: Vec<u32> = case.y.iter().map(|&y| y as u32).collect();
        let response = match &ensemble.outcome {
            Outcome::Number => Response::Numeric(&case.y),
            Outcome::Classes(labels) => {
                Response::Classes { codes: &codes, n_classes: labels.len() }
            }
        };
        let paper = LmdiPlusOptions::paper();
        let plain = paper.clone().with_include_raw(false).with_penalty(Some(PenaltyChoice::None));
        let x = case.x.view();
        let set = TrainingSet::new(x, response);
        let explainer = LmdiPlus::fit(ensemble, &set, &plain, &Silent).unwrap();
        let found = explainer.predict_raw(&x, &Silent).unwrap();
        let expected: Vec<f64> = case.margin.iter().flatten().copied().collect();
        assert_eq!(found.len(), expected.len(), "{name}");
        let mean = expected.iter().sum::<f64>() / expected.len() as f64;
        let spread = expected.iter().map(|m| (m - mean).abs()).fold(0.0, f64::max);
        // Independent trees are averaged as they are; their leaves hold means of the response.
        for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let close = (found - expected).abs() <= 1e-4 * spread;
            assert!(close, "{name}: number {row}: {found}, expected {expected}");
        }

        // With penalty and raw columns, base plus scores is what LMDI+ itself predicts, and on the
        // scale of the model.
        let explainer = LmdiPlus::fit(ensemble, &set, &paper, &Silent).unwrap();
        let scores = explainer.score(&x, &ScoreOptions::default(), &Silent).unwrap();
        let own = explainer.predict_raw(&x, &Silent).unwrap();
        let k = scores.n_outputs;
        let mut worst = 0.0_f64;
        for row in 0..x.rows() {
            for output in 0..k {
                let sum: f64 = (0..scores.n_features).map(|f| scores.get(row, f, output)).sum();
                let total = scores.base[row * k + output] + sum;
                assert!((total - own[row * k + output]).abs() <= 1e-9 * (1.0 + total.abs()));
                worst = worst.max((total - expected[row * k + output]).abs());
            }
        }
        if !matches!(ensemble.growth, Growth::Independent) {
            assert!(worst <= 2.0 * spread, "{name}: off by {worst}, spread {spread}");
        }
    }
}
