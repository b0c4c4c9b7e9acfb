"""TreeSHAP."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _lmdi
from ._model import Model
from ._ready import ReadyExplainer


class TreeSHAP(ReadyExplainer):
    """Exact Shapley values of a tree model: how a prediction is shared out among the columns.

    The score of a column is what it adds to the expected prediction when it becomes known, averaged over
    all orders in which columns may become known. Base value plus scores is the raw output of the model:
    units of the prediction, shares of classes for forests, log-odds for boosted classes.

    Parameters
    ----------
    model
        A fitted model of any class that `LMDIPlus` takes.
    background : table, optional
        Rows from which the cells of unknown columns are taken (the interventional variant; the base value
        is the mean prediction of these rows). Without them, a split on an unknown column sends the row both
        ways, by the shares of the training weight that went there (the path-dependent variant).
    n_jobs : int, optional
        Threads; default and -1 are all processors. The result does not depend on it.
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
        self, model: Any, background: Any = None, *, n_jobs: int | None = None, progress: bool = False
    ) -> None:
        self.model = model
        self.background = background
        self.n_jobs = n_jobs
        self.progress = progress

    def _make(self, model: Model) -> Any:
        if self.background is None:
            with self._running("TreeSHAP", 0) as run:
                return _lmdi.LocalExplainer.of_trees(model._compiled, "tree-shap", run)
        rows = model._read(self.background)
        with self._running("TreeSHAP background", len(rows.array)) as run:
            return _lmdi.LocalExplainer.interventional(model._compiled, rows.table, run)

    def interactions(self, X: Any) -> NDArray[np.float64]:
        """Interaction values of pairs of columns: (rows, columns, columns), or one such cube an output.

        A pair holds half of what its two columns add together beyond what each adds alone; the line of a
        column adds up to its score. For the path-dependent variant only.

        The result has rows x columns x columns numbers: ask for some rows at a time.
        """
        if self.background is not None:
            raise ValueError(
                "interactions are defined here without background rows; use TreeSHAP(model).interactions(X)"
            )
        cells, _ = self._ready(X)
        with self._running("TreeSHAP interactions", len(cells.array)) as run:
            values, _ = _lmdi.tree_shap_interactions(self.model_._compiled, cells.table, run)
        return values

    def shap_interaction_values(self, X: Any) -> NDArray[np.float64]:
        """The same as `interactions`, as in shap."""
        return self.interactions(X)
