"""Learners of this package."""

from __future__ import annotations

from typing import Any

from .._model import Model
from .sklearn_common import check_fitted


def learner(estimator: Any) -> Model:
    check_fitted(estimator, "model_")
    return estimator.model_
