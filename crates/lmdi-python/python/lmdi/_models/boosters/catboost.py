"""CatBoost, by way of its JSON file.

CatBoost knows categories by the hash of their text and writes their names only beside the rows that hold
them. So a model with categorical columns is read together with a table.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from ..._errors import not_fitted
from ..composite import Composite
from ..model import Model
from .catboost_statistics import ONLY_TREES, for_table, has_statistics
from .catboost_targets import several_targets
from .common import model_of_bytes


def estimator(model: Any, table: Any = None) -> Model | Composite:
    """A `CatBoostRegressor`, `CatBoostClassifier`, `CatBoostRanker` or `CatBoost`."""
    if not model.is_fitted():
        raise not_fitted(f"This {type(model).__name__} instance is not fitted yet: call its fit(X, y)")
    names = list(model.feature_names_)
    unnamed = names == [str(at) for at in range(len(names))]
    classes = None if len(np.ravel(model.classes_)) == 0 else np.asarray(model.classes_)
    pool = _pool(model, table, None if unnamed else names)
    content = _json(model, pool)
    if has_statistics(content):
        if pool is None:
            raise ValueError(ONLY_TREES)
        return for_table(model, content, table, pool, classes)
    several = several_targets(content, None if unnamed else names)
    if several is not None:
        return several
    return model_of_bytes(content, rounds="all", names=None if unnamed else names, classes=classes)


def _pool(model: Any, table: Any, names: Any) -> Any:
    """The rows of a table for CatBoost, for a model that knows categories."""
    categorical = model.get_cat_feature_indices()
    if not categorical:
        return None
    if table is None:
        raise ValueError(
            "a CatBoost model with categorical columns is read together with a table that holds their "
            "categories; save it with model.save_model(path, format='json', pool=pool) and read that"
        )
    import catboost

    if names is not None and hasattr(table, "columns") and list(table.columns) != names:
        missing = [name for name in names if name not in list(table.columns)]
        if missing:
            raise ValueError(
                "The feature names should match those that were passed during fit: X has no column "
                + ", ".join(repr(name) for name in missing[:5])
            )
        table = table[names]
    return catboost.Pool(table, cat_features=categorical)


def _json(model: Any, pool: Any) -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "model.json")
        model.save_model(path, format="json", pool=pool)
        with open(path, "rb") as file:
            return file.read()
