//! Sufficient statistics: pieces add up to the whole, and give the errors of rows they no longer
//! know.

use super::sample::{Sample, Weights};
use crate::basis::{Basis, RareCells, TreeRows};
use crate::forest::train::{ForestParams, TrainingSet, train_forest};
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::gaussian::GaussianProblem;
use crate::glm::quadratic::predictors::{
    for_predictors, squared_error_of_rows, squared_error_of_statistics,
};
use crate::glm::quadratic::statistics::Statistics;
use crate::glm::solvers::descent::batched::BatchedProblem;
use crate::glm::{Coefficients, Family, GlmOptions, PenaltyChoice, Strength, fit_glm, fit_glms};
use crate::monitor::Silent;
use crate::random::{below, generator, unit};
use crate::table::{Matrix, Response};
use proptest::prelude::*;

/// Equal to `tolerance` of the larger of `scale` and the second number.
fn close(a: f64, b: f64, scale: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * scale.max(b.abs())
}

fn sample() -> impl Strategy<Value = Sample> {
    (any::<u64>(), 5..60_usize, 1..5_usize, any::<bool>())
        .prop_map(|(seed, n, p, raw)| Sample::new(seed, n, p, raw, Weights::Random))
        .prop_filter("no row has weight", |sample| !sample.design.is_empty())
}

fn numbers(statistics: &Statistics) -> Vec<f64> {
    let lists = [
        &statistics.leaf_weight,
        &statistics.leaf_response,
        &statistics.leaf_raw,
        &statistics.raw_response,
        &statistics.raw_gram,
    ];
    lists.into_iter().flatten().copied().chain([statistics.response_square]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// To 1e-12 of the largest number of the whole.
    #[test]
    fn pieces_merge_into_the_whole(sample in sample(), seed in any::<u64>()) {
        let mut random = generator(seed, 4);
        let rows = sample.rows();
        let collect = |from: usize, to: usize, statistics: &mut Statistics| {
            rows.for_blocks(from..to, |block| {
                let range = block.range;
                let (leaf, weight) = (&rows.leaf[range.clone()], &rows.weight[range.clone()]);
                statistics.update(leaf, weight, &sample.fitted_y[range], block.raw);
            });
        };
        let whole = sample.statistics();
        let (a, b) = (below(&mut random, rows.len() + 1), below(&mut random, rows.len() + 1));
        let (first, second) = (a.min(b), a.max(b));
        // The last two pieces are one object updated twice; the first is merged from elsewhere.
        let (mut one, mut two) = (Statistics::new(&sample.basis), Statistics::new(&sample.basis));
        collect(0, first, &mut one);
        collect(first, second, &mut two);
        collect(second, rows.len(), &mut two);
        two.merge(&one);
        prop_assert_eq!(two.rows, whole.rows);
        let (two, whole) = (numbers(&two), numbers(&whole));
        let scale = whole.iter().fold(0.0_f64, |scale, v| scale.max(v.abs()));
        for (two, whole) in two.iter().zip(&whole) {
            prop_assert!(close(*two, *whole, scale, 1e-12));
        }
    }

    /// Statistics are alike if trees have as many leaves, and as many raw columns.
    #[test]
    fn statistics_are_alike_by_the_sizes_of_their_basis(one in sample(), other in sample()) {
        let sizes = |sample: &Sample| (sample.basis.stumps.n_splits(), sample.basis.raw.len());
        let [a, b] = [&one, &other].map(|sample| Statistics::new(&sample.basis));
        prop_assert!(a.is_like(&a));
        prop_assert_eq!(a.is_like(&b), sizes(&one) == sizes(&other));
    }

    /// Where the quadratic form gives an error at all, it is that of the rows: to 1e-6 of it. It
    /// refuses when the error is a small share of the squared responses, where its digits cancel.
    #[test]
    fn the_quadratic_form_is_the_error_of_the_rows(
        sample in sample(),
        seed in any::<u64>(),
        exponent in -10.0..1.0_f64,
    ) {
        let mut random = generator(seed, 4);
        let (basis, rows) = (&sample.basis, sample.rows());
        let mut model = Coefficients::zero(basis.stumps.n_splits(), basis.raw.len());
        model.intercept = unit(&mut random);
        for b in model.stump.iter_mut().chain(&mut model.raw) {
            *b = if below(&mut random, 4) == 0 { 0.0 } else { unit(&mut random) - 0.5 };
        }
        // Responses at some distance from what the model predicts.
        let mut y = Vec::new();
        for_predictors(basis, &rows, 0..rows.len(), &model, |_, predicted, _| {
            y.push(predicted + 10_f64.powf(exponent) * (unit(&mut random) - 0.5));
        });
        let mut statistics = Statistics::new(basis);
        rows.for_blocks(0..rows.len(), |block| {
            let range = block.range;
            let (leaf, weight) = (&rows.leaf[range.clone()], &rows.weight[range.clone()]);
            statistics.update(leaf, weight, &y[range], block.raw);
        });
        // By the dense columns, which share nothing with the library.
        let want: f64 = (0..rows.len())
            .map(|row| rows.weight[row] * (y[row] - sample.predict(&model, row)).powi(2))
            .sum();
        let by_rows = squared_error_of_rows(basis, &rows, 0..rows.len(), &y, &model);
        let size = statistics.response_square;
        prop_assert!((by_rows - want).abs() <= 1e-9 * want + 1e-13 * size, "{by_rows} {want}");
        let by_sums = squared_error_of_statistics(basis, &statistics, &model);
        prop_assert!((by_sums - want).abs() <= 1e-9 * want + 1e-11 * size.max(1.0), "{by_sums} {want}");
        let lane = |slopes: &[f64]| slopes.iter().map(|&b| [b]).collect::<Vec<_>>();
        let problems = BatchedProblem::new([&GaussianProblem::new(basis, &statistics)]);
        let [found] =
            problems.squared_error([model.intercept], &lane(&model.stump), &lane(&model.raw));
        match found {
            Some(found) => prop_assert!(close(found, want, 0.0, 1e-6), "{found} {want}"),
            None => prop_assert!(want < 1e-6 * size.max(1e-300), "{want}"),
        }
        // Lanes that share the rows, one of them with zero slopes.
        let pair = |slopes: &[f64]| slopes.iter().map(|&b| [0.0, b]).collect::<Vec<_>>();
        let together = problems.squared_error(
            [problems.response_mean[0], model.intercept],
            &pair(&model.stump),
            &pair(&model.raw),
        );
        prop_assert_eq!(together[1].is_some(), found.is_some());
        for (found, want) in [(together[1], found), (together[0], Some(problems.response_square[0]))] {
            if let (Some(found), Some(want)) = (found, want) {
                prop_assert!(close(found, want, 1e-12, 1e-9), "{found} {want}");
            }
        }
    }

    /// Sweeps alone end where the conditions hold, before any exact solution corrects them: to 1e-7
    /// of the norms of column and response. A strong ridge part keeps columns from being alike.
    #[test]
    fn coordinate_descent_ends_at_the_optimum(
        sample in sample(),
        l1 in 0.01..2.0_f64,
        l2 in 1.0..20.0_f64,
    ) {
        let problem = GaussianProblem::new(&sample.basis, &sample.statistics());
        let penalty = Penalty { l1, l2 };
        let problems = BatchedProblem::new([&problem]);
        let mut descent = problems.descent();
        problems.descend(&mut descent, &[penalty], 1e-15, 1000);
        let violation = problem.violation(&descent.point.coefficients(0), penalty);
        prop_assert!(violation < 1e-7, "{violation}");
    }

    /// Columns that are mostly one value, such as parts of a category, are summed by their other
    /// cells. Numbers, classes and counts are fitted the same as from all cells. Both fits stop at a gap of
    /// 1e-13 of the null loss, and coefficients are as accurate as its root: 1e-6 of the largest.
    #[test]
    fn sparse_columns_fit_the_same(seed in any::<u64>(), family in 0..3_usize, l1_ratio in 0.05..1.0_f64) {
        let family = [Family::Gaussian, Family::Binomial, Family::Poisson][family];
        let (gaussian, counts) = (family == Family::Gaussian, family == Family::Poisson);
        let mut random = generator(seed, 0);
        let (n, cols) = (40 + below(&mut random, 400), 6);
        let dense = 1 + below(&mut random, 2);
        let mut cells = Vec::new();
        for col in 0..cols {
            let mode = unit(&mut random);
            for _ in 0..n {
                let deviates = col < dense || unit(&mut random) < 0.1;
                let value = if col < 3 { unit(&mut random) } else { mode + 1.0 };
                let missing = col == 2 && unit(&mut random) < 0.03;
                cells.push(if missing { f64::NAN } else if deviates { value } else { mode });
            }
        }
        let x = Matrix::from_column_major(cells, n, cols).expect("as many cells as asked");
        let signal = |row: usize| x.column(0)[row] + f64::from(x.column(4)[row] > x.column(4)[0]);
        let y: Vec<f64> = (0..n)
            .map(|row| (signal(row) + unit(&mut random)).floor().min(if counts { 9.0 } else { 1.0 }))
            .collect();
        prop_assume!(y.iter().any(|&one| one != y[0]));
        let names: Vec<String> = (0..cols).map(|col| format!("x{col}")).collect();
        let set = TrainingSet { x: x.view(), y: Response::Numeric(&y), weights: None, feature_names: &names, labels: &[] };
        let params = ForestParams { n_trees: 1, min_samples_leaf: 3, seed, ..ForestParams::regression() };
        let tree = train_forest(&set, &params, &Silent).expect("a table that can be learnt").trees.remove(0);
        let x = x.view();
        let basis = Basis::of(&tree, &x, true);
        let weight: Vec<f64> = (0..n).map(|_| unit(&mut random)).collect();
        // Three folds are solved in lanes of their own; one leaves them to penalties.
        let n_folds = if seed.is_multiple_of(2) { 1 } else { 3 };
        let fold: Vec<u32> = (0..n as u32).map(|row| row % (n_folds as u32 + 1)).collect();
        let rows = || TreeRows::new(&x, &basis, &tree.leaves_of(&x), &weight, &fold, n_folds);
        let split = if gaussian { rows().with_sparse(&RareCells::of(&x)) } else { rows().keep_sparse() };
        prop_assert!(basis.raw.len() < dense + 2 || split.sparse_columns().n_dense < basis.raw.len());
        let options = GlmOptions {
            tolerance: 1e-13,
            ..GlmOptions::reference(family)
        };
        let options = match &options.penalty {
            PenaltyChoice::CrossValidated { grid, .. } if gaussian => {
                let penalty = PenaltyChoice::CrossValidated { l1_ratios: vec![l1_ratio], grid: grid.clone() };
                GlmOptions { penalty, folds: n_folds, ..options }
            }
            _ => {
                let penalty = PenaltyChoice::Fixed { strength: Strength::Inverse(0.3), l1_ratio };
                GlmOptions { penalty, ..options }
            }
        };
        // Responses that share their sums are fitted as if each was alone, to the last bit.
        let backwards: Vec<f64> = y.iter().rev().copied().collect();
        let responses = [&y, &backwards, &y].map(|y| split.gather(y));
        let mut together = Vec::new();
        fit_glms(&basis, &split, &responses.each_ref().map(Vec::as_slice), &options, |fit| together.push(fit));
        prop_assert_eq!(together.len(), 3);
        // As text: candidates that were never solved have no error, and NaN is not equal to itself.
        for (response, fit) in responses.iter().zip(&together) {
            let alone = fit_glm(&basis, &split, response, &options);
            prop_assert_eq!(format!("{fit:?}"), format!("{alone:?}"));
        }
        let [plain, split] = [rows(), split].map(|rows| {
            let Coefficients { intercept, stump, raw } = fit_glm(&basis, &rows, &rows.gather(&y), &options).coefficients;
            [vec![intercept], stump, raw].concat()
        });
        let scale = plain.iter().fold(1.0_f64, |scale, b| scale.max(b.abs()));
        for (plain, split) in plain.iter().zip(&split) {
            prop_assert!(close(*plain, *split, scale, 1e-6), "{plain} {split}");
        }
    }
}
