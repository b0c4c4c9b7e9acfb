//! Scores and interactions are those of the definition, on random ensembles of every kind.

use super::brute_force::Game;
use super::random_trees::{KINDS, Kind, ensemble, row, rows};
use lmdi::importance::tree_shap::{InterventionalTreeShap, TreeShap};
use lmdi::monitor::Silent;
use lmdi::random::{below, generator};

/// Of the size of the trees' values, which is about one.
const TOLERANCE: f64 = 1e-10;

fn check(found: f64, expected: f64, what: impl FnOnce() -> String) {
    assert!((found - expected).abs() <= TOLERANCE, "{}: {found}, expected {expected}", what());
}

fn cases() -> impl Iterator<Item = (u64, Kind, usize)> {
    (0..60).map(|seed| {
        let p = 1 + below(&mut generator(seed, 0), 12);
        (seed, KINDS[seed as usize % KINDS.len()], p)
    })
}

#[test]
fn scores_are_the_shapley_values_of_the_path_dependent_game() {
    for (seed, kind, p) in cases() {
        let ensemble = ensemble(seed, kind, p);
        let x = rows(seed, 9, p);
        let scores = TreeShap::new(&ensemble)
            .and_then(|shap| shap.explain(&x.view(), &Silent))
            .expect("scores");
        for at in [0, 5, 8] {
            let game = Game::path_dependent(&ensemble, &row(&x, at));
            assert_eq!(scores.n_outputs, game.k);
            for output in 0..game.k {
                let base = scores.base[at * game.k + output];
                check(base, game.worth(0, output), || format!("{seed} {kind:?} base"));
                for feature in 0..p {
                    let found = scores.get(at, feature, output);
                    check(found, game.score(feature, output), || {
                        format!("seed {seed} {kind:?} row {at} feature {feature} output {output}")
                    });
                }
            }
        }
    }
}

#[test]
fn interactions_are_those_of_the_path_dependent_game() {
    for (seed, kind, p) in cases().filter(|&(seed, _, p)| p <= 7 || seed % 10 == 0) {
        let p = p.min(8);
        let ensemble = ensemble(seed, kind, p);
        let x = rows(seed, 10, p);
        let shap = TreeShap::new(&ensemble).expect("an explainer");
        let found = shap.interactions(&x.view(), &Silent).expect("interactions");
        let scores = shap.explain(&x.view(), &Silent).expect("scores");
        for at in [1, 9] {
            let game = Game::path_dependent(&ensemble, &row(&x, at));
            for output in 0..game.k {
                for a in 0..p {
                    for b in 0..p {
                        let expected = game.interaction(a, b, output);
                        check(found.get(at, a, b, output), expected, || {
                            format!("seed {seed} {kind:?} row {at} pair {a} {b} output {output}")
                        });
                    }
                }
            }
        }
        let sums = found.scores();
        assert_eq!(sums.base, scores.base);
        for (sum, score) in sums.values.iter().zip(&scores.values) {
            check(*sum, *score, || format!("seed {seed}: sum of a feature's interactions"));
        }
    }
}

#[test]
fn scores_are_the_shapley_values_of_the_interventional_game() {
    for (seed, kind, p) in cases() {
        let p = p.min(9);
        let ensemble = ensemble(seed, kind, p);
        let (x, background) = (rows(seed, 5, p), rows(seed + 1000, 7, p));
        let others: Vec<Vec<f64>> = (0..background.rows()).map(|at| row(&background, at)).collect();
        let shap = InterventionalTreeShap::new(&ensemble, &background.view(), &Silent)
            .expect("an explainer");
        let scores = shap.explain(&x.view(), &Silent).expect("scores");
        for at in [0, 4] {
            let game = Game::interventional(&ensemble, &row(&x, at), &others);
            for output in 0..game.k {
                check(shap.base()[output], game.worth(0, output), || format!("seed {seed} base"));
                for feature in 0..p {
                    let found = scores.get(at, feature, output);
                    check(found, game.score(feature, output), || {
                        format!("seed {seed} {kind:?} row {at} feature {feature} output {output}")
                    });
                }
            }
        }
    }
}
