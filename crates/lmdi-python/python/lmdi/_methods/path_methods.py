"""Methods that follow a row down each tree: Saabas and local MDI."""

from __future__ import annotations

from typing import Any

from .. import _lmdi
from .._models.model import Model
from .._results.explanation import Explanation
from .ready import ReadyExplainer


class Saabas(ReadyExplainer):
    """Changes of the node value along the path of a row, credited to the columns split on.

    Base value plus scores is the raw output of the model, as with `TreeSHAP`. The method favours
    columns near the leaves over columns near the root.

    Parameters
    ----------
    model
        A fitted model of any class that `LMDIPlus` takes.
    n_jobs : int, optional
        Number of threads; None and -1 use all cores. The result does not depend on it.
    progress : bool
        Whether to draw a progress bar, if tqdm is installed.

    Examples
    --------
    >>> import lmdi
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> tree = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    >>> e = lmdi.Saabas(tree).explain(X)
    >>> bool(abs(e.base_values + e.values.sum(axis=1) - tree.predict(X)).max() < 1e-9)
    True
    """

    def __init__(self, model: Any, *, n_jobs: int | None = None, progress: bool = False) -> None:
        self.model = model
        self.n_jobs = n_jobs
        self.progress = progress

    def _make(self, model: Model) -> Any:
        with self._running("Saabas", 0) as run:
            return _lmdi.LocalExplainer.of_trees(model._compiled, "saabas", run)


class LocalMDI(ReadyExplainer):
    """Decreases of impurity along the path of a row, credited to the columns split on.

    Scores tell how much a column helped to sort the row, not in which direction. There is one
    output, whatever the forest predicts. Averaged over the rows that a tree was grown on, scores
    are MDI.

    Parameters
    ----------
    model
        A fitted tree or forest of scikit-learn or of this package; others do not keep impurities.
    n_jobs : int, optional
        Number of threads; None and -1 use all cores. The result does not depend on it.
    progress : bool
        Whether to draw a progress bar, if tqdm is installed.

    Examples
    --------
    >>> import lmdi
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> lmdi.LocalMDI(forest).explain(X).values.shape
    (178, 13)
    """

    def __init__(self, model: Any, *, n_jobs: int | None = None, progress: bool = False) -> None:
        self.model = model
        self.n_jobs = n_jobs
        self.progress = progress

    def _make(self, model: Model) -> Any:
        with self._running("LocalMDI", 0) as run:
            return _lmdi.LocalExplainer.of_trees(model._compiled, "local-mdi", run)

    def explain(self, X: Any) -> Explanation:
        """How much each column helped to sort each row."""
        return super().explain(X)._with(output_names=None, scale="impurity")
