//! Penalty search for families other than the gaussian: warm-started paths, fold by fold.

use super::newton::{NewtonPoint, NewtonProblem};
use super::options::{GlmOptions, Measure};
use super::selection::{Candidate, Search};
use crate::basis::{Basis, TreeRows};
use std::ops::Range;

/// Fills in the errors of every candidate of `search`.
pub(super) fn search_newton(
    search: &mut Search,
    l1_ratios: &[f64],
    basis: &Basis,
    rows: &TreeRows<'_>,
    response: &[f64],
    options: &GlmOptions,
) {
    for fold in 0..rows.n_folds() {
        let problem = NewtonProblem {
            basis,
            rows,
            response,
            family: options.family,
            ranges: rows.without_fold(Some(fold)),
        };
        let held_out = rows.fold(fold);
        let weight: f64 = rows.weight[held_out.clone()].iter().sum();
        let Some(null) = problem.null() else {
            continue;
        };
        if weight <= 0.0 {
            continue;
        }
        search.fold_weight[fold] = 1.0;
        let null_loss = problem.excess_loss(&null.eta);
        let null_gradient = problem.largest_gradient(&null);
        let total: f64 = problem
            .ranges
            .clone()
            .into_iter()
            .map(|range| rows.weight[range].iter().sum::<f64>())
            .sum();
        let paths: Vec<Vec<usize>> = l1_ratios.iter().map(|&ratio| search.path(ratio)).collect();
        let mut points: Vec<NewtonPoint<'_>> = vec![null; l1_ratios.len()];
        for step in 0..paths[0].len() {
            for lane in 0..l1_ratios.len() {
                let candidate = paths[lane][step];
                let Candidate { strength, l1_ratio } = search.candidates[candidate];
                let penalty = strength.penalty(l1_ratio, total);
                // The better start of two: this ratio at the penalty before, or the ratio before at
                // this penalty, which is close when penalties are weak.
                if lane > 0
                    && problem.objective(&points[lane - 1], penalty)
                        < problem.objective(&points[lane], penalty)
                {
                    points[lane] = points[lane - 1].clone();
                }
                let point = &mut points[lane];
                if penalty.l1 < null_gradient || point.at.n_active() > 0 {
                    problem.solve(
                        point,
                        penalty,
                        null_loss,
                        null_gradient,
                        options.search_tolerance,
                        options.max_iterations,
                    );
                }
                let error = held_out_error(&problem, point, held_out.clone(), options.measure);
                search.record(candidate, fold, error / weight);
            }
        }
    }
}

fn held_out_error(
    problem: &NewtonProblem<'_, '_>,
    point: &NewtonPoint<'_>,
    held_out: Range<usize>,
    measure: Measure,
) -> f64 {
    held_out
        .map(|row| {
            let (w, y, eta) = (problem.rows.weight[row], problem.response[row], point.eta[row]);
            let error = match measure {
                Measure::Deviance => {
                    2.0 * (problem.family.loss(y, eta) - problem.family.smallest_loss(y))
                }
                Measure::Accuracy => f64::from((eta > 0.0) != (y > 0.5)),
            };
            w * error
        })
        .sum()
}
