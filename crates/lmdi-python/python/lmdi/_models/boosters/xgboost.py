"""XGBoost: boosters and the scikit-learn interface.

`predict` of the scikit-learn interface stops at the best round of early stopping, that of a booster does not;
the model is read accordingly. What the `missing=` of the scikit-learn interface names is missing here too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import not_fitted
from ..model import Model
from .common import model_of_bytes


def booster(model: Any) -> Model:
    """A `Booster`, with all its rounds."""
    content = bytes(model.save_raw(raw_format="ubj"))
    return model_of_bytes(content, rounds="all", names=model.feature_names)


def estimator(model: Any) -> Model:
    """An `XGBRegressor`, `XGBClassifier` or their random forests."""
    if not model.__sklearn_is_fitted__():
        raise not_fitted(f"This {type(model).__name__} instance is not fitted yet: call its fit(X, y)")
    inner = model.get_booster()
    missing = model.missing
    classes = np.asarray(model.classes_) if hasattr(model, "predict_proba") else None
    read = model_of_bytes(
        bytes(inner.save_raw(raw_format="ubj")),
        rounds="best",
        names=inner.feature_names,
        classes=classes,
        missing=np.nan if missing is None else float(missing),
    )
    if callable(model.objective):
        # The file names XGBoost's default instead.
        read._compiled = read._compiled.with_other_loss()
    return read
