"""Learners of this package."""

from __future__ import annotations

from typing import Any

from .model import Model
from .sklearn.common import check_fitted


def learner(estimator: Any) -> Model:
    check_fitted(estimator, "model_")
    return estimator.model_
