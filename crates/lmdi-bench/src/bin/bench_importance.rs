//! Our side of `./bench importance`: `bench_importance METHOD MODEL TRAIN RESPONSE ROWS RUNS
//! [RESULT]` measures `lime` or `lime-drawn` (explain ROWS), `mdi-plus` or `permutation`
//! (importances on TRAIN) and prints as JSON the seconds of one run: by the wall the least of RUNS,
//! and of processor time their mean. RESULT is written as a matrix file.

use lmdi::file::Model;
use lmdi::forest::train::TrainingSet;
use lmdi::forest::{Ensemble, Outcome};
use lmdi::importance::lime::{Lime, LimeOptions};
use lmdi::importance::mdi_plus::{MdiPlusOptions, mdi_plus};
use lmdi::importance::permutation::{PermutationOptions, permutation};
use lmdi::importance::{Groups, Importances, Metric};
use lmdi::monitor::Silent;
use lmdi::table::{MatrixView, Response};
use lmdi::{Error, Result};
use serde_json::json;
use std::path::Path;

/// Result cells, rows and columns.
type Measured = (Vec<f64>, usize, usize);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [method, model, train, response, rows, runs, out @ ..] = arguments.as_slice() else {
        return Err(Error::Data("expected METHOD MODEL TRAIN RESPONSE ROWS RUNS [RESULT]".into()));
    };
    let ensemble = Model::from_bytes(&lmdi_bench::read(Path::new(model))?)?.ensemble;
    let [train, response, rows] =
        [train, response, rows].map(|path| lmdi_bench::read_matrix(Path::new(path)));
    let (train, response, rows) = (train?, response?, rows?);
    let runs: usize =
        runs.parse().map_err(|_| Error::Data(format!("{runs:?} is no number of runs")))?;
    let x = MatrixView::from_rows(&train.cells, train.rows, train.cols)?;
    let rows = MatrixView::from_rows(&rows.cells, rows.rows, rows.cols)?;
    let codes: Vec<u32> = response.cells.iter().map(|&y| y as u32).collect();
    let y = match &ensemble.outcome {
        Outcome::Number => Response::Numeric(&response.cells),
        Outcome::Classes(labels) => Response::Classes { codes: &codes, n_classes: labels.len() },
    };
    let started = lmdi_bench::processor_seconds();
    let ((cells, n, width), least) =
        lmdi_bench::best_of(runs, || measure(method, &ensemble, &TrainingSet::new(x, y), &rows))?;
    let processor = (lmdi_bench::processor_seconds() - started) / runs as f64;
    if let [path, ..] = out {
        lmdi_bench::write_matrix(Path::new(path), &cells, n, width)?;
    }
    println!("{}", json!({ "wall": least, "processor": processor }));
    Ok(())
}

fn measure(
    method: &str,
    ensemble: &Ensemble,
    set: &TrainingSet<'_>,
    rows: &MatrixView<'_>,
) -> Result<Measured> {
    let (x, y) = (&set.x, &set.y);
    let groups = Groups::singles(x.cols());
    let line = |found: Importances| (found.values, 1, x.cols());
    match method {
        "lime" | "lime-drawn" => {
            let n_samples = (method == "lime-drawn").then_some(5000);
            let options = LimeOptions::default().with_n_samples(n_samples);
            let lime = Lime::new(ensemble, x, options)?;
            let scores = lime.explain(rows, &Silent)?;
            Ok((scores.values, scores.n_rows, scores.n_features * scores.n_outputs))
        }
        "mdi-plus" => {
            let options = MdiPlusOptions::for_response(y).with_above_constant(false);
            Ok(line(mdi_plus(ensemble, set, &groups, &options, &Silent)?))
        }
        "permutation" => {
            let metric = match y {
                Response::Numeric(_) => Metric::R2,
                Response::Classes { .. } => Metric::Accuracy,
            };
            let options = PermutationOptions::for_response(y).with_metric(metric);
            Ok(line(permutation(ensemble, set, &groups, &options, &Silent)?))
        }
        other => Err(Error::Data(format!("{other:?} is not measured here"))),
    }
}
