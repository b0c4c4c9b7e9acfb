"""Trees, forests and bagged trees of scikit-learn.

In-bag counts come from `estimators_samples_`, which scikit-learn computes with the rules of the version that
drew them; they are never drawn again here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..composite import Composite, OneColumn, Part
from ..model import Model
from .common import assemble, check_fitted, classes_of, columns_of, mean_values, tree_arrays


def tree(estimator: Any) -> Model | Composite:
    """A single tree, grown on every row."""
    check_fitted(estimator, "tree_")
    if estimator.n_outputs_ > 1:
        return _several_outputs(estimator, [estimator], [None], sees_every_row=True)
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


def forest(estimator: Any) -> Model | Composite:
    """A random forest or extra-trees."""
    check_fitted(estimator, "estimators_")
    if estimator.bootstrap:
        bags = _counts(estimator.estimators_samples_, estimator._n_samples)
    else:
        bags = [None] * len(estimator.estimators_)
    if estimator.n_outputs_ > 1:
        return _several_outputs(estimator, estimator.estimators_, bags, not estimator.bootstrap)
    classes = classes_of(estimator)
    trees = [tree_arrays(member.tree_, classes, bag) for member, bag in zip(estimator.estimators_, bags)]
    return assemble(
        estimator,
        columns_of(estimator),
        classes,
        trees,
        sees_every_row=not estimator.bootstrap,
        class_weight=getattr(estimator, "class_weight", None),
    )


def _several_outputs(estimator: Any, members: Any, bags: Any, sees_every_row: bool) -> Composite:
    """Trees that predict several numbers at once, as one model per number."""
    if hasattr(estimator, "classes_"):
        raise TypeError(
            f"this {type(estimator).__name__} predicts the classes of {estimator.n_outputs_} targets at "
            "once; fit one model per target"
        )
    columns = columns_of(estimator)
    parts = []
    for output in range(estimator.n_outputs_):
        trees = [tree_arrays(one.tree_, None, bag, output=output) for one, bag in zip(members, bags)]
        model = assemble(estimator, columns, None, trees, sees_every_row=sees_every_row)
        parts.append(Part(model, output=output, target=OneColumn(output, estimator.n_outputs_)))
    names = [f"y{at}" for at in range(estimator.n_outputs_)]
    return Composite(parts, columns, output_names=names)


def isolation(estimator: Any) -> Model:
    """An isolation forest: the mean number of splits that a row takes, which is small for outliers."""
    check_fitted(estimator, "estimators_")
    features = estimator.estimators_features_
    trees = []
    for member, places in zip(estimator.estimators_, features):
        arrays = tree_arrays(member.tree_, None, features=places)
        depth = np.zeros(len(arrays["left"]))
        for node in np.flatnonzero(arrays["left"] >= 0):
            depth[arrays["left"][node]] = depth[arrays["right"][node]] = depth[node] + 1
        # What is not split any further counts as a tree of as many rows would.
        length = depth + _mean_path(member.tree_.n_node_samples)
        trees.append(mean_values(arrays, length[:, np.newaxis]))
    return assemble(estimator, columns_of(estimator), None, trees, growth="first_order", loss="other")


def _mean_path(n_rows: np.ndarray) -> np.ndarray:
    """The mean path of a row in a random tree of so many rows (Liu et al. 2008)."""
    n = np.asarray(n_rows, dtype=np.float64)
    harmonic = np.log(np.maximum(n - 1, 1)) + np.euler_gamma
    return np.where(n <= 1, 0.0, np.where(n == 2, 1.0, 2 * harmonic - 2 * (n - 1) / n))


def bagging(estimator: Any) -> Model:
    """Bagged trees: rows and columns may both have been drawn."""
    check_fitted(estimator, "estimators_")
    classes = classes_of(estimator)
    members = estimator.estimators_
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
