//! Penalty search for least squares: every path from per-fold statistics.
//!
//! The statistics of each fold are collected once. Training statistics of a fold are the sum of the
//! others, its validation error a quadratic form, the final fit uses the sum of all.
//!
//! Unless accuracy is asked for, candidates are solved level by level ([`Contest`]): all paths
//! roughly, at a few steps, then ever fewer candidates ever more accurately, until the winner is
//! certain.

use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::options::{GlmOptions, Rule};
use crate::glm::search::contest::{Contest, LEVELS};
use crate::glm::search::path::{Accuracy, Fold, Folds, Group, LANES, Marks, Path};
use crate::glm::search::selection::Search;
use rayon::prelude::*;

/// Accuracy below which every candidate is solved.
const EXHAUSTIVE: f64 = 1e-4;

/// Fills in the errors of the candidates of `search`; those that never had a chance stay without.
/// Returns coefficients near those that the winner has on all rows, where they are known.
pub(crate) fn search_gaussian(
    search: &mut Search,
    l1_ratios: &[f64],
    folds: &Folds<'_>,
    options: &GlmOptions,
) -> Option<Coefficients> {
    search.fold_error.fill(f64::NAN);
    let usable: Vec<Fold<'_>> =
        (0..folds.rows.n_folds()).filter_map(|fold| Fold::new(folds, fold)).collect();
    for fold in &usable {
        search.fold_weight[fold.number] = 1.0;
    }
    if usable.is_empty() {
        return None;
    }
    let groups: Vec<Group<'_>> =
        usable.chunks(LANES).map(|part| Group::new(part, folds.whole)).collect();
    let mut paths = Vec::new();
    for group in &groups {
        for &l1_ratio in l1_ratios {
            let path = Path { folds, group, steps: search.path(l1_ratio), options };
            if l1_ratio > 0.0 {
                paths.push((path, Marks::new()));
            } else {
                path.solve_directly(search);
            }
        }
    }
    let all: Vec<usize> = (0..search.candidates.len()).collect();
    if options.search_tolerance < EXHAUSTIVE || options.rule != Rule::Minimum {
        let (tolerance, span) = match options.search_tolerance {
            rough if rough >= EXHAUSTIVE => (0.5 * rough, 5),
            tolerance => (tolerance, 1),
        };
        solve(search, &mut paths, &all, Accuracy { tolerance, span }, false);
    } else {
        let by_path = l1_ratios.iter().map(|&l1_ratio| search.path(l1_ratio)).collect();
        let mut contest = Contest::new(by_path, all.len());
        let direct = |&candidate: &usize| search.candidates[candidate].l1_ratio <= 0.0;
        let direct: Vec<usize> = all.iter().copied().filter(direct).collect();
        contest.note(&direct, LEVELS.len() - 1, |candidate| search.mean_error(candidate));
        while let Some((wanted, level)) = contest.next() {
            let accuracy =
                Accuracy { tolerance: LEVELS[level].tolerance, span: LEVELS[level].span };
            solve(search, &mut paths, &wanted, accuracy, true);
            contest.note(&wanted, level, |candidate| search.mean_error(candidate));
        }
    }
    let winner = search.choose(options.rule);
    paths.iter().find_map(|(path, marks)| {
        let step = path.steps.iter().position(|&candidate| candidate == winner)?;
        path.whole_at(step, marks)
    })
}

/// Solves some candidates, path by path in parallel: boosted trees follow one another, so that threads
/// find work only within a tree.
fn solve(
    search: &mut Search,
    paths: &mut [(Path<'_>, Marks)],
    candidates: &[usize],
    accuracy: Accuracy,
    keep_all: bool,
) {
    let mut wanted = vec![false; search.candidates.len()];
    candidates.iter().for_each(|&candidate| wanted[candidate] = true);
    let followed: Vec<Option<Search>> = paths
        .par_iter_mut()
        .map(|(path, marks)| {
            let is_wanted = |&step: &usize| wanted[path.steps[step]];
            let steps: Vec<usize> = (0..path.steps.len()).filter(is_wanted).collect();
            // Each path knows the errors of its own candidates alone.
            let mut own = (!steps.is_empty()).then(|| search.clone())?;
            path.follow(&mut own, &steps, accuracy, marks, keep_all);
            Some(own)
        })
        .collect();
    for ((path, _), own) in paths.iter().zip(followed) {
        if let Some(own) = own {
            search.take_over(&own, &path.steps, path.group.fold_numbers());
        }
    }
}
