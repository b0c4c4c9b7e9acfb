"""MAPLE."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _lmdi
from .._checks import number, whole
from .._input.columns import Cells
from .._input.responses import response_of
from .._models import model_of
from .._models.composite import Composite
from .._models.model import Model
from .._results.explanation import Explanation
from .explainer import Explainer


class MAPLE(Explainer):
    """A ridge regression around each row, with training rows weighted by how often they share its
    leaves.

    The score of a column is its slope times the distance of the cell from the column's mean. Base
    value plus scores is the prediction of the local model: a number, or the probability of a class.

    Parameters
    ----------
    model
        A fitted model of any class that `LMDIPlus` takes.
    alpha : float
        Penalty of the ridge regression.
    n_columns : int, optional
        Number of columns in the local models. Default: the number that predicts validation rows
        best. Columns are taken in the order of the summed impurity of the roots that split on them.
    n_jobs : int, optional
        Number of threads; None and -1 use all cores. The result does not depend on it.
    progress : bool
        Whether to draw a progress bar, if tqdm is installed.

    Attributes
    ----------
    columns_ : list of str
        The columns of the local models, the most important first.

    Examples
    --------
    >>> import lmdi
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = RandomForestRegressor(20, min_samples_leaf=5, random_state=0).fit(X, y)
    >>> maple = lmdi.MAPLE(forest).fit(X, y)
    >>> maple.explain(X[:5]).values.shape
    (5, 10)
    """

    _fitted_attribute = "explainer_"

    def __init__(
        self,
        model: Any,
        *,
        alpha: float = 0.001,
        n_columns: int | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.model = model
        self.alpha = alpha
        self.n_columns = n_columns
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: Any, y: Any, X_validation: Any = None, y_validation: Any = None) -> MAPLE:
        """Stores the training rows and chooses columns.

        The number of columns is chosen on validation rows or, without them, on up to 200 training
        rows, each predicted with its own weight set to zero.
        """
        whole_model = model_of(self.model, X)
        if isinstance(whole_model, Composite):
            if X_validation is not None:
                raise ValueError("X_validation is for one model; explain the members on their own")
            self._fit_parts(whole_model, X, y)
            return self
        self._parts = None
        model, cells = self._take_model(whole_model, X)
        response, _ = self._take_target(model, X, y, None, len(cells.array))
        validation = None
        if (X_validation is None) != (y_validation is None):
            raise ValueError("X_validation and y_validation belong together; give both or none")
        if X_validation is not None:
            rows = model._read(X_validation)
            validation = (rows.array, response_of(model, y_validation, len(rows.array)))
        self._fit(model, cells.array, response, validation)
        self._misfits(model, cells, response, None)
        return self

    def _fit(self, model: Model, array: np.ndarray, response: Any, validation: Any) -> None:
        n_columns = None if self.n_columns is None else whole(self.n_columns, "n_columns", 1)
        measured = None if validation is None else (Cells(validation[0], None).table, validation[1])
        with self._running("MAPLE fit", model.n_trees) as run:
            explainer = _lmdi.LocalExplainer.maple(
                model._compiled,
                Cells(array, None).table,
                response,
                measured,
                number(self.alpha, "alpha"),
                n_columns,
                run,
            )
        self.model_ = model
        self.explainer_ = explainer
        self.columns_ = [model.feature_names[at] for at in explainer.columns or []]
        self._rows = (array, response, validation)

    def explain(self, X: Any) -> Explanation:
        """What each column adds to the local prediction of each row."""
        self._check_fitted()
        if self._parts is not None:
            return self._explain_parts(X)
        cells = self.model_._read(X)
        with self._running("MAPLE explain", len(cells.array)) as run:
            arrays = self.explainer_.explain(cells.table, run)
        return self._explanation(cells, arrays, self.explainer_.scale)

    def _saved_arrays(self) -> dict[str, np.ndarray]:
        array, response, validation = self._rows
        arrays = {"rows": np.ascontiguousarray(array), **_response_arrays("y", response)}
        if validation is not None:
            arrays["validation_rows"] = np.ascontiguousarray(validation[0])
            arrays.update(_response_arrays("validation_y", validation[1]))
        return arrays

    def _restore(self, model: Model, arrays: dict[str, np.ndarray]) -> None:
        validation = None
        if "validation_rows" in arrays:
            validation = (arrays["validation_rows"], _response_of("validation_y", arrays))
        self._fit(model, arrays["rows"], _response_of("y", arrays), validation)

    def __getstate__(self) -> Any:
        params = self.get_params()
        if not self.__sklearn_is_fitted__():
            return {"params": params}
        if self._parts is not None:
            return {"params": {**params, "model": self.composite_}, "parts": self._parts}
        # The local models are made of the training rows, which are kept instead.
        params["model"] = self.model_
        return {"params": params, "rows": self._rows}

    def __setstate__(self, state: Any) -> None:
        type(self).__init__(self, **state["params"])
        if "parts" in state:
            self._parts, self.composite_ = state["parts"], state["params"]["model"]
        if "rows" in state:
            self._fit(self.model, *state["rows"])


def _response_arrays(name: str, response: Any) -> dict[str, np.ndarray]:
    """A target as arrays: numbers, or class indices with the number of classes."""
    if not isinstance(response, tuple):
        return {name: response}
    return {name: response[0], f"{name}_classes": np.asarray(response[1])}


def _response_of(name: str, arrays: dict[str, np.ndarray]) -> Any:
    count = arrays.get(f"{name}_classes")
    values = np.ascontiguousarray(arrays[name])
    return values if count is None else (values, int(count))
