"""Models around one model of scikit-learn: searches, thresholds, calibration and transformed targets.

Where what is predicted is not linear in what the model inside predicts, the message says what to pass.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..._errors import not_fitted
from ..composite import Composite
from ..model import Model
from .common import check_fitted
from .sums import flat


def frozen(estimator: Any, table: Any = None) -> Model | Composite:
    """The model inside."""
    from .. import model_of

    return model_of(estimator.estimator, table)


def search(estimator: Any, table: Any = None) -> Model | Composite:
    """The best model of a search."""
    from .. import model_of

    if not hasattr(estimator, "best_estimator_"):
        raise not_fitted(
            f"This {type(estimator).__name__} has no best_estimator_: fit it with refit=True first"
        )
    return model_of(estimator.best_estimator_, table)


def threshold(estimator: Any, table: Any = None) -> Model | Composite:
    """The model whose probabilities are decided by a threshold."""
    from .. import model_of

    check_fitted(estimator, "estimator_")
    return model_of(estimator.estimator_, table)


class _Transformed:
    """A target as a `TransformedTargetRegressor` gives it to its regressor."""

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    def __call__(self, y: Any) -> Any:
        return np.ravel(self.transformer.transform(np.asarray(y, dtype=float).reshape(-1, 1)))


def transformed_target(estimator: Any, table: Any = None) -> Composite:
    """The regressor inside; on the user's scale where the target was only shifted and stretched."""
    from .. import model_of

    check_fitted(estimator, "regressor_")
    inner = model_of(estimator.regressor_, table)
    back = np.ravel(estimator.transformer_.inverse_transform(np.asarray([[0.0], [1.0], [2.0], [4.0]])))
    parts = flat(inner, "TransformedTargetRegressor", target=_Transformed(estimator.transformer_))
    slope = back[1] - back[0]
    columns = inner._columns if isinstance(inner, Model) else inner.columns
    if np.allclose(back, back[0] + slope * np.asarray([0, 1, 2, 4]), rtol=1e-12, atol=1e-12 * abs(slope)):
        parts = [replace(part, weight=float(slope) * part.weight, scale="identity") for part in parts]
        return Composite(parts, columns, offset=float(back[0]))
    is_log = np.allclose(back, np.exp([0.0, 1.0, 2.0, 4.0]), rtol=1e-12)
    parts = [replace(part, scale="identity") for part in parts]
    return Composite(parts, columns, scale="log" if is_log else "transformed")


def calibrated(estimator: Any, table: Any = None) -> Composite:
    """One model under a sigmoid: its calibrated log-odds are linear in what it predicts."""
    from .. import model_of

    check_fitted(estimator, "calibrated_classifiers_")
    members = estimator.calibrated_classifiers_
    several = len(members) > 1
    if several or len(estimator.classes_) > 2 or estimator.method != "sigmoid":
        why = (
            "averages the probabilities of several calibrated models"
            if several
            else "bends probabilities by steps or across classes"
        )
        raise TypeError(
            f"this CalibratedClassifierCV {why}, which is no sum of scores. Explain a model before its "
            "calibration with lmdi.TreeSHAP(calibrated.calibrated_classifiers_[0].estimator), or calibrate "
            "two classes with method='sigmoid' and ensemble=False"
        )
    inner_estimator, calibrator = members[0].estimator, members[0].calibrators[0]
    # scikit-learn calibrates decision functions where there are any, else probabilities.
    scale: Any = "log_odds" if hasattr(inner_estimator, "decision_function") else "identity"
    inner = model_of(inner_estimator, table)
    weight = -float(calibrator.a_)
    parts = [
        replace(part, weight=weight * part.weight, scale=scale)
        for part in flat(inner, "CalibratedClassifierCV")
    ]
    return Composite(
        parts, inner._columns, np.asarray(estimator.classes_), offset=-float(calibrator.b_), scale="log_odds"
    )
