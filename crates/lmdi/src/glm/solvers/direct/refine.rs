//! From an approximate elastic net to the exact one.
//!
//! Coordinate descent finds which slopes are zero long before the others converge. Given the signs
//! s of the slopes that are not zero, the optimality conditions are a linear system on those
//! columns,
//!
//! ```text
//! (H + l2) step = gradient - l1 s
//! ```
//!
//! which is solved directly. The objective along the step is a parabola with a kink wherever a
//! slope crosses zero; its exact minimum decides how far to go. A slope that stops at zero leaves
//! the set, and when the set is settled the columns that violate their condition enter. The
//! objective falls in every round, so no set comes back; near the solution a few rounds suffice.
//!
//! Cost per round: one factorisation over the active columns.

use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::gaussian::GaussianProblem;
use crate::glm::solvers::descent::batched::BatchedProblem;
use crate::glm::solvers::descent::working_set::WorkingSet;
use crate::glm::solvers::direct::conjugate_gradients::System;
use crate::glm::solvers::direct::least_squares::least_squares;
use crate::glm::solvers::direct::line_search::Line;
use crate::glm::solvers::direct::signs::Signs;

/// Rounds after which the start was too far from the solution.
const MOST_ROUNDS: usize = 100;

/// Full steps in a row after which the signs are settled.
const MOST_FULL_STEPS: usize = 3;

/// A violation of the optimality conditions (see [`GaussianProblem::violations`]) that is taken for
/// rounding.
const ROUNDING: f64 = 1e-13;

/// The largest violation of a result.
const EXACT: f64 = 1e-12;

/// The exact elastic net, from coefficients near it.
///
/// `None` when the signs do not settle within a bounded number of rounds, or when the active
/// columns depend on one another so that no exact solution has their signs; the caller keeps what
/// it has.
pub fn refine(
    problem: &GaussianProblem<'_>,
    at: &Coefficients,
    penalty: Penalty,
) -> Option<Coefficients> {
    let exact = if penalty.l1 > 0.0 {
        settle(problem, at, penalty)?
    } else {
        least_squares(problem, penalty.l2).0
    };
    (problem.violation(&exact, penalty) <= EXACT).then_some(exact)
}

/// The same over the columns of a working set, with the tree cut down to them; over all columns where
/// one of the others is missed. `problems` is the problem in a batch of its own.
///
/// Cost a round: one factorisation over what is left of the tree.
pub(crate) fn refine_on(
    mut working: WorkingSet,
    problem: &GaussianProblem<'_>,
    problems: &BatchedProblem<1>,
    at: &Coefficients,
    penalty: Penalty,
) -> Option<Coefficients> {
    let reduction = working.reduce(problems);
    let mut part = BatchedProblem::<1>::empty();
    problems.reduce_into(&reduction, &mut part);
    let stumps = reduction.stumps();
    let left = part.into_single(&stumps);
    let exact = reduction.expand(&refine(&left, &reduction.restrict(at), penalty)?, at);
    if problem.violation(&exact, penalty) <= EXACT {
        return Some(exact);
    }
    refine(problem, &exact, penalty)
}

fn settle(
    problem: &GaussianProblem<'_>,
    at: &Coefficients,
    penalty: Penalty,
) -> Option<Coefficients> {
    let mut fit = at.clone();
    let mut sign = Signs::of(at);
    let (mut full_steps, mut one_at_a_time) = (0, false);
    for _ in 0..MOST_ROUNDS {
        let violations = problem.violations(&fit, penalty);
        // Full steps that follow one another correct rounding only.
        if full_steps == MOST_FULL_STEPS || sign.are_settled(&violations, ROUNDING) {
            let (q, gradient) = (&problem.hessian, problem.gradient(&fit, penalty));
            if !sign.admit(q, &gradient, &violations, ROUNDING, one_at_a_time) {
                return Some(fit);
            }
            full_steps = 0;
            continue;
        }
        let line = towards_optimum(problem, &fit, &sign, penalty);
        if sign.drop_invalid_entries(&fit, &line.step) {
            // Of several columns that enter together some may turn round; one alone cannot.
            one_at_a_time = true;
            continue;
        }
        let full = line.advance(&mut fit, &mut sign, penalty.l1)?;
        full_steps = if full { full_steps + 1 } else { 0 };
    }
    None
}

/// The step to where the conditions of the active columns hold, their signs taken as given; if they
/// depend on one another and no such point exists, a direction without curvature.
fn towards_optimum(
    problem: &GaussianProblem<'_>,
    fit: &Coefficients,
    sign: &Signs,
    penalty: Penalty,
) -> Line {
    let q = &problem.hessian;
    let system = System::new(q, sign.active(), penalty.l2);
    let mut gradient = problem.gradient(fit, penalty);
    sign.take_off(&mut gradient, penalty.l1);
    let mut solution = system.solve(&gradient);
    if solution.iterations == 0
        && let Some(open) = solution.open
    {
        solution.step = open;
    } else {
        let mut left = gradient.clone();
        left.follow(q, &solution.step, penalty.l2);
        solution.step.add(1.0, &system.refine(&left));
    }
    Line::new(q, solution.step, &gradient, penalty.l2)
}
