"""XGBoost: boosters, the scikit-learn interface and that of Spark.

`predict` of the scikit-learn interface stops at the best round of early stopping, that of a booster does not;
the model is read accordingly. What the `missing=` of the scikit-learn interface names is missing here too.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..._errors import not_fitted
from ..composite import Composite, OneColumn, Part
from ..model import Model
from .common import model_of_bytes


def booster(model: Any) -> Model | Composite:
    """A `Booster`, with all its rounds."""
    return _read(model, rounds="all", names=model.feature_names)


def estimator(model: Any) -> Model | Composite:
    """An `XGBRegressor`, `XGBClassifier` or their random forests."""
    if not model.__sklearn_is_fitted__():
        raise not_fitted(f"This {type(model).__name__} instance is not fitted yet: call its fit(X, y)")
    inner = model.get_booster()
    missing = model.missing
    classes = np.asarray(model.classes_) if hasattr(model, "predict_proba") else None
    read = _read(
        inner,
        rounds="best",
        names=inner.feature_names,
        classes=classes,
        missing=np.nan if missing is None else float(missing),
    )
    if callable(model.objective):
        # The file names XGBoost's default instead.
        for one in [read] if isinstance(read, Model) else [part.model for part in read.parts]:
            one._compiled = one._compiled.with_other_loss()
    return read


def spark_model(model: Any) -> Model | Composite:
    """What the estimators of `xgboost.spark` give. Its `predict` stops at the best round too."""
    inner = model.get_booster()
    missing = float(model.getOrDefault("missing")) if model.isDefined("missing") else np.nan
    return _read(inner, rounds="best", names=inner.feature_names, missing=missing)


def _read(booster: Any, classes: np.ndarray | None = None, **options: Any) -> Model | Composite:
    count = int(json.loads(booster.save_config())["learner"]["learner_model_param"]["num_target"])
    if count > 1 and classes is not None:
        raise TypeError(
            f"this model predicts the classes of {count} targets at once; fit one model per target"
        )
    if count > 1:
        return _several_targets(json.loads(bytes(booster.save_raw(raw_format="json"))), count, options)
    return model_of_bytes(bytes(booster.save_raw(raw_format="ubj")), classes=classes, **options)


def _several_targets(content: dict[str, Any], count: int, options: dict[str, Any]) -> Composite:
    """One model per target. A tree belongs to one target, or its leaves hold a value for each."""
    learner = content["learner"]
    forest = learner["gradient_booster"].get("model")
    if forest is None:
        raise TypeError(f"expected booster='gbtree' for {count} targets, or one model per target")
    trees, owner = forest["trees"], forest["tree_info"]
    param = learner["learner_model_param"]
    starts = np.broadcast_to(np.atleast_1d(json.loads(param["base_score"].lower())), count)
    rounds = len(forest["iteration_indptr"]) - 1
    parts = []
    for target in range(count):
        own = [
            _for_target(tree, target) for tree, of in zip(trees, owner) if of == target or _has_vectors(tree)
        ]
        own = [{**tree, "id": at} for at, tree in enumerate(own)]
        per_round = len(own) // max(rounds, 1)
        forest.update(trees=own, tree_info=[0] * len(own))
        forest["gbtree_model_param"]["num_trees"] = str(len(own))
        forest["iteration_indptr"] = [per_round * at for at in range(rounds + 1)]
        param.update(num_target="1", base_score=repr(float(starts[target])))
        model = model_of_bytes(json.dumps(content).encode(), **options)
        parts.append(Part(model, output=target, target=OneColumn(target)))
    names = [f"y{at}" for at in range(count)]
    return Composite(parts, parts[0].model._columns, output_names=names)


def _has_vectors(tree: dict[str, Any]) -> bool:
    return int(tree["tree_param"]["size_leaf_vector"]) > 1


def _for_target(tree: dict[str, Any], target: int) -> dict[str, Any]:
    """A tree whose leaves have one value, that of the target."""
    if not _has_vectors(tree):
        return tree
    count = int(tree["tree_param"]["size_leaf_vector"])
    left, right = np.asarray(tree["left_children"]), np.asarray(tree["right_children"])
    is_leaf = left == -1
    # Since version 3.2 the place of a leaf's vector is where splits have their right child.
    vectors = np.reshape(tree.get("leaf_weights") or tree["base_weights"], (-1, count))
    at = right if tree.get("leaf_weights") else np.arange(len(left))
    values = np.array(tree["split_conditions"], dtype=float)
    values[is_leaf] = vectors[at[is_leaf], target]
    return {
        **tree,
        "tree_param": {**tree["tree_param"], "size_leaf_vector": "1"},
        "right_children": np.where(is_leaf, -1, right).tolist(),
        "split_conditions": values.tolist(),
        "base_weights": [0.0] * len(left),
        "leaf_weights": [],
    }
