"""Trees, forests and bagged trees of scikit-learn.

In-bag counts come from `estimators_samples_`, which scikit-learn computes with the rules of the version that
drew them; they are never drawn again here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._model import Model
from .sklearn_common import assemble, check_fitted, classes_of, columns_of, tree_arrays


def tree(estimator: Any) -> Model:
    """A single tree, grown on every row."""
    check_fitted(estimator, "tree_")
    classes = classes_of(estimator)
    trees = [tree_arrays(estimator.tree_, classes)]
    return assemble(
        estimator,
        columns_of(estimator),
        classes,
        trees,
        sees_every_row=True,
        class_weight=getattr(estimator, "class_weight", None),
    )


def forest(estimator: Any) -> Model:
    """A random forest or extra-trees."""
    check_fitted(estimator, "estimators_")
    classes = classes_of(estimator)
    if estimator.bootstrap:
        bags = _counts(estimator.estimators_samples_, estimator._n_samples)
    else:
        bags = [None] * len(estimator.estimators_)
    trees = [tree_arrays(member.tree_, classes, bag) for member, bag in zip(estimator.estimators_, bags)]
    return assemble(
        estimator,
        columns_of(estimator),
        classes,
        trees,
        sees_every_row=not estimator.bootstrap,
        class_weight=getattr(estimator, "class_weight", None),
    )


def bagging(estimator: Any) -> Model:
    """Bagged trees: rows and columns may both have been drawn."""
    check_fitted(estimator, "estimators_")
    classes = classes_of(estimator)
    members = estimator.estimators_
    other = next((member for member in members if not hasattr(member, "tree_")), None)
    if other is not None:
        raise TypeError(
            f"{type(estimator).__name__} of {type(other).__name__} is not supported; expected bagged "
            "decision trees, or pass one of its members on its own"
        )
    bags = _counts(estimator.estimators_samples_, estimator._n_samples)
    trees = [
        tree_arrays(member.tree_, classes, bag, features)
        for member, bag, features in zip(members, bags, estimator.estimators_features_)
    ]
    weight = getattr(members[0], "class_weight", None)
    return assemble(estimator, columns_of(estimator), classes, trees, class_weight=weight)


def _counts(samples: Any, n_rows: int) -> Any:
    """How often each row was drawn, tree by tree."""
    return [np.bincount(drawn, minlength=n_rows).astype(np.uint32) for drawn in samples]
