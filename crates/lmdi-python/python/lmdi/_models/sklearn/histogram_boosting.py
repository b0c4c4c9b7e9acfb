"""Histogram-based gradient boosting of scikit-learn.

Leaf values hold the learning rate already; it is taken out again, because the model of a tree is fitted to
the whole working response. With categorical columns, scikit-learn puts those first and replaces their
cells by codes before the trees see them; here columns stay in the user's order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._input.columns import Categories, is_missing
from ..model import Model
from .common import assemble, check_fitted, classes_of, columns_of


def boosting(estimator: Any) -> Model:
    check_fitted(estimator, "_predictors")
    classes = classes_of(estimator)
    n_outputs = int(estimator.n_trees_per_iteration_)
    loss, link = _loss(estimator, classes, n_outputs)
    place, categories = _columns(estimator)
    known, known_row = estimator._bin_mapper.make_known_categories_bitsets()
    rate = float(estimator.learning_rate) or 1.0
    trees = [
        _tree(predictor, place, known, known_row, rate)
        for iteration in estimator._predictors
        for predictor in iteration
    ]
    return assemble(
        estimator,
        columns_of(estimator, categories),
        classes,
        trees,
        base_score=np.ravel(estimator._baseline_prediction).astype(float).tolist(),
        learning_rate=rate,
        link=link,
        growth="second_order",
        loss=loss,
        output_of_tree=list(range(n_outputs)) * len(estimator._predictors) if n_outputs > 1 else [],
        sees_every_row=True,
        class_weight=getattr(estimator, "class_weight", None),
    )


def _loss(estimator: Any, classes: Any, n_outputs: Any) -> Any:
    if classes is None:
        known = {
            "squared_error": ("squared_error", "identity"),
            "poisson": ("poisson", "log"),
            "gamma": ("gamma", "log"),
        }
    else:
        several = ("multinomial", "softmax")
        known = {"log_loss": ("logistic", "logit") if n_outputs == 1 else several}
    return known.get(estimator.loss, ("other", "identity"))


def _columns(estimator: Any) -> Any:
    """The user's column for each column of the trees, and the categories by the user's column."""
    mask = getattr(estimator, "is_categorical_", None)
    n_features = int(estimator.n_features_in_)
    if mask is None:
        return np.arange(n_features), {}
    place = np.concatenate([np.flatnonzero(mask), np.flatnonzero(~mask)])
    encoder = estimator._preprocessor.named_transformers_["encoder"]
    # A missing value comes last and is encoded as missing.
    values = [
        [value for value in np.asarray(list_).tolist() if not is_missing(value)]
        for list_ in encoder.categories_
    ]
    return place, {int(at): Categories(list_) for at, list_ in zip(place, values)}


def _tree(predictor: Any, place: Any, known: Any, known_row: Any, rate: float) -> dict[str, Any]:
    nodes = predictor.nodes
    leaf = nodes["is_leaf"].astype(bool)
    categorical = nodes["is_categorical"].astype(bool) & ~leaf
    column = nodes["feature_idx"].astype(np.int64)
    sets: list[Any] = []
    category_set = np.full(len(nodes), -1, dtype=np.int64)
    for node in np.flatnonzero(categorical):
        category_set[node] = len(sets)
        members = predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]]
        sets.append((_words(members), _words(known[known_row[column[node]]])))
    weight = nodes["count"].astype(np.float64)
    return {
        "feature": np.where(leaf, -1, place[np.where(leaf, 0, column)]).astype(np.int64),
        "threshold": np.where(leaf | categorical, 0.0, nodes["num_threshold"]),
        "left": np.where(leaf, -1, nodes["left"]).astype(np.int64),
        "right": np.where(leaf, -1, nodes["right"]).astype(np.int64),
        "missing_left": nodes["missing_go_to_left"].astype(bool),
        "value": nodes["value"].astype(np.float64) / rate,
        "weight": weight,
        "impurity": np.full(len(nodes), np.nan),
        "single": False,
        "category_set": category_set,
        "category_sets": sets,
        "in_bag": None,
    }


def _words(bits: Any) -> list[int]:
    """Words of 32 bits as words of 64."""
    bits = np.asarray(bits, dtype=np.uint64)
    return (bits[0::2] | bits[1::2] << np.uint64(32)).tolist()
