//! Leave-one-out without refitting against refitting without each row, by dense solvers.
#![allow(clippy::needless_range_loop, reason = "dense algebra by index")]

use super::sample::{Sample, Weights, minimum_norm, ridge, solve};
use crate::basis::Stumps;
use crate::glm::{
    Coefficients, Family, NewtonPath, Penalty, WorkingRows, leave_one_out, leave_one_out_ridge,
};
use proptest::prelude::*;

/// Intercept and slopes of a refit, as the parts of a row's linear predictor: one per block.
fn parts(sample: &Sample, fit: &[f64], row: usize) -> Vec<f64> {
    let stumps: &Stumps = &sample.basis.stumps;
    let blocks = stumps.used_features();
    let raw = sample.basis.raw.iter().map(|raw| raw.feature);
    let features: Vec<u32> = stumps.feature.iter().copied().chain(raw).collect();
    let mut parts = vec![0.0; blocks.len()];
    for (column, feature) in features.iter().enumerate() {
        let block = blocks.iter().position(|block| block == feature).expect("a used feature");
        parts[block] += sample.design[row][column] * fit[column + 1];
    }
    parts
}

fn predictor(sample: &Sample, fit: &[f64], row: usize) -> f64 {
    fit[0] + sample.design[row].iter().zip(&fit[1..]).map(|(x, b)| x * b).sum::<f64>()
}

fn without<T: Clone>(items: &[T], row: usize) -> Vec<T> {
    let mut items = items.to_vec();
    items.remove(row);
    items
}

/// Dense Newton steps of a ridge-penalised logistic regression, intercept first.
fn logistic(
    design: &[Vec<f64>],
    weight: &[f64],
    y: &[f64],
    l2: f64,
    mut fit: Vec<f64>,
    steps: usize,
) -> Vec<f64> {
    let p = fit.len();
    for _ in 0..steps {
        let mut gradient: Vec<f64> =
            fit.iter().enumerate().map(|(k, b)| if k > 0 { -l2 * b } else { 0.0 }).collect();
        let mut curvature = vec![vec![0.0; p]; p];
        for k in 1..p {
            curvature[k][k] = l2;
        }
        for (x, (w, y)) in design.iter().zip(weight.iter().zip(y)) {
            let row: Vec<f64> = std::iter::once(1.0).chain(x.iter().copied()).collect();
            let eta: f64 = row.iter().zip(&fit).map(|(x, b)| x * b).sum();
            let share = 1.0 / (1.0 + (-eta).exp());
            for i in 0..p {
                gradient[i] += w * (y - share) * row[i];
                for j in 0..p {
                    curvature[i][j] += w * share * (1.0 - share) * row[i] * row[j];
                }
            }
        }
        let step = solve(curvature, gradient);
        for (b, step) in fit.iter_mut().zip(&step) {
            *b += step;
        }
    }
    fit
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// Within 1e-8 of the scale of the responses (about 10).
    #[test]
    fn ridge_is_exact(
        seed in any::<u64>(),
        n in 6..25_usize,
        raw in any::<bool>(),
        exponent in -3.0..2.0_f64,
    ) {
        let sample = Sample::new(seed, n, 3, raw, Weights::Random);
        prop_assume!(sample.design.len() > 2);
        let l2 = 10_f64.powf(exponent);
        let active = vec![true; sample.n_columns()];
        let mut visited = Vec::new();
        let fit = leave_one_out_ridge(
            &sample.basis,
            &sample.rows(),
            &sample.fitted_y,
            l2,
            |left_out| visited.push((left_out.row, left_out.leverage, left_out.predictor, left_out.partial.to_vec())),
        );
        prop_assert_eq!(visited.len(), sample.design.len());
        for (row, leverage, found, partial) in visited {
            let refit = ridge(
                &without(&sample.design, row),
                &without(&sample.fitted_weight, row),
                &without(&sample.fitted_y, row),
                l2,
                &active,
            );
            let expected = predictor(&sample, &refit, row);
            prop_assert!((found - expected).abs() < 1e-8, "row {row}: {found}, not {expected}");
            for (found, expected) in partial.iter().zip(parts(&sample, &refit, row)) {
                prop_assert!((found - expected).abs() < 1e-8, "{row}: {found}, not {expected}");
            }
            // The identity behind generalised cross-validation.
            let y = sample.fitted_y[row];
            let residual = (y - sample.predict(&fit, row)) / (1.0 - leverage);
            prop_assert!((y - found - residual).abs() < 1e-8);
        }
    }

    /// Without a penalty, against minimum-norm refits: within 1e-5, since a small penalty stands
    /// for the limit.
    #[test]
    fn least_squares_without_a_penalty(seed in any::<u64>(), n in 6..25_usize) {
        let sample = Sample::new(seed, n, 3, false, Weights::Random);
        prop_assume!(sample.design.len() > 2 && sample.n_columns() > 0);
        let mut visited = Vec::new();
        leave_one_out_ridge(&sample.basis, &sample.rows(), &sample.fitted_y, 0.0, |left_out| {
            visited.push((left_out.row, left_out.predictor));
        });
        for (row, found) in visited {
            let (design, weight, y) = (
                without(&sample.design, row),
                without(&sample.fitted_weight, row),
                without(&sample.fitted_y, row),
            );
            let slopes = minimum_norm(&design, &weight, &y);
            let total: f64 = weight.iter().sum();
            let residual = |at: usize| {
                y[at] - design[at].iter().zip(&slopes).map(|(x, b)| x * b).sum::<f64>()
            };
            let intercept = (0..y.len()).map(|at| weight[at] * residual(at)).sum::<f64>() / total;
            let refit: Vec<f64> = std::iter::once(intercept).chain(slopes).collect();
            let expected = predictor(&sample, &refit, row);
            prop_assert!((found - expected).abs() < 1e-5, "row {row}: {found}, not {expected}");
        }
    }
}

/// Exactly one Newton step (within 1e-9), which lands within a few percent of a full refit.
#[test]
fn logistic_regression_takes_one_newton_step() {
    let (mut off, mut size) = (0.0, 0.0);
    for seed in 0..20 {
        let sample = Sample::new(seed, 60, 3, true, Weights::Random);
        let y: Vec<f64> = sample.fitted_y.iter().map(|&y| f64::from(u8::from(y > 2.0))).collect();
        let l2 = 5.0;
        let zero = vec![0.0; sample.n_columns() + 1];
        let fit = logistic(&sample.design, &sample.fitted_weight, &y, l2, zero, 50);
        let m = sample.basis.stumps.n_splits();
        let coefficients = Coefficients {
            intercept: fit[0],
            stump: fit[1..=m].to_vec(),
            raw: fit[m + 1..].to_vec(),
        };
        let share: Vec<f64> =
            (0..y.len()).map(|row| 1.0 / (1.0 + (-predictor(&sample, &fit, row)).exp())).collect();
        let rows = 0..y.len();
        let curvature: Vec<f64> = rows
            .clone()
            .map(|row| sample.fitted_weight[row] * share[row] * (1.0 - share[row]))
            .collect();
        let pull: Vec<f64> =
            rows.map(|row| sample.fitted_weight[row] * (y[row] - share[row])).collect();
        let mut visited = Vec::new();
        leave_one_out(
            &sample.basis,
            &sample.rows(),
            WorkingRows { curvature: &curvature, pull: &pull },
            &coefficients,
            Penalty { l1: 0.0, l2 },
            |left_out| visited.push((left_out.row, left_out.predictor, left_out.partial.to_vec())),
        );
        for (row, found, partial) in visited {
            let (design, weight, y) = (
                without(&sample.design, row),
                without(&sample.fitted_weight, row),
                without(&y, row),
            );
            let step = logistic(&design, &weight, &y, l2, fit.clone(), 1);
            assert!((found - predictor(&sample, &step, row)).abs() < 1e-9);
            for (found, expected) in partial.iter().zip(parts(&sample, &step, row)) {
                assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
            }
            let refit = logistic(&design, &weight, &y, l2, fit.clone(), 50);
            let expected = predictor(&sample, &refit, row);
            off += (found - expected).powi(2);
            size += expected.powi(2);
        }
    }
    let share = (off / size).sqrt();
    assert!(share < 0.05, "off by {share} of the linear predictors");
}

/// Fits that start from one another, and leverages from the root down, say the same of rows left out
/// as one Newton step from a fit of its own does, on the plain matrix of all columns.
#[test]
fn a_path_of_penalties_leaves_out_as_single_fits_do() {
    for seed in 0..20 {
        let sample = Sample::new(seed, 60, 3, true, Weights::Random);
        let y: Vec<f64> = sample.fitted_y.iter().map(|&y| f64::from(u8::from(y > 2.0))).collect();
        let (design, weight) = (&sample.design, &sample.fitted_weight);
        let rows = sample.rows();
        let mut path = NewtonPath::new(&sample.basis, &rows, &y, Family::Binomial, 1000)
            .expect("rows of both classes");
        for l2 in [50.0, 5.0, 0.5, 2.0, 100.0] {
            let zero = vec![0.0; sample.n_columns() + 1];
            let fit = logistic(design, weight, &y, l2, zero, 50);
            for (row, found) in path.left_out(l2, 1e-16).into_iter().enumerate() {
                let step = logistic(
                    &without(design, row),
                    &without(weight, row),
                    &without(&y, row),
                    l2,
                    fit.clone(),
                    1,
                );
                let off = (found - predictor(&sample, &step, row)).abs();
                assert!(off < 1e-5, "sample {seed}, penalty {l2}, row {row}: off by {off}");
            }
        }
    }
}

/// With an l1 penalty the columns at zero stay there: the same as a ridge fit on the others.
#[test]
fn columns_at_zero_stay_there() {
    for seed in 0..50 {
        let sample = Sample::new(seed, 30, 3, true, Weights::Random);
        let l2 = 0.3;
        let active: Vec<bool> = (0..sample.n_columns()).map(|column| column % 3 != 1).collect();
        let (design, weight, y) = (&sample.design, &sample.fitted_weight, &sample.fitted_y);
        let fit = ridge(design, weight, y, l2, &active);
        let m = sample.basis.stumps.n_splits();
        let coefficients = Coefficients {
            intercept: fit[0],
            stump: fit[1..=m].to_vec(),
            raw: fit[m + 1..].to_vec(),
        };
        // Columns of zeros have a slope of zero whether active or not.
        let pull: Vec<f64> = (0..y.len())
            .map(|row| weight[row] * (y[row] - predictor(&sample, &fit, row)))
            .collect();
        leave_one_out(
            &sample.basis,
            &sample.rows(),
            WorkingRows { curvature: weight, pull: &pull },
            &coefficients,
            Penalty { l1: 1.0, l2 },
            |left_out| {
                let row = left_out.row;
                let refit = ridge(
                    &without(design, row),
                    &without(weight, row),
                    &without(y, row),
                    l2,
                    &active,
                );
                let expected = predictor(&sample, &refit, row);
                let off = (left_out.predictor - expected).abs();
                assert!(off < 1e-8, "sample {seed}, row {row}: off by {off}");
            },
        );
    }
}
