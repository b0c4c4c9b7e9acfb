//! Direct solutions against dense ones, on random trees, tables, weights, active sets and
//! penalties.
#![allow(clippy::needless_range_loop, reason = "dense algebra by index")]

use super::sample::{Sample, Weights, distance, listed, minimum_norm, ridge};
use crate::glm::Penalty;
use crate::glm::quadratic::gaussian::GaussianProblem;
use crate::glm::quadratic::gradient::Gradient;
use crate::glm::quadratic::hessian::Hessian;
use crate::glm::solvers::descent::batched::BatchedProblem;
use crate::glm::solvers::direct::active_columns::ActiveColumns;
use crate::glm::solvers::direct::elimination::Elimination;
use crate::glm::solvers::direct::least_squares::least_squares;
use crate::glm::solvers::direct::refine::refine;
use crate::random::{below, generator, unit};
use proptest::prelude::*;

fn sample() -> impl Strategy<Value = Sample> {
    (any::<u64>(), 5..40_usize, 1..5_usize, any::<bool>(), any::<bool>())
        .prop_map(|(seed, n, p, raw, in_bag)| {
            let weights = if in_bag { Weights::InBag } else { Weights::Random };
            Sample::new(seed, n, p, raw, weights)
        })
        .prop_filter("no row has weight", |sample| !sample.design.is_empty())
}

/// Largest squared norm of a column, the intercept's included.
fn scale(sample: &Sample) -> f64 {
    let square = |column: usize| {
        sample.design.iter().zip(&sample.fitted_weight).map(|(x, w)| w * x[column].powi(2)).sum()
    };
    let intercept: f64 = sample.fitted_weight.iter().sum();
    (0..sample.n_columns()).map(square).fold(intercept, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Relative 1e-9 where the condition number is at most 1e5.
    #[test]
    fn elimination_equals_a_dense_solution(
        sample in sample(),
        seed in any::<u64>(),
        exponent in -5.0..2.0_f64,
    ) {
        let mut random = generator(seed, 0);
        let statistics = sample.statistics();
        let hessian = Hessian::new(&sample.basis, &statistics);
        let active: Vec<bool> = (0..sample.n_columns()).map(|_| below(&mut random, 4) > 0).collect();
        let m = sample.basis.stumps.n_splits();
        let columns = ActiveColumns {
            stump: active[..m].to_vec(),
            raw: (0..sample.basis.raw.len()).filter(|k| active[m + k]).collect(),
        };
        let l2 = scale(&sample) * 10_f64.powf(exponent);
        let factor = Elimination::new(&hessian, columns, l2);
        let gradient = Gradient::of_residuals(&statistics.leaf_response, &statistics.raw_response);
        let found = factor.solve(&gradient);
        let expected = ridge(&sample.design, &sample.fitted_weight, &sample.fitted_y, l2, &active);
        let off = distance(&listed(&found), &expected);
        prop_assert!(off < 1e-9, "off by {off}");
        for (column, &takes_part) in active.iter().enumerate() {
            prop_assert!(takes_part || listed(&found)[column + 1] == 0.0);
        }
    }

    /// A right-hand side that no row produces: the residual must vanish for every active column.
    #[test]
    fn any_right_hand_side(sample in sample(), seed in any::<u64>(), exponent in -5.0..2.0_f64) {
        let mut random = generator(seed, 0);
        let statistics = sample.statistics();
        let hessian = Hessian::new(&sample.basis, &statistics);
        let l2 = scale(&sample) * 10_f64.powf(exponent);
        let mut gradient = Gradient::zero(&hessian);
        for value in gradient.leaf.iter_mut().chain(&mut gradient.stump).chain(&mut gradient.raw) {
            *value = unit(&mut random) - 0.5;
        }
        let factor = Elimination::new(&hessian, ActiveColumns::all(&hessian), l2);
        let solution = factor.solve(&gradient);
        let mut left = gradient.clone();
        left.follow(&hessian, &solution, l2);
        let size = listed(&solution).iter().fold(1.0_f64, |top, b| top.max(b.abs()));
        let allowed = 1e-12 * size * (scale(&sample) + l2);
        prop_assert!(left.leaf.iter().sum::<f64>().abs() < allowed);
        for value in left.along_stumps(&hessian).iter().chain(&left.raw) {
            prop_assert!(value.abs() < allowed, "left with {value}, allowed {allowed}");
        }
    }

    /// Relative 1e-6, as for coefficients in general; singular systems are the rule here. In nearly
    /// singular ones, where slopes may lose digits along a direction that no row tells from zero,
    /// 1e-3 and the same predictions to 1e-7.
    #[test]
    fn least_squares_is_of_minimum_norm(sample in sample()) {
        let problem_statistics = sample.statistics();
        let problem = GaussianProblem::new(&sample.basis, &problem_statistics);
        let (found, convergence) = least_squares(&problem, 0.0);
        prop_assert!(convergence.converged, "{convergence:?}");
        if sample.n_columns() > 0 {
            let expected = minimum_norm(&sample.design, &sample.fitted_weight, &sample.fitted_y);
            let off = distance(&listed(&found)[1..], &expected);
            let size = expected.iter().map(|b| b * b).sum::<f64>().sqrt();
            let apart: Vec<f64> = listed(&found)[1..].iter().zip(&expected).map(|(a, b)| a - b).collect();
            let predicted = |slopes: &[f64]| -> Vec<f64> {
                let of_row = |row: &Vec<f64>| row.iter().zip(slopes).map(|(cell, slope)| cell * slope).sum();
                sample.design.iter().map(of_row).collect()
            };
            let largest = |list: Vec<f64>| list.into_iter().fold(0.0_f64, |top, x| top.max(x.abs()));
            let same_predictions = largest(predicted(&apart)) <= 1e-7 * largest(predicted(&expected));
            let near = off < 1e-6 || (off < 1e-3 && same_predictions);
            prop_assert!(near || size < 1e-9, "off by {off}, {convergence:?}");
        }
    }

    /// Multiplying all weights and the penalty by one factor changes nothing; nor does the scale of
    /// y.
    #[test]
    fn scales_cancel(sample in sample(), exponent in -12..13_i32, other in -12..13_i32) {
        let (of_weight, of_y) = (10_f64.powi(exponent), 10_f64.powi(other));
        let plain = sample.statistics();
        let weight: Vec<f64> = sample.fitted_weight.iter().map(|w| w * of_weight).collect();
        let mut scaled = sample.statistics_of(&weight);
        scaled.response_square *= of_y * of_y;
        for value in scaled.leaf_response.iter_mut().chain(&mut scaled.raw_response) {
            *value *= of_y;
        }
        for l2 in [0.0, 0.7] {
            let problem = GaussianProblem::new(&sample.basis, &plain);
            let (expected, _) = least_squares(&problem, l2);
            let problem = GaussianProblem::new(&sample.basis, &scaled);
            let (found, convergence) = least_squares(&problem, l2 * of_weight);
            prop_assert!(convergence.converged, "{convergence:?}");
            let found: Vec<f64> = listed(&found).iter().map(|b| b / of_y).collect();
            let off = distance(&found, &listed(&expected));
            prop_assert!(off < 1e-6, "l2 {l2}: off by {off}");
        }
    }

    /// The exact elastic net, found from zero slopes: the optimality conditions hold to 1e-12.
    #[test]
    fn refining_from_zero(sample in sample(), part in 0.001..1.2_f64, ratio in 0..4_usize) {
        let statistics = sample.statistics();
        let problem = GaussianProblem::new(&sample.basis, &statistics);
        let l1 = part * problem.largest_gradient();
        let penalty = Penalty { l1, l2: [0.0, 1e-4, 0.5, 10.0][ratio] * l1 };
        let start = BatchedProblem::new([&problem]).descent().point.coefficients(0);
        let found = refine(&problem, &start, penalty);
        prop_assert!(found.is_some());
        let found = found.expect("just checked");
        prop_assert!(problem.violation(&found, penalty) < 1e-12);
        prop_assert!(part <= 1.0 || found.n_active() == 0);
    }

    /// A direct step meets the conditions of all columns with a slope where no sign changes, and lowers
    /// the objective where one does; problems of one batch do not touch one another.
    #[test]
    fn a_direct_step_settles_the_active_columns(
        sample in sample(),
        l1 in 0.01..2.0_f64,
        l2 in 0.1..5.0_f64,
        sweeps in 1..40_usize,
    ) {
        let problem = GaussianProblem::new(&sample.basis, &sample.statistics());
        let penalties = [Penalty { l1, l2 }, Penalty { l1: 3.0 * l1, l2: 2.0 * l2 }];
        let problems = BatchedProblem::new([&problem, &problem]);
        let mut descent = problems.descent();
        descent.set_penalty(&penalties);
        (0..sweeps).for_each(|_| descent.sweep());
        let before = descent.point.clone();
        descent.step_directly();
        let objective = |point| problems.objective_and_gap(point, &penalties, [0.0; 2]).0;
        let (was, is) = (objective(&before), objective(&descent.point));
        for lane in 0..2 {
            let rounding = 1e-12 * (was[lane].abs() + problem.response_square);
            prop_assert!(is[lane] <= was[lane] + rounding, "{} {}", was[lane], is[lane]);
            let (old, fit) = (before.coefficients(lane), descent.point.coefficients(lane));
            if old.slopes().zip(fit.slopes()).any(|(old, new)| old * new < 0.0 || (old != 0.0 && new == 0.0)) {
                continue;
            }
            let violations = problem.violations(&fit, penalties[lane]);
            for (slope, violation) in fit.slopes().zip(violations) {
                prop_assert!(slope == 0.0 || violation < 1e-9, "{slope} {violation}");
            }
        }
    }

    /// In the bag the stumps are orthogonal with squares N(v), so every slope is thresholded alone.
    #[test]
    fn in_bag_without_raw_is_a_soft_threshold(
        seed in any::<u64>(),
        n in 5..40_usize,
        part in 0.001..1.0_f64,
        ridge in 0.0..5.0_f64,
    ) {
        let sample = Sample::new(seed, n, 3, false, Weights::InBag);
        prop_assume!(!sample.design.is_empty());
        let statistics = sample.statistics();
        let problem = GaussianProblem::new(&sample.basis, &statistics);
        let penalty = Penalty { l1: part * problem.largest_gradient(), l2: ridge };
        let problems = BatchedProblem::new([&problem]);
        let mut descent = problems.descent();
        let progress = problems.descend(&mut descent, &[penalty], 1e-14, 1000);
        prop_assert!(progress.converged);
        let refined = refine(&problem, &descent.point.coefficients(0), penalty);
        prop_assert!(refined.is_some());
        for found in [descent.point.coefficients(0), refined.expect("just checked")] {
            for (split, &b) in found.stump.iter().enumerate() {
                let gradient: f64 = (0..sample.design.len())
                    .map(|row| {
                        let w = sample.fitted_weight[row];
                        w * sample.design[row][split] * (sample.fitted_y[row] - problem.response_mean)
                    })
                    .sum();
                let node = sample.basis.stumps.tree_node[split] as usize;
                let kept = (gradient.abs() - penalty.l1).max(0.0) * gradient.signum();
                let expected = kept / (sample.tree.weight[node] + ridge);
                prop_assert!((b - expected).abs() < 1e-9 * (1.0 + expected.abs()));
            }
        }
    }

    /// Least squares in the bag without raw columns is the tree itself: predictions are leaf means,
    /// and a split's share of a prediction is the change of the node mean at it.
    #[test]
    fn in_bag_least_squares_is_the_tree(seed in any::<u64>(), n in 5..40_usize) {
        let sample = Sample::new(seed, n, 3, false, Weights::InBag);
        prop_assume!(!sample.design.is_empty());
        let statistics = sample.statistics();
        let problem = GaussianProblem::new(&sample.basis, &statistics);
        let (fit, _) = least_squares(&problem, 0.0);
        let stumps = &sample.basis.stumps;
        // Sums of w and w y of every tree node, from the rows that pass it.
        let mut sums = vec![(0.0, 0.0); sample.tree.n_nodes()];
        let leaves = sample.tree.leaves_of(&sample.x.view());
        let mut parent = vec![None; sample.tree.n_nodes()];
        for node in (0..sample.tree.n_nodes()).filter(|&node| !sample.tree.is_leaf(node)) {
            parent[sample.tree.left[node] as usize] = Some(node);
            parent[sample.tree.right[node] as usize] = Some(node);
        }
        for (row, &leaf) in leaves.iter().enumerate() {
            let mut at = Some(leaf as usize);
            while let Some(node) = at {
                sums[node].0 += sample.weight[row];
                sums[node].1 += sample.weight[row] * sample.y[row];
                at = parent[node];
            }
        }
        let mean = |node: u32| {
            let (weight, sum) = sums[stumps.tree_node[node as usize] as usize];
            sum / weight
        };
        let close = |found: f64, expected: f64| (found - expected).abs() < 1e-10;
        prop_assert!(close(fit.intercept, mean(0)));
        for split in 0..stumps.n_splits() {
            let here = mean(split as u32);
            let (left, right) = (mean(stumps.left[split]), mean(stumps.right[split]));
            prop_assert!(close(fit.stump[split] * stumps.left_value[split], left - here));
            prop_assert!(close(fit.stump[split] * stumps.right_value[split], right - here));
        }
    }
}

/// Whatever rounding makes of a constant response, slopes stay at rounding and the fit has
/// converged.
#[test]
fn a_constant_response() {
    for seed in 0..200 {
        let mut sample = Sample::new(seed, 30, 3, true, Weights::Random);
        sample.fitted_y.fill(0.1);
        let statistics = sample.statistics();
        let problem = GaussianProblem::new(&sample.basis, &statistics);
        for penalty in [Penalty::NONE, Penalty { l1: 0.0, l2: 1.0 }, Penalty { l1: 1.0, l2: 1.0 }] {
            let (fit, convergence) = least_squares(&problem, penalty.l2);
            assert!(convergence.converged, "sample {seed}: {convergence:?}");
            let refined = refine(&problem, &fit, penalty).expect("settles");
            for fit in [fit, refined] {
                assert!((fit.intercept - 0.1).abs() < 1e-9, "sample {seed}: {}", fit.intercept);
                assert!(fit.slopes().all(|b| b.abs() < 1e-9), "sample {seed}: {fit:?}");
            }
        }
    }
}

#[test]
fn no_weight_at_all() {
    let sample = Sample::new(3, 30, 3, true, Weights::Random);
    let statistics = sample.statistics_of(&vec![0.0; sample.fitted_y.len()]);
    let problem = GaussianProblem::new(&sample.basis, &statistics);
    for penalty in [Penalty::NONE, Penalty { l1: 0.0, l2: 1.0 }, Penalty { l1: 1.0, l2: 0.0 }] {
        let (fit, convergence) = least_squares(&problem, penalty.l2);
        assert!(convergence.converged);
        assert!(listed(&fit).iter().all(|&b| b == 0.0));
        let fit = refine(&problem, &fit, penalty).expect("settles");
        assert!(listed(&fit).iter().all(|&b| b == 0.0));
    }
}
