"""Spark ML's own tree models: decision trees, random forests and gradient-boosted trees.

Rules of Spark 3.5 to 4.x: a row goes left at a continuous split if its cell is at most the threshold, NaN
goes right. A categorical split lists the smaller of its two sides; a category that is not listed, new ones
and NaN included, goes to the other side. Forests of classes average the shares of the leaves' training
weights. The trees of boosting are added up with their weights; of two classes the log-odds are twice that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _lmdi
from .._input.columns import Columns
from .._models.model import Model

FORESTS = (
    "DecisionTreeRegressionModel",
    "DecisionTreeClassificationModel",
    "RandomForestRegressionModel",
    "RandomForestClassificationModel",
)
BOOSTED = ("GBTRegressionModel", "GBTClassificationModel")


def spark_model(model: Any, features: list[str] | None = None) -> Any:
    """A model of Spark ML as this package holds it; any other model as it is.

    Spark's models read a vector; `features` names its elements, in order.
    """
    kind = type(model)
    if kind.__module__.split(".")[0] != "pyspark":
        return model
    name = kind.__name__
    if name not in FORESTS + BOOSTED:
        raise TypeError(
            f"a {name} of Spark ML is not supported; expected one of {', '.join(FORESTS + BOOSTED)}"
        )
    n_features = int(model.numFeatures)
    names = list(features) if features is not None else [f"x{at}" for at in range(n_features)]
    if len(names) != n_features:
        raise ValueError(f"features names {len(names)} columns; the model reads {n_features}")
    n_classes = int(model.numClasses) if name.endswith("ClassificationModel") else 0
    trees = list(model.trees) if hasattr(model, "trees") else [model]
    if name in BOOSTED:
        compiled = _boosted(model, trees, names, n_classes)
    else:
        arrays = [_tree(tree, n_classes, 1.0) for tree in trees]
        compiled = _compiled(arrays, names, n_classes, boosted=False)
    classes = None if n_classes == 0 else np.arange(n_classes, dtype=float)
    known = None if features is None else tuple(names)
    return Model(compiled, Columns(known, n_features), classes)


def _boosted(model: Any, trees: list[Any], names: list[str], n_classes: int) -> Any:
    loss = str(model.getOrDefault("lossType"))
    # The margin of Spark is half of the log-odds.
    factor = 2.0 if n_classes else 1.0
    arrays = [_tree(tree, 0, factor * float(weight)) for tree, weight in zip(trees, model.treeWeights)]
    known = {"squared": "squared_error", "logistic": "logistic"}.get(loss, "other")
    return _compiled(arrays, names, n_classes, boosted=True, loss=known)


def _compiled(
    arrays: list[dict[str, Any]],
    names: list[str],
    n_classes: int,
    boosted: bool,
    loss: str = "squared_error",
) -> Any:
    n_outputs = 1 if boosted or not n_classes else n_classes
    return _lmdi.Model.from_arrays(
        feature_names=names,
        classes=None if n_classes == 0 else [str(label) for label in range(n_classes)],
        trees=arrays,
        output_of_tree=[],
        base_score=[0.0] * n_outputs,
        learning_rate=1.0 if boosted else None,
        link="logit" if boosted and n_classes else "identity",
        growth="shrunk" if boosted else "independent",
        loss=loss,
        producer="Spark ML",
        levels=[],
    )


def _tree(tree: Any, n_classes: int, factor: float) -> dict[str, Any]:
    """The arrays of a tree: nodes in the order of Spark's own numbering, a parent before its children."""
    nodes: list[dict[str, Any]] = []
    sets: list[tuple[list[int], list[int]]] = []

    def visit(node: Any) -> int:
        at = len(nodes)
        stats = np.asarray(list(node.impurityStats().stats()), dtype=float)
        weight = float(stats.sum()) if n_classes else float(stats[0])
        value = stats / stats.sum() if n_classes else np.asarray([factor * float(node.prediction())])
        found: dict[str, Any] = {
            "feature": -1,
            "threshold": 0.0,
            "left": -1,
            "right": -1,
            "missing_left": False,
            "category_set": -1,
            "value": value,
            "weight": weight,
            "impurity": float(node.impurity()),
        }
        nodes.append(found)
        if node.getClass().getSimpleName() == "InternalNode":
            split = node.split()
            found["feature"] = int(split.featureIndex())
            if split.getClass().getSimpleName() == "ContinuousSplit":
                found["threshold"] = float(split.threshold())
            else:
                left = [int(code) for code in split.leftCategories()]
                known = left + [int(code) for code in split.rightCategories()]
                found["category_set"] = len(sets)
                # Of the two sides the smaller one is listed; what is not listed goes to the other.
                found["missing_left"] = 2 * len(left) > len(known)
                sets.append((_words(left), _words(known)))
            found["left"] = visit(node.leftChild())
            found["right"] = visit(node.rightChild())
        return at

    visit(tree._java_obj.rootNode())

    def column(name: str, kind: Any) -> np.ndarray:
        return np.asarray([node[name] for node in nodes], dtype=kind)

    return {
        "feature": column("feature", np.int64),
        "threshold": column("threshold", np.float64),
        "left": column("left", np.int64),
        "right": column("right", np.int64),
        "missing_left": column("missing_left", bool),
        "value": np.concatenate([node["value"] for node in nodes]),
        "weight": column("weight", np.float64),
        "impurity": column("impurity", np.float64),
        "single": False,
        "category_set": column("category_set", np.int64),
        "category_sets": sets,
        "in_bag": None,
    }


def _words(codes: list[int]) -> list[int]:
    """A set of codes as bits of 64-bit words."""
    words = [0] * (max(codes, default=0) // 64 + 1)
    for code in codes:
        words[code // 64] |= 1 << (code % 64)
    return words
