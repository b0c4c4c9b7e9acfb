//! Any bytes as a model of another library: refused with an error, or an ensemble that can be used and
//! saved.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lmdi::file::Model;
use lmdi::forest::import::{Rounds, read};

fuzz_target!(|data: &[u8]| {
    let Ok(imported) = read(data, Rounds::Best) else { return };
    imported.ensemble.check().expect("what was read is valid");
    let row = vec![0.5; imported.ensemble.n_features()];
    for (tree, ids) in imported.ensemble.trees.iter().zip(&imported.node_ids) {
        let leaf = tree.leaf_of(&row);
        assert!(tree.is_leaf(leaf) && leaf < ids.len());
    }
    let model = Model::from(imported);
    // Names may repeat, which the model file refuses; all else must survive it.
    if model.check().is_ok() {
        let saved = model.to_bytes().expect("what was read can be written");
        Model::from_bytes(&saved).expect("what was written can be read");
    }
});
