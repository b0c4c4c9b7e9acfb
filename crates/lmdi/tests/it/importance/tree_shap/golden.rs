//! Against shap on scikit-learn's models, and against the engines of XGBoost and LightGBM on their
//! own files (`testdata/tree_shap/make.py`).

use flate2::read::GzDecoder;
use lmdi::file::Model;
use lmdi::forest::import::{Rounds, read};
use lmdi::importance::tree_shap::{InterventionalTreeShap, TreeShap};
use lmdi::monitor::Silent;
use lmdi::table::Matrix;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::io::Read;
use std::path::Path;

/// Of the largest number of the case. shap computes in 64 bits but keeps some results in 32.
const TOLERANCE: f64 = 1e-6;

#[derive(Deserialize)]
pub struct Cases<C> {
    pub cases: Vec<C>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    model: serde_json::Value,
    x: Vec<Vec<Option<f64>>>,
    scores: Vec<Vec<f64>>,
    base: Vec<f64>,
    interactions: Option<Vec<Vec<f64>>>,
    background: Option<Vec<Vec<Option<f64>>>>,
    interventional: Option<Vec<Vec<f64>>>,
}

/// The cases of a file.
pub fn cases<C: DeserializeOwned>(file: &str) -> Vec<C> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/tree_shap").join(file);
    let mut text = std::fs::read(&path).expect("a golden file");
    if file.ends_with(".gz") {
        let mut unpacked = Vec::new();
        GzDecoder::new(&text[..]).read_to_end(&mut unpacked).expect("a gzip file");
        text = unpacked;
    }
    serde_json::from_slice::<Cases<C>>(&text).expect("a golden file").cases
}

/// Rows of cells; nothing is missing.
pub fn matrix(rows: &[Vec<Option<f64>>]) -> Matrix {
    let columns = 0..rows[0].len();
    let cells = columns
        .flat_map(|column| rows.iter().map(move |row| row[column].unwrap_or(f64::NAN)))
        .collect();
    Matrix::from_column_major(cells, rows.len(), rows[0].len()).expect("a full matrix")
}

/// Asserts that numbers agree to `tolerance` of the largest one.
#[track_caller]
pub fn assert_agree(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0.0_f64, |scale, value| scale.max(value.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let off = (found - expected).abs();
        assert!(off <= tolerance * scale, "{what}, entry {at}: {found}, expected {expected}");
    }
}

#[test]
fn scores_and_interactions_of_scikit_learn_models_are_those_of_shap() {
    let cases: Vec<Case> = cases("sklearn.json");
    assert_eq!(cases.len(), 11);
    for case in cases {
        let bytes = serde_json::to_vec(&case.model).expect("JSON");
        let ensemble = Model::from_bytes(&bytes).expect("a model").ensemble;
        let x = matrix(&case.x);
        let shap = TreeShap::new(&ensemble).expect("an explainer");
        let scores = shap.explain(&x.view(), &Silent).expect("scores");
        assert_agree(&scores.values, &case.scores.concat(), TOLERANCE, &case.name);
        assert_agree(shap.base(), &case.base, TOLERANCE, &format!("base of {}", case.name));
        if let Some(expected) = &case.interactions {
            let found = shap.interactions(&x.view(), &Silent).expect("interactions");
            assert_agree(&found.values, &expected.concat(), TOLERANCE, &case.name);
        }
        if let (Some(background), Some(expected)) = (&case.background, &case.interventional) {
            let background = matrix(background);
            let shap = InterventionalTreeShap::new(&ensemble, &background.view(), &Silent)
                .expect("an explainer");
            let scores = shap.explain(&x.view(), &Silent).expect("scores");
            assert_agree(&scores.values, &expected.concat(), TOLERANCE, &case.name);
        }
    }
}

/// The examples whose values anyone can work out.
#[test]
fn small_trees_have_the_values_of_the_textbook() {
    let cases: Vec<Case> = cases("sklearn.json");
    let expected: [(&str, &[f64]); 2] = [
        ("conjunction", &[-10.0, -10.0, -30.0, 10.0, 10.0, -30.0, 30.0, 30.0]),
        ("one_cell", &[0.8, -0.2, -0.2, -0.2, -0.2]),
    ];
    for (name, expected) in expected {
        let case = cases.iter().find(|case| case.name == name).expect("the case");
        let bytes = serde_json::to_vec(&case.model).expect("JSON");
        let ensemble = Model::from_bytes(&bytes).expect("a model").ensemble;
        let shap = TreeShap::new(&ensemble).expect("an explainer");
        let found = shap.explain(&matrix(&case.x).view(), &Silent).expect("scores").values;
        assert_agree(&found, expected, 1e-14, name);
    }
}

#[derive(Deserialize)]
struct Booster {
    name: String,
    /// The model as the library itself writes it.
    file: String,
    x: Vec<Vec<Option<f64>>>,
    /// Row by row, output by output, feature by feature, the base last.
    contributions: Vec<Vec<Vec<f64>>>,
    /// The same for pairs of features.
    interactions: Option<Vec<Vec<Vec<f64>>>>,
}

#[test]
fn scores_of_xgboost_and_lightgbm_models_are_those_of_their_own_engines() {
    let cases: Vec<Booster> = cases("boosters.json.gz");
    assert_eq!(cases.len(), 33);
    for case in cases {
        let ensemble = read(case.file.as_bytes(), Rounds::All).expect("a model").ensemble;
        let (x, p) = (matrix(&case.x), ensemble.n_features());
        let shap = TreeShap::new(&ensemble).expect("an explainer");
        let scores = shap.explain(&x.view(), &Silent).expect("scores");
        let pairs = shap.interactions(&x.view(), &Silent).expect("interactions");
        for row in 0..x.rows() {
            for output in 0..scores.n_outputs {
                let mut found: Vec<f64> = (0..p).map(|at| scores.get(row, at, output)).collect();
                found.push(shap.base()[output]);
                assert_agree(&found, &case.contributions[row][output], TOLERANCE, &case.name);
                if let Some(expected) = &case.interactions {
                    let expected: Vec<f64> = expected[row][output]
                        .chunks_exact(p + 1)
                        .take(p)
                        .flat_map(|line| &line[..p])
                        .copied()
                        .collect();
                    let found: Vec<f64> =
                        (0..p * p).map(|at| pairs.get(row, at / p, at % p, output)).collect();
                    // 32-bit numbers, and differences of them on the diagonal.
                    assert_agree(&found, &expected, 1e-5, &case.name);
                }
            }
        }
    }
}
