"""MDI+."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _lmdi
from .._checks import number, whole
from .._choices import MdiPlusGlm
from .importances import Importances, metric_of


class MDIPlus(Importances):
    """How well a column's part of the trees' linear models predicts left-out rows.

    Parameters
    ----------
    model
        A fitted forest: a tree, forest or bagged trees of scikit-learn, or a forest of this package.
    glm : "ridge", "elastic_net", "ols", "logistic" or "huber", optional
        The linear model. Default: "ridge", for classes "logistic" (with a ridge penalty).
    metric : str or function, optional
        "r2" (default for regression), "squared_error", "absolute_error", "log_loss" (default for
        classes), "auroc" or "accuracy"; errors and losses are negated. Or a function `metric(y,
        prediction)` for which larger is better; predictions are numbers, or the probabilities of
        all classes as (rows, classes). It is called with `sample_weight=` if fit gets one.
    alphas : float or list of floats, optional
        Strengths that ridge tries; the one that predicts left-out rows best is used.
    l1_ratio : float or list of floats, optional
        Mixtures that the elastic net tries. Default: 0.1, 0.5 and 0.99.
    epsilon : float
        Where Huber's loss becomes linear.
    include_raw : bool
        Whether the columns themselves are inputs beside the splits.
    above_constant : bool
        Whether the metric of the constant prediction is subtracted from importances.
    trim : float
        Probabilities are kept this far from 0 and 1.
    folds, tolerance, max_iterations
        Folds of the elastic net's search; accuracy and maximum number of iterations of a fit.
    groups : dict, optional
        Groups of columns: {"size": ["width", "height"]}.
    n_jobs : int, optional
        Number of threads; None and -1 use all cores. The result does not depend on it.
    progress : bool
        Whether to draw a progress bar, if tqdm is installed.

    Attributes
    ----------
    importances_, deviations_ : arrays
        The mean over trees, and the standard deviation.
    names_ : list of str
        The column or group of each.

    Examples
    --------
    >>> import lmdi
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from sklearn.metrics import r2_score
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = RandomForestRegressor(10, min_samples_leaf=5, random_state=0).fit(X, y)
    >>> lmdi.MDIPlus(forest).fit(X, y).ranking()[0][0]
    'bmi'
    >>> mine = lmdi.MDIPlus(forest, metric=r2_score).fit(X, y).importances_
    >>> bool(abs(mine - lmdi.MDIPlus(forest).fit(X, y).importances_).max() < 1e-9)
    True
    """

    def __init__(
        self,
        model: Any,
        *,
        glm: MdiPlusGlm | None = None,
        metric: str | Callable[..., float] | None = None,
        alphas: float | Sequence[float] | None = None,
        l1_ratio: float | Sequence[float] | None = None,
        epsilon: float = 1.35,
        include_raw: bool = True,
        above_constant: bool = True,
        trim: float = 0.01,
        folds: int = 3,
        tolerance: float = 1e-12,
        max_iterations: int = 1000,
        groups: dict[str, list[str]] | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.model = model
        self.glm = glm
        self.metric = metric
        self.alphas = alphas
        self.l1_ratio = l1_ratio
        self.epsilon = epsilon
        self.include_raw = include_raw
        self.above_constant = above_constant
        self.trim = trim
        self.folds = folds
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.groups = groups
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MDIPlus:
        """Measures importances on the rows that the forest was trained on."""
        model, cells, response, weights, names, groups = self._take_rows(X, y, sample_weight)
        keywords = {
            "glm": None if self.glm is None else str(self.glm),
            "alphas": _numbers(self.alphas, "alphas"),
            "l1_ratio": _numbers(self.l1_ratio, "l1_ratio"),
            "epsilon": number(self.epsilon, "epsilon"),
            "include_raw": bool(self.include_raw),
            "above_constant": bool(self.above_constant),
            "trim": number(self.trim, "trim"),
            "folds": whole(self.folds, "folds", 2),
            "tolerance": number(self.tolerance, "tolerance"),
            "max_iterations": whole(self.max_iterations, "max_iterations", 1),
        }
        metric = metric_of(self.metric, model, weights is not None)
        with self._running("MDI+", model.n_trees) as run:
            found = _lmdi.mdi_plus(
                model._compiled, cells.table, response, weights, groups, keywords, metric, run
            )
        self._keep(model, names, found)
        self._misfits(model, cells, response, weights)
        return self


def _numbers(values: Any, name: str) -> list[float] | None:
    return None if values is None else [number(value, name) for value in np.ravel(values)]
