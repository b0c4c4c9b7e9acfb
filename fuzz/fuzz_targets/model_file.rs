//! Any bytes as a model file: refused with an error, or a model that can be used and saved again.
//!
//! Checksums would hide the content from the fuzzer, so they are made right first.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use lmdi::file::Model;
use lmdi::importance::lmdi_plus::ScoreOptions;
use lmdi::monitor::Silent;
use lmdi::table::MatrixView;

fuzz_target!(init: shared::one_thread(), |data: &[u8]| {
    let mut bytes = data.to_vec();
    shared::reseal(&mut bytes);
    let Ok(model) = Model::from_bytes(&bytes) else { return };
    model.check().expect("what was read is valid");
    let row = vec![0.5; model.ensemble.n_features()];
    for tree in &model.ensemble.trees {
        assert!(tree.is_leaf(tree.leaf_of(&row)));
    }
    if let Some(explainer) = model.explainer.clone() {
        let explainer = explainer.ready(&model.ensemble).expect("what was read fits the trees");
        let x = MatrixView::from_rows(&row, 1, row.len()).expect("one row");
        explainer.score(&x, &ScoreOptions::default(), &Silent).expect("scores");
    }
    let saved = model.to_bytes().expect("what was read can be written");
    let again = Model::from_bytes(&saved).expect("what was written can be read");
    assert!(again.to_bytes().expect("and written again") == saved);
    let text = model.to_json().expect("what was read can be written as JSON");
    let again = Model::from_bytes(&text).expect("JSON that was written can be read");
    assert!(again.to_json().expect("and written again") == text);
});
