//! Penalty search for least squares: every path from per-fold statistics.
//!
//! The statistics of each fold are collected once. Training statistics of a fold are the sum of the
//! others, its validation error a quadratic form, the final fit uses the sum of all. Ratios are
//! solved side by side, and each point of a path starts where the line through the last two points
//! leads, because between changes of the active set solutions are nearly linear in the penalty.

use super::coefficients::Coefficients;
use super::gaussian::GaussianProblem;
use super::least_squares::least_squares;
use super::options::GlmOptions;
use super::selection::{Candidate, Search};
use super::statistics::Statistics;
use super::validation::{HeldOut, squared_error_of_rows};
use crate::basis::{Basis, TreeRows};

/// Ratios solved side by side.
const LANES: usize = 4;

/// Fills in the errors of every candidate of `search`.
pub(super) fn search_gaussian(
    search: &mut Search,
    l1_ratios: &[f64],
    basis: &Basis,
    rows: &TreeRows<'_>,
    response: &[f64],
    fold_statistics: &[Statistics],
    options: &GlmOptions,
) {
    for fold in 0..fold_statistics.len() {
        let others = fold_statistics
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != fold)
            .map(|(_, statistics)| statistics);
        let training = Statistics::sum(basis, others);
        let problem = GaussianProblem::new(basis, &training);
        let weight: f64 = fold_statistics[fold].leaf_weight.iter().sum();
        if weight <= 0.0 || problem.quadratic.total <= 0.0 {
            continue;
        }
        search.fold_weight[fold] = 1.0;
        let mut held_out = HeldOut::new(basis, &fold_statistics[fold]);
        let held_out_error = |held_out: &mut HeldOut<'_>, model: &Coefficients| {
            held_out.squared_error(model).unwrap_or_else(|| {
                squared_error_of_rows(basis, rows, rows.fold(fold), response, model)
            })
        };
        // Ridge is solved directly, so it does not share lanes with ratios that are not.
        let alike = l1_ratios.chunk_by(|a, b| (*a > 0.0) == (*b > 0.0));
        for ratios in alike.flat_map(|ratios| ratios.chunks(LANES)) {
            let paths: Vec<Vec<usize>> = ratios.iter().map(|&ratio| search.path(ratio)).collect();
            let mut descent = problem.descent::<LANES>();
            let mut before = descent.point.clone();
            for step in 0..paths[0].len() {
                let candidates: [Candidate; LANES] = std::array::from_fn(|lane| {
                    search.candidates[paths[lane.min(paths.len() - 1)][step]]
                });
                let total = problem.quadratic.total;
                let penalties = candidates
                    .map(|candidate| candidate.strength.penalty(candidate.l1_ratio, total));
                let factor = match step {
                    0 | 1 => 0.0,
                    _ => continuation(search, &paths[0], step),
                };
                if penalties.iter().any(|penalty| penalty.l1 <= 0.0) {
                    // Without an l1 part the duality gap says nothing; the solution is direct.
                    for (lane, path) in paths.iter().enumerate() {
                        let (model, _) = least_squares(&problem, penalties[lane].l2);
                        let error = held_out_error(&mut held_out, &model);
                        search.record(path[step], fold, error / weight);
                    }
                    continue;
                }
                descent.point.extrapolate(&mut before, factor);
                problem.descend(
                    &mut descent,
                    &penalties,
                    options.search_tolerance,
                    options.max_iterations,
                );
                for (lane, path) in paths.iter().enumerate() {
                    let model = descent.point.coefficients(lane);
                    let error = held_out_error(&mut held_out, &model);
                    search.record(path[step], fold, error / weight);
                }
            }
        }
    }
}

/// How far the line through the last two points is continued: the ratio of penalty steps.
fn continuation(search: &Search, path: &[usize], step: usize) -> f64 {
    let shrinkage = |step: usize| search.candidates[path[step]].strength.shrinkage();
    let last = shrinkage(step - 2) - shrinkage(step - 1);
    let next = shrinkage(step - 1) - shrinkage(step);
    if last > 0.0 { (next / last).clamp(0.0, 1.0) } else { 0.0 }
}
