//! The quadratic model of one Newton step, with the elastic net.
//!
//! Coordinate descent solves most models in a few sweeps. If classes are nearly separable, the
//! curvature vanishes, columns become nearly dependent and sweeps stall. Rounds of direct steps
//! then take over: columns that violate their condition at zero enter, the conditions of all
//! columns with a sign are solved as a linear system, and the exact minimum along that step is
//! taken ([`Line`]).
//!
//! Cost: leaves x r per sweep, splits x r^2 per round.

use crate::glm::linalg::vector::add_scaled;
use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::batched_hessian::BatchedHessian;
use crate::glm::quadratic::gradient::Gradient;
use crate::glm::quadratic::hessian::Hessian;
use crate::glm::solvers::descent::coordinate_descent::{Descent, Start};
use crate::glm::solvers::direct::conjugate_gradients::{System, largest_diagonal};
use crate::glm::solvers::direct::elimination::Elimination;
use crate::glm::solvers::direct::line_search::Line;
use crate::glm::solvers::direct::signs::Signs;
use crate::vectorised::{Vectorised, vectorised};

/// Sweeps before direct steps take over.
const MOST_SWEEPS: usize = 8;

/// How far a model with an l1 part is solved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// It is solved when its violation fell to this share,
    pub(crate) share: f64,
    /// or below this.
    pub(crate) floor: f64,
    /// Rounds of direct steps at most.
    pub(crate) rounds: usize,
}

impl Effort {
    /// Enough where the next step is cheap: the violation falls to a third.
    pub(crate) fn rough(rounds: usize) -> Self {
        Self { share: 0.3, floor: 0.0, rounds }
    }
}

/// Smallest l2 penalty of a direct step, as a share of the largest curvature of a column.
const LEAST_SHARE: f64 = 1e-12;

/// Where a model stands: coefficients and the residual sums at them.
pub(crate) struct LocalModel<'p, 'b> {
    pub(crate) hessian: &'p Hessian<'b>,
    pub(crate) at: &'p Coefficients,
    /// Weighted residual sum of every leaf.
    pub(crate) leaf_residual: &'p [f64],
    /// Gradient along each raw column.
    pub(crate) raw_gradient: &'p [f64],
}

/// The minimum of a model, and what was left to gain where it started.
pub(crate) struct LocalSolution {
    pub(crate) coefficients: Coefficients,
    /// Largest violation of the optimality conditions at the start.
    pub(crate) violation: f64,
    /// What the best single column alone would gain.
    pub(crate) predicted_decrease: f64,
    /// Whether the violation fell to a small share.
    pub(crate) solved: bool,
}

impl LocalModel<'_, '_> {
    /// The minimum with an elastic net.
    pub(crate) fn minimise(&self, penalty: Penalty, effort: Effort) -> LocalSolution {
        let lane = |values: &[f64]| values.iter().map(|&value| [value]).collect();
        let hessians = BatchedHessian::new([self.hessian]);
        let mut descent = Descent::new(
            &hessians,
            Start {
                intercept: [self.at.intercept],
                stump: lane(&self.at.stump),
                raw: lane(&self.at.raw),
                leaf_residual: lane(self.leaf_residual),
                raw_gradient: lane(self.raw_gradient),
            },
        );
        let swept = vectorised(Sweeps { descent: &mut descent, penalty, effort });
        let intercept_violation = self.leaf_residual.iter().sum::<f64>().abs();
        let mut coefficients = descent.point.coefficients(0);
        let mut solved = swept.solved;
        if !solved {
            let plain = |values: &[[f64; 1]]| values.iter().map(|[value]| *value).collect();
            let leaves = &descent.point.node_residual[hessians.n_splits()..];
            let mut gradient = Gradient {
                leaf: plain(leaves),
                stump: vec![0.0; hessians.n_splits()],
                raw: plain(&descent.point.raw_gradient),
            };
            add_scaled(&mut gradient.stump, -penalty.l2, &coefficients.stump);
            add_scaled(&mut gradient.raw, -penalty.l2, &coefficients.raw);
            let target = (effort.share * swept.violation).max(effort.floor);
            let rounds = effort.rounds;
            solved = self.step_directly(&mut coefficients, gradient, penalty, target, rounds);
        }
        let violation = swept.violation.max(intercept_violation);
        LocalSolution {
            coefficients,
            violation,
            predicted_decrease: swept.predicted_decrease,
            solved,
        }
    }

    /// The minimum with a ridge penalty alone, solved as it stands: where classes can be separated
    /// the curvature fades, and sweeps would need ever more steps. `system` is that of all columns
    /// and the penalty.
    pub(crate) fn minimise_ridge(&self, system: &System<'_, '_>) -> LocalSolution {
        let (q, l2) = (self.hessian, system.l2);
        let mut gradient = Gradient::of_residuals(self.leaf_residual, self.raw_gradient);
        add_scaled(&mut gradient.stump, -l2, &self.at.stump);
        add_scaled(&mut gradient.raw, -l2, &self.at.raw);
        let penalty = Penalty { l1: 0.0, l2 };
        let violation = violations(q, &gradient, self.at, penalty).into_iter().fold(0.0, f64::max);
        let mut coefficients = self.at.clone();
        coefficients.add(1.0, &system.step(&gradient));
        LocalSolution { coefficients, violation, predicted_decrease: 0.0, solved: true }
    }

    /// Rounds of direct steps from a point where minus the smooth part of the objective has this
    /// gradient, until no condition is violated by more than `target`; returns whether that was
    /// reached.
    fn step_directly(
        &self,
        fit: &mut Coefficients,
        mut gradient: Gradient,
        penalty: Penalty,
        target: f64,
        rounds: usize,
    ) -> bool {
        let q = self.hessian;
        let least = (LEAST_SHARE * largest_diagonal(q)).max(f64::MIN_POSITIVE);
        let mut sign = Signs::of(fit);
        let mut one_at_a_time = false;
        for round in 0..=rounds {
            let violations = violations(q, &gradient, fit, penalty);
            if violations.iter().all(|&violation| violation <= target) {
                return true;
            }
            if round == rounds {
                break;
            }
            sign.admit(q, &gradient, &violations, target, one_at_a_time);
            let mut right_side = gradient.clone();
            sign.take_off(&mut right_side, penalty.l1);
            let factor = Elimination::new(q, sign.active(), penalty.l2.max(least));
            let line = Line::new(q, factor.solve(&right_side), &right_side, penalty.l2);
            if sign.drop_invalid_entries(fit, &line.step) {
                // Of several columns that enter together some may turn round; one alone cannot.
                one_at_a_time = true;
                continue;
            }
            let before = fit.clone();
            if line.advance(fit, &mut sign, penalty.l1).is_none() {
                break;
            }
            let mut taken = fit.clone();
            taken.add(-1.0, &before);
            gradient.follow(q, &taken, penalty.l2);
        }
        false
    }
}

/// Violation of the condition of each stump, each raw column and the intercept.
fn violations(
    q: &Hessian<'_>,
    gradient: &Gradient,
    at: &Coefficients,
    penalty: Penalty,
) -> Vec<f64> {
    // The gradient holds the l2 part already.
    let lasso = Penalty { l1: penalty.l1, l2: 0.0 };
    gradient
        .along_stumps(q)
        .iter()
        .chain(&gradient.raw)
        .zip(at.slopes())
        .map(|(&along, b)| lasso.violation(along, b))
        .chain([gradient.leaf.iter().sum::<f64>().abs()])
        .collect()
}

/// Sweeps until the violation fell to a small share, or there were enough of them.
struct Sweeps<'t, 'q> {
    descent: &'t mut Descent<'q, 1>,
    penalty: Penalty,
    effort: Effort,
}

struct Swept {
    violation: f64,
    predicted_decrease: f64,
    solved: bool,
}

impl Vectorised for Sweeps<'_, '_> {
    type Output = Swept;

    #[inline(always)]
    fn run(self) -> Swept {
        let Self { descent, penalty, effort } = self;
        descent.set_penalty(&[penalty]);
        let (violation, predicted_decrease) =
            (descent.violation()[0], descent.predicted_decrease()[0]);
        let mut solved = false;
        for _ in 0..MOST_SWEEPS {
            descent.sweep();
            solved = descent.violation()[0] <= (effort.share * violation).max(effort.floor);
            if solved {
                break;
            }
        }
        Swept { violation, predicted_decrease, solved }
    }
}
