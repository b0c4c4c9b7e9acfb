//! Explains rows by a model that XGBoost trained, from its own file: `booster.save_model("model.json")`.
//!
//! `cargo run --release -p lmdi --example explain_xgboost -- model.json 0.5,1.2,nan 0.1,0,3`
//!
//! Rows are numbers with commas; `nan` is a missing cell. Without arguments a small model of the test
//! data and two made-up rows are used. Files of LightGBM and CatBoost are read the same way.

use flate2::read::GzDecoder;
use lmdi::forest::import::{Rounds, read};
use lmdi::prelude::*;
use std::error::Error;
use std::io::Read;

const SMALL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../testdata/import/xgboost-3.2.0-train_regression.json.gz"
);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, rows) =
        arguments.split_first().map_or((SMALL, &[][..]), |(path, rows)| (path, rows));
    let mut bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        GzDecoder::new(bytes.as_slice()).read_to_end(&mut plain)?;
        bytes = plain;
    }
    let model = read(&bytes, Rounds::Best)?;
    let (ensemble, width) = (&model.ensemble, model.ensemble.n_features());
    println!(
        "{} {}: {} trees, {width} features",
        model.library,
        model.version,
        ensemble.trees.len()
    );

    let mut cells: Vec<f64> = Vec::new();
    for row in rows {
        let row: Result<Vec<f64>, _> = row.split(',').map(|cell| cell.trim().parse()).collect();
        cells.extend(row.map_err(|error| format!("a row is numbers with commas: {error}"))?);
    }
    if rows.is_empty() {
        cells = (0..2 * width).map(|at| if at < width { 0.5 } else { -0.5 }).collect();
    }
    let x = MatrixView::from_rows(&cells, cells.len() / width.max(1), width)?;

    // TreeSHAP needs nothing but the trees; LMDI+ would need the training rows as well.
    let shapley =
        Method::TreeShap.of_trees(ensemble).ok_or("TreeSHAP follows from the trees")??;
    let scores = shapley.explain(&x, &Silent)?;
    for row in 0..scores.n_rows {
        println!("row {}: base {:.4}", row + 1, scores.base[row * scores.n_outputs]);
        for (feature, name) in ensemble.feature_names.iter().enumerate() {
            println!("  {name:?} {:+.4}", scores.get(row, feature, 0));
        }
        println!("  = raw output {:.4}", scores.total(row, 0));
    }
    Ok(())
}
