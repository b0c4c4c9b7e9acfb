//! Direct solutions against dense ones, on random trees, tables, weights, active sets and penalties.
#![allow(clippy::needless_range_loop, reason = "dense algebra by index")]

mod dense;

use dense::{Sample, Weights, distance, listed, minimum_norm, ridge};
use lmdi::glm::{ActiveColumns, Elimination, GaussianProblem, Gradient, Quadratic, least_squares};
use lmdi::random::{below, generator, unit};
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

impl std::fmt::Debug for dense::Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sample::new({})", self.made_by)
    }
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
        let quadratic = Quadratic::new(&sample.basis, &statistics);
        let active: Vec<bool> = (0..sample.n_columns()).map(|_| below(&mut random, 4) > 0).collect();
        let m = sample.basis.stumps.n_splits();
        let columns = ActiveColumns {
            stump: active[..m].to_vec(),
            raw: (0..sample.basis.raw.len()).filter(|k| active[m + k]).collect(),
        };
        let l2 = scale(&sample) * 10_f64.powf(exponent);
        let factor = Elimination::new(&quadratic, columns, l2);
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
        let quadratic = Quadratic::new(&sample.basis, &statistics);
        let l2 = scale(&sample) * 10_f64.powf(exponent);
        let mut gradient = Gradient::zero(&quadratic);
        for value in gradient.leaf.iter_mut().chain(&mut gradient.stump).chain(&mut gradient.raw) {
            *value = unit(&mut random) - 0.5;
        }
        let factor = Elimination::new(&quadratic, ActiveColumns::all(&quadratic), l2);
        let solution = factor.solve(&gradient);
        let mut left = gradient.clone();
        left.follow(&quadratic, &solution, l2);
        let size = listed(&solution).iter().fold(1.0_f64, |top, b| top.max(b.abs()));
        let allowed = 1e-12 * size * (scale(&sample) + l2);
        prop_assert!(left.leaf.iter().sum::<f64>().abs() < allowed);
        for value in left.along_stumps(&quadratic).iter().chain(&left.raw) {
            prop_assert!(value.abs() < allowed, "left with {value}, allowed {allowed}");
        }
    }

    /// Relative 1e-6, as for coefficients in general; singular systems are the rule here.
    #[test]
    fn least_squares_is_of_minimum_norm(sample in sample()) {
        let problem_statistics = sample.statistics();
        let problem = GaussianProblem::new(&sample.basis, &problem_statistics);
        let (found, exactness) = least_squares(&problem, 0.0);
        prop_assert!(exactness.converged, "{exactness:?}");
        if sample.n_columns() > 0 {
            let expected = minimum_norm(&sample.design, &sample.fitted_weight, &sample.fitted_y);
            let off = distance(&listed(&found)[1..], &expected);
            let size = expected.iter().map(|b| b * b).sum::<f64>().sqrt();
            prop_assert!(off < 1e-6 || size < 1e-9, "off by {off}, {exactness:?}");
        }
    }

    /// Multiplying all weights and the penalty by one factor changes nothing; nor does the scale of y.
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
            let (found, exactness) = least_squares(&problem, l2 * of_weight);
            prop_assert!(exactness.converged, "{exactness:?}");
            let found: Vec<f64> = listed(&found).iter().map(|b| b / of_y).collect();
            let off = distance(&found, &listed(&expected));
            prop_assert!(off < 1e-6, "l2 {l2}: off by {off}");
        }
    }
}
