//! The plan of a fit on a stream: which options it supports, and which trees each pass covers.

use super::tree_statistics::TreeStatistics;
use crate::forest::{Ensemble, NONE, Tree};
use crate::importance::lmdi_plus::options::{FitOn, LmdiPlusOptions, Validation};
use crate::named::Named;
use crate::{Error, Result};
use sha2::{Digest, Sha256};
use std::ops::Range;

/// Fails on options that a stream of rows cannot serve.
pub(super) fn check_streamable(options: &LmdiPlusOptions) -> Result<()> {
    let parameter = |name, found: &str, expected: &str| {
        Err(Error::Parameter { name, found: found.into(), expected: expected.into() })
    };
    if let Some(fit_on) = options.fit_on.filter(|fit_on| *fit_on != FitOn::Uniform) {
        let found = format!("{}, on rows that are read in batches", fit_on.name());
        return parameter(
            "fit_on",
            &found,
            "uniform: which rows each tree was grown on is known by their place in a table",
        );
    }
    if options.validation == Some(Validation::OutOfBag) {
        return parameter(
            "validation",
            "oob, on rows that are read in batches",
            "folds: which rows each tree was grown on is known by their place in a table",
        );
    }
    Ok(())
}

/// Ranges from their starts.
pub(super) fn ranges(starts: &[usize], end: usize) -> Vec<Range<usize>> {
    let ends = starts.iter().skip(1).copied().chain([end]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// Rounds cut into groups of trees whose sums fit a budget.
pub(super) fn groups(
    rounds: &[Range<usize>],
    size: impl Fn(usize) -> usize,
    budget: usize,
) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    for round in rounds {
        let (mut start, mut held) = (round.start, 0);
        for tree in round.clone() {
            let size = size(tree);
            if tree > start && held + size > budget {
                groups.push(start..tree);
                (start, held) = (tree, 0);
            }
            held += size;
        }
        groups.push(start..round.end);
    }
    groups
}

/// Numbers that the sums of one output of a tree take.
pub(super) fn size_of_tree(tree: &Tree, with_raw: bool, n_folds: usize) -> usize {
    let mut used: Vec<u32> = tree.feature.iter().copied().filter(|&f| f != NONE).collect();
    let n_leaves = used.len() + 1;
    used.sort_unstable();
    used.dedup();
    TreeStatistics::size(n_leaves, if with_raw { used.len() } else { 0 }, n_folds)
}

/// The mark of a model and options.
pub(super) fn mark_of(ensemble: &Ensemble, options: &LmdiPlusOptions) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(format!("{options:?}"));
    hasher.update(format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        ensemble.feature_names,
        ensemble.output_of_tree,
        ensemble.aggregation,
        ensemble.base_score,
        ensemble.link,
        ensemble.growth,
        ensemble.class_weights
    ));
    for tree in &ensemble.trees {
        tree.feature.iter().for_each(|x| hasher.update(x.to_le_bytes()));
        tree.threshold.iter().for_each(|x| hasher.update(x.to_le_bytes()));
        tree.left.iter().for_each(|x| hasher.update(x.to_le_bytes()));
        tree.value.iter().for_each(|x| hasher.update(x.to_le_bytes()));
        tree.weight.iter().for_each(|x| hasher.update(x.to_le_bytes()));
    }
    hasher.finalize().into()
}
