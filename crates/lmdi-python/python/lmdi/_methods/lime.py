"""LIME for tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _lmdi
from .._checks import number, whole
from .._choices import FeatureSelection
from .._models.model import Model
from .._results.groups import group_columns
from .ready import ReadyExplainer


class LIME(ReadyExplainer):
    """A weighted linear model of the predictions around each row (LIME for tables).

    Neighbours come column by column from the distribution of background rows: numeric columns by
    quartile, and then from a normal distribution truncated to the quartile; categories by their
    frequencies. The score of a column is the slope of "the neighbour is in the row's own quartile
    or category". Base value plus scores is the prediction of that linear model: a number, or the
    probability of a class. For forests, and boosted trees that predict numbers, sums over neighbours
    are replaced by their expected values, so that scores have no sampling error. For other models,
    or with `n_samples`, neighbours are drawn and predicted once, and all rows share them.

    Parameters
    ----------
    model
        A fitted model of any class that `LMDIPlus` takes.
    background : table
        Rows whose distribution neighbours are drawn from, usually the training rows.
    n_samples : int, optional
        Number of neighbours to draw, including the row itself; at most a million. Default: none
        where expected values can be computed (up to 400,000 splits), else 5,000.
    kernel_width : float, optional
        Width of the kernel that weights neighbours. Default: 0.75 times the square root of the
        number of columns.
    alpha : float
        Penalty of the ridge regression.
    feature_selection : "auto", "none", "highest_weights", "forward_selection" or "lasso_path"
        How columns are chosen if `max_features` limits them; "auto" is forward selection for up to 6
        columns, else the highest weights.
    max_features : int, optional
        Maximum number of columns with a score per row. Default: all.
    bins : int
        Number of bins of a numeric column: 4 are quartiles, 10 deciles.
    categorical : list of names or positions, optional
        Numeric columns that are categories. Columns that the model itself reads as categories need
        not be listed.
    together : dict, optional
        Columns that are drawn together, such as the 0/1 columns of one categorical column, under
        one name: {"colour": ["colour_red", "colour_blue"]}. Their score is that of the column that
        is 1 in the row; `Explanation.grouped` adds them up.
    random_state : int
        Random seed of drawn neighbours. They depend only on the seed and the background.
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
    >>> e = lmdi.LIME(forest, X).explain(X[:5])
    >>> e.values.shape
    (5, 10)
    """

    _saved_tables = ("background",)

    def __init__(
        self,
        model: Any,
        background: Any,
        *,
        n_samples: int | None = None,
        kernel_width: float | None = None,
        alpha: float = 1.0,
        feature_selection: FeatureSelection = "auto",
        max_features: int | None = None,
        bins: int = 4,
        categorical: Any = None,
        together: dict[str, list[str]] | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.model = model
        self.background = background
        self.n_samples = n_samples
        self.kernel_width = kernel_width
        self.alpha = alpha
        self.feature_selection = feature_selection
        self.max_features = max_features
        self.bins = bins
        self.categorical = categorical
        self.together = together
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _make(self, model: Model) -> Any:
        if self.background is None:
            raise ValueError("background is None; expected rows to draw from: LIME(model, X_train)")
        rows = model._read(self.background)
        together = None
        if self.together is not None:
            names, group_of_column = group_columns(self.together, model.feature_names)
            together = (group_of_column, len(names))
        samples, width, most = self.n_samples, self.kernel_width, self.max_features
        keywords = {
            "n_samples": None if samples is None else whole(samples, "n_samples", 2),
            "kernel_width": None if width is None else number(width, "kernel_width"),
            "alpha": number(self.alpha, "alpha"),
            "feature_selection": str(self.feature_selection),
            "max_features": None if most is None else whole(most, "max_features", 1),
            "bins": whole(self.bins, "bins", 2),
            "categorical": self._categorical_columns(model),
            "together": together,
            "seed": whole(self.random_state, "random_state", 0),
        }
        with self._running("LIME", 0) as run:
            return _lmdi.LocalExplainer.lime(model._compiled, rows.table, keywords, run)

    def _categorical_columns(self, model: Model) -> list[int]:
        columns = model._columns
        names = columns.labels()
        found = set(columns.categories) | set(columns.coded)
        for column in [] if self.categorical is None else self.categorical:
            if isinstance(column, (int, np.integer)) and not isinstance(column, bool):
                if not -len(names) <= column < len(names):
                    raise ValueError(f"categorical names column {column}; there are {len(names)} columns")
                found.add(int(column) % len(names))
            elif column in names:
                found.add(names.index(column))
            else:
                raise ValueError(f"categorical names {column!r}, which is no column")
        return sorted(found)
