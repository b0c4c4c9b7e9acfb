//! From an approximate elastic net to the exact one.
//!
//! Coordinate descent finds which slopes are zero long before it settles the others. Given the signs s
//! of the slopes that are not zero, the optimality conditions are a linear system on those columns,
//!
//! ```text
//! (H + l2) step = gradient - l1 s
//! ```
//!
//! which is solved directly. The objective along the step is a parabola with a kink wherever a slope
//! crosses zero; its exact minimum decides how far to go. A slope that stops at zero leaves the set,
//! and when the set is settled the columns that violate their condition enter. The objective falls in
//! every round, so no set comes back; near the solution a few rounds suffice.
//!
//! Cost a round: one factorisation over the active columns.

use super::active::ActiveColumns;
use super::coefficients::Coefficients;
use super::conjugate::System;
use super::gaussian::GaussianProblem;
use super::gradient::Gradient;
use super::least_squares::least_squares;
use super::penalty::Penalty;

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
/// `None` when the signs do not settle within a bounded number of rounds, or when the active columns
/// depend on one another so that no exact solution has their signs; the caller keeps what it has.
pub fn polish(
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
        if full_steps == MOST_FULL_STEPS || sign.are_settled(&violations) {
            if !sign.admit(problem, &fit, penalty, &violations, one_at_a_time) {
                return Some(fit);
            }
            full_steps = 0;
            continue;
        }
        let line = Line::towards_optimum(problem, &fit, &sign, penalty);
        if sign.drop_wrong_entries(&fit, &line.step) {
            // Of several columns that enter together some may turn round; one alone cannot.
            one_at_a_time = true;
            continue;
        }
        let full = line.advance(&mut fit, &mut sign, penalty.l1)?;
        full_steps = if full { full_steps + 1 } else { 0 };
    }
    None
}

/// A direction and the objective along it while no slope crosses zero:
/// `curvature / 2 * t^2 - rise * t`.
struct Line {
    step: Coefficients,
    rise: f64,
    curvature: f64,
}

impl Line {
    /// The step to where the conditions of the active columns hold, their signs taken as given; if they
    /// depend on one another and no such point exists, a direction without curvature.
    fn towards_optimum(
        problem: &GaussianProblem<'_>,
        fit: &Coefficients,
        sign: &Signs,
        penalty: Penalty,
    ) -> Self {
        let q = &problem.quadratic;
        let system = System::new(q, sign.active(), penalty.l2);
        let mut gradient = problem.gradient(fit, penalty);
        for (gradient, sign) in gradient.stump.iter_mut().zip(&sign.stump) {
            *gradient -= penalty.l1 * sign;
        }
        for (gradient, sign) in gradient.raw.iter_mut().zip(&sign.raw) {
            *gradient -= penalty.l1 * sign;
        }
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
        let step = solution.step;
        let mut image = Gradient::zero(q);
        image.follow(q, &step, penalty.l2);
        Self { rise: gradient.along(q, &step), curvature: -image.along(q, &step), step }
    }

    /// Goes along the step as far as the objective falls. Returns whether that is the whole step with
    /// no sign changed; `None` if the objective falls without end, which only rounding can make it do.
    fn advance(&self, fit: &mut Coefficients, sign: &mut Signs, l1: f64) -> Option<bool> {
        let mut crossings: Vec<(f64, f64, usize)> = fit
            .slopes()
            .zip(self.step.slopes())
            .enumerate()
            .filter(|(_, (b, d))| b * d < 0.0)
            .map(|(column, (b, d))| (-b / d, d.abs(), column))
            .collect();
        crossings.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.2.cmp(&y.2)));
        // Where the derivative is zero, past the kinks of the slopes that crossed.
        let mut kinks = 0.0;
        let mut passed = 0;
        let mut stopped = None;
        for &(t, speed, column) in &crossings {
            if kinks + self.curvature * t >= self.rise {
                break;
            }
            kinks += 2.0 * l1 * speed;
            if kinks + self.curvature * t >= self.rise {
                stopped = Some((t, column));
                break;
            }
            passed += 1;
        }
        let length = stopped.map_or_else(|| (self.rise - kinks) / self.curvature, |(t, _)| t);
        if !(length.is_finite() && length >= 0.0) {
            return None;
        }
        fit.add(length, &self.step);
        for &(_, _, column) in &crossings[..passed] {
            *sign.of_column(column) *= -1.0;
        }
        if let Some((_, column)) = stopped {
            *sign.of_column(column) = 0.0;
            let m = fit.stump.len();
            if column < m {
                fit.stump[column] = 0.0;
            } else {
                fit.raw[column - m] = 0.0;
            }
        }
        Some(passed == 0 && stopped.is_none())
    }
}

/// The sign of every slope; zero for columns that are not active. A column that is about to enter
/// has a sign while its slope is still zero.
struct Signs {
    stump: Vec<f64>,
    raw: Vec<f64>,
}

impl Signs {
    fn of(fit: &Coefficients) -> Self {
        let signs = |slopes: &[f64]| {
            slopes.iter().map(|&b| if b == 0.0 { 0.0 } else { b.signum() }).collect()
        };
        Self { stump: signs(&fit.stump), raw: signs(&fit.raw) }
    }

    fn active(&self) -> ActiveColumns {
        ActiveColumns {
            stump: self.stump.iter().map(|&sign| sign != 0.0).collect(),
            raw: (0..self.raw.len()).filter(|&k| self.raw[k] != 0.0).collect(),
        }
    }

    /// Column numbers are stumps first.
    fn of_column(&mut self, column: usize) -> &mut f64 {
        let m = self.stump.len();
        if column < m { &mut self.stump[column] } else { &mut self.raw[column - m] }
    }

    /// Drops entering columns that the step would move against their sign.
    fn drop_wrong_entries(&mut self, fit: &Coefficients, step: &Coefficients) -> bool {
        let mut any = false;
        for (column, (b, d)) in fit.slopes().zip(step.slopes()).enumerate() {
            let sign = self.of_column(column);
            if b == 0.0 && *sign * d < 0.0 {
                *sign = 0.0;
                any = true;
            }
        }
        any
    }

    /// Whether all active columns, and the intercept, meet their conditions.
    fn are_settled(&self, violations: &[f64]) -> bool {
        let signs = self.stump.iter().chain(&self.raw).chain(&[1.0]);
        signs.zip(violations).all(|(&sign, &violation)| sign == 0.0 || violation <= ROUNDING)
    }

    /// Lets columns enter that violate their condition at zero; returns whether there are any.
    fn admit(
        &mut self,
        problem: &GaussianProblem<'_>,
        fit: &Coefficients,
        penalty: Penalty,
        violations: &[f64],
        only_worst: bool,
    ) -> bool {
        let gradient = problem.gradient(fit, penalty);
        let along: Vec<f64> =
            gradient.along_stumps(&problem.quadratic).into_iter().chain(gradient.raw).collect();
        let mut entering: Vec<usize> = (0..along.len())
            .filter(|&column| *self.of_column(column) == 0.0 && violations[column] > ROUNDING)
            .collect();
        if only_worst {
            entering.sort_by(|&i, &j| violations[j].total_cmp(&violations[i]).then(i.cmp(&j)));
            entering.truncate(1);
        }
        for &column in &entering {
            *self.of_column(column) = along[column].signum();
        }
        !entering.is_empty()
    }
}
