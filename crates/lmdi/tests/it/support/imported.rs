//! The models of `testdata/import`, with what their libraries say about rows.
#![allow(dead_code, clippy::unwrap_used)]

use flate2::read::GzDecoder;
use lmdi::forest::import::{Categories, Imported, Rounds, read};
use lmdi::table::Matrix;
use serde::Deserialize;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
pub struct Expected {
    pub rounds: usize,
    pub rows: Vec<Vec<Cell>>,
    pub leaf: Vec<Vec<u32>>,
    pub margin: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum Cell {
    Number(f64),
    Text(String),
    Missing(()),
}

pub struct Case {
    pub name: String,
    pub bytes: Vec<u8>,
    pub model: Imported,
    pub expected: Expected,
    pub x: Matrix,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/import")
}

fn unpack(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

/// Names of all cases with rows to probe, in order.
pub fn names() -> Vec<String> {
    names_ending(".expected.json.gz")
}

fn names_ending(ending: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(ending).map(str::to_owned)
        })
        .collect();
    names.sort();
    names
}

/// The model file of a case, as the library wrote it.
pub fn model_bytes(name: &str) -> Vec<u8> {
    let path = |ending: &&str| folder().join(format!("{name}.{ending}.gz"));
    let ending = ["json", "ubj", "txt"].into_iter().find(|ending| path(ending).exists());
    unpack(&path(&ending.unwrap()))
}

pub fn load(name: &str) -> Case {
    let bytes = model_bytes(name);
    let expected: Expected =
        serde_json::from_slice(&unpack(&folder().join(format!("{name}.expected.json.gz"))))
            .unwrap();
    let model = read(&bytes, Rounds::Best).unwrap_or_else(|error| panic!("{name}: {error}"));
    let n = model.ensemble.n_features();
    let mut cells = Vec::new();
    for column in 0..n {
        cells.extend(expected.rows.iter().map(|row| cell(&model, column, &row[column])));
    }
    let x = Matrix::from_column_major(cells, expected.rows.len(), n).unwrap();
    Case { name: name.into(), bytes, model, expected, x }
}

fn cell(model: &Imported, column: usize, cell: &Cell) -> f64 {
    match (cell, &model.categories[column]) {
        (Cell::Missing(()), _) => f64::NAN,
        (Cell::Number(x), _) => *x,
        (Cell::Text(text), Some(Categories::Levels(levels))) => {
            levels.iter().position(|level| level == text).map_or(f64::NAN, |code| code as f64)
        }
        (Cell::Text(text), other) => panic!("{text:?} in a column of {other:?}"),
    }
}

/// A model with the rows it was trained on.
pub struct Training {
    pub model: Imported,
    pub x: Matrix,
    pub y: Vec<f64>,
    pub margin: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
struct TrainingIn {
    rows: Vec<Vec<f64>>,
    y: Vec<f64>,
    margin: Vec<Vec<f64>>,
}

/// Names of the cases with training rows, in order.
pub fn training_names() -> Vec<String> {
    names_ending(".training.json.gz")
}

pub fn load_training(name: &str) -> Training {
    let path = folder().join(format!("{name}.training.json.gz"));
    let TrainingIn { rows, y, margin } = serde_json::from_slice(&unpack(&path)).unwrap();
    let cells = rows.iter().flatten().copied().collect::<Vec<_>>();
    let width = rows[0].len();
    let columns = (0..width).flat_map(|c| cells.iter().skip(c).step_by(width).copied());
    let x = Matrix::from_column_major(columns.collect(), rows.len(), width).unwrap();
    let model = read(&model_bytes(name), Rounds::Best).unwrap();
    Training { model, x, y, margin }
}
