//! Any bytes as a model file: refused with an error, or a model that can be used and saved again.
//!
//! Checksums would hide the content from the fuzzer, so they are made right first.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lmdi::file::Model;
use lmdi::importance::lmdi_plus::ScoreOptions;
use lmdi::monitor::Silent;
use lmdi::table::MatrixView;

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    reseal(&mut bytes);
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

/// Puts right checksums into a binary file, as far as its section table makes sense.
fn reseal(bytes: &mut [u8]) -> Option<()> {
    if !bytes.starts_with(b"\x89LMDI") {
        return None;
    }
    let u32_at = |bytes: &[u8], at: usize| -> Option<usize> {
        let word = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(word) as usize)
    };
    let n_sections = u32_at(bytes, 12)?.min(64);
    let table_end = 16 + 20 * n_sections;
    let mut start = table_end + 4;
    for entry in (16..table_end).step_by(20) {
        let Some(length) = u32_at(bytes, entry + 8) else { break };
        let end = start.saturating_add(length);
        let Some(body) = bytes.get(start..end) else { break };
        let checksum = crc32fast::hash(body);
        bytes[entry + 16..entry + 20].copy_from_slice(&checksum.to_le_bytes());
        start = end;
    }
    let checksum = crc32fast::hash(bytes.get(..table_end)?);
    bytes.get_mut(table_end..table_end + 4)?.copy_from_slice(&checksum.to_le_bytes());
    Some(())
}
