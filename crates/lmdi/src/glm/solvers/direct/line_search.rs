//! A step of an elastic net and how far to go along it.
//!
//! While no slope crosses zero the objective along a step is a parabola; at each crossing it gets a
//! kink. The exact minimum along the step follows from the crossings in their order.

use crate::glm::model::coefficients::Coefficients;
use crate::glm::quadratic::gradient::Gradient;
use crate::glm::quadratic::hessian::Hessian;
use crate::glm::solvers::direct::signs::Signs;

/// A direction and the objective along it while no slope crosses zero:
/// `curvature / 2 * t^2 - rise * t`.
pub(crate) struct Line {
    pub(crate) step: Coefficients,
    rise: f64,
    curvature: f64,
}

impl Line {
    /// The line along a step from where minus the objective has this gradient, the l1 part of
    /// columns with a sign included.
    pub(crate) fn new(
        hessian: &Hessian<'_>,
        step: Coefficients,
        gradient: &Gradient,
        l2: f64,
    ) -> Self {
        let mut image = Gradient::zero(hessian);
        image.follow(hessian, &step, l2);
        Self { rise: gradient.along(hessian, &step), curvature: -image.along(hessian, &step), step }
    }

    /// Goes along the step as far as the objective falls. Returns whether that is the whole step
    /// with no sign changed; `None` if the objective falls without end, which only rounding can
    /// make it do.
    pub(crate) fn advance(
        &self,
        fit: &mut Coefficients,
        sign: &mut Signs,
        l1: f64,
    ) -> Option<bool> {
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
