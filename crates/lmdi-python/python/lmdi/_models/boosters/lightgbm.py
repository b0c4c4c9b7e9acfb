"""LightGBM: boosters, the scikit-learn interface and that of SynapseML on Spark.

Both predict with the rounds up to the best one of early stopping, which is what the text of a model holds.
"""

from __future__ import annotations

from typing import Any

from ..._errors import not_fitted
from ..class_weights import with_class_weights
from ..model import Model
from .common import model_of_bytes


def booster(model: Any, classes: Any = None) -> Model:
    """A `Booster`."""
    names = model.feature_name()
    unnamed = names == [f"Column_{at}" for at in range(len(names))]
    return model_of_bytes(
        model.model_to_string().encode(),
        rounds="all",
        names=None if unnamed else names,
        classes=classes,
        underscored=True,
    )


def estimator(model: Any) -> Model:
    """An `LGBMRegressor` or `LGBMClassifier`."""
    if not model.__sklearn_is_fitted__():
        raise not_fitted(f"This {type(model).__name__} instance is not fitted yet: call its fit(X, y)")
    classes = model.classes_ if hasattr(model, "predict_proba") else None
    read = booster(model.booster_, classes)
    read._compiled = with_class_weights(read._compiled, model.class_weight, read.classes_)
    return read


def spark_model(model: Any) -> Model:
    """What LightGBM's estimators of SynapseML give, by the text of the model."""
    text = str(model.getNativeModel())
    found = next((line for line in text.splitlines() if line.startswith("feature_names=")), "=")
    names = found.split("=", 1)[1].split(" ")
    unnamed = names == [f"Column_{at}" for at in range(len(names))]
    return model_of_bytes(text.encode(), rounds="all", names=None if unnamed else names, underscored=True)
