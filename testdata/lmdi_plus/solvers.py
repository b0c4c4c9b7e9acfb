"""Reference solutions with certificates: every optimum comes with its duality gap.

Gaussian:  P = 1/(2 sum w) sum w (y - b0 - x b)^2 + alpha (l1 |b|_1 + (1 - l1)/2 |b|_2^2)
Logistic:  P = C sum w logloss + l1 |b|_1 + (1 - l1)/2 |b|_2^2
The intercept b0 carries no penalty.
"""

import warnings

import numpy as np
from scipy.special import expit, xlogy
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet


def soft_part(gradient, bound):
    """How far each entry of a gradient is beyond the l1 bound."""
    return np.maximum(np.abs(gradient) - bound, 0.0)


class Gaussian:
    """A weighted least-squares problem, centred once."""

    def __init__(self, x, y, w):
        self.total = w.sum()
        self.x_mean = np.average(x, axis=0, weights=w)
        self.y_mean = np.average(y, weights=w)
        root = np.sqrt(w / self.total)
        self.x = (x - self.x_mean) * root[:, None]
        self.y = (y - self.y_mean) * root
        self.gram = self.x.T @ self.x
        self.correlation = self.x.T @ self.y

    def intercept(self, coef):
        return self.y_mean - self.x_mean @ coef

    def objective(self, coef, alpha, l1):
        residual = self.y - self.x @ coef
        penalty = l1 * np.abs(coef).sum() + (1 - l1) / 2 * coef @ coef
        return residual @ residual / 2 + alpha * penalty

    def gap(self, coef, alpha, l1):
        """Objective minus the best lower bound that the residual gives."""
        residual = self.y - self.x @ coef
        gradient = self.x.T @ residual
        bound, ridge = alpha * l1, alpha * (1 - l1)
        if ridge > 0:
            dual = residual @ self.y - residual @ residual / 2
            dual -= (soft_part(gradient, bound) ** 2).sum() / (2 * ridge)
        else:
            shrink = min(1.0, bound / max(np.abs(gradient).max(), 1e-300))
            point = residual * shrink
            dual = point @ self.y - point @ point / 2
        return self.objective(coef, alpha, l1) - dual

    def polish(self, coef, alpha, l1, rounds=50):
        """Solves the optimality conditions on the active set exactly, repairing the set if needed."""
        bound, ridge = alpha * l1, alpha * (1 - l1)
        sign = np.sign(coef)
        best, best_gap = coef, self.gap(coef, alpha, l1)
        for _ in range(rounds):
            active = np.flatnonzero(sign)
            made = np.zeros_like(coef)
            if len(active):
                system = self.gram[np.ix_(active, active)] + ridge * np.eye(len(active))
                target = self.correlation[active] - bound * sign[active]
                made[active] = np.linalg.lstsq(system, target, rcond=1e-14)[0]
            flipped = made * sign < 0
            gradient = self.correlation - self.gram @ made
            beyond = (sign == 0) & (np.abs(gradient) > bound * (1 + 1e-12) + 1e-15)
            gap = self.gap(made, alpha, l1)
            if gap < best_gap:
                best, best_gap = made, gap
            if not flipped.any() and not beyond.any():
                break
            sign = np.where(flipped, 0.0, sign)
            sign = np.where(beyond, np.sign(gradient), sign)
        return best


def elastic_net(x, y, w, alpha, l1):
    """scikit-learn's coefficients at a tight tolerance."""
    fitted = ElasticNet(alpha=alpha, l1_ratio=l1, tol=1e-12, max_iter=10_000_000)
    fitted.fit(x, y, sample_weight=w)
    return fitted.coef_


class Logistic:
    """A weighted logistic problem with an elastic-net penalty."""

    def __init__(self, x, y, w, c, l1):
        keep = w > 0
        self.x, self.y, self.w = x[keep], y[keep], w[keep]
        self.c, self.l1 = c, l1

    def margin(self, theta):
        return self.x @ theta[:-1] + theta[-1]

    def objective(self, theta):
        margin = self.margin(theta)
        loss = np.logaddexp(0.0, margin) - self.y * margin
        coef = theta[:-1]
        return (
            self.c * self.w @ loss + self.l1 * np.abs(coef).sum() + (1 - self.l1) / 2 * coef @ coef
        )

    def gap(self, theta):
        """Objective minus a lower bound; the intercept is first set to its optimum."""
        theta = self.balance(theta)
        share = expit(self.margin(theta))
        pull = self.c * self.w * (self.y - share)
        gradient = self.x.T @ pull
        ridge = 1 - self.l1
        if ridge > 0:
            shrink = 1.0
            penalty = (soft_part(gradient, self.l1) ** 2).sum() / (2 * ridge)
        else:
            shrink = min(1.0, self.l1 / max(np.abs(gradient).max(), 1e-300))
            penalty = 0.0
        point = np.abs(self.y - share) * shrink
        entropy = -xlogy(point, point) - xlogy(1 - point, 1 - point)
        return self.objective(theta) - (self.c * self.w @ entropy - penalty)

    def balance(self, theta):
        """The same slopes with the best intercept (one-dimensional Newton)."""
        theta = theta.copy()
        for _ in range(100):
            share = expit(self.margin(theta))
            slope = self.w @ (share - self.y)
            curve = self.w @ (share * (1 - share))
            if curve <= 0:
                break
            step = np.clip(slope / curve, -2.0, 2.0)
            theta[-1] -= step
            if abs(step) < 1e-15 * max(1.0, abs(theta[-1])):
                break
        return theta

    def solve(self, start=None, enough=1e-13):
        """Proximal Newton, then Newton on the active set; returns slopes with the intercept last.

        Stops at a duality gap of `enough` times the objective.
        """
        theta = np.zeros(self.x.shape[1] + 1) if start is None else start.copy()
        theta = self.balance(theta)
        value = self.objective(theta)
        for outer in range(200):
            theta, value, moved = self._proximal_step(theta, value)
            if moved < 1e-6 or outer % 5 == 4:
                theta, value = self._active_newton(theta, value)
                if self.gap(theta) <= enough * abs(value):
                    break
            if moved == 0.0:
                break
        return theta

    def _proximal_step(self, theta, value):
        margin = self.margin(theta)
        share = expit(margin)
        curve = np.maximum(self.w * share * (1 - share), 1e-12 * self.w)
        target = margin + self.w * (self.y - share) / curve
        inner = ElasticNet(
            alpha=1 / (self.c * curve.sum()),
            l1_ratio=self.l1,
            tol=1e-10,
            max_iter=5000,
            warm_start=True,
            precompute=len(self.x) > 2 * self.x.shape[1],
        )
        inner.coef_ = theta[:-1].copy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            inner.fit(self.x, target, sample_weight=curve)
        step = np.append(inner.coef_, inner.intercept_) - theta
        return self._search(theta, value, step)

    def _search(self, theta, value, step):
        length = 1.0
        for _ in range(50):
            tried = theta + length * step
            found = self.objective(tried)
            if found < value:
                return tried, found, np.abs(length * step).max() / max(1.0, np.abs(tried).max())
            length /= 2
        return theta, value, 0.0

    def _active_newton(self, theta, value):
        """Newton on the coefficients that are not zero; stops where a sign would change.

        Near the optimum the objective no longer resolves a step, so a full step that shrinks the
        gradient is taken as well.
        """
        size = np.inf
        for _ in range(50):
            active = np.append(np.flatnonzero(theta[:-1]), len(theta) - 1)
            gradient, hessian = self._smooth_part(theta, active)
            if np.abs(gradient).max() >= size:
                break
            size = np.abs(gradient).max()
            step = np.zeros_like(theta)
            step[active] = -np.linalg.lstsq(hessian, gradient, rcond=1e-15)[0]
            if (np.sign(theta + step) * np.sign(theta) < 0)[:-1].any():
                break
            full = theta + step
            if np.abs(self._smooth_part(full, active)[0]).max() < size:
                found = self.objective(full)
                if found <= value * (1 + 1e-13):
                    theta, value = full, found
                    continue
            theta, value, moved = self._search(theta, value, step)
            if moved == 0.0:
                break
            size = np.inf
        return theta, value

    def _smooth_part(self, theta, active):
        """Gradient and Hessian in the active coefficients, signs held fixed."""
        x = np.column_stack([self.x, np.ones(len(self.x))])[:, active]
        share = expit(self.margin(theta))
        ridge = np.append(np.full(len(active) - 1, 1 - self.l1), 0.0)
        gradient = (
            self.c * x.T @ (self.w * (share - self.y))
            + ridge * theta[active]
            + self.l1 * np.append(np.sign(theta[active[:-1]]), 0.0)
        )
        hessian = self.c * (x.T * (self.w * share * (1 - share))) @ x + np.diag(ridge)
        return gradient, hessian
