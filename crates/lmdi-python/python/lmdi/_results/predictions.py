"""The model's predictions of explained rows, compared with base value plus scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _lmdi

if TYPE_CHECKING:
    from .._input.columns import Cells
    from .._models.model import Model


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
    values: NDArray[np.float64]
    #: The same on the scale of the scores, laid out like base values.
    on_scale: NDArray[np.float64]
    #: What the scored trees say on that scale: the same, or what all trees say where the prediction is out
    #: of bag.
    to_explain: NDArray[np.float64]
    #: Base value plus the scores of all columns.
    explained: NDArray[np.float64]
    #: Trees per row, on average, where rows are predicted by those that did not see them in training.
    oob_trees: float | None
    #: Base value plus the scores of these trees; None where all trees predict, or scores have no such part.
    oob_explained: NDArray[np.float64] | None = None
    #: Of two classes: the probability of the second from which on it is predicted.
    threshold: float | None = None
    #: Whether the values are a number per output, of a model with several targets.
    per_output: bool = False
    #: The labels, in the order of the probabilities; None for numbers.
    classes: NDArray[Any] | None = None
    #: The place of the class that the numbers on the scale of the scores are about, if one was selected.
    output: int | None = None

    def rows(self, key: Any) -> Predictions:
        """Some rows; `numpy.newaxis` gives one row its axis back."""
        arrays = (self.values, self.on_scale, self.to_explain, self.explained)
        oob = None if self.oob_explained is None else np.asarray(self.oob_explained)[key]
        values, on_scale, to_explain, explained = (np.asarray(array)[key] for array in arrays)
        return self._replace(
            values=values, on_scale=on_scale, to_explain=to_explain, explained=explained, oob_explained=oob
        )

    def outputs(self, key: Any) -> Predictions:
        """Some outputs of several."""
        return self._replace(
            values=self.values[..., key] if self.per_output else self.values,
            on_scale=self.on_scale[..., key],
            to_explain=self.to_explain[..., key],
            explained=self.explained[..., key],
            oob_explained=None if self.oob_explained is None else self.oob_explained[..., key],
            output=key if isinstance(key, int) else None,
        )


def predictions_of(
    model: Model, cells: Cells, explained: NDArray[np.float64], scale: str, all_trees: bool, run: Any
) -> Predictions:
    """Training rows of a forest, known by the leaves they fall into, are predicted out of bag."""
    n_outputs = 1 if explained.ndim == 1 else explained.shape[1]
    values, on_scale, by_all, trees = _lmdi.predicted(model._compiled, cells.table, scale, n_outputs, run)
    if model.classes_ is None:
        values = values[:, 0]
    to_explain = by_all if all_trees and by_all is not None else on_scale
    shape = explained.shape
    parts = on_scale.reshape(shape), to_explain.reshape(shape), explained, trees
    return Predictions(values, *parts, threshold=model._compiled.threshold, classes=model.classes_)


def fidelity_of(predictions: Predictions, scale: str) -> Fidelity | None:
    """None if predictions do not vary, for a selection of several classes, and for several
    targets."""
    values, explained = predictions.values, predictions.explained
    if scale == "transformed":
        # Only the scale of the target that the model was trained on has both numbers.
        values, scale = predictions.on_scale, "identity"
    if predictions.oob_trees is not None and predictions.oob_explained is not None:
        # Of the same trees: what a tree knows of its own rows says nothing about new ones.
        explained = predictions.oob_explained
    elif predictions.oob_trees is not None and not np.array_equal(
        predictions.to_explain, predictions.on_scale
    ):
        # Scores of all trees, which are measured by what all trees say.
        values, scale = predictions.to_explain, "identity"
    width = 1 if values.ndim == 1 else values.shape[1]
    n_outputs = 1 if explained.ndim == 1 else explained.shape[1]
    if (predictions.per_output and width > 1) or (width > 2 and n_outputs != width):
        return None
    values, explained = (np.ascontiguousarray(array).ravel() for array in (values, explained))
    found = _lmdi.fidelity(values, width, explained, n_outputs, scale, predictions.threshold)
    return None if found is None else Fidelity(*found)
