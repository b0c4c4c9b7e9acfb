//! Reads the reference forests of `testdata/lmdi_plus`, which independent software made (see its
//! README).

use lmdi::file::Model;
use lmdi::forest::Ensemble;
use lmdi::table::Matrix;
use serde::Deserialize;
use std::path::Path;

/// A forest with the scores of the reference.
#[derive(Deserialize)]
pub struct Reference {
    x_train: Vec<Vec<f64>>,
    pub y_train: Vec<f64>,
    x_test: Vec<Vec<f64>>,
    model: serde_json::Value,
    pub train: ReferenceScores,
    pub test: ReferenceScores,
}

/// Scores of some rows.
#[derive(Deserialize)]
pub struct ReferenceScores {
    pub scores: Vec<Vec<f64>>,
    pub scores_converged: Vec<Vec<f64>>,
    pub by_rank: Vec<Vec<Option<f64>>>,
}

/// A file of the folder.
pub fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/lmdi_plus").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// One reference forest.
pub fn reference(file: &str) -> Reference {
    serde_json::from_str(&text(file)).expect("a golden file")
}

/// Rows as a matrix.
pub fn matrix(rows: &[Vec<f64>]) -> Matrix {
    let columns = rows[0].len();
    let cells = (0..columns).flat_map(|column| rows.iter().map(move |row| row[column])).collect();
    Matrix::from_column_major(cells, rows.len(), columns).expect("a full matrix")
}

/// The ensemble of a model in JSON.
pub fn ensemble(model: &serde_json::Value) -> Ensemble {
    let bytes = serde_json::to_vec(model).expect("JSON");
    Model::from_bytes(&bytes).expect("a model").ensemble
}

impl Reference {
    pub fn x_train(&self) -> Matrix {
        matrix(&self.x_train)
    }

    pub fn x_test(&self) -> Matrix {
        matrix(&self.x_test)
    }

    pub fn ensemble(&self) -> Ensemble {
        ensemble(&self.model)
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

/// Mean over rows of the Spearman correlation of absolute values.
pub fn mean_spearman(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let rows: Vec<f64> =
        a.iter().zip(b).filter_map(|(a, b)| correlation(&ranks(a), &ranks(b))).collect();
    rows.iter().sum::<f64>() / rows.len() as f64
}

/// Ranks of absolute values; ties share the mean rank.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |x: f64| values.iter().filter(|v| v.abs() < x).count() as f64;
    let equal = |x: f64| values.iter().filter(|v| v.abs() == x).count() as f64;
    values.iter().map(|v| below(v.abs()) + (equal(v.abs()) + 1.0) / 2.0).collect()
}

fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let product =
        |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(x, y)| f(x - ma, y - mb)).sum();
    let (ab, aa, bb): (f64, f64, f64) =
        (product(&|x, y| x * y), product(&|x, _| x * x), product(&|_, y| y * y));
    (aa > 0.0 && bb > 0.0).then(|| ab / (aa * bb).sqrt())
}
