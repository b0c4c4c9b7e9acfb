"""Permutation importance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _lmdi
from .._checks import whole
from .importances import Importances, metric_of


class Permutation(Importances):
    """How much worse a model predicts after a column is shuffled.

    Parameters
    ----------
    model
        A fitted model of any class that `LMDIPlus` takes.
    metric : str or function, optional
        "r2" (default for regression), "squared_error", "absolute_error", "log_loss" (default for
        classes), "auroc" or "accuracy"; errors and losses are negated. Or a function `metric(y,
        prediction)` for which larger is better; predictions are numbers, or the probabilities of
        all classes as (rows, classes). It is called with `sample_weight=` if fit gets one.
    out_of_bag : bool
        Whether each tree of a forest predicts its out-of-bag rows (Breiman's mean decrease in
        accuracy), instead of the whole model predicting the given rows. `fit` then needs the
        training rows.
    repeats : int
        Number of times that each column is shuffled.
    random_state : int
        Random seed.
    groups : dict, optional
        Columns that are shuffled together: {"size": ["width", "height"]}.
    n_jobs : int, optional
        Number of threads; None and -1 use all cores. The result does not depend on it.
    progress : bool
        Whether to draw a progress bar, if tqdm is installed.

    Attributes
    ----------
    importances_, deviations_ : arrays
        The mean over repetitions (out of bag: over trees), and the standard deviation.
    names_ : list of str
        The column or group of each.

    Examples
    --------
    >>> import lmdi
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = RandomForestRegressor(50, random_state=0).fit(X[:300], y[:300])
    >>> unseen = lmdi.Permutation(forest).fit(X[300:], y[300:])
    >>> [name for name, _ in unseen.ranking()[:2]]
    ['s5', 'bmi']
    >>> lmdi.Permutation(forest, out_of_bag=True).fit(X[:300], y[:300]).importances_.shape
    (10,)
    """

    def __init__(
        self,
        model: Any,
        *,
        metric: str | Callable[..., float] | None = None,
        out_of_bag: bool = False,
        repeats: int = 5,
        random_state: int = 0,
        groups: dict[str, list[str]] | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.model = model
        self.metric = metric
        self.out_of_bag = out_of_bag
        self.repeats = repeats
        self.random_state = random_state
        self.groups = groups
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Permutation:
        """Measures importances on rows: ideally rows that the model was not trained on or, out of
        bag, its training rows."""
        model, cells, response, weights, names, groups = self._take_rows(X, y, sample_weight)
        repeats = whole(self.repeats, "repeats", 1)
        seed = whole(self.random_state, "random_state", 0)
        out_of_bag = bool(self.out_of_bag)
        if out_of_bag and model._sees_every_row:
            raise ValueError(
                "out_of_bag is True, but each tree of this model was grown on every row, so that none is out "
                "of bag; fit on rows kept out of training instead"
            )
        metric = metric_of(self.metric, model, weights is not None)
        units = model.n_trees if out_of_bag else len(cells.array) * len(names) * repeats
        with self._running("Permutation", units) as run:
            found = _lmdi.permutation(
                model._compiled,
                cells.table,
                response,
                weights,
                groups,
                out_of_bag,
                repeats,
                seed,
                metric,
                run,
            )
        self._keep(model, names, found)
        return self
