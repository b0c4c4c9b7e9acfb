//! Reads the linear models of `testdata/lmdi_plus`, which independent software made (see its
//! README).

use crate::file::Model;
use crate::forest::{Ensemble, Tree};
use crate::table::Matrix;
use serde::Deserialize;
use std::path::Path;

/// One tree, one table, one way to weigh the rows; `F` is a solution at given penalties, `C` the
/// search for penalties.
#[derive(Deserialize)]
pub struct Case<F, C> {
    pub name: String,
    x: Vec<Vec<f64>>,
    pub y: Vec<f64>,
    model: serde_json::Value,
    pub raw: bool,
    pub weights: Vec<f64>,
    pub columns: Vec<Column>,
    pub fits: Vec<F>,
    pub cv: C,
    #[serde(default)]
    pub unpenalised: Option<Unpenalised>,
}

/// A column of the design matrix: the split at `node`, or the raw feature.
#[derive(Deserialize)]
pub struct Column {
    pub feature: usize,
    pub node: Option<usize>,
    /// What the centred cell is divided by (raw columns).
    pub scale: Option<f64>,
    /// In-bag mean of the cells (raw columns).
    pub mean: Option<f64>,
}

/// Logistic regression without a penalty, where the classes cannot be separated.
#[derive(Deserialize)]
pub struct Unpenalised {
    pub objective: f64,
    pub unique: bool,
    pub intercept: f64,
    pub coef: Vec<f64>,
}

#[derive(Deserialize)]
struct Cases<F, C> {
    cases: Vec<Case<F, C>>,
}

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/lmdi_plus").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The cases of one file.
pub fn cases<F, C>(file: &str) -> Vec<Case<F, C>>
where
    F: for<'de> Deserialize<'de>,
    C: for<'de> Deserialize<'de>,
{
    serde_json::from_str::<Cases<F, C>>(&text(file)).expect("a golden file").cases
}

fn matrix(rows: &[Vec<f64>]) -> Matrix {
    let columns = rows[0].len();
    let cells = (0..columns).flat_map(|column| rows.iter().map(move |row| row[column])).collect();
    Matrix::from_column_major(cells, rows.len(), columns).expect("a full matrix")
}

fn ensemble(model: &serde_json::Value) -> Ensemble {
    let bytes = serde_json::to_vec(model).expect("JSON");
    Model::from_bytes(&bytes).expect("a model").ensemble
}

impl<F, C> Case<F, C> {
    /// The training rows.
    pub fn x(&self) -> Matrix {
        matrix(&self.x)
    }

    /// The ensemble of the one tree.
    pub fn ensemble(&self) -> Ensemble {
        ensemble(&self.model)
    }

    /// The tree.
    pub fn tree(&self) -> Tree {
        self.ensemble().trees.remove(0)
    }

    /// Class codes of the response.
    pub fn codes(&self) -> Vec<u32> {
        self.y.iter().map(|&y| y as u32).collect()
    }
}

/// Collects what is wrong over many cases, so that one run shows all of it.
#[derive(Default)]
pub struct Checks {
    failed: Vec<String>,
}

impl Checks {
    /// Notes `message` unless `holds`.
    pub fn that(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.failed.push(message());
        }
    }

    /// Fails the test if anything was noted.
    pub fn finish(self) {
        assert!(
            self.failed.is_empty(),
            "{} checks failed:\n{}",
            self.failed.len(),
            self.failed.join("\n")
        );
    }
}

/// |a - b| / |b| in the Euclidean norm; |a| where b is zero.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "lengths");
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let off = norm(&mut a.iter().zip(b).map(|(a, b)| a - b));
    let size = norm(&mut b.iter().copied());
    if size > 0.0 { off / size } else { off }
}
