//! An explainer in a model file: the same scores after reading, and wrong content refused.

use super::damage::reseal;
use super::{encoded, refused, small_model};
use crate::file::{Explainer, Model, v1};
use crate::forest::train::{
    BoostingParams, ForestParams, TrainingSet, train_boosting, train_forest,
};
use crate::forest::{Ensemble, NONE};
use crate::importance::LmdiPlus;
use crate::importance::OutputScale;
use crate::importance::lmdi_plus::{LmdiPlusOptions, RawTerm, ScoreOptions, TreeFit, TreeModel};
use crate::monitor::Silent;
use crate::table::{Matrix, MatrixView, Response};

/// The stump with steps for its leaves and a slope.
fn explained() -> Model {
    let fit = TreeFit { chosen: None, iterations: 3, gap: 1e-12, converged: true };
    let tree = TreeModel {
        first_output: 0,
        n_outputs: 1,
        intercept: vec![2.0],
        step: vec![0.0, -1.0, 2.0].into(),
        raw: vec![RawTerm { feature: 0, mean: 2.0, slope: vec![0.5] }],
        fits: vec![fit],
    };
    let explainer = Explainer {
        options: "paper".into(),
        scale: OutputScale::Identity,
        trees: vec![tree],
        ranges: Vec::new(),
        tree_sizes: Vec::new(),
        kept: Vec::new(),
    };
    Model { explainer: Some(explainer), ..small_model() }
}

fn assert_same_scores_after_reading(ensemble: Ensemble, x: &Matrix, y: &Response<'_>) {
    let options = LmdiPlusOptions::paper();
    let fitted =
        LmdiPlus::fit(&ensemble, &TrainingSet::new(x.view(), *y), &options, &Silent).unwrap();
    let score = |explainer: &LmdiPlus| {
        let options = ScoreOptions { standard_error: true, ..ScoreOptions::default() };
        let scores = explainer.score(&x.view(), &options, &Silent).unwrap();
        let all = scores.values.iter().chain(&scores.base);
        let all = all.chain(scores.standard_error.iter().flatten());
        all.map(|score| score.to_bits()).collect::<Vec<u64>>()
    };
    let explainer = Some(Explainer::of(&fitted, "paper"));
    let model = Model { explainer, ..Model::new(ensemble) };
    for bytes in [model.to_bytes().unwrap(), model.to_json().unwrap()] {
        let read = Model::from_bytes(&bytes).unwrap();
        assert_eq!(read.explainer, model.explainer);
        let again = read.explainer.unwrap().ready(&read.ensemble).unwrap();
        assert!(score(&again) == score(&fitted));
    }
}

#[test]
fn scores_are_the_same_bits_after_reading() {
    let cells = (0..180).map(|i| f64::from(i * 37 % 101) / 7.0).collect();
    let x = Matrix::from_column_major(cells, 60, 3).unwrap();
    let names = ["a", "b", "c"].map(String::from);
    let numbers: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 101).sqrt()).collect();
    let codes: Vec<u32> = (0..60).map(|i| i * 37 % 101 / 34).collect();
    let labels = ["low", "middle", "high"].map(String::from);
    let small = BoostingParams { n_rounds: 5, ..BoostingParams::default() };
    for (y, labels) in [
        (Response::Numeric(&numbers), &labels[..0]),
        (Response::Classes { codes: &codes, n_classes: 3 }, &labels[..]),
    ] {
        let set = TrainingSet { x: x.view(), y, weights: None, feature_names: &names, labels };
        let default = match y {
            Response::Numeric(_) => ForestParams::regression(),
            Response::Classes { .. } => ForestParams::classification(),
        };
        let params = ForestParams { n_trees: 5, ..default };
        assert_same_scores_after_reading(train_forest(&set, &params, &Silent).unwrap(), &x, &y);
        assert_same_scores_after_reading(train_boosting(&set, &small, &Silent).unwrap(), &x, &y);
    }
}

#[test]
fn a_file_without_the_section_has_no_explainer() {
    let bytes = small_model().to_bytes().unwrap();
    assert_eq!(Model::from_bytes(&bytes).unwrap().explainer, None);
}

#[test]
fn ranges_that_are_none_are_refused() {
    let invalid = |ranges: &[[f64; 2]]| {
        let mut model = explained();
        model.explainer.as_mut().unwrap().ranges = ranges.to_vec();
        assert!(model.to_bytes().is_err(), "written");
        encoded(&model)
    };
    refused(&invalid(&[[0.0, 1.0]; 2]), "2 ranges of cells for 1 columns");
    for range in [[1.0, 0.0], [f64::NAN, 1.0], [0.0, f64::NAN], [0.0, f64::INFINITY]] {
        refused(&invalid(&[range]), "range of cells of column 0 is not a range");
    }
    let mut model = explained();
    model.explainer.as_mut().unwrap().ranges = vec![[0.0, 9.0]];
    let text = String::from_utf8(model.to_json().unwrap()).unwrap();
    let shorter = text.replacen(r#""highest":[9.0]"#, r#""highest":[]"#, 1);
    refused(shorter.as_bytes(), "1 smallest and 0 largest cells");
    let bytes = encoded(&model);
    // The section without the explainer that it belongs to: the tag of EXPL becomes unknown.
    let mut alone = bytes.clone();
    let at = bytes.windows(4).position(|tag| tag == b"EXPL").unwrap();
    alone[at..at + 4].copy_from_slice(b"LPXE");
    reseal(&mut alone);
    refused(&alone, "section ROWS belongs to section EXPL");
}

#[test]
fn kept_shares_that_are_none_are_refused() {
    for (kept, expected) in [
        (vec![vec![0.5]; 2], "kept shares of 2 trees for 1 trees"),
        (vec![vec![0.5; 3]], "tree 0 has 3 kept shares; expected 1"),
        (vec![vec![1.5]], "a kept share of tree 0 is 1.5; expected 0 to 1"),
        (vec![vec![f64::NAN]], "a kept share of tree 0 is NaN; expected 0 to 1"),
    ] {
        let mut model = explained();
        model.explainer.as_mut().unwrap().kept = kept;
        assert!(model.to_bytes().is_err(), "written");
        refused(&encoded(&model), expected);
    }
    let mut model = explained();
    model.explainer.as_mut().unwrap().kept = vec![vec![0.5]];
    let mut alone = encoded(&model);
    let at = alone.windows(4).position(|tag| tag == b"EXPL").unwrap();
    alone[at..at + 4].copy_from_slice(b"LPXE");
    reseal(&mut alone);
    refused(&alone, "section KEPT belongs to section EXPL");
}

#[test]
fn tree_sizes_that_are_none_are_refused() {
    for (sizes, expected) in [
        (vec![1.0; 2], "2 sizes for 1 trees"),
        (vec![-1.0], "the size of tree 0 is -1"),
        (vec![f64::NAN], "the size of tree 0 is NaN"),
    ] {
        let mut model = explained();
        model.explainer.as_mut().unwrap().tree_sizes = sizes;
        assert!(model.to_bytes().is_err(), "written");
        refused(&encoded(&model), expected);
    }
}

#[test]
fn linear_models_that_do_not_fit_the_trees_are_refused() {
    let wrong = |change: fn(&mut Explainer)| {
        let mut model = explained();
        change(model.explainer.as_mut().unwrap());
        assert!(model.to_bytes().is_err(), "written");
        encoded(&model)
    };
    refused(&wrong(|e| e.trees.clear()), "0 linear models for 1 trees");
    refused(&wrong(|e| e.trees.push(e.trees[0].clone())), "2 linear models for 1 trees");
    refused(&wrong(|e| e.scale = OutputScale::LogOdds), "LogOdds does not fit");
    refused(&wrong(|e| e.scale = OutputScale::Softmax), "Softmax does not fit");
    refused(&wrong(|e| e.trees[0].first_output = 1), "an output that does not exist");
    refused(&wrong(|e| e.trees[0].first_output = u32::MAX), "an output that does not exist");
    refused(&wrong(|e| e.trees[0].step = vec![0.0, -1.0].into()), "tree 0 has the wrong size");
    refused(&wrong(|e| e.trees[0].raw[0].feature = 1), "tree 0 names an unknown feature");
    let twice = |e: &mut Explainer| e.trees[0].raw = vec![e.trees[0].raw[0].clone(); 2];
    refused(&wrong(twice), "rising order");
    refused(&wrong(|e| e.trees[0].raw[0].slope[0] = f64::NAN), "not finite");
    refused(&wrong(|e| e.trees[0].raw[0].mean = f64::INFINITY), "not finite");
    refused(&wrong(|e| e.trees[0].step = vec![0.0, -1.0, f64::INFINITY].into()), "not finite");
    refused(&wrong(|e| e.trees[0].intercept[0] = f64::NAN), "not finite");
    let text = String::from_utf8(explained().to_json().unwrap()).unwrap();
    for (old, new, expected) in [
        (r#""intercept":[2.0]"#, r#""intercept":[]"#, "has the wrong size"),
        (r#""intercept":[2.0]"#, r#""intercept":[2.0,1.0]"#, "has the wrong size"),
        (r#""slope":[0.5]"#, r#""slope":[0.5,0.5]"#, "has the wrong size"),
        (r#""scale":"identity""#, r#""scale":"probit""#, r#"scale is "probit"; expected"#),
        (r#""feature":0,"mean""#, r#""feature":-1,"mean""#, "expected u32"),
        (r#""gap":"#, r#""gup":"#, "unknown field `gup`"),
    ] {
        assert!(text.contains(old), "{text}");
        refused(text.replacen(old, new, 1).as_bytes(), expected);
    }
}

#[test]
fn lengths_of_linear_models_are_compared_before_memory_is_taken() {
    let valid = explained().to_bytes().unwrap();
    // From the end of the section, which is the last: converged, gap, iterations, penalty known; a
    // raw column with its slope, mean and feature; their number; three steps and their number; the
    // intercept; outputs and first output; the number of models; the scale.
    let raw = 1 + 8 + 8 + 1 + 8 + 8 + 4 + 4;
    let steps = raw + 3 * 8 + 4;
    let outputs = steps + 8 + 4;
    for (before_end, expected) in [
        (raw, "linear model 0: section EXPL, byte 62: number of raw columns is 4294967295"),
        (steps, "number of steps is 4294967295, at least 8 bytes each"),
        (outputs, "intercepts needs 4294967295 x 8 bytes"),
        (outputs + 4 + 4, "number of linear models is 4294967295, at least 50 bytes each"),
    ] {
        let mut bytes = valid.clone();
        let at = bytes.len() - before_end;
        bytes[at..at + 4].fill(0xFF);
        reseal(&mut bytes);
        refused(&bytes, expected);
    }
    let mut bytes = valid.clone();
    let scale = valid.len() - (outputs + 4 + 4 + 1);
    bytes[scale] = 9;
    reseal(&mut bytes);
    refused(&bytes, "scale has code 9");
}

/// A chain of n splits has n^2 / 2 steps to its leaves: nothing may hold them all.
#[test]
fn a_chain_of_splits_takes_no_more_memory_than_its_nodes() {
    let n = 60_001;
    let mut model = explained();
    let tree = &mut model.ensemble.trees[0];
    let split = |node: usize| node.is_multiple_of(2) && node + 2 < n;
    tree.feature = (0..n).map(|node| if split(node) { 0 } else { NONE }).collect();
    tree.left = (0..n).map(|node| if split(node) { node as u32 + 1 } else { NONE }).collect();
    tree.right = (0..n).map(|node| if split(node) { node as u32 + 2 } else { NONE }).collect();
    tree.missing = vec![tree.missing[0]; n];
    for numbers in [&mut tree.threshold, &mut tree.value, &mut tree.weight, &mut tree.impurity] {
        *numbers = vec![1.0; n];
    }
    model.explainer.as_mut().unwrap().trees[0].step = vec![1.0; n].into();
    let read = v1::decode(&encoded(&model)).unwrap();
    let fitted = read.explainer.unwrap().ready(&read.ensemble).unwrap();
    let cells = vec![0.0; fitted.n_features()];
    let row = MatrixView::from_rows(&cells, 1, cells.len()).unwrap();
    let scores = fitted.score(&row, &ScoreOptions::default(), &Silent).unwrap();
    assert!(scores.values.iter().all(|score| score.is_finite()));
}
