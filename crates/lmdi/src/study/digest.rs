//! A digest that identifies a model with its explainer: a page must ask the model it was made with.
//!
//! SHA-256 over the method's name, the trees (splits and values) and, for LMDI+, the steps and
//! slopes of its linear models, all as little-endian bytes. Cost: one pass over the nodes.

use super::Study;
use crate::named::Named;
use sha2::{Digest, Sha256};

pub(super) fn of(study: &Study) -> String {
    let mut hasher = Sha256::new();
    let numbers = |hasher: &mut Sha256, values: &[f64]| {
        hasher.update((values.len() as u64).to_le_bytes());
        values.iter().for_each(|value| hasher.update(value.to_le_bytes()));
    };
    let places = |hasher: &mut Sha256, values: &[u32]| {
        hasher.update((values.len() as u64).to_le_bytes());
        values.iter().for_each(|value| hasher.update(value.to_le_bytes()));
    };
    let ensemble = &study.model.ensemble;
    hasher.update(study.method.name());
    numbers(&mut hasher, &ensemble.base_score);
    for tree in &ensemble.trees {
        places(&mut hasher, &tree.feature);
        places(&mut hasher, &tree.left);
        places(&mut hasher, &tree.right);
        numbers(&mut hasher, &tree.threshold);
        numbers(&mut hasher, &tree.value);
    }
    if let Some(models) = study.explainer().linear_models() {
        numbers(&mut hasher, &models.base());
        for tree in models.trees() {
            numbers(&mut hasher, &tree.step.to_vec());
            tree.raw.iter().for_each(|term| numbers(&mut hasher, &term.slope));
        }
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
