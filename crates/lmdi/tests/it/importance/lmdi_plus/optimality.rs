//! Every fitted tree meets the optimality conditions of its linear model, worked out densely from the
//! table: weights by `fit_on`, responses (working responses of boosting included), columns and penalty.
//!
//! A column whose condition is violated by v, with curvature c of the loss along it, can still lower the
//! objective by v^2 / 2 (c + l2). So a stated gap (a share of the null model's loss) bounds v, and a gap
//! that v contradicts is a lie.

use crate::support::random_models::dense_tree::DenseTree;
use crate::support::random_models::{Kind, Table, cases, kind};
use lmdi::forest::{Ensemble, Growth, Loss, Tree};
use lmdi::glm::{Family, PenaltyChoice, Strength};
use lmdi::importance::LmdiPlus;
use lmdi::importance::lmdi_plus::{FitOn, LmdiPlusOptions};
use lmdi::monitor::Silent;
use proptest::prelude::*;

/// The rows one linear model is fitted on.
struct Rows {
    weight: Vec<f64>,
    response: Vec<f64>,
}

/// Mean and curvature of a family at a linear predictor.
fn mean_and_curvature(family: Family, eta: f64) -> (f64, f64) {
    match family {
        Family::Gaussian => (eta, 1.0),
        Family::Binomial => {
            let p = 1.0 / (1.0 + (-eta).exp());
            (p, p * (1.0 - p))
        }
        Family::Poisson => (eta.exp(), eta.exp()),
    }
}

fn loss(family: Family, y: f64, eta: f64) -> f64 {
    match family {
        Family::Gaussian => 0.5 * (y - eta).powi(2),
        Family::Binomial => (1.0 + eta.exp()).ln() - y * eta,
        Family::Poisson => eta.exp() - y * eta - if y > 0.0 { y - y * y.ln() } else { 0.0 },
    }
}

/// The raw output of the linear models of the rounds before a tree, row by row.
fn margin_before(table: &Table, model: &Ensemble, explainer: &LmdiPlus, tree: usize) -> Vec<f64> {
    let before = tree / model.n_outputs * model.n_outputs;
    if before == 0 {
        return model.base_score.repeat(table.rows());
    }
    let mut part = model.clone();
    part.trees.truncate(before);
    part.output_of_tree.truncate(before);
    let models = explainer.trees()[..before].to_vec();
    let refit = LmdiPlus::new(&part, explainer.scale(), models).expect("the first rounds");
    refit.predict_raw(&table.x.view(), &Silent).expect("margins")
}

/// Response and weight of every row for one output of one tree; `margin` is that of boosting.
fn rows_of(
    table: &Table,
    model: &Ensemble,
    fit_on: FitOn,
    tree: usize,
    output: usize,
    margin: &[f64],
) -> Rows {
    let n = table.rows();
    let k = model.n_outputs;
    let mut rows = Rows { weight: Vec::new(), response: Vec::new() };
    for row in 0..n {
        let hit = |class: usize| f64::from(u8::from(table.codes[row] as usize == class));
        let drawn = model.trees[tree].in_bag.as_ref().map_or(1, |bag| bag.count(row));
        let own = table.relative_weight(row);
        let in_bag = f64::from(drawn) * if model.growth == Growth::Independent { 1.0 } else { own };
        let mut weight = match fit_on {
            FitOn::Uniform => own,
            FitOn::InBag => in_bag,
            FitOn::All if drawn > 0 => in_bag,
            FitOn::All => own,
            FitOn::OutOfBag => {
                if drawn > 0 {
                    0.0
                } else {
                    own
                }
            }
        };
        let loss = match model.growth {
            Growth::Independent => {
                rows.weight.push(weight);
                rows.response.push(match table.n_classes {
                    0 => table.y[row],
                    2 => hit(1),
                    _ => hit(output),
                });
                continue;
            }
            Growth::FirstOrder(loss) | Growth::SecondOrder(loss) => loss,
            Growth::Shrunk { .. } => unreachable!("not trained here"),
        };
        let margin = &margin[row * k..(row + 1) * k];
        let (residual, curvature) = match loss {
            Loss::SquaredError => (table.y[row] - margin[0], 1.0),
            Loss::Logistic => {
                let p = 1.0 / (1.0 + (-margin[0]).exp());
                (hit(1) - p, p * (1.0 - p))
            }
            Loss::Multinomial => {
                let total: f64 = margin.iter().map(|f| f.exp()).sum();
                let p = margin[output].exp() / total;
                (hit(output) - p, p * (1.0 - p))
            }
            Loss::Poisson | Loss::Gamma | Loss::Tweedie { .. } | Loss::Other => {
                unreachable!("not trained here")
            }
        };
        // Less curvature than this counts as this much, which bounds working responses.
        let curvature = f64::max(curvature, 1e-6);
        weight *= curvature;
        rows.weight.push(weight);
        rows.response.push(residual / curvature);
    }
    rows
}

/// The raw output of the rounds before a tree, row by row.
fn model_margin_before(table: &Table, model: &Ensemble, tree: usize) -> Vec<f64> {
    let k = model.n_outputs;
    let mut margin = model.base_score.repeat(table.rows());
    for row in 0..table.rows() {
        for (index, before) in model.trees.iter().enumerate().take(tree / k * k) {
            margin[row * k + index % k] += 0.3 * before.value[before.leaf_of(&table.row(row))];
        }
    }
    margin
}

/// Brings the Newton steps of a boosted tree's rows to the values of its leaves: leaf value, plus how far the
/// step is from the leaf's mean step at the model's own margin, times what the tree made of a step.
fn on_scale_of_leaves(table: &Table, tree: &Tree, rate: f64, grown_on: &Rows, rows: &mut Rows) {
    let leaf: Vec<usize> = (0..table.rows()).map(|row| tree.leaf_of(&table.row(row))).collect();
    let mean = |of: usize| {
        let members = || (0..table.rows()).filter(|&row| leaf[row] == of);
        let total: f64 = members().map(|row| grown_on.weight[row]).sum();
        let sum: f64 = members().map(|row| grown_on.weight[row] * grown_on.response[row]).sum();
        (total, if total > 0.0 { sum / total } else { 0.0 })
    };
    for (row, &leaf) in leaf.iter().enumerate() {
        let (weight, mean) = mean(leaf);
        let value = if weight > 0.0 { tree.value[leaf] } else { 0.0 };
        rows.response[row] = value + rate * (rows.response[row] - mean);
    }
}

/// Checks all fits of an explainer; `must_converge` where a minimum exists.
fn check(
    table: &Table,
    model: &Ensemble,
    explainer: &LmdiPlus,
    options: &LmdiPlusOptions,
    family: Family,
    must_converge: bool,
) -> Result<(), TestCaseError> {
    let fit_on = options.fit_on.expect("named by the test");
    for (index, fitted) in explainer.trees().iter().enumerate() {
        let dense = DenseTree::new(table, model, index, options.include_raw);
        let margin = match model.growth {
            Growth::Independent => Vec::new(),
            _ => margin_before(table, model, explainer, index),
        };
        for output in 0..fitted.n_outputs as usize {
            let fit = &fitted.fits[output];
            prop_assert!(fit.converged || !must_converge, "tree {index}: {fit:?}");
            let of_all = fitted.first_output as usize + output;
            let mut rows = rows_of(table, model, fit_on, index, of_all, &margin);
            if model.growth != Growth::Independent {
                let at = model_margin_before(table, model, index);
                let grown_on = rows_of(table, model, fit_on, index, of_all, &at);
                // The exact split finder takes (K - 1) / K of a Newton step for K classes.
                let rate = match model.growth {
                    Growth::FirstOrder(Loss::Multinomial) => 1.0 - 1.0 / model.n_outputs as f64,
                    _ => 1.0,
                };
                on_scale_of_leaves(table, &model.trees[index], rate, &grown_on, &mut rows);
            }
            let total: f64 = rows.weight.iter().sum();
            if total == 0.0 {
                prop_assert!(fitted.step.iter().all(|step| step == 0.0));
                continue;
            }
            let (l1, l2) = fit.chosen.map_or((0.0, 0.0), |chosen| {
                let factor = match chosen.strength {
                    Strength::Alpha(alpha) => alpha * total,
                    Strength::Inverse(c) => 1.0 / c,
                };
                (factor * chosen.l1_ratio, factor * (1.0 - chosen.l1_ratio))
            });
            let b = dense.coefficients(fitted, output);
            let mean =
                rows.weight.iter().zip(&rows.response).map(|(w, y)| w * y).sum::<f64>() / total;
            if family == Family::Binomial && !(mean > 0.0 && mean < 1.0) {
                prop_assert!(b.iter().all(|&b| b == 0.0), "one class alone");
                continue;
            }
            if family == Family::Poisson && mean == 0.0 {
                prop_assert!(b.iter().all(|&b| b == 0.0), "no count at all");
                continue;
            }
            let null_eta = match family {
                Family::Gaussian => mean,
                Family::Binomial => (mean / (1.0 - mean)).ln(),
                Family::Poisson => mean.ln(),
            };
            prop_assert!(fit.gap >= 0.0, "tree {index}: {fit:?}");
            let null: f64 = rows
                .weight
                .iter()
                .zip(&rows.response)
                .map(|(w, &y)| w * loss(family, y, null_eta))
                .sum();
            let (mut gradient, mut curvature) = (vec![0.0; b.len()], vec![0.0; b.len()]);
            // WorkingSet responses are differences of numbers of size one.
            let (mut residuals, mut size) = (0.0, 1e-3 * total);
            for row in (0..table.rows()).filter(|&row| rows.weight[row] > 0.0) {
                let cells = &dense.cells[row];
                let eta = fitted.intercept[output]
                    + cells.iter().zip(&b).map(|(x, b)| x * b).sum::<f64>();
                let (mean, variance) = mean_and_curvature(family, eta);
                let residual = rows.weight[row] * (rows.response[row] - mean);
                residuals += residual;
                size += residual.abs() + rows.weight[row] * eta.abs();
                for (j, cell) in cells.iter().enumerate() {
                    gradient[j] += cell * residual;
                    curvature[j] += rows.weight[row] * variance * cell * cell;
                }
            }
            let left = (2.0 * fit.gap * null.max(0.0)).sqrt();
            // Weighted responses of boosting are such differences too, however small the weights.
            let rounding = 1e-15 * table.rows() as f64;
            let all = rows.weight.iter().sum::<f64>();
            prop_assert!(
                residuals.abs() <= 3.0 * left * all.sqrt() + 1e-9 * size + rounding,
                "tree {index}: residuals sum to {residuals}, {fit:?}"
            );
            for (j, &b) in b.iter().enumerate() {
                let smooth = gradient[j] - l2 * b;
                let violation = if b == 0.0 {
                    (smooth.abs() - l1).max(0.0)
                } else {
                    (smooth - l1 * b.signum()).abs()
                };
                // The curvature may be larger on the way down than where the fit stands.
                let curved = 4.0 * curvature[j] + l2;
                let bound = 3.0 * left * curved.sqrt();
                let largest = dense.cells.iter().map(|cells| cells[j].abs()).fold(0.0, f64::max);
                prop_assert!(
                    violation <= bound + largest * (1e-9 * size + rounding),
                    "tree {index}, output {output}, column {j} of {}: violation {violation}, bound {bound}, b {b}, l1 {l1}, l2 {l2}, {fit:?}",
                    dense.columns.len()
                );
            }
        }
    }
    Ok(())
}

fn fixed() -> impl Strategy<Value = PenaltyChoice> {
    let ratio = prop_oneof![Just(0.0), Just(1.0), 0.0..1.0_f64];
    let strength = prop_oneof![
        (-4.0..0.5_f64).prop_map(|e| Strength::Alpha(10_f64.powf(e))),
        (-3.0..3.0_f64).prop_map(|e| Strength::Inverse(10_f64.powf(e))),
    ];
    (strength, ratio).prop_map(|(strength, l1_ratio)| PenaltyChoice::Fixed { strength, l1_ratio })
}

/// Ways to choose rows that the model allows.
fn rows_for(model: &Ensemble, wanted: usize) -> FitOn {
    let known = model.trees.iter().all(|tree| tree.in_bag.is_some());
    if known {
        [FitOn::All, FitOn::InBag, FitOn::OutOfBag, FitOn::Uniform][wanted % 4]
    } else {
        FitOn::Uniform
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn fits_with_a_given_penalty_are_optimal(
        kind in kind(),
        seed in any::<u64>(),
        penalty in fixed(),
        rows in 0..4_usize,
        include_raw in prop::bool::weighted(0.7),
        gaussian in any::<bool>(),
    ) {
        let mut table = Table::random(seed, kind.classes());
        let boosted = matches!(kind, Kind::Boosted { .. });
        let family = match kind.classes() {
            _ if gaussian || boosted => Family::Gaussian,
            0 => Family::Poisson,
            _ => Family::Binomial,
        };
        if family == Family::Poisson {
            table.y.iter_mut().for_each(|y| *y = (3.0 * y.abs().min(3.0)).floor());
        }
        let model = table.train(kind, seed);
        let options = LmdiPlusOptions::paper().with_fit_on(Some(rows_for(&model, rows))).with_include_raw(include_raw).with_family(Some(family)).with_penalty(Some(penalty));
        let explainer = table.explain(&model, &options);
        check(&table, &model, &explainer, &options, family, true)?;
    }

    #[test]
    fn fits_after_a_search_are_optimal(kind in kind(), seed in any::<u64>(), rows in 0..4_usize) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let options = LmdiPlusOptions::paper().with_fit_on(Some(rows_for(&model, rows)));
        let explainer = table.explain(&model, &options);
        let independent = matches!(kind, Kind::Forest { .. });
        let family = if independent && kind.classes() > 0 { Family::Binomial } else { Family::Gaussian };
        check(&table, &model, &explainer, &options, family, true)?;
    }

    /// Without a penalty classes may be separable: no minimum exists, but a stated gap stays true.
    #[test]
    fn fits_without_penalty_are_optimal(kind in kind(), seed in any::<u64>(), rows in 0..4_usize, raw in any::<bool>()) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let options = LmdiPlusOptions::paper().with_fit_on(Some(rows_for(&model, rows))).with_include_raw(raw).with_penalty(Some(PenaltyChoice::None));
        let explainer = table.explain(&model, &options);
        let independent = matches!(kind, Kind::Forest { .. });
        let family = if independent && kind.classes() > 0 { Family::Binomial } else { Family::Gaussian };
        check(&table, &model, &explainer, &options, family, family == Family::Gaussian)?;
    }
}
