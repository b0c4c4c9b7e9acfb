//! Our side of `./bench lmdi`: `bench_lmdi MODEL TRAIN RESPONSE ROWS RUNS [SCORES]` fits LMDI+ on
//! the model in MODEL (ours or another library's) with the training rows and responses (matrix files),
//! scores and predicts ROWS, and prints the least seconds of RUNS runs of each as JSON, and the mean
//! processor time of a fit and of scoring. SCORES is written as a matrix file. Forests are fitted with the
//! paper's preset, which the reference has too, boosted models with the default. For forests it also prints the
//! share of trees whose penalty is that of an exhaustive search.

use lmdi::file::Model;
use lmdi::forest::import::{self, Rounds};
use lmdi::forest::train::TrainingSet;
use lmdi::forest::{Growth, Outcome, Predictor};
use lmdi::importance::LmdiPlus;
use lmdi::importance::lmdi_plus::{LmdiPlusOptions, ScoreOptions};
use lmdi::monitor::Silent;
use lmdi::table::{MatrixView, Response};
use lmdi::{Error, Result};
use serde_json::json;
use std::path::Path;

/// The tolerance of a search that solves every candidate.
const EXHAUSTIVE: f64 = 1e-9;

/// The share of linear models for which two searches chose the same penalty.
fn share_of_same_penalties(ours: &LmdiPlus, full: &LmdiPlus) -> f64 {
    let fits = |explainer: &LmdiPlus| -> Vec<_> {
        explainer.trees().iter().flat_map(|tree| tree.fits.iter().map(|fit| fit.chosen)).collect()
    };
    let (ours, full) = (fits(ours), fits(full));
    let same = ours.iter().zip(&full).filter(|(ours, full)| ours == full).count();
    same as f64 / full.len() as f64
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, train, response, rows, runs, out @ ..] = arguments.as_slice() else {
        return Err(Error::Data("expected MODEL TRAIN RESPONSE ROWS RUNS [SCORES]".into()));
    };
    let model = lmdi_bench::read(Path::new(model))?;
    let ensemble = match import::detect(&model)? {
        Some(_) => import::read(&model, Rounds::Best)?.ensemble,
        None => Model::from_bytes(&model)?.ensemble,
    };
    let train = lmdi_bench::read_matrix(Path::new(train))?;
    let response = lmdi_bench::read_matrix(Path::new(response))?.cells;
    let rows = lmdi_bench::read_matrix(Path::new(rows))?;
    let runs = runs.parse().map_err(|_| Error::Data(format!("{runs:?} is no number of runs")))?;

    let codes: Vec<u32> = response.iter().map(|&code| code as u32).collect();
    let response = match &ensemble.outcome {
        Outcome::Number => Response::Numeric(&response),
        Outcome::Classes(labels) => Response::Classes { codes: &codes, n_classes: labels.len() },
    };
    let train = MatrixView::from_rows(&train.cells, train.rows, train.cols)?;
    let view = MatrixView::from_rows(&rows.cells, rows.rows, rows.cols)?;

    let options = match ensemble.growth {
        Growth::Independent => LmdiPlusOptions::paper(),
        _ => LmdiPlusOptions::default(),
    };
    let start = lmdi_bench::processor_seconds();
    let (explainer, fit) = lmdi_bench::best_of(runs, || {
        LmdiPlus::fit(&ensemble, &TrainingSet::new(train, response), &options, &Silent)
    })?;
    let fitted = lmdi_bench::processor_seconds();
    let same_penalty = match ensemble.growth {
        Growth::Independent => {
            let exhaustive = options.clone().with_search_tolerance(EXHAUSTIVE);
            let set = TrainingSet::new(train, response);
            let full = LmdiPlus::fit(&ensemble, &set, &exhaustive, &Silent)?;
            share_of_same_penalties(&explainer, &full)
        }
        _ => f64::NAN,
    };
    // Scoring and predicting are short: many runs find the undisturbed ones, in turn so that both
    // meet the same noise.
    let predictor = Predictor::new(&ensemble);
    let (mut scores, mut score) =
        lmdi_bench::timed(|| explainer.score(&view, &ScoreOptions::default(), &Silent))?;
    let (mut predict, mut score_processor) = (f64::INFINITY, 0.0);
    for _ in 0..10 * runs {
        let (_, taken) = lmdi_bench::timed(|| predictor.predict(&view, &Silent))?;
        predict = predict.min(taken);
        let before = lmdi_bench::processor_seconds();
        drop(scores);
        let taken;
        (scores, taken) =
            lmdi_bench::timed(|| explainer.score(&view, &ScoreOptions::default(), &Silent))?;
        score = score.min(taken);
        score_processor += lmdi_bench::processor_seconds() - before;
    }

    if let [path, ..] = out {
        let width = scores.n_features * scores.n_outputs;
        lmdi_bench::write_matrix(Path::new(path), &scores.values, scores.n_rows, width)?;
    }
    println!(
        "{}",
        json!({
            "fit": fit, "score": score, "predict": predict,
            "unconverged": explainer.n_unconverged(),
            "same_penalty": same_penalty,
            "fit_processor": (fitted - start) / runs as f64,
            "score_processor": score_processor / (10 * runs) as f64,
        })
    );
    Ok(())
}
