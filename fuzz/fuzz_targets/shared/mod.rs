//! What several targets do with a model.

use lmdi::file::Model;
use lmdi::forest::import::{Library, Rounds, detect, read};
use lmdi::table::Matrix;

/// Lets the thread that calls be the only worker: handing a task of microseconds to another thread and
/// waiting for it takes longer than the task. Results do not depend on the number of threads.
pub fn one_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("the first pool of the process");
}

/// Bytes of a model of one library: refused with an error, or an ensemble that can be used and saved.
#[allow(dead_code)]
pub fn import(data: &[u8], library: Library) {
    if detect(data) != Ok(Some(library)) {
        return;
    }
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
}

/// Rows with cells of every kind that trees treat differently.
#[allow(dead_code)]
pub fn rows(n_features: usize) -> Matrix {
    const CELLS: [f64; 7] = [0.5, f64::NAN, 0.0, -1e30, 3.0, 1e-36, 1.0];
    let cells = (0..3 * n_features).map(|at| CELLS[at % CELLS.len()]).collect();
    Matrix::from_column_major(cells, 3, n_features).expect("three rows")
}

/// Puts right checksums into a binary model file, as far as its section table makes sense.
#[allow(dead_code)]
pub fn reseal(bytes: &mut [u8]) -> Option<()> {
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
