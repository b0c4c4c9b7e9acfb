//! Predictions, TreeSHAP and Saabas of any model that the reader accepts: no panic, the same scores
//! twice, and one score per column and output.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use lmdi::file::Model;
use lmdi::forest::import::{Rounds, detect, read};
use lmdi::importance::{LocalMethod, Saabas, TreeShap};
use lmdi::monitor::Silent;

/// Larger models only take longer.
const MOST_NODES: usize = 3000;
const MOST_CELLS: usize = 3000;

fuzz_target!(init: shared::one_thread(), |data: &[u8]| {
    let mut bytes = data.to_vec();
    shared::reseal(&mut bytes);
    let ensemble = match detect(&bytes) {
        Ok(Some(_)) => read(&bytes, Rounds::Best).map(|imported| imported.ensemble),
        _ => Model::from_bytes(&bytes).map(|model| model.ensemble),
    };
    let Ok(ensemble) = ensemble else { return };
    let nodes: usize = ensemble.trees.iter().map(|tree| tree.n_nodes()).sum();
    let cells = ensemble.n_features() * ensemble.n_outputs;
    if nodes > MOST_NODES || cells > MOST_CELLS || ensemble.check().is_err() {
        return;
    }
    let rows = shared::rows(ensemble.n_features());
    let x = rows.view();
    let Ok(predicted) = ensemble.predict(&x, &Silent) else { return };
    assert!(predicted.len().is_multiple_of(3));
    let shap = TreeShap::new(&ensemble).map(|one| Box::new(one) as Box<dyn LocalMethod>);
    let saabas = Saabas::new(&ensemble).map(|one| Box::new(one) as Box<dyn LocalMethod>);
    for method in [shap, saabas].into_iter().flatten() {
        let Ok(scores) = method.explain(&x, &Silent) else { continue };
        assert_eq!(scores.values.len(), 3 * cells);
        let again = method.explain(&x, &Silent).expect("as before");
        let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same(&scores.values, &again.values) && same(&scores.base, &again.base));
    }
});
