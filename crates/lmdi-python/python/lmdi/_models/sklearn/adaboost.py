"""AdaBoost of scikit-learn: weighted votes of trees, whose sum its probabilities are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model import Model
from .common import assemble, check_fitted, classes_of, columns_of, mean_values, tree_arrays


def classifier(estimator: Any) -> Model:
    """The decision function: each tree votes for the class of the leaf, with its weight."""
    check_fitted(estimator, "estimators_")
    classes = classes_of(estimator)
    assert classes is not None
    if any(not hasattr(member, "tree_") for member in estimator.estimators_):
        raise TypeError(
            f"AdaBoostClassifier of {type(estimator.estimators_[0]).__name__} is not supported; expected "
            "decision trees, or explain the members (estimators_) on their own"
        )
    n_classes = len(classes)
    weights = np.asarray(estimator.estimator_weights_[: len(estimator.estimators_)], dtype=float)
    trees = []
    for member, weight in zip(estimator.estimators_, weights / weights.sum()):
        tree = tree_arrays(member.tree_, None)
        labels = np.searchsorted(classes, member.classes_)
        voted = labels[member.tree_.value[:, 0, :].argmax(axis=1)]
        if n_classes == 2:
            # The probability is the logistic function of twice the difference of votes.
            votes = np.where(voted == 1, 2.0, -2.0)[:, np.newaxis]
        else:
            votes = np.full((len(voted), n_classes), -1.0 / (n_classes - 1))
            votes[np.arange(len(voted)), voted] = 1.0
            votes /= n_classes - 1
        trees.append(mean_values(tree, weight * votes))
    n_outputs = 1 if n_classes == 2 else n_classes
    return assemble(
        estimator,
        columns_of(estimator),
        classes,
        trees,
        base_score=[0.0] * n_outputs,
        learning_rate=1.0,
        link="logit" if n_classes == 2 else "softmax",
        growth="first_order",
        loss="other",
    )


def regressor(estimator: Any) -> Model:
    """Refused: a median is no sum."""
    raise TypeError(
        "AdaBoostRegressor predicts the weighted median of its trees, which is no sum of scores; explain a "
        "member (estimators_), or train another kind of boosting"
    )
