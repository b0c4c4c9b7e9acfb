"""What the model predicts for explained rows, beside what base value plus scores says about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _lmdi

if TYPE_CHECKING:
    from ._columns import Cells
    from ._model import Model


class Fidelity(NamedTuple):
    """How much of the model's predictions an explanation reproduces."""

    #: Rows that have both.
    n_rows: int
    #: Share of the variation of the model's predictions that base value plus scores reproduces (R2).
    share: float
    #: How much base value plus scores moves where the model's prediction moves by one.
    slope: float
    #: Share of the rows that both put into the same class; None for numbers.
    same_class: float | None
    #: Whether the share is below 80 %, on at least 30 rows.
    is_low: bool


class Predictions(NamedTuple):
    """The model's predictions of some rows."""

    #: A number per row, or the probability of every class.
    values: np.ndarray
    #: The same on the scale of the scores, laid out like base values.
    on_scale: np.ndarray
    #: What the scores are to explain on that scale: the same, or what all trees say where scores are exact
    #: for these.
    to_explain: np.ndarray
    #: Trees per row, on average, where rows are predicted by those that did not see them in training.
    oob_trees: float | None

    def rows(self, key: Any) -> Predictions:
        return Predictions(self.values[key], self.on_scale[key], self.to_explain[key], self.oob_trees)

    def output(self, at: int) -> Predictions:
        return self._replace(on_scale=self.on_scale[:, at], to_explain=self.to_explain[:, at])


def predictions_of(
    model: Model, cells: Cells, base_values: np.ndarray, scale: str, run: Any, is_exact: bool
) -> Predictions:
    """Training rows of a forest, known by the leaves they fall into, are predicted out of bag."""
    n_outputs = 1 if base_values.ndim == 1 else base_values.shape[1]
    compiled, table = model._compiled, cells.table
    values, on_scale, by_all, trees = _lmdi.predicted(compiled, table, scale, n_outputs, run)
    if model.classes_ is None:
        values = values[:, 0]
    to_explain = by_all if is_exact and by_all is not None else on_scale
    shape = base_values.shape
    return Predictions(values, on_scale.reshape(shape), to_explain.reshape(shape), trees)


def fidelity_of(predictions: Predictions, explained: np.ndarray, scale: str) -> Fidelity | None:
    """None where the model's predictions do not vary."""
    width = 1 if predictions.values.ndim == 1 else predictions.values.shape[1]
    n_outputs = 1 if explained.ndim == 1 else explained.shape[1]
    values = np.ascontiguousarray(predictions.values).ravel()
    found = _lmdi.fidelity(values, width, np.ascontiguousarray(explained).ravel(), n_outputs, scale)
    return None if found is None else Fidelity(*found)
