//! Penalty search for least squares: every path from per-fold statistics.
//!
//! The statistics of each fold are collected once. Training statistics of a fold are the sum of the
//! others, its validation error a quadratic form, the final fit uses the sum of all.
//!
//! Unless an accuracy is requested, a [`Contest`] decides which candidates to solve: a few steps of
//! each path roughly, and those that may win exactly, until the winner is certain.

use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::options::{GlmOptions, Rule};
use crate::glm::search::contest::{Contest, Solved};
use crate::glm::search::path::{Accuracy, Fold, Folds, Group, LANES, Marks, Paths};
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
    usable: Vec<Fold<'_>>,
    options: &GlmOptions,
) -> Option<Coefficients> {
    search.fold_error.fill(f64::NAN);
    for fold in &usable {
        search.fold_weight[fold.number] = 1.0;
    }
    if usable.is_empty() {
        return None;
    }
    // All lanes share the problem of a single fold.
    match usable.len() {
        1 => search_folds::<1>(search, l1_ratios, folds, &usable, options),
        _ => search_folds::<LANES>(search, l1_ratios, folds, &usable, options),
    }
}

/// The search over folds that can be used.
fn search_folds<const H: usize>(
    search: &mut Search,
    l1_ratios: &[f64],
    folds: &Folds<'_>,
    usable: &[Fold<'_>],
    options: &GlmOptions,
) -> Option<Coefficients> {
    let groups: Vec<Group<'_, H>> =
        usable.chunks(LANES).map(|part| Group::new(part, folds.whole)).collect();
    let (by_l1, direct): (Vec<f64>, Vec<f64>) = l1_ratios.iter().partition(|&&ratio| ratio > 0.0);
    let mut paths = Vec::new();
    for group in &groups {
        let of = |ratios: &[f64]| {
            let ratios = ratios.iter().map(|&l1_ratio| search.path(l1_ratio)).collect();
            Paths { folds, group, ratios, options }
        };
        // Ratios share a batch where it has room for several.
        let together = if group.n_sequences > 1 { by_l1.len().max(1) } else { 1 };
        paths.extend(by_l1.chunks(together).map(of).map(|paths| {
            let marks = paths.no_marks();
            (paths, marks)
        }));
        let direct = of(&direct);
        direct.solve_directly(search);
    }
    let all: Vec<usize> = (0..search.candidates.len()).collect();
    if options.search_tolerance < EXHAUSTIVE || options.rule != Rule::Minimum {
        let (tolerance, span) = match options.search_tolerance {
            rough if rough >= EXHAUSTIVE => (0.5 * rough, 5),
            tolerance => (tolerance, 1),
        };
        solve(search, &mut paths, &all, Accuracy { tolerance, span }, [false; 2]);
    } else {
        let by_path = l1_ratios.iter().map(|&l1_ratio| search.path(l1_ratio)).collect();
        let at_once = groups.iter().map(|group| group.n_sequences).max().unwrap_or(1);
        let mut contest = Contest::new(by_path, all.len(), usable.len(), at_once);
        let direct = |&candidate: &usize| search.candidates[candidate].l1_ratio <= 0.0;
        let direct: Vec<usize> = all.iter().copied().filter(direct).collect();
        contest.note(&direct, Solved::Exactly, |candidate| search.mean_error(candidate));
        while let Some((wanted, solved)) = contest.next() {
            let accuracy = Accuracy { tolerance: solved.tolerance(), span: solved.span() };
            lend(&mut paths, &wanted);
            solve(search, &mut paths, &wanted, accuracy, [true, solved == Solved::Roughly]);
            contest.note(&wanted, solved, |candidate| search.mean_error(candidate));
        }
    }
    let winner = search.choose(options.rule);
    paths.iter().find_map(|(paths, marks)| paths.near(winner, marks))
}

/// Gives paths without a solution at or before the first of their wanted steps one of another path to
/// start from: at the same step, the l1 part of the penalty is the same.
fn lend<const H: usize>(paths: &mut [(Paths<'_, H>, Marks)], wanted: &[usize]) {
    for borrower in 0..paths.len() {
        let Some(at) = paths[borrower].0.first_without_start(wanted, &paths[borrower].1) else {
            continue;
        };
        let group = paths[borrower].0.group;
        let lent = (paths.iter())
            .filter(|(lender, _)| std::ptr::eq(lender.group, group))
            .find_map(|(_, marks)| marks[0].get(at)?.clone());
        paths[borrower].1[0][at] = lent;
    }
}

/// Solves some candidates, path by path in parallel: boosted trees follow one another, so that threads
/// find work only within a tree.
fn solve<const H: usize>(
    search: &mut Search,
    paths: &mut [(Paths<'_, H>, Marks)],
    candidates: &[usize],
    accuracy: Accuracy,
    keep_all_until_hopeless: [bool; 2],
) {
    let mut wanted = vec![false; search.candidates.len()];
    candidates.iter().for_each(|&candidate| wanted[candidate] = true);
    let mut followed: Vec<_> =
        paths.iter_mut().filter(|(paths, _)| paths.candidates().any(|at| wanted[at])).collect();
    if let [(paths, marks)] = &mut followed[..] {
        return paths.follow(search, &wanted, accuracy, marks, keep_all_until_hopeless);
    }
    let found: Vec<Search> = followed
        .par_iter_mut()
        .map(|(paths, marks)| {
            // Each knows the errors of its own candidates alone.
            let mut own = search.clone();
            paths.follow(&mut own, &wanted, accuracy, marks, keep_all_until_hopeless);
            own
        })
        .collect();
    for ((paths, _), own) in followed.iter().zip(found) {
        search.take_over(&own, paths.candidates(), paths.group.fold_numbers());
    }
}
