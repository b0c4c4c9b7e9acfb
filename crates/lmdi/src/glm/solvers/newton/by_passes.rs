//! Proximal Newton on rows that are not in memory: every step takes one pass over them.
//!
//! A pass sums up the derivatives of the loss at the current iterate, and the loss itself. The sums
//! of all rows give the quadratic model of the next step, which is solved to convergence, because a
//! pass costs more than a solve. The sums at the end of a step tell whether it lowered the
//! objective. If not, the next pass tries a shorter step:
//!
//! ```text
//! f(b + t d) <= f(b) + 1e-4 t D,    D = -g'd + penalty(b + d) - penalty(b)
//! ```
//!
//! The stopping rule is that of [`super::proximal`]: -D/2, or the predicted decrease of the best
//! single column, as a share of the null model's loss.

use crate::basis::Basis;
use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::options::GlmOptions;
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::gradient::Gradient;
use crate::glm::quadratic::hessian::Hessian;
use crate::glm::quadratic::statistics::Statistics;
use crate::glm::solvers::direct::active_columns::ActiveColumns;
use crate::glm::solvers::direct::conjugate_gradients::System;
use crate::glm::solvers::newton::local_model::{Effort, LocalModel, LocalSolution};
use crate::glm::solvers::newton::proximal::{largest_gradient, penalty_of};

/// Passes that one fit may take.
pub(crate) const MOST_PASSES: usize = 60;

/// How far the model of a step is solved: to this share of the violation at its start, or of the null
/// model's largest gradient.
const SOLVED: f64 = 1e-6;
const ROUNDING: f64 = 1e-12;
const MOST_ROUNDS: usize = 100;

/// Sums over many rows differ by this share with the order of rows.
const SLACK: f64 = 1e-12;

/// The smallest and the largest share of a step that is tried after it was too long.
const SHORTER: [f64; 2] = [0.1, 0.5];

/// What a pass sums up at a point.
pub(crate) struct NewtonSums<'s> {
    /// Curvatures as weights, Newton steps as responses ([`Statistics::update_newton`]).
    pub(crate) statistics: &'s Statistics,
    /// Loss above that of a model that predicts every response exactly.
    pub(crate) excess_loss: f64,
}

/// A fit between two passes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FitByPasses {
    /// Where the next pass sums up rows, and the result in the end.
    pub(crate) at: Coefficients,
    /// The null model, once a pass has summed up rows there.
    pub(crate) null: Option<NullModel>,
    /// The step that led to where the fit is.
    pub(crate) step: Option<Step>,
    pub(crate) passes: usize,
    /// Newton steps.
    pub(crate) iterations: usize,
    /// See [`GlmFit`](crate::glm::GlmFit).
    pub(crate) gap: f64,
    pub(crate) converged: bool,
    pub(crate) is_finished: bool,
}

/// What the null model tells: the scale of losses and gradients, and the weight of all rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NullModel {
    pub(crate) excess_loss: f64,
    pub(crate) largest_gradient: f64,
    pub(crate) total: f64,
}

/// A step whose end is summed up.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub(crate) from: Coefficients,
    /// To the minimum of the quadratic model.
    pub(crate) whole: Coefficients,
    /// The share of it that was taken.
    pub(crate) share: f64,
    /// The objective where it began, and D above.
    pub(crate) objective: f64,
    pub(crate) decrease: f64,
}

impl NullModel {
    /// From the sums at the null model of rows of this weight.
    pub(crate) fn new(basis: &Basis, sums: &NewtonSums<'_>, total: f64) -> Self {
        let Statistics { leaf_response, raw_response, .. } = sums.statistics;
        Self {
            excess_loss: sums.excess_loss.max(f64::MIN_POSITIVE),
            largest_gradient: largest_gradient(basis, leaf_response, raw_response),
            total,
        }
    }
}

impl FitByPasses {
    /// A fit that starts at the null model.
    pub(crate) fn from_null(at: Coefficients) -> Self {
        Self {
            at,
            null: None,
            step: None,
            passes: 0,
            iterations: 0,
            gap: f64::INFINITY,
            converged: false,
            is_finished: false,
        }
    }

    /// A model that is a constant, as nothing can be fitted.
    pub(crate) fn constant(at: Coefficients) -> Self {
        Self { gap: 0.0, converged: true, is_finished: true, ..Self::from_null(at) }
    }

    /// Takes over what the null model told; the next pass is at `start`.
    pub(crate) fn begin(&mut self, null: NullModel, start: Coefficients) {
        self.passes += 1;
        self.null = Some(null);
        self.at = start;
    }

    /// Goes on from the sums of all rows at the present point.
    pub(crate) fn advance(
        &mut self,
        basis: &Basis,
        sums: &NewtonSums<'_>,
        penalty: Penalty,
        options: &GlmOptions,
    ) {
        let Some(null) = self.null else { return };
        self.passes += 1;
        let objective = sums.excess_loss + penalty_of(penalty, &self.at);
        let may_go_on = self.passes < MOST_PASSES && self.iterations < options.max_iterations;
        if let Some(step) = &mut self.step {
            let change = objective - step.objective;
            let allowed = 1e-4 * step.share * step.decrease + SLACK * step.objective.abs();
            if change.is_nan() || change > allowed {
                // The parabola through both ends and the slope at the first has its minimum here.
                let below = step.share * step.decrease;
                let share = -0.5 * below / (change - below);
                let share = if share.is_nan() { SHORTER[0] } else { share };
                step.share *= share.clamp(SHORTER[0], SHORTER[1]);
                self.at = step.from.clone();
                if may_go_on {
                    self.at.add(step.share, &step.whole);
                } else {
                    self.is_finished = true;
                }
                return;
            }
        }
        self.step = None;
        let hessian = Hessian::new(basis, sums.statistics);
        let Statistics { leaf_response, raw_response, .. } = sums.statistics;
        let model = LocalModel {
            hessian: &hessian,
            at: &self.at,
            leaf_residual: leaf_response,
            raw_gradient: raw_response,
        };
        let LocalSolution { coefficients: mut whole, predicted_decrease, solved, .. } =
            if penalty.l1 > 0.0 {
                let floor = ROUNDING * null.largest_gradient;
                model.minimise(penalty, Effort { share: SOLVED, floor, rounds: MOST_ROUNDS })
            } else {
                let system = System::new(&hessian, ActiveColumns::all(&hessian), penalty.l2);
                model.minimise_ridge(&system)
            };
        let new_penalty = penalty_of(penalty, &whole);
        whole.add(-1.0, &self.at);
        let rise = Gradient::of_residuals(leaf_response, raw_response).along(&hessian, &whole);
        let decrease = new_penalty - penalty_of(penalty, &self.at) - rise;
        if decrease.is_nan() {
            // Beyond the range of numbers; the point is the last one that is not.
            self.is_finished = true;
            return;
        }
        self.gap = (-0.5 * decrease).max(predicted_decrease) / null.excess_loss;
        // A step that promises nothing: the point is optimal to rounding.
        self.converged = (solved && self.gap <= options.tolerance) || decrease >= 0.0;
        if decrease >= 0.0 || (!self.converged && !may_go_on) {
            self.is_finished = true;
            return;
        }
        self.iterations += 1;
        let from = self.at.clone();
        self.at.add(1.0, &whole);
        if self.converged {
            self.is_finished = true;
        } else {
            self.step = Some(Step { from, whole, share: 1.0, objective, decrease });
        }
    }
}
