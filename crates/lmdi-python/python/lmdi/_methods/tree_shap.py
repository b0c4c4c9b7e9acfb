"""TreeSHAP."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _lmdi
from .._choices import ModelOutput
from .._input.columns import Cells
from .._models.composite import check_scale, collected, summed
from .._models.model import Model
from .._results.explanation import Explanation
from .ready import ReadyExplainer


class TreeSHAP(ReadyExplainer):
    """Exact Shapley values of a tree model: how a prediction is divided among the columns.

    The score of a column is what it adds to the expected prediction when it becomes known, averaged
    over all orders in which columns can become known. Base value plus scores is the raw output of
    the model: a number, class probabilities of forests, or log-odds of boosted classifiers.

    Parameters
    ----------
    model
        A fitted model of any class that `LMDIPlus` takes.
    background : table, optional
        Rows from which the cells of unknown columns are taken (the interventional variant; the base
        value is the mean prediction of these rows). Without them, a split on an unknown column
        sends the row both ways, in proportion to the training weight on each side (the
        path-dependent variant).
    model_output : "raw" or "probability"
        The explained output of a classifier: the raw output, or the probability of the second
        class, which needs background rows. For each background row, the contributions to the
        log-odds are scaled to add up to the difference in probability; values are means over
        background rows.
    n_jobs : int, optional
        Number of threads; None and -1 use all cores. The result does not depend on it.
    progress : bool
        Whether to draw a progress bar, if tqdm is installed.

    Examples
    --------
    >>> import lmdi
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    >>> e = lmdi.TreeSHAP(forest).explain(X[:5])
    >>> bool(abs(e.base_values + e.values.sum(axis=1) - forest.predict(X[:5])).max() < 1e-9)
    True
    >>> lmdi.TreeSHAP(forest).interactions(X[:5]).shape
    (5, 10, 10)
    """

    _saved_tables = ("background",)

    def __init__(
        self,
        model: Any,
        background: Any = None,
        *,
        model_output: ModelOutput = "raw",
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.model = model
        self.background = background
        self.model_output = model_output
        self.n_jobs = n_jobs
        self.progress = progress

    def explain(self, X: Any) -> Explanation:
        """What each column adds to the prediction of each row."""
        if self.model_output not in ("raw", "probability"):
            raise ValueError(f"model_output is {self.model_output!r}; expected 'raw' or 'probability'")
        self._see(X)
        if self.model_output == "raw" or self._parts is not None:
            return super().explain(X)
        return self._explain_probability(X)

    def _explain_probability(self, X: Any) -> Explanation:
        cells, compiled = self._ready(X)
        if self.background is None or self.model_.classes_ is None or compiled.scale == "softmax":
            raise ValueError(
                "model_output='probability' is for "
                + (
                    "classes; this model predicts numbers"
                    if self.model_.classes_ is None
                    else "explanations against background rows: TreeSHAP(model, background)"
                    if self.background is None
                    else "two classes, or forests; the probabilities of these classes depend on one another"
                )
            )
        if compiled.scale == "identity":
            return super().explain(X)._with(scale="probability")
        background = self.model_._read(self.background).array
        values: Any = 0.0
        base: Any = 0.0
        for row in range(len(background)):
            with self._running("TreeSHAP background", 1) as run:
                one = Cells(background[row : row + 1], None)
                alone = _lmdi.LocalExplainer.interventional(self.model_._compiled, one.table, run)
                own, start, _ = alone.explain(cells.table, run)
            end = start + own.sum(axis=1)
            values = values + own * _slope(start, end)[:, np.newaxis]
            base = base + _logistic(start)
        count = len(background)
        return self._explanation(cells, (values / count, base / count, None), "probability")

    @property
    def expected_value(self) -> Any:
        """The base value, as in shap: a number, or one per output."""
        self._see()
        if self.model_output == "raw" or self._parts is not None:
            return super().expected_value
        row = Cells(np.zeros((1, self.model_._columns.count)), None)
        return self._explain_probability(row).base_values[0]

    def _make(self, model: Model) -> Any:
        if self.background is None:
            with self._running("TreeSHAP", 0) as run:
                return _lmdi.LocalExplainer.of_trees(model._compiled, "tree-shap", run)
        rows = model._read(self.background)
        with self._running("TreeSHAP background", len(rows.array)) as run:
            return _lmdi.LocalExplainer.interventional(model._compiled, rows.table, run)

    def interactions(self, X: Any) -> NDArray[np.float64]:
        """Interaction values of pairs of columns: (rows, columns, columns), or one such cube per
        output.

        The entry of a pair is half of what its two columns add together beyond what each adds
        alone. The line of a column adds up to its score. Only the path-dependent variant has
        interactions.

        The result has rows x columns x columns numbers, so pass few rows at a time.
        """
        if self.background is not None:
            raise ValueError(
                "interactions are defined here without background rows; use TreeSHAP(model).interactions(X)"
            )
        self._see(X)
        if self._parts is not None:
            return self._interactions_of_parts(X)
        cells, _ = self._ready(X)
        with self._running("TreeSHAP interactions", len(cells.array)) as run:
            values, _ = _lmdi.tree_shap_interactions(self.model_._compiled, cells.table, run)
        if cells.source is not None:
            names, _, _, of_columns = cells.source
            values = collected(values, of_columns, len(names))
            values = collected(values, of_columns, len(names), axis=2)
        return values

    def _interactions_of_parts(self, X: Any) -> NDArray[np.float64]:
        whole = self.composite_
        found = []
        for part, explainer in self._parts or []:
            values = explainer.interactions(part.table(X))
            values = collected(values, part.source, whole.columns.count, axis=2)
            scale = explainer._taken().scale
            check_scale(part, scale, "TreeSHAP")
            found.append((part, values, np.zeros((len(values), *values.shape[3:]))))
        n_outputs = None if whole.output_names is None else len(whole.output_names)
        return summed(whole, found, n_outputs)[0]

    def shap_interaction_values(self, X: Any) -> NDArray[np.float64]:
        """The same as `interactions`, as in shap."""
        return self.interactions(X)


def _logistic(odds: np.ndarray) -> np.ndarray:
    """The probability of log-odds, without overflow."""
    small = np.exp(-np.abs(odds))
    return np.where(odds >= 0, 1 / (1 + small), small / (1 + small))


def _slope(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The change in probability per change in log-odds between two log-odds."""
    step = end - start
    close = np.abs(step) < 1e-6
    middle = _logistic((start + end) / 2)
    # The line between near points has the slope of the curve in their middle.
    return np.where(
        close, middle * (1 - middle), (_logistic(end) - _logistic(start)) / np.where(close, 1, step)
    )
