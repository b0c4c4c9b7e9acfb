//! Sufficient statistics: pieces add up to the whole, and give the errors of rows they no longer know.

use crate::random_models::{Kind, Table, cases, close};
use lmdi::basis::{Basis, TreeRows};
use lmdi::glm::{Coefficients, GaussianProblem, SideBySide, Statistics, squared_error_of_rows};
use lmdi::random::{below, generator, unit};
use proptest::prelude::*;

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
    #![proptest_config(cases(150))]

    /// To 1e-12 of the largest number of the whole.
    #[test]
    fn pieces_merge_into_the_whole(seed in any::<u64>()) {
        let table = Table::random(seed, 0);
        let tree = table.train(Kind::Forest { classes: 0, bootstrap: true }, seed).trees.remove(0);
        let mut random = generator(seed, 4);
        let weight: Vec<f64> = (0..table.rows()).map(|_| unit(&mut random)).collect();
        let x = table.x.view();
        let basis = Basis::of(&tree, &x, true);
        let fold = vec![0; table.rows()];
        let rows = TreeRows::new(&x, &basis, &tree.leaves_of(&x), &weight, &fold, 1);
        let y = rows.gather(&table.y);
        let collect = |from: usize, to: usize, statistics: &mut Statistics| {
            rows.for_blocks(from..to, |block| {
                let range = block.range;
                statistics.update(&rows.leaf[range.clone()], &rows.weight[range.clone()], &y[range], block.raw);
            });
        };
        let mut whole = Statistics::new(&basis);
        collect(0, rows.len(), &mut whole);
        let (a, b) = (below(&mut random, rows.len() + 1), below(&mut random, rows.len() + 1));
        let (first, second) = (a.min(b), a.max(b));
        // The last two pieces are one object updated twice; the first is merged from elsewhere.
        let (mut one, mut two) = (Statistics::new(&basis), Statistics::new(&basis));
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

    /// Where the quadratic form gives an error at all, it is that of the rows: to 1e-7 of it. It refuses
    /// when the error is a small share of the squared responses, where its digits cancel.
    #[test]
    fn the_quadratic_form_is_the_error_of_the_rows(seed in any::<u64>(), exponent in -10.0..1.0_f64) {
        let table = Table::random(seed, 0);
        let tree = table.train(Kind::Forest { classes: 0, bootstrap: true }, seed).trees.remove(0);
        let mut random = generator(seed, 4);
        let x = table.x.view();
        let basis = Basis::of(&tree, &x, true);
        let weight: Vec<f64> = (0..table.rows()).map(|_| unit(&mut random)).collect();
        let rows = TreeRows::new(&x, &basis, &tree.leaves_of(&x), &weight, &vec![0; table.rows()], 1);
        let mut model = Coefficients::zero(basis.stumps.n_splits(), basis.raw.len());
        model.intercept = unit(&mut random);
        for b in model.stump.iter_mut().chain(&mut model.raw) {
            *b = if below(&mut random, 4) == 0 { 0.0 } else { unit(&mut random) - 0.5 };
        }
        // Responses at some distance from what the model predicts.
        let zero = vec![0.0; rows.len()];
        let mut y = Vec::new();
        for row in 0..rows.len() {
            // The squared error of one row against zero is its weight times the squared prediction.
            let square = squared_error_of_rows(&basis, &rows, row..row + 1, &zero, &model) / rows.weight[row];
            let mut one = zero.clone();
            one[row] = square.sqrt();
            let positive = squared_error_of_rows(&basis, &rows, row..row + 1, &one, &model) < 0.5 * square * rows.weight[row];
            let predicted = if positive { square.sqrt() } else { -square.sqrt() };
            y.push(predicted + 10_f64.powf(exponent) * (unit(&mut random) - 0.5));
        }
        let mut statistics = Statistics::new(&basis);
        rows.for_blocks(0..rows.len(), |block| {
            let range = block.range;
            statistics.update(&rows.leaf[range.clone()], &rows.weight[range.clone()], &y[range], block.raw);
        });
        let want = squared_error_of_rows(&basis, &rows, 0..rows.len(), &y, &model);
        let lane = |slopes: &[f64]| slopes.iter().map(|&b| [b]).collect::<Vec<_>>();
        let problems = SideBySide::new([&GaussianProblem::new(&basis, &statistics)]);
        let [found] = problems.squared_error([model.intercept], &lane(&model.stump), &lane(&model.raw));
        match found {
            Some(found) => prop_assert!(close(found, want, 0.0, 1e-6), "{found} {want}"),
            None => prop_assert!(want < 1e-6 * statistics.response_square.max(1e-300), "{want}"),
        }
    }
}
