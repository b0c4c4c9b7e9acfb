"""CatBoost, by way of its JSON file.

CatBoost knows categories by the hash of their text and writes their names only beside the rows that hold
them. So a model with categorical columns is read together with a table.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from .._errors import not_fitted
from .._model import Model
from .foreign import model_of_bytes


def estimator(model: Any, table: Any = None) -> Model:
    """A `CatBoostRegressor`, `CatBoostClassifier` or `CatBoost`."""
    if not model.is_fitted():
        raise not_fitted(f"This {type(model).__name__} instance is not fitted yet: call its fit(X, y)")
    names = list(model.feature_names_)
    unnamed = names == [str(at) for at in range(len(names))]
    classes = None if len(np.ravel(model.classes_)) == 0 else np.asarray(model.classes_)
    return model_of_bytes(
        _json(model, table), rounds="all", names=None if unnamed else names, classes=classes
    )


def _json(model: Any, table: Any) -> bytes:
    pool = None
    categorical = model.get_cat_feature_indices()
    if categorical:
        if table is None:
            raise ValueError(
                "a CatBoost model with categorical columns is read together with a table that holds their "
                "categories; save it with model.save_model(path, format='json', pool=pool) and read that"
            )
        import catboost

        pool = catboost.Pool(table, cat_features=categorical)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "model.json")
        model.save_model(path, format="json", pool=pool)
        with open(path, "rb") as file:
            return file.read()
