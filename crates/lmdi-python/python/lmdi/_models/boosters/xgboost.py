"""XGBoost: boosters, the scikit-learn interface and that of Spark.

`predict` of the scikit-learn interface stops at the best round of early stopping, that of a booster does not;
the model is read accordingly. What the `missing=` of the scikit-learn interface names is missing here too.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np

from ..._errors import LmdiWarning, not_fitted
from ..composite import Composite, OneColumn, Part
from ..model import Model
from .common import model_of_bytes


def booster(model: Any, table: Any = None) -> Model | Composite:
    """A `Booster`, with all its rounds."""
    return _read(model, table, rounds="all", names=model.feature_names)


def estimator(model: Any, table: Any = None) -> Model | Composite:
    """An `XGBRegressor`, `XGBClassifier` or their random forests."""
    if not model.__sklearn_is_fitted__():
        raise not_fitted(f"This {type(model).__name__} instance is not fitted yet: call its fit(X, y)")
    inner = model.get_booster()
    missing = model.missing
    classes = np.asarray(model.classes_) if hasattr(model, "predict_proba") else None
    read = _read(
        inner,
        table,
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


def spark_model(model: Any, table: Any = None) -> Model | Composite:
    """What the estimators of `xgboost.spark` give. Its `predict` stops at the best round too."""
    inner = model.get_booster()
    missing = float(model.getOrDefault("missing")) if model.isDefined("missing") else np.nan
    return _read(inner, table, rounds="best", names=inner.feature_names, missing=missing)


def _read(booster: Any, table: Any, classes: np.ndarray | None = None, **options: Any) -> Model | Composite:
    count = int(json.loads(booster.save_config())["learner"]["learner_model_param"]["num_target"])
    if count > 1 and classes is not None:
        raise TypeError(
            f"this model predicts the classes of {count} targets at once; fit one model per target"
        )
    content = _content(booster, table)
    if count > 1:
        content = content or json.loads(bytes(booster.save_raw(raw_format="json")))
        return _several_targets(content, count, options)
    packed = booster.save_raw(raw_format="ubj") if content is None else json.dumps(content).encode()
    model = model_of_bytes(bytes(packed), classes=classes, **options)
    if table is None:
        _warn_of_names(model)
    return model


def _content(booster: Any, table: Any) -> dict[str, Any] | None:
    """The model's file with the names of categories as the table has them; None if no name is concerned.

    Of pandas categories, XGBoost 3.1 and 3.2 count letters where they mean bytes: names with letters beyond
    ASCII begin and end in the wrong place, and the end of the last ones is lost. Where the categories of the
    table, written in that way, are what the model holds, they are the model's.
    """
    names = booster.feature_names or []
    levels = {name: list_ for name, list_ in _levels_beyond_ascii(table).items() if name in names}
    if not levels:
        return None
    content: dict[str, Any] = json.loads(bytes(booster.save_raw(raw_format="json")))
    forest = content["learner"]["gradient_booster"].get("model", {})
    encodings = (forest.get("cats") or {}).get("enc", [])
    for at, name in enumerate(names[: len(encodings)]):
        texts, known = levels.get(name, []), encodings[at]
        text = "".join(texts)
        letters = np.cumsum([0, *map(len, texts)])
        if known["offsets"] == letters.tolist() and known["values"] == _signed(text.encode()[: len(text)]):
            ends = np.cumsum([0, *(len(one.encode()) for one in texts)])
            known.update(offsets=ends.tolist(), values=_signed(text.encode()))
    return content


def _signed(text: bytes) -> list[int]:
    return np.frombuffer(text, dtype=np.int8).tolist()


def _levels_beyond_ascii(table: Any) -> dict[str, list[str]]:
    """The categories of each column of a pandas frame, where a name has letters beyond ASCII."""
    if type(table).__module__.split(".")[0] != "pandas" or not hasattr(table, "columns"):
        return {}
    levels = {str(name): getattr(kind, "categories", None) for name, kind in table.dtypes.items()}
    texts = {name: list_.tolist() for name, list_ in levels.items() if list_ is not None}
    return {
        name: list_
        for name, list_ in texts.items()
        if all(isinstance(text, str) for text in list_) and not all(map(str.isascii, list_))
    }


def _warn_of_names(model: Model) -> None:
    for at, levels in model._columns.levels():
        beyond = [level for level in levels if not level.isascii()]
        if beyond:
            warnings.warn(
                f"column {model.feature_names[at]!r} has categories with letters beyond ASCII, such as "
                f"{beyond[0]!r}. XGBoost 3.1 and 3.2 keep such names of pandas categories damaged; if these "
                "are, rename the categories and train again",
                LmdiWarning,
                stacklevel=2,
            )


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
        parts.append(Part(model, output=target, target=OneColumn(target, count)))
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
