"""Learners of this package."""

from __future__ import annotations

from .._model import Model
from .sklearn_common import check_fitted


def learner(estimator) -> Model:
    check_fitted(estimator, "model_")
    return estimator.model_
