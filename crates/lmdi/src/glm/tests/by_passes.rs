//! Newton steps by passes from a start that is far off: steps that are too long are taken back, and the
//! end is the minimum, by dense algebra.

use super::sample::{Sample, Weights};
use crate::glm::quadratic::statistics::Statistics;
use crate::glm::solvers::newton::by_passes::MOST_PASSES;
use crate::glm::{Coefficients, Family, FitByPasses, GlmOptions, NewtonSums, NullModel, Penalty};

/// Violation of the optimality conditions, as a share of the weight of all rows.
const TOLERANCE: f64 = 1e-6;

/// The sums of a pass at some coefficients: statistics and loss.
fn pass(sample: &Sample, y: &[f64], family: Family, at: &Coefficients) -> (Statistics, f64) {
    let rows = sample.rows();
    let (mut residual, mut curvature, mut loss) = (Vec::new(), Vec::new(), 0.0);
    for (row, (&w, &y)) in sample.fitted_weight.iter().zip(y).enumerate() {
        let eta = sample.predict(at, row);
        let (mean, variance) = family.mean_and_variance(eta);
        residual.push(w * (y - mean));
        curvature.push(w * variance);
        loss += w * (family.loss(y, eta) - family.smallest_loss(y));
    }
    let mut statistics = Statistics::new(&sample.basis);
    rows.for_blocks(0..rows.len(), |block| {
        let range = block.range.clone();
        statistics.update_newton(
            &rows.leaf[range.clone()],
            &curvature[range.clone()],
            &residual[range],
            block.raw,
        );
    });
    (statistics, loss)
}

/// The largest violation of the optimality conditions, from the dense design.
fn violation(
    sample: &Sample,
    y: &[f64],
    family: Family,
    at: &Coefficients,
    penalty: Penalty,
) -> f64 {
    let residual: Vec<f64> = (sample.fitted_weight.iter().zip(y).enumerate())
        .map(|(row, (w, y))| w * (y - family.mean(sample.predict(at, row))))
        .collect();
    let along = |column: usize| -> f64 {
        sample.design.iter().zip(&residual).map(|(cells, r)| cells[column] * r).sum()
    };
    let slopes: Vec<f64> = at.slopes().collect();
    let of_slopes = (0..slopes.len()).map(|k| penalty.violation(along(k), slopes[k]));
    of_slopes.fold(residual.iter().sum::<f64>().abs(), f64::max)
}

#[test]
fn steps_from_far_away_end_at_the_minimum() {
    let mut taken_back = 0;
    for seed in 0..30 {
        let sample = Sample::new(seed, 60, 3, seed % 2 == 0, Weights::Random);
        let family = if seed % 3 == 0 { Family::Binomial } else { Family::Poisson };
        let y: Vec<f64> =
            (sample.fitted_y.iter())
                .map(|&y| {
                    if family == Family::Binomial {
                        f64::from(u8::from(y > 1.0))
                    } else {
                        y.max(0.0)
                    }
                })
                .collect();
        let options = GlmOptions::reference(family);
        let total: f64 = sample.fitted_weight.iter().sum();
        let mean = sample.fitted_weight.iter().zip(&y).map(|(w, y)| w * y).sum::<f64>() / total;
        let mut at = Coefficients::zero(sample.basis.stumps.n_splits(), sample.basis.raw.len());
        at.intercept = family.link(mean);
        let (statistics, excess_loss) = pass(&sample, &y, family, &at);
        let sums = NewtonSums { statistics: &statistics, excess_loss };
        let null = NullModel::new(&sample.basis, &sums, total);
        let l1 = if seed % 4 < 2 { 0.02 * null.largest_gradient } else { 0.0 };
        let penalty = Penalty { l1, l2: 0.01 * total };
        let mut fit = FitByPasses::from_null(at.clone());
        at.intercept = -7.0;
        fit.begin(null, at);
        let mut objective = f64::INFINITY;
        while !fit.is_finished {
            let (statistics, excess_loss) = pass(&sample, &y, family, &fit.at);
            let sums = NewtonSums { statistics: &statistics, excess_loss };
            let share = fit.step.as_ref().map_or(1.0, |step| step.share);
            fit.advance(&sample.basis, &sums, penalty, &options);
            match &fit.step {
                Some(step) if step.share < share => taken_back += 1,
                Some(step) => {
                    assert!(step.objective <= objective * (1.0 + 1e-9), "{sample:?}");
                    objective = step.objective;
                }
                None => {}
            }
        }
        assert!(fit.converged, "{sample:?}: gap {}", fit.gap);
        assert!(fit.passes < MOST_PASSES / 2, "{sample:?}: {} passes", fit.passes);
        let left = violation(&sample, &y, family, &fit.at, penalty) / total;
        assert!(left <= TOLERANCE, "{sample:?}: {left:e}");
    }
    assert!(taken_back > 10, "{taken_back} steps were taken back");
}
