"""The `class_weight` of estimators: how much the rows of each class counted in training."""

from __future__ import annotations

from typing import Any


def with_class_weights(compiled: Any, class_weight: Any, classes: Any) -> Any:
    """The model with the weights of an estimator's `class_weight`: None, "balanced" or weights by label.

    "balanced_subsample" balances the rows that each tree drew; that differs from balancing all rows by
    chance alone and is read as the latter.
    """
    if class_weight is None or classes is None:
        return compiled
    if isinstance(class_weight, str):
        return compiled.with_class_weights(None)
    by_label = dict(class_weight)
    return compiled.with_class_weights([float(by_label.get(label, 1.0)) for label in classes.tolist()])
