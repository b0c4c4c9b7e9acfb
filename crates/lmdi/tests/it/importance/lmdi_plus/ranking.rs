//! Ranks and standard errors against their definitions.

use crate::support::random_models::dense_tree::{Column, DenseTree, path_of};
use crate::support::random_models::{Kind, Table, bagged, cases, close, kind, preset};
use lmdi::explanation::{rank_by_score, top_features};
use lmdi::importance::TreeSubset;
use lmdi::importance::lmdi_plus::TreeModel;
use lmdi::monitor::Silent;
use proptest::prelude::*;

/// One more than the number of smaller sizes, plus half the number of others that are equal.
fn rank_among(sizes: &[f64], of: usize) -> f64 {
    let smaller = sizes.iter().filter(|&&size| size < sizes[of]).count();
    let equal = sizes.iter().filter(|&&size| size == sizes[of]).count();
    smaller as f64 + 0.5 * (equal + 1) as f64
}

/// Whether two different sizes are so close that rounding decides their order.
fn has_near_tie(sizes: &[f64]) -> bool {
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    sizes
        .iter()
        .enumerate()
        .any(|(i, a)| sizes[..i].iter().any(|b| a != b && (a - b).abs() < 1e-9 * largest))
}

/// The weighted sum of squares around the mean.
fn squares(points: &[(f64, f64)]) -> f64 {
    let total: f64 = points.iter().map(|(w, _)| w).sum();
    let mean = points.iter().map(|(w, y)| w * y).sum::<f64>() / total;
    points.iter().map(|(w, y)| w * (y - mean).powi(2)).sum()
}

/// What a ranking keeps of each feature of a boosted tree, by how much of the response's sum of squares
/// every split and every column explains on its own; `None` where rounding decides. Features that the
/// tree does not use have no meaning.
fn kept_by_definition(table: &Table, dense: &DenseTree, class: usize) -> Option<Vec<f64>> {
    let (n, p) = (table.rows(), table.x.cols());
    let mean_weight = (0..n).map(|row| table.weight(row)).sum::<f64>() / n as f64;
    let weight = |row: usize| table.weight(row) / mean_weight;
    let y = |row: usize| match table.n_classes {
        0 => table.y[row],
        _ => f64::from(u8::from(table.codes[row] as usize == class)),
    };
    let point = |row: usize| (weight(row), y(row));
    let counting: Vec<usize> = (0..n).filter(|&row| weight(row) > 0.0).collect();
    let all: Vec<(f64, f64)> = counting.iter().map(|&row| point(row)).collect();
    let variance = squares(&all) / all.iter().map(|(w, _)| w).sum::<f64>();
    let mut explained = vec![[0.0; 2]; p];
    for (column, &feature) in dense.columns.iter().zip(&dense.feature) {
        let Column::Stump { node } = *column else { continue };
        let side = |child: u32| -> Vec<(f64, f64)> {
            let inside =
                |row: &usize| path_of(&dense.tree, &table.row(*row)).contains(&(child as usize));
            counting.iter().copied().filter(inside).map(point).collect()
        };
        let (left, right) = (side(dense.tree.left[node]), side(dense.tree.right[node]));
        let both = [&left[..], &right[..]].concat();
        explained[feature][0] += squares(&both) - squares(&left) - squares(&right);
        explained[feature][1] += 1.0;
    }
    let used = explained.iter().filter(|[_, splits]| *splits > 0.0).count();
    for (feature, explained) in explained.iter_mut().enumerate().filter(|(_, e)| e[1] > 0.0) {
        let cells = table.x.column(feature);
        let known: Vec<usize> =
            counting.iter().copied().filter(|&row| !cells[row].is_nan()).collect();
        let total: f64 = known.iter().map(|&row| weight(row)).sum();
        let mean_x = known.iter().map(|&row| weight(row) * cells[row]).sum::<f64>() / total;
        let mean_y = known.iter().map(|&row| weight(row) * y(row)).sum::<f64>() / total;
        let product: f64 =
            known.iter().map(|&row| weight(row) * (cells[row] - mean_x) * (y(row) - mean_y)).sum();
        let square: f64 =
            known.iter().map(|&row| weight(row) * (cells[row] - mean_x).powi(2)).sum();
        // A simple regression on the column explains product^2 / square.
        explained[0] += if square > 0.0 { product * product / square } else { 0.0 };
        explained[1] += 1.0;
    }
    let share = |[squares, terms]: &[f64; 2]| {
        let bound = terms.sqrt() + (2.0 * (used as f64).ln()).sqrt();
        1.0 - bound / (squares / variance).sqrt()
    };
    let shares: Vec<f64> = explained.iter().map(share).collect();
    let in_doubt = dense.feature.iter().any(|&feature| shares[feature].abs() < 1e-9);
    (!in_doubt).then(|| shares.into_iter().map(|share| share.max(0.0)).collect())
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn rank_by_rank_is_the_mean_of_the_ranks_in_the_trees(kind in kind(), seed in any::<u64>()) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let explainer = table.explain(&model, &preset(seed));
        let ranks = explainer.rank_by_rank(&table.x.view(), &Silent).expect("ranks");
        let (p, k) = (table.x.cols(), explainer.n_outputs());
        let dense: Vec<DenseTree> =
            (0..model.trees.len()).map(|tree| DenseTree::new(&table, &model, tree, true)).collect();
        let boosted = matches!(kind, Kind::Boosted { .. });
        let counting: Vec<usize> = (0..table.rows()).filter(|&row| table.weight(row) > 0.0).collect();
        // What each tree keeps of its scores: features x its outputs. A forest keeps all.
        let all_of = |tree: &TreeModel| vec![vec![1.0; p]; tree.n_outputs as usize];
        let mut kept: Vec<Vec<Vec<f64>>> = explainer.trees().iter().map(all_of).collect();
        if boosted {
            for (kept, (tree, dense)) in kept.iter_mut().zip(explainer.trees().iter().zip(&dense)) {
                for (output, kept) in kept.iter_mut().enumerate() {
                    let class = if k == 1 { 1 } else { tree.first_output as usize + output };
                    let Some(found) = kept_by_definition(&table, dense, class) else { return Ok(()) };
                    *kept = found;
                }
            }
        }
        // What each tree contributes: the mean over rows of the sizes of all scores, as far as they are kept.
        let contributions = |kept: &[Vec<Vec<f64>>]| -> Vec<f64> {
            let of_tree = |(tree, dense, kept): (&TreeModel, &DenseTree, &Vec<Vec<f64>>)| {
                let of_row = |&row: &usize| -> f64 {
                    (0..tree.n_outputs as usize)
                        .flat_map(|output| {
                            let scores = dense.scores(row, &dense.coefficients(tree, output), p);
                            let sizes = scores.into_iter().zip(&kept[output]);
                            sizes.map(|(score, share)| score.abs() * share).collect::<Vec<_>>()
                        })
                        .sum()
                };
                counting.iter().map(of_row).sum::<f64>() / counting.len() as f64
            };
            let trees = explainer.trees().iter().zip(&dense).zip(kept);
            trees.map(|((tree, dense), kept)| of_tree((tree, dense, kept))).collect()
        };
        let mut contributed = contributions(&kept);
        if contributed.iter().all(|size| *size == 0.0) {
            kept = explainer.trees().iter().map(all_of).collect();
            contributed = contributions(&kept);
        }
        // By definition, and as in the authors' experiments, where a tree without weight on a feature does
        // not count for it.
        let weighted = explainer.rank_by_rank_where_weighted(&table.x.view(), &Silent).expect("ranks");
        let both = [(false, &ranks), (true, &weighted)];
        let rankings = &both[..if boosted { 1 } else { 2 }];
        for (&(weighted, ranks), row) in rankings.iter().flat_map(|r| (0..table.rows()).map(move |row| (r, row))) {
            let (mut sum, mut total) = (vec![0.0; p], vec![0.0; p]);
            let mut undecided = false;
            for (index, (tree, dense)) in explainer.trees().iter().zip(&dense).enumerate() {
                let (mut size, mut kept_size) = (vec![0.0; p], vec![0.0; p]);
                let mut has_weight = vec![false; p];
                for (output, kept) in kept[index].iter().enumerate() {
                    let b = dense.coefficients(tree, output);
                    dense.feature.iter().zip(&b).for_each(|(&k, &b)| has_weight[k] |= b != 0.0);
                    for (feature, score) in dense.scores(row, &b, p).into_iter().enumerate() {
                        size[feature] += score.abs();
                        kept_size[feature] += score.abs() * kept[feature];
                    }
                }
                let counts = |k: &usize| dense.feature.contains(k) && (!weighted || has_weight[*k]);
                let used: Vec<usize> = (0..p).filter(counts).collect();
                // Those of which nothing is kept come below the others, in the order of their scores.
                let largest = used.iter().map(|&feature| size[feature]).fold(0.0, f64::max);
                let place = |&feature: &usize| match kept_size[feature] {
                    0.0 => size[feature],
                    kept => 2.0 * largest + kept,
                };
                let sizes: Vec<f64> = used.iter().map(place).collect();
                undecided |= has_near_tie(&sizes);
                if boosted {
                    total.iter_mut().for_each(|total| *total += contributed[index]);
                }
                for (at, &feature) in used.iter().enumerate() {
                    let rank = rank_among(&sizes, at);
                    if boosted {
                        sum[feature] += contributed[index] * rank / used.len() as f64;
                    } else {
                        sum[feature] += (p - used.len()) as f64 + rank;
                        total[feature] += 1.0;
                    }
                }
            }
            if undecided {
                continue;
            }
            for feature in 0..p {
                let want = if total[feature] > 0.0 { sum[feature] / total[feature] } else { 0.0 };
                let found = ranks[row * p + feature];
                prop_assert!(close(found, want, 0.0, 1e-9), "row {row}, feature {feature}, {k} outputs: {found} {want}");
            }
        }
    }

    #[test]
    fn rank_by_score_counts_the_smaller_ones(kind in kind(), seed in any::<u64>()) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let explainer = table.explain(&model, &preset(seed));
        let scores = table.score(&explainer, TreeSubset::All, false);
        let ranks = rank_by_score(&scores);
        let p = table.x.cols();
        for row in 0..table.rows() {
            let sizes: Vec<f64> = (0..p)
                .map(|feature| (0..scores.n_outputs).map(|output| scores.get(row, feature, output).abs()).sum())
                .collect();
            for feature in 0..p {
                prop_assert_eq!(ranks[row * p + feature], rank_among(&sizes, feature));
            }
            let top = top_features(&scores, row, p.min(3));
            prop_assert_eq!(top.len(), p.min(3));
            for (place, &feature) in top.iter().enumerate() {
                let before = (0..p).filter(|&other| sizes[other] > sizes[feature]
                    || (sizes[other] == sizes[feature] && other < feature)).count();
                prop_assert_eq!(before, place);
            }
        }
    }

    /// Spread of the trees' scores: to 1e-6 of the row's largest term, since squares
    /// are added up.
    #[test]
    fn standard_errors_are_the_spread_over_trees(kind in bagged(), seed in any::<u64>()) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let explainer = table.explain(&model, &preset(seed));
        let (p, k) = (table.x.cols(), explainer.n_outputs());
        let dense: Vec<DenseTree> =
            (0..model.trees.len()).map(|tree| DenseTree::new(&table, &model, tree, true)).collect();
        for (subset, in_bag) in [(TreeSubset::All, None), (TreeSubset::OutOfBag(&model), Some(false))] {
            let scores = table.score(&explainer, subset, true);
            let errors = scores.standard_error.as_ref().expect("standard errors");
            for row in 0..table.rows() {
                for output in 0..k {
                    let per_tree: Vec<Vec<f64>> = (0..model.trees.len())
                        .filter(|&tree| in_bag.is_none_or(|wanted: bool| {
                            (model.trees[tree].in_bag.as_ref().expect("counts").count(row) > 0) == wanted
                        }))
                        .map(|tree| {
                            let b = dense[tree].coefficients(&explainer.trees()[tree], output);
                            dense[tree].scores(row, &b, p)
                        })
                        .collect();
                    // Stumps and raw column of a feature may cancel; digits are those of the terms.
                    let mut size = 1e-9_f64;
                    for (dense, tree) in dense.iter().zip(explainer.trees()) {
                        let b = dense.coefficients(tree, output);
                        let terms = dense.cells[row].iter().zip(&b).map(|(x, b)| (x * b).abs());
                        size = terms.fold(size, f64::max);
                    }
                    let n = per_tree.len() as f64;
                    for feature in 0..p {
                        let found = errors[(row * p + feature) * k + output];
                        if n < 2.0 {
                            prop_assert!(found.is_nan());
                            continue;
                        }
                        let of_tree = || per_tree.iter().map(|scores| scores[feature]);
                        let mean = of_tree().sum::<f64>() / n;
                        let variance = of_tree().map(|s| (s - mean).powi(2)).sum::<f64>() / (n - 1.0);
                        let want = (variance / n).sqrt();
                        prop_assert!(close(found, want, size, 1e-6), "row {row}: {found} {want}");
                    }
                }
            }
        }
    }
}

/// Far from zero a column's slopes times its cells are much larger than its scores; digits must stay.
#[test]
fn columns_far_from_zero_keep_their_digits() {
    let mut shifted = Table::random(4, 0);
    let n = shifted.rows();
    let shift = f64::from(1 << 20);
    let x: Vec<f64> = (0..n).map(|row| (row * 7 % n) as f64).collect();
    let near = Table::numeric(vec![x.clone()], shifted.y.clone());
    shifted = Table::numeric(vec![x.iter().map(|x| x + shift).collect()], shifted.y.clone());
    let kind = Kind::Forest { classes: 0, bootstrap: true };
    let seed = (0..).find(|&seed| near.train(kind, seed).trees.len() > 2).expect("several trees");
    let [near, far] = [near, shifted].map(|table| {
        let model = table.train(kind, seed);
        let explainer = table.explain(&model, &preset(seed));
        table.score(&explainer, TreeSubset::All, true)
    });
    let pairs = near.values.iter().zip(&far.values);
    assert!(pairs.clone().all(|(a, b)| close(*a, *b, 1.0, 1e-9)));
    let errors = near.standard_error.iter().flatten().zip(far.standard_error.iter().flatten());
    for (a, b) in errors {
        assert!(close(*a, *b, 1.0, 1e-7), "{a} {b}");
    }
}
