//! Stability by its definition on random scores, and where it is not defined.
#![allow(clippy::unwrap_used)]

use lmdi::explanation::{bootstrap_rows, stability};
use lmdi::importance::Scores;
use lmdi::monitor::Silent;
use lmdi::random::{below, generator};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn draw(n: usize, p: usize, outputs: usize, fits: usize, seed: u64) -> Vec<Scores> {
    let draws = &mut generator(seed, 0);
    (0..fits)
        .map(|_| {
            let values = (0..n * p * outputs).map(|_| below(draws, 9) as f64 - 4.0).collect();
            Scores { values, ..Scores::zero(n, p, &vec![0.0; outputs]) }
        })
        .collect()
}

fn sizes(fit: &Scores, row: usize) -> Vec<f64> {
    let line = fit.row(row).chunks(fit.n_outputs);
    line.map(|outputs| outputs.iter().map(|score| score.abs()).sum()).collect()
}

/// Rank of each: how many are smaller, plus half of those that are equal.
fn ranks(sizes: &[f64]) -> Vec<f64> {
    let count = |test: &dyn Fn(f64) -> bool| sizes.iter().filter(|&&s| test(s)).count() as f64;
    sizes.iter().map(|&size| count(&|s| s < size) + (count(&|s| s == size) + 1.0) / 2.0).collect()
}

fn pearson(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let sum = |x: &[f64], mx: f64, y: &[f64], my: f64| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum()
    };
    sum(a, ma, b, mb) / (sum(a, ma, a, ma) * sum(b, mb, b, mb)).sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn unique_features_and_correlations_follow_their_definitions(
        seed in any::<u64>(), n in 1..8_usize, p in 1..9_usize, outputs in 1..3_usize,
        n_fits in 2..5_usize, percent in 1..=100_u32,
    ) {
        let fits = draw(n, p, outputs, n_fits, seed);
        let found = stability(&fits, &[f64::from(percent)], &Silent).unwrap();
        let top = &found.tops[0];
        prop_assert_eq!(top.n_top, (percent as usize * p).div_ceil(100));
        for row in 0..n {
            let mut unique = BTreeSet::new();
            let mut correlations = vec![];
            for (at, fit) in fits.iter().enumerate() {
                let sizes_here = sizes(fit, row);
                let mut order: Vec<usize> = (0..p).collect();
                order.sort_by(|&a, &b| sizes_here[b].total_cmp(&sizes_here[a]));
                unique.extend(order[..top.n_top].iter().copied());
                for other in &fits[at + 1..] {
                    correlations.push(pearson(&ranks(&sizes_here), &ranks(&sizes(other, row))));
                }
            }
            prop_assert_eq!(top.unique[row] as usize, unique.len());
            let mean = correlations.iter().sum::<f64>() / correlations.len() as f64;
            let given = found.correlation[row];
            prop_assert!(mean.is_nan() && given.is_nan() || (mean - given).abs() < 1e-12, "{mean} {given}");
        }
        let mean = top.unique.iter().sum::<u32>() as f64 / n as f64;
        prop_assert!((top.mean_unique - mean).abs() < 1e-12);
        // Each row's unique columns are counted under `ever`, those of all fits under `always`.
        let ever: f64 = top.ever.iter().sum();
        prop_assert!((ever - mean).abs() < 1e-9);
        prop_assert!(top.always.iter().zip(&top.ever).all(|(always, ever)| always <= ever));
    }
}

#[test]
fn the_same_fit_twice_is_as_stable_as_can_be() {
    let fit = draw(20, 10, 1, 1, 5).remove(0);
    let found = stability(&[fit.clone(), fit], &[10.0, 30.0], &Silent).unwrap();
    assert_eq!(found.tops.iter().map(|top| top.mean_unique).collect::<Vec<_>>(), [1.0, 3.0]);
    assert!((found.mean_correlation - 1.0).abs() < 1e-12);
    assert_eq!(found.tops[1].always, found.tops[1].ever);
}

#[test]
fn rows_without_scores_are_left_out() {
    let mut fits = draw(3, 4, 1, 2, 6);
    fits[1].values[4..8].fill(f64::NAN);
    let found = stability(&fits, &[50.0], &Silent).unwrap();
    assert_eq!((found.n_rows, found.tops[0].unique[1]), (2, 0));
    assert!(found.correlation[1].is_nan() && !found.tops[0].mean_unique.is_nan());
}

#[test]
fn what_cannot_be_compared_is_said() {
    let fits = draw(3, 4, 1, 2, 6);
    let other = draw(2, 4, 1, 1, 6);
    for (fits, percent, part) in [
        (&fits[..1], 10.0, "at least 2"),
        (&[fits[0].clone(), other[0].clone()], 10.0, "scores of one fit"),
        (&fits[..], 0.0, "above 0"),
        (&fits[..], 101.0, "at most 100"),
        (&fits[..], f64::NAN, "`top` is NaN"),
    ] {
        let error = stability(fits, &[percent], &Silent).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn rows_are_drawn_by_seed_and_fit() {
    let draws = bootstrap_rows(1000, 1, 0);
    assert_eq!(draws, bootstrap_rows(1000, 1, 0));
    assert_ne!(draws, bootstrap_rows(1000, 1, 1));
    assert_ne!(draws, bootstrap_rows(1000, 2, 0));
    let different: BTreeSet<usize> = draws.into_iter().collect();
    // 1 - 1/e of the rows, give or take.
    assert!((580..690).contains(&different.len()), "{}", different.len());
}
