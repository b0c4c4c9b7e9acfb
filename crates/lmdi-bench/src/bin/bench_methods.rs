//! Our side of `./bench methods`: `bench_methods MODEL ROWS RUNS METHOD [SCORES]` explains ROWS (a
//! matrix file) of the model in MODEL (ours or of another library) with METHOD, and prints as JSON
//! the least seconds of RUNS runs, their mean processor time and the seconds of making the
//! explainer. SCORES is written as a matrix file.

use lmdi::file::Model;
use lmdi::forest::import::{Rounds, detect, read};
use lmdi::importance::Method;
use lmdi::monitor::Silent;
use lmdi::named::Named;
use lmdi::table::MatrixView;
use lmdi::{Error, Result};
use serde_json::json;
use std::path::Path;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, rows, runs, method, out @ ..] = arguments.as_slice() else {
        return Err(Error::Data("expected MODEL ROWS RUNS METHOD [SCORES]".into()));
    };
    let bytes = lmdi_bench::read(Path::new(model))?;
    let ensemble = match detect(&bytes)? {
        Some(_) => read(&bytes, Rounds::All)?.ensemble,
        None => Model::from_bytes(&bytes)?.ensemble,
    };
    let rows = lmdi_bench::read_matrix(Path::new(rows))?;
    let runs: usize =
        runs.parse().map_err(|_| Error::Data(format!("{runs:?} is no number of runs")))?;
    let view = MatrixView::from_rows(&rows.cells, rows.rows, rows.cols)?;
    let chosen = Method::from_name(method)?;
    let made = lmdi_bench::best_of(runs, || chosen.of_trees(&ensemble).transpose())?;
    let (Some(explainer), prepare) = made else {
        return Err(Error::Data(format!("{method} is fitted to rows and not measured here")));
    };
    let started = lmdi_bench::processor_seconds();
    let (scores, explain) = lmdi_bench::best_of(runs, || explainer.explain(&view, &Silent))?;
    let processor = (lmdi_bench::processor_seconds() - started) / runs as f64;
    if let [path, ..] = out {
        let width = scores.n_features * scores.n_outputs;
        lmdi_bench::write_matrix(Path::new(path), &scores.values, scores.n_rows, width)?;
    }
    println!(
        "{}",
        json!({ "prepare": prepare, "explain": explain, "explain_processor": processor })
    );
    Ok(())
}
