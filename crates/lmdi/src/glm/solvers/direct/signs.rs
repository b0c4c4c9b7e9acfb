//! Which slopes of an elastic net are positive, negative or zero.

use crate::glm::linalg::vector::add_scaled;
use crate::glm::model::coefficients::Coefficients;
use crate::glm::quadratic::gradient::Gradient;
use crate::glm::quadratic::hessian::Hessian;
use crate::glm::solvers::direct::active_columns::ActiveColumns;

/// The sign of every slope; zero for columns that are not active. A column that is about to enter
/// has a sign while its slope is still zero.
pub(crate) struct Signs {
    pub(crate) stump: Vec<f64>,
    pub(crate) raw: Vec<f64>,
}

impl Signs {
    pub(crate) fn of(fit: &Coefficients) -> Self {
        let signs = |slopes: &[f64]| {
            slopes.iter().map(|&b| if b == 0.0 { 0.0 } else { b.signum() }).collect()
        };
        Self { stump: signs(&fit.stump), raw: signs(&fit.raw) }
    }

    pub(crate) fn active(&self) -> ActiveColumns {
        ActiveColumns {
            stump: self.stump.iter().map(|&sign| sign != 0.0).collect(),
            raw: (0..self.raw.len()).filter(|&k| self.raw[k] != 0.0).collect(),
        }
    }

    /// Column numbers are stumps first.
    pub(crate) fn of_column(&mut self, column: usize) -> &mut f64 {
        let m = self.stump.len();
        if column < m { &mut self.stump[column] } else { &mut self.raw[column - m] }
    }

    /// Drops entering columns that the step would move against their sign.
    pub(crate) fn drop_invalid_entries(&mut self, fit: &Coefficients, step: &Coefficients) -> bool {
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

    /// Whether all active columns, and the intercept (the last of the violations), meet their
    /// conditions up to a limit.
    pub(crate) fn are_settled(&self, violations: &[f64], limit: f64) -> bool {
        let signs = self.stump.iter().chain(&self.raw).chain(&[1.0]);
        signs.zip(violations).all(|(&sign, &violation)| sign == 0.0 || violation <= limit)
    }

    /// Lets columns enter that violate their condition at zero by more than a limit; returns
    /// whether there are any. `gradient` is that of minus the smooth part of the objective.
    pub(crate) fn admit(
        &mut self,
        hessian: &Hessian<'_>,
        gradient: &Gradient,
        violations: &[f64],
        limit: f64,
        only_worst: bool,
    ) -> bool {
        let along: Vec<f64> =
            gradient.along_stumps(hessian).into_iter().chain(gradient.raw.clone()).collect();
        let mut entering: Vec<usize> = (0..along.len())
            .filter(|&column| *self.of_column(column) == 0.0 && violations[column] > limit)
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

    /// Takes the l1 part of the columns with a sign off a gradient.
    pub(crate) fn take_off(&self, gradient: &mut Gradient, l1: f64) {
        add_scaled(&mut gradient.stump, -l1, &self.stump);
        add_scaled(&mut gradient.raw, -l1, &self.raw);
    }
}
