"""Whether a target can be the one that a model was trained on.

A shuffled target, one on another scale, or one of other rows is fitted as readily as the right one, and
nothing would look wrong. But a model's own predictions follow the target it was trained on.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .._errors import LmdiWarning
from .model import Model

#: A least-squares line of the target on the predictions of training rows has a slope of about one, or
#: steeper where the model holds back; below this, the target hardly follows the predictions.
SMALLEST_SLOPE = 0.5
#: The same where classes were weighted, which stretches probabilities.
SMALLEST_WEIGHTED_SLOPE = 0.05
#: A forest's mean prediction is the mean of its target, this many standard deviations apart at most.
LARGEST_SHIFT = 0.5
#: With fewer rows, chance decides.
FEWEST_ROWS = 20


def warn_if_misfit(model: Model, prediction: np.ndarray, response: Any, weights: np.ndarray | None) -> bool:
    """Warns where the target does not follow the model's predictions for the same rows.

    `prediction` has one column, or one per class.
    """
    n_rows = len(prediction)
    if n_rows < FEWEST_ROWS:
        return False
    if model.classes_ is None:
        target = np.asarray(response)[:, np.newaxis]
        smallest = SMALLEST_SLOPE
    else:
        codes, n_classes = response
        target = np.zeros((n_rows, n_classes))
        target[np.arange(n_rows), codes] = 1.0
        smallest = SMALLEST_WEIGHTED_SLOPE if model._compiled.has_class_weights else SMALLEST_SLOPE
        smallest = smallest if weights is None else SMALLEST_WEIGHTED_SLOPE
    weight = np.ones(n_rows) if weights is None else weights
    if not weight.sum() > 0 or not np.isfinite(prediction).all():
        return False
    from_mean = prediction - np.average(prediction, axis=0, weights=weight)
    target_mean = np.average(target, axis=0, weights=weight)
    spread = float(weight @ (from_mean**2).sum(axis=1))
    size = float(weight @ (prediction**2).sum(axis=1))
    reasons = []
    if spread > 1e-12 * size:
        slope = float(weight @ (from_mean * (target - target_mean)).sum(axis=1)) / spread
        if slope < smallest:
            reasons.append(
                f"where predictions rise by 1, y rises by {slope:.2g} on average"
                if model.classes_ is None
                else "rows of a class are hardly more probable under the model than others"
            )
    if model.classes_ is None and not model._compiled.is_boosted and not reasons:
        deviation = float(np.sqrt(np.average((target - target_mean) ** 2, axis=0, weights=weight)[0]))
        shift = abs(float(np.average(prediction[:, 0], weights=weight)) - float(target_mean[0]))
        if shift > LARGEST_SHIFT * deviation and shift > 1e-6 * abs(float(target_mean[0])):
            reasons.append(
                f"the mean of y is {float(target_mean[0]):.4g}, the mean prediction "
                f"{float(np.average(prediction[:, 0], weights=weight)):.4g}"
            )
    if not reasons:
        return False
    warnings.warn(
        f"y does not fit the model's own predictions for X: {reasons[0]}. Check that y holds the target of "
        "these rows, in their order and on the scale that the model was trained on",
        LmdiWarning,
        stacklevel=4,
    )
    return True
