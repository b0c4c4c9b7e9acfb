//! Our side of `./bench methods`: `bench_methods MODEL ROWS RUNS METHOD [SCORES]` explains ROWS (a matrix
//! file) of the model in MODEL (JSON or binary) with METHOD, and prints the least seconds of RUNS runs,
//! and those of making the explainer, as JSON. SCORES is written as a matrix file.

mod support;

use lmdi::file::Model;
use lmdi::importance::TreeShap;
use lmdi::monitor::Silent;
use lmdi::table::MatrixView;
use lmdi::{Error, Result};
use serde_json::json;
use std::path::Path;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, rows, runs, method, out @ ..] = arguments.as_slice() else {
        return Err(Error::Data("expected MODEL ROWS RUNS METHOD [SCORES]".into()));
    };
    let ensemble = Model::from_bytes(&support::read(Path::new(model))?)?.ensemble;
    let rows = support::read_matrix(Path::new(rows))?;
    let runs = runs.parse().map_err(|_| Error::Data(format!("{runs:?} is no number of runs")))?;
    let view = MatrixView::from_rows(&rows.cells, rows.rows, rows.cols)?;
    let (prepare, explain, scores) = match method.as_str() {
        "tree-shap" => {
            let (explainer, prepare) = support::best_of(runs, || TreeShap::new(&ensemble))?;
            let (scores, explain) = support::best_of(runs, || explainer.explain(&view, &Silent))?;
            (prepare, explain, scores)
        }
        other => return Err(Error::Data(format!("{other:?} is no method that is measured here"))),
    };
    if let [path, ..] = out {
        let width = scores.n_features * scores.n_outputs;
        support::write_matrix(Path::new(path), &scores.values, scores.n_rows, width)?;
    }
    println!("{}", json!({ "prepare": prepare, "explain": explain }));
    Ok(())
}
