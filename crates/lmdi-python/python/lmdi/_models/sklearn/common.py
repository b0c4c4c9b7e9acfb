"""What the readers of scikit-learn models share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _lmdi
from ..._errors import not_fitted
from ..._input.columns import Categories, Columns
from ..class_weights import with_class_weights
from ..model import Model


def check_fitted(estimator: Any, attribute: str) -> None:
    """Raises unless the estimator has been fitted."""
    if not hasattr(estimator, attribute):
        name = type(estimator).__name__
        raise not_fitted(f"This {name} instance is not fitted yet: call its fit(X, y) before it is explained")


def classes_of(estimator: Any) -> np.ndarray | None:
    """Class labels, or None for a model of numbers."""
    classes = getattr(estimator, "classes_", None)
    if classes is not None and len(classes) < 2:
        raise ValueError(f"the model knows only the class {str(classes[0])!r}; expected two or more")
    return classes


def columns_of(estimator: Any, categories: dict[int, Categories] | None = None) -> Columns:
    """Names and categories of the columns."""
    names = getattr(estimator, "feature_names_in_", None)
    names = None if names is None else tuple(str(name) for name in names)
    return Columns(names, int(estimator.n_features_in_), categories or {})


def tree_arrays(
    tree: Any, classes: Any, in_bag: Any = None, features: Any = None, output: int = 0
) -> dict[str, Any]:
    """The arrays of a `tree_`.

    `classes` are None for a tree of numbers; `features` the columns it was grown on, if not all; `output` is
    the one taken of a tree that has several.
    """
    leaf = tree.children_left < 0
    value = np.ascontiguousarray(tree.value[:, output, :], dtype=np.float64)
    if classes is not None:
        # Shares since scikit-learn 1.3, weighted counts before.
        value = value / value.sum(axis=1, keepdims=True)
    feature = np.where(leaf, 0, tree.feature)
    if features is not None:
        feature = np.asarray(features)[feature]
    return {
        "feature": np.where(leaf, -1, feature).astype(np.int64),
        "threshold": np.where(leaf, 0.0, tree.threshold),
        "left": np.where(leaf, -1, tree.children_left).astype(np.int64),
        "right": np.where(leaf, -1, tree.children_right).astype(np.int64),
        "missing_left": np.asarray(tree.missing_go_to_left, dtype=bool),
        "value": value.ravel(),
        "weight": np.ascontiguousarray(tree.weighted_n_node_samples, dtype=np.float64),
        "impurity": np.ascontiguousarray(tree.impurity, dtype=np.float64),
        "single": True,
        "category_set": None,
        "category_sets": [],
        "in_bag": in_bag,
    }


def mean_values(tree: dict[str, Any], value: np.ndarray) -> dict[str, Any]:
    """A tree with other values (nodes, outputs) of its leaves; inner nodes get the mean by weight."""
    value, weight = np.array(value, dtype=np.float64), tree["weight"]
    # The children of a node come behind it.
    for node in np.flatnonzero(tree["left"] >= 0)[::-1]:
        left, right = tree["left"][node], tree["right"][node]
        value[node] = (weight[left] * value[left] + weight[right] * value[right]) / (
            weight[left] + weight[right]
        )
    return {**tree, "value": value.ravel(), "impurity": np.full(len(value), np.nan)}


def assemble(
    estimator: Any,
    columns: Columns,
    classes: Any,
    trees: Any,
    sees_every_row: bool = False,
    class_weight: Any = None,
    **ensemble: Any,
) -> Model:
    """The model of an ensemble, whose defaults are those of a forest."""
    from importlib.metadata import version

    n_outputs = 1 if classes is None else len(classes)
    parts = {
        "output_of_tree": [],
        "base_score": [0.0] * n_outputs,
        "learning_rate": None,
        "link": "identity",
        "growth": "independent",
        "loss": "",
        **ensemble,
    }
    compiled = _lmdi.Model.from_arrays(
        feature_names=columns.labels(),
        classes=None if classes is None else [str(label) for label in classes.tolist()],
        trees=trees,
        levels=columns.levels(),
        producer=f"scikit-learn {version('scikit-learn')} {type(estimator).__name__}",
        **parts,
    )
    compiled = with_class_weights(compiled, class_weight, classes)
    return Model(compiled, columns, classes, sees_every_row)
