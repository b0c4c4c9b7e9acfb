//! Direct fits against scikit-learn: `testdata/lmdi_plus/glm_gaussian.json`.
//!
//! Coefficients relative to their Euclidean norm: ridge within 1e-12, least squares of minimum norm
//! within 1e-7 (the Gram matrix of nearly dependent columns keeps half the digits of the design).

use super::golden::{Case, distance};
use crate::basis::{Basis, TreeRows};
use crate::glm::quadratic::gaussian::GaussianProblem;
use crate::glm::quadratic::statistics::Statistics;
use crate::glm::solvers::direct::least_squares::least_squares;
use crate::glm::solvers::direct::refine::refine;
use crate::glm::{Coefficients, Penalty};
use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Deserialize)]
struct Fit {
    penalty: String,
    alpha: f64,
    l1_ratio: f64,
    intercept: f64,
    coef: Vec<f64>,
    unique: bool,
}

/// Basis and statistics of a case.
fn summarise(case: &Case<Fit, IgnoredAny>) -> (Basis, Statistics) {
    let (x, tree) = (case.x(), case.tree());
    let basis = Basis::of(&tree, &x.view(), case.raw);
    let leaves = tree.leaves_of(&x.view());
    let fold = vec![0; case.y.len()];
    let rows = TreeRows::new(&x.view(), &basis, &leaves, &case.weights, &fold, 1);
    let y = rows.gather(&case.y);
    let mut statistics = Statistics::new(&basis);
    rows.for_blocks(0..rows.len(), |block| {
        let range = block.range.clone();
        statistics.update(
            &rows.leaf[range.clone()],
            &rows.weight[range.clone()],
            &y[range],
            block.raw,
        );
    });
    (basis, statistics)
}

/// Our slopes in the order of the golden columns.
fn in_golden_order(case: &Case<Fit, IgnoredAny>, basis: &Basis, fit: &Coefficients) -> Vec<f64> {
    let slope = |column: &super::golden::Column| match column.node {
        Some(node) => {
            let split = basis.stumps.tree_node.iter().position(|&at| at as usize == node);
            fit.stump[split.unwrap()]
        }
        None => {
            let raw = basis.raw.iter().position(|raw| raw.feature as usize == column.feature);
            fit.raw[raw.unwrap()]
        }
    };
    case.columns.iter().map(slope).collect()
}

#[test]
fn least_squares_and_ridge() {
    let mut checked = 0;
    for case in super::golden::cases::<Fit, IgnoredAny>("glm_gaussian.json") {
        let (basis, statistics) = summarise(&case);
        let problem = GaussianProblem::new(&basis, &statistics);
        for fit in case.fits.iter().filter(|fit| fit.penalty == "ridge" || fit.penalty == "none") {
            let penalty = Penalty::from_alpha(fit.alpha, fit.l1_ratio, problem.hessian.total);
            let (found, convergence) = least_squares(&problem, penalty.l2);
            assert!(convergence.converged, "{} {}: {convergence:?}", case.name, fit.penalty);
            let off = distance(&in_golden_order(&case, &basis, &found), &fit.coef);
            let allowed = if fit.penalty == "none" { 1e-7 } else { 1e-12 };
            assert!(off < allowed, "{} {}: off by {off}", case.name, fit.penalty);
            let off = (found.intercept - fit.intercept).abs() / fit.intercept.abs().max(1.0);
            assert!(off < 1e-6, "{} {}: intercept off by {off}", case.name, fit.penalty);
            checked += 1;
        }
    }
    assert_eq!(checked, 90);
}

/// From all slopes at zero to scikit-learn's solution at tol 1e-12, within 1e-8; where that is not
/// unique the optimality conditions decide.
#[test]
fn refined_elastic_nets() {
    let mut checked = 0;
    for case in super::golden::cases::<Fit, IgnoredAny>("glm_gaussian.json") {
        let (basis, statistics) = summarise(&case);
        let problem = GaussianProblem::new(&basis, &statistics);
        for fit in case.fits.iter().filter(|fit| fit.l1_ratio > 0.0) {
            let penalty = Penalty::from_alpha(fit.alpha, fit.l1_ratio, problem.hessian.total);
            let start = Coefficients::zero(basis.stumps.n_splits(), basis.raw.len());
            let found = refine(&problem, &start, penalty).unwrap();
            assert!(problem.violation(&found, penalty) < 1e-12, "{}", case.name);
            let off = distance(&in_golden_order(&case, &basis, &found), &fit.coef);
            assert!(off < 1e-8 || !fit.unique, "{} alpha {}: off by {off}", case.name, fit.alpha);
            checked += 1;
        }
    }
    assert_eq!(checked, 180);
}
