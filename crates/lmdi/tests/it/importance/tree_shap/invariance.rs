//! What must hold for every model: the scores add up, features that play the same part score the
//! same, unused ones score exactly zero, and neither batch, order of rows nor threads change a
//! byte.

use super::random_trees::{KINDS, ensemble, rows};
use lmdi::forest::NONE;
use lmdi::importance::Scores;
use lmdi::importance::tree_shap::{InterventionalTreeShap, TreeShap};
use lmdi::monitor::{Monitor, Silent};
use lmdi::table::Matrix;
use std::sync::atomic::{AtomicU64, Ordering};

const P: usize = 6;

fn both(seed: u64) -> (TreeShap, InterventionalTreeShap, lmdi::forest::Ensemble) {
    let ensemble = ensemble(seed, KINDS[seed as usize % KINDS.len()], P);
    let background = rows(seed + 50, 21, P);
    let interventional = InterventionalTreeShap::new(&ensemble, &background.view(), &Silent);
    let path_dependent = TreeShap::new(&ensemble).expect("an explainer");
    (path_dependent, interventional.expect("an explainer"), ensemble)
}

fn all(seed: u64, x: &Matrix) -> (Scores, Scores, Vec<f64>) {
    let (path_dependent, interventional, _) = both(seed);
    (
        path_dependent.explain(&x.view(), &Silent).expect("scores"),
        interventional.explain(&x.view(), &Silent).expect("scores"),
        path_dependent.interactions(&x.view(), &Silent).expect("interactions").values,
    )
}

#[test]
fn batches_order_of_rows_and_threads_change_no_byte() {
    for seed in 0..10 {
        let x = rows(seed, 300, P);
        let (path_dependent, interventional, interactions) = all(seed, &x);
        let order: Vec<usize> = (0..100).map(|at| (at * 37 + 11) % 300).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        for chosen in [&order[..], &order[..1], &order[3..20]] {
            let few = x.take_rows(chosen);
            let found = pool.install(|| all(seed, &few));
            let width = path_dependent.n_features * path_dependent.n_outputs;
            for (at, &row) in chosen.iter().enumerate() {
                assert_eq!(found.0.row(at), path_dependent.row(row), "seed {seed}, row {row}");
                assert_eq!(found.1.row(at), interventional.row(row), "seed {seed}, row {row}");
                let n = width * P;
                assert_eq!(found.2[at * n..][..n], interactions[row * n..][..n]);
            }
        }
    }
}

#[test]
fn scores_add_up_to_the_raw_output() {
    for seed in 0..40 {
        let (path_dependent, interventional, ensemble) = both(seed);
        let x = rows(seed, 33, P);
        let raw = ensemble.predict_raw(&x.view(), &Silent).expect("predictions");
        for scores in [
            path_dependent.explain(&x.view(), &Silent).expect("scores"),
            interventional.explain(&x.view(), &Silent).expect("scores"),
        ] {
            let (all, k) = (ensemble.n_outputs, scores.n_outputs);
            for row in 0..33 {
                for output in 0..k {
                    let (total, raw) =
                        (scores.total(row, output), raw[row * all + output + all - k]);
                    assert!((total - raw).abs() < 1e-13, "seed {seed}: {total}, expected {raw}");
                }
            }
        }
    }
}

#[test]
fn features_without_a_split_score_exactly_zero() {
    for seed in 0..40 {
        let (_, _, ensemble) = both(seed);
        let x = rows(seed, 12, P);
        let (path_dependent, interventional, _) = all(seed, &x);
        let unused = |feature: &usize| {
            ensemble.trees.iter().all(|tree| !tree.feature.contains(&(*feature as u32)))
        };
        for feature in (0..P).filter(unused) {
            for row in 0..12 {
                for output in 0..path_dependent.n_outputs {
                    assert_eq!(path_dependent.get(row, feature, output), 0.0);
                    assert_eq!(interventional.get(row, feature, output), 0.0);
                }
            }
        }
    }
}

/// Each tree comes with a twin in which a feature and its copy have changed places.
#[test]
fn copies_of_a_feature_that_play_the_same_part_score_the_same() {
    for seed in 0..40 {
        let (_, _, mut ensemble) = both(seed);
        let (a, b) = (1_u32, 4_u32);
        let mut twins = ensemble.trees.clone();
        for feature in twins.iter_mut().flat_map(|tree| &mut tree.feature) {
            *feature = match *feature {
                NONE => NONE,
                f if f == a => b,
                f if f == b => a,
                f => f,
            };
        }
        ensemble.trees.extend(twins);
        ensemble.output_of_tree = ensemble.output_of_tree.repeat(2);
        let copy = |x: &Matrix| {
            let columns = (0..P).map(|col| x.column(if col == 4 { 1 } else { col }).to_vec());
            Matrix::from_column_major(columns.collect::<Vec<_>>().concat(), x.rows(), P)
                .expect("a full matrix")
        };
        let (x, background) = (copy(&rows(seed, 12, P)), copy(&rows(seed + 9, 8, P)));
        let path_dependent = TreeShap::new(&ensemble).expect("an explainer");
        let interventional =
            InterventionalTreeShap::new(&ensemble, &background.view(), &Silent).expect("one too");
        for scores in [
            path_dependent.explain(&x.view(), &Silent).expect("scores"),
            interventional.explain(&x.view(), &Silent).expect("scores"),
        ] {
            for row in 0..12 {
                for output in 0..scores.n_outputs {
                    let (a, b) = (scores.get(row, 1, output), scores.get(row, 4, output));
                    assert!((a - b).abs() < 1e-14, "seed {seed}, row {row}: {a} {b}");
                }
            }
        }
    }
}

#[derive(Default)]
struct Count(AtomicU64);

impl Monitor for Count {
    fn advance(&self, units: u64) {
        self.0.fetch_add(units, Ordering::Relaxed);
    }
}

#[test]
fn progress_counts_every_row_once() {
    let (path_dependent, interventional, _) = both(2);
    let x = rows(1, 777, P);
    let counts = [Count::default(), Count::default(), Count::default()];
    path_dependent.explain(&x.view(), &counts[0]).expect("scores");
    interventional.explain(&x.view(), &counts[1]).expect("scores");
    path_dependent.interactions(&x.view(), &counts[2]).expect("interactions");
    for count in counts {
        assert_eq!(count.0.into_inner(), 777);
    }
}
