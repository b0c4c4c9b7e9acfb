"""Gradient boosting of scikit-learn: `raw = start + learning_rate * sum of trees`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model import Model
from .common import assemble, check_fitted, classes_of, columns_of, tree_arrays


def boosting(estimator: Any) -> Model:
    check_fitted(estimator, "estimators_")
    classes = classes_of(estimator)
    n_outputs = estimator.estimators_.shape[1]
    if classes is None:
        loss, link = "squared_error" if estimator.loss == "squared_error" else "other", "identity"
    elif n_outputs == 1:
        loss, link = "logistic" if estimator.loss == "log_loss" else "other", "logit"
    else:
        loss, link = "multinomial", "softmax"
    # The raw output of exponential loss is half the log-odds.
    factor = 2.0 if estimator.loss == "exponential" else 1.0
    trees = [tree_arrays(member.tree_, None) for member in estimator.estimators_.ravel()]
    for tree in trees:
        tree["value"] = factor * tree["value"]
    return assemble(
        estimator,
        columns_of(estimator),
        classes,
        trees,
        sees_every_row=estimator.subsample == 1.0,
        base_score=[factor * score for score in _start(estimator)],
        learning_rate=float(estimator.learning_rate),
        link=link,
        growth="first_order",
        loss=loss,
        output_of_tree=list(range(n_outputs)) * len(estimator.estimators_) if n_outputs > 1 else [],
    )


def _start(estimator: Any) -> list[float]:
    """The raw output before any tree, which must be the same for every row."""
    init = estimator.init_
    constant = isinstance(init, str) or (
        type(init).__name__ in ("DummyClassifier", "DummyRegressor")
        and getattr(init, "strategy", "") not in ("stratified", "uniform")
    )
    if not constant:
        raise ValueError(
            f"boosting starts from {type(init).__name__}, whose prediction differs between rows; fit with "
            "init=None or init='zero', or boost the residuals of that model and explain both"
        )
    # scikit-learn has no public name for it.
    start = estimator._raw_predict_init(np.zeros((1, estimator.n_features_in_), dtype=np.float32))
    return start.ravel().astype(float).tolist()
