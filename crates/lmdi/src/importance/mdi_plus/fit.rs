//! One linear model of one tree: its penalty, its fit, and its leave-one-out predictions.

use super::options::{MdiPlusGlm, MdiPlusOptions, MdiPlusPenalty};
use crate::basis::{Basis, TreeRows};
use crate::elementary::log_of_all;
use crate::glm::{
    Accuracy, Coefficients, Family, GlmOptions, HuberFit, LeftOut, NewtonPath, Penalty,
    PenaltyChoice, RidgeErrors, Strength, WorkingRows, fit_glm, fit_huber, leave_one_out,
    leave_one_out_predictors, leave_one_out_ridge, minimise_in_two_stages, minimise_on_grid,
};

/// Tolerance of the logistic fits that only rank strengths roughly.
const ROUGH: f64 = 1e-5;

/// What the linear model says with all features but those of one group at their mean.
pub(super) struct Partial {
    /// Linear predictor with all features at their mean.
    pub(super) constant: f64,
    /// Group by group, row by row: the linear predictor of the row by the model without it.
    pub(super) predictor: Vec<f64>,
}

impl Partial {
    /// Fits `target` and leaves every row out. `group_of_block` is below `n_groups`.
    pub(super) fn new(
        basis: &Basis,
        rows: &TreeRows<'_>,
        target: &[f64],
        group_of_block: &[usize],
        n_groups: usize,
        options: &MdiPlusOptions<'_>,
    ) -> Self {
        let n = rows.len();
        let mut predictor = vec![0.0; n_groups * n];
        let visit = |left_out: LeftOut<'_>| {
            let parts: f64 = left_out.partial.iter().sum();
            let means: f64 = left_out.mean_partial.iter().sum();
            let at_mean = left_out.predictor - parts + means;
            for group in 0..n_groups {
                predictor[group * n + left_out.row] = at_mean;
            }
            let blocks =
                group_of_block.iter().zip(left_out.partial.iter().zip(left_out.mean_partial));
            for (&group, (part, mean)) in blocks {
                predictor[group * n + left_out.row] += part - mean;
            }
        };
        let model = LinearModel { basis, rows, target, options };
        let fit = model.fit(visit);
        Self { constant: mean_predictor(basis, rows, &fit), predictor }
    }
}

/// The linear predictor with every column at its mean over the fitted rows: the mean of the rows' own.
fn mean_predictor(basis: &Basis, rows: &TreeRows<'_>, fit: &Coefficients) -> f64 {
    let r = basis.raw.len();
    let mut constant = Vec::new();
    basis.stumps.leaf_offsets(&fit.stump, &mut constant);
    let (mut sum, mut total) = (0.0, 0.0);
    rows.for_blocks(0..rows.len(), |block| {
        for (line, row) in block.range.enumerate() {
            let cells = &block.raw[line * r..(line + 1) * r];
            let raw: f64 = cells.iter().zip(&fit.raw).map(|(cell, slope)| cell * slope).sum();
            sum += rows.weight[row] * (constant[rows.leaf[row] as usize] + raw);
            total += rows.weight[row];
        }
    });
    fit.intercept + if total > 0.0 { sum / total } else { 0.0 }
}

struct LinearModel<'m, 'r> {
    basis: &'m Basis,
    rows: &'m TreeRows<'r>,
    target: &'m [f64],
    options: &'m MdiPlusOptions<'m>,
}

impl LinearModel<'_, '_> {
    /// Chooses the penalty, fits, and visits every row left out.
    fn fit(&self, visit: impl FnMut(LeftOut<'_>)) -> Coefficients {
        let (basis, rows, target) = (self.basis, self.rows, self.target);
        match (self.options.glm, &self.options.penalty) {
            (MdiPlusGlm::Gaussian, MdiPlusPenalty::None) => {
                leave_one_out_ridge(basis, rows, target, 0.0, visit)
            }
            (MdiPlusGlm::Gaussian, MdiPlusPenalty::Ridge { alphas }) => {
                let errors = RidgeErrors::new(basis, rows, target);
                let best = minimise_on_grid(alphas, |l2| errors.error(l2));
                leave_one_out_ridge(basis, rows, target, alphas[best], visit)
            }
            (MdiPlusGlm::Logistic, MdiPlusPenalty::None) => self.newton(Penalty::NONE, visit),
            (MdiPlusGlm::Logistic, MdiPlusPenalty::Ridge { alphas }) => {
                // Where nothing can be fitted, all strengths are alike.
                let Some(mut path) = self.newton_path() else {
                    // Where nothing can be fitted, all strengths are alike.
                    return self.newton(Penalty { l1: 0.0, l2: alphas[0] }, visit);
                };
                let best = minimise_in_two_stages(alphas, |l2, accuracy| {
                    let tolerance = match accuracy {
                        Accuracy::Rough => self.options.tolerance.max(ROUGH),
                        Accuracy::Full => self.options.tolerance,
                    };
                    self.logistic_loss(&path.left_out(l2, tolerance))
                });
                path.leave_one_out(alphas[best], self.options.tolerance, visit)
            }
            (MdiPlusGlm::Huber { epsilon }, MdiPlusPenalty::Ridge { alphas }) => {
                let best = minimise_on_grid(alphas, |alpha| self.huber_loss(2.0 * alpha, epsilon));
                self.huber(2.0 * alphas[best], epsilon, visit)
            }
            (MdiPlusGlm::Huber { epsilon }, _) => self.huber(0.0, epsilon, visit),
            (
                MdiPlusGlm::Gaussian | MdiPlusGlm::Logistic,
                MdiPlusPenalty::ElasticNet { l1_ratios },
            ) => self.elastic_net(l1_ratios, visit),
        }
    }

    fn glm_options(&self, penalty: PenaltyChoice) -> GlmOptions {
        GlmOptions {
            penalty,
            folds: self.options.folds,
            tolerance: self.options.tolerance,
            max_iterations: self.options.max_iterations,
            ..GlmOptions::reference(self.options.glm.family())
        }
    }

    /// Curvature and pull of every row at a fit.
    fn working(&self, fit: &Coefficients) -> (Vec<f64>, Vec<f64>) {
        let family = self.options.glm.family();
        let r = self.basis.raw.len();
        let mut constant = Vec::new();
        self.basis.stumps.leaf_offsets(&fit.stump, &mut constant);
        let n = self.rows.len();
        let (mut curvature, mut pull) = (Vec::with_capacity(n), Vec::with_capacity(n));
        self.rows.for_blocks(0..n, |block| {
            for (line, row) in block.range.enumerate() {
                let cells = &block.raw[line * r..(line + 1) * r];
                let raw: f64 = cells.iter().zip(&fit.raw).map(|(cell, slope)| cell * slope).sum();
                let eta = fit.intercept + constant[self.rows.leaf[row] as usize] + raw;
                let (mean, variance) = family.mean_and_variance(eta);
                curvature.push(self.rows.weight[row] * variance);
                pull.push(self.rows.weight[row] * (self.target[row] - mean));
            }
        });
        (curvature, pull)
    }

    fn fixed(&self, l2: f64) -> GlmOptions {
        self.glm_options(if l2 > 0.0 {
            PenaltyChoice::Fixed { strength: Strength::Inverse(1.0 / l2), l1_ratio: 0.0 }
        } else {
            PenaltyChoice::None
        })
    }

    fn newton(&self, penalty: Penalty, visit: impl FnMut(LeftOut<'_>)) -> Coefficients {
        let options = self.fixed(penalty.l2);
        let fit = fit_glm(self.basis, self.rows, self.target, &options).coefficients;
        let (curvature, pull) = self.working(&fit);
        let working = WorkingRows { curvature: &curvature, pull: &pull };
        leave_one_out(self.basis, self.rows, working, &fit, penalty, visit);
        fit
    }

    fn newton_path(&self) -> Option<NewtonPath<'_, '_>> {
        let family = self.options.glm.family();
        let max_iterations = self.options.max_iterations;
        NewtonPath::new(self.basis, self.rows, self.target, family, max_iterations)
    }

    /// Mean log-loss of the rows left out, with probabilities trimmed, from their linear predictors.
    fn logistic_loss(&self, left_out: &[f64]) -> f64 {
        let trim = self.options.trim.max(f64::EPSILON);
        let (mut share, mut variance) = (Vec::new(), Vec::new());
        Family::Binomial.add_means_and_variances(left_out, &mut share, &mut variance);
        // Of the class that is there.
        for (share, &y) in share.iter_mut().zip(self.target) {
            let second = share.clamp(trim, 1.0 - trim);
            *share = if y > 0.5 { second } else { 1.0 - second };
        }
        log_of_all(&mut share);
        let loss: f64 = share.iter().zip(&self.rows.weight).map(|(log, w)| -w * log).sum();
        loss / self.rows.weight.iter().sum::<f64>()
    }

    fn huber_fit(&self, l2: f64, epsilon: f64) -> HuberFit {
        fit_huber(
            self.basis,
            self.rows,
            self.target,
            l2,
            epsilon,
            self.options.tolerance.max(1e-10),
            self.options.max_iterations,
        )
    }

    fn huber(&self, l2: f64, epsilon: f64, visit: impl FnMut(LeftOut<'_>)) -> Coefficients {
        let fit = self.huber_fit(l2, epsilon);
        let working = WorkingRows { curvature: &fit.curvature, pull: &fit.pull };
        let penalty = Penalty { l1: 0.0, l2 };
        leave_one_out(self.basis, self.rows, working, &fit.coefficients, penalty, visit);
        fit.coefficients
    }

    /// Mean Huber loss of the rows left out, in units of the response.
    fn huber_loss(&self, l2: f64, epsilon: f64) -> f64 {
        let fit = self.huber_fit(l2, epsilon);
        let working = WorkingRows { curvature: &fit.curvature, pull: &fit.pull };
        let penalty = Penalty { l1: 0.0, l2 };
        let left_out =
            leave_one_out_predictors(self.basis, self.rows, working, &fit.coefficients, penalty);
        let corner = epsilon * fit.scale;
        let rows = left_out.iter().zip(self.target).zip(&self.rows.weight);
        let loss: f64 = rows
            .map(|((eta, y), w)| {
                let r = (y - eta).abs();
                w * if r <= corner { 0.5 * r * r } else { corner * (r - 0.5 * corner) }
            })
            .sum();
        loss / self.rows.weight.iter().sum::<f64>()
    }

    fn elastic_net(&self, l1_ratios: &[f64], visit: impl FnMut(LeftOut<'_>)) -> Coefficients {
        let grid = match GlmOptions::reference(self.options.glm.family()).penalty {
            PenaltyChoice::CrossValidated { grid, .. } => grid,
            PenaltyChoice::None | PenaltyChoice::Fixed { .. } => {
                crate::glm::Grid::Given(Vec::new())
            }
        };
        let choice = PenaltyChoice::CrossValidated { l1_ratios: l1_ratios.to_vec(), grid };
        let found = fit_glm(self.basis, self.rows, self.target, &self.glm_options(choice));
        let total: f64 = self.rows.weight.iter().sum();
        let penalty = found.chosen.map_or(Penalty::NONE, |candidate| {
            candidate.strength.penalty(candidate.l1_ratio, total)
        });
        let (curvature, pull) = self.working(&found.coefficients);
        let working = WorkingRows { curvature: &curvature, pull: &pull };
        leave_one_out(self.basis, self.rows, working, &found.coefficients, penalty, visit);
        found.coefficients
    }
}
