//! Scores a stream of rows with a saved explainer, a batch at a time, so that memory stays small.
//!
//! `lmdi explain data.csv --target y --save model.lmdi` saves one; then
//! `cargo run --release -p lmdi --example score_stream -- model.lmdi < rows.csv` reads rows of numbers,
//! in the order of the model's encoded columns, from standard input. Without arguments a small model is
//! trained, saved in memory, and fed with made-up rows.

use lmdi::file::Explainer;
use lmdi::prelude::*;
use std::error::Error;
use std::io::{BufRead, BufReader, Cursor, Write, stdin, stdout};

/// Rows that are scored at a time.
const BATCH: usize = 1024;

fn main() -> Result<(), Box<dyn Error>> {
    let (bytes, lines): (Vec<u8>, Box<dyn BufRead>) = match std::env::args().nth(1) {
        Some(path) => {
            let bytes = std::fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
            (bytes, Box::new(BufReader::new(stdin())))
        }
        None => (small_model()?, Box::new(Cursor::new("1,10\n30,10\n35,nan\n"))),
    };
    let model = Model::from_bytes(&bytes)?;
    let explainer = model.explainer.ok_or("the file holds no explainer: save it with one")?;
    let explainer = explainer.ready(&model.ensemble)?;
    let width = explainer.n_features();

    let mut out = stdout().lock();
    let mut batch: Vec<f64> = Vec::with_capacity(BATCH * width);
    let mut flush = |batch: &mut Vec<f64>| -> Result<(), Box<dyn Error>> {
        let x = MatrixView::from_rows(batch, batch.len() / width, width)?;
        let scores = explainer.score(&x, &ScoreOptions::default(), &Silent)?;
        for row in 0..scores.n_rows {
            let text: Vec<String> =
                scores.row(row).iter().map(|score| format!("{score}")).collect();
            writeln!(out, "{},{}", scores.total(row, 0), text.join(","))?;
        }
        batch.clear();
        Ok(())
    };
    for (number, line) in lines.lines().enumerate() {
        let before = batch.len();
        for cell in line?.split(',') {
            let cell = cell.trim().parse();
            batch.push(cell.map_err(|error| format!("line {}: {error}", number + 1))?);
        }
        let found = batch.len() - before;
        if found != width {
            return Err(format!("line {} has {found} cells; expected {width}", number + 1).into());
        }
        if batch.len() == BATCH * width {
            flush(&mut batch)?;
        }
    }
    flush(&mut batch)
}

/// A forest on forty made-up rows and its explainer, as bytes of a model file.
fn small_model() -> lmdi::Result<Vec<u8>> {
    let cells: Vec<f64> = (0..40).flat_map(|i| [f64::from(i), f64::from(i % 7)]).collect();
    let y: Vec<f64> = (0..40).map(|i| if i < 20 { 1.0 } else { 5.0 }).collect();
    let names = ["age", "weekday"].map(String::from);
    let set = TrainingSet::regression(MatrixView::from_rows(&cells, 40, 2)?, &y, &names);
    let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
    let options = LmdiPlusOptions::default();
    let fitted = LmdiPlus::fit(&forest, &set, &options, &Silent)?;
    let explainer = Some(Explainer::of(&fitted, "the default"));
    Model { explainer, ..Model::new(forest) }.to_bytes()
}
