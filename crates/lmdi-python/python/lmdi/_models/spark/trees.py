"""Spark ML's own tree models: decision trees, random forests and gradient-boosted trees.

Rules of Spark 3.5 to 4.x: a row goes left at a continuous split if its cell is at most the threshold, NaN
goes right. A categorical split lists the smaller of its two sides; a category that is not listed, new ones
and NaN included, goes to the other side. Forests of classes average the shares of the leaves' training
weights. The trees of boosting are added up with their weights; of two classes the log-odds are twice that.

The models read a vector, whose elements have no names here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _lmdi
from ..._input.columns import Columns
from ..model import Model


def forest(model: Any) -> Model:
    """A `DecisionTree*Model` or `RandomForest*Model`."""
    n_classes = _n_classes(model)
    trees = model.trees if hasattr(model, "trees") else [model]
    return _model(model, [_tree(tree, n_classes, 1.0) for tree in trees], n_classes)


def boosting(model: Any) -> Model:
    """A `GBT*Model`."""
    n_classes = _n_classes(model)
    # The margin of Spark is half of the log-odds.
    factor = 2.0 if n_classes else 1.0
    weighted = zip(model.trees, model.treeWeights)
    trees = [_tree(tree, 0, factor * float(weight)) for tree, weight in weighted]
    loss = {"squared": "squared_error", "logistic": "logistic"}.get(str(model.getLossType()), "other")
    return _model(model, trees, n_classes, loss)


def _n_classes(model: Any) -> int:
    return int(model.numClasses) if hasattr(model, "numClasses") else 0


def _model(model: Any, trees: list[dict[str, Any]], n_classes: int, loss: str | None = None) -> Model:
    boosted = loss is not None
    n_features = int(model.numFeatures)
    n_outputs = 1 if boosted or not n_classes else n_classes
    compiled = _lmdi.Model.from_arrays(
        feature_names=[f"x{at}" for at in range(n_features)],
        classes=None if n_classes == 0 else [str(float(label)) for label in range(n_classes)],
        trees=trees,
        output_of_tree=[],
        base_score=[0.0] * n_outputs,
        learning_rate=1.0 if boosted else None,
        link="logit" if boosted and n_classes else "identity",
        growth="shrunk" if boosted else "independent",
        loss=loss or "squared_error",
        producer="Spark ML",
        levels=[],
    )
    classes = None if n_classes == 0 else np.arange(n_classes, dtype=float)
    return Model(compiled, Columns(None, n_features), classes)


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
