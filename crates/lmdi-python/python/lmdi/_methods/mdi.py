"""MDI."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _lmdi
from .._choices import MdiScale
from .._models import model_of
from .._models.model import Model
from .importances import Importances


class MDI(Importances):
    """Mean decrease in impurity from the splits on each column in training.

    Nothing is fitted: `importances_` is computed from the trees.

    Parameters
    ----------
    model
        A fitted model that keeps impurities: trees, forests and gradient boosting of scikit-learn, or a
        learner of this package.
    scale : "share" or "impurity"
        Whether importances add up to one (like scikit-learn's `feature_importances_`), or are in
        units of the impurity.
    groups : dict, optional
        Groups of columns: {"size": ["width", "height"]}.
    n_jobs : int, optional
        Number of threads; None and -1 use all cores. The result does not depend on it.

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
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    >>> bool(abs(lmdi.MDI(forest).importances_ - forest.feature_importances_).max() < 1e-12)
    True
    """

    _found: tuple[np.ndarray, np.ndarray, list[str]] | None = None

    def __init__(
        self,
        model: Any,
        *,
        scale: MdiScale = "share",
        groups: dict[str, list[str]] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.scale = scale
        self.groups = groups
        self.n_jobs = n_jobs
        self.progress = False

    def set_params(self, **params: Any) -> Any:
        """Changes keywords; importances are computed again."""
        self._found = None
        return super().set_params(**params)

    def _measured(self) -> tuple[np.ndarray, np.ndarray, list[str]]:
        if self._found is None:
            whole = model_of(self.model)
            model = self._part(whole).model
            names, groups = self._grouped(whole)
            with self._running("MDI", 0) as run:
                found = _lmdi.mdi(model._compiled, groups, str(self.scale), run)
            self._found = (*found, names)
            self.model_ = model
        return self._found

    def _restore(self, model: Model, arrays: dict[str, np.ndarray]) -> None:
        names = [str(name) for name in arrays["names"]]
        self._found = (arrays["importances"], arrays["deviations"], names)
        self.model_ = model

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def importances_(self) -> np.ndarray:
        """The importance of each column or group."""
        return self._measured()[0]

    @property
    def deviations_(self) -> np.ndarray:
        """Their standard deviation over trees."""
        return self._measured()[1]

    @property  # Read-only here, because it is measured when it is asked for.
    def names_(self) -> list[str]:  # type: ignore[override]
        """The column or group of each importance."""
        return self._measured()[2]
