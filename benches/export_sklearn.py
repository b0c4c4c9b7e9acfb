"""Writes fitted scikit-learn trees, forests and gradient boosting in the JSON model format.

Takes DecisionTree*, ExtraTree*, RandomForest*, ExtraTrees* and GradientBoosting* of scikit-learn 1.4 or
later; the format is described in docs/model-format.md. From Python:

    write_forest("model.json", estimator, len(x_train), feature_names)

In-bag counts are taken from `estimators_samples_`, never drawn again from the seed: scikit-learn
changed how weights enter the draw between versions. Gradient boosting with `subsample` below 1 does
not tell which rows a stage saw, so its counts stay unknown.
"""

import json

import numpy as np
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

FORESTS = (RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor)
TREES = (DecisionTreeClassifier, DecisionTreeRegressor)
BOOSTING = (GradientBoostingClassifier, GradientBoostingRegressor)


def numbers(array):
    """A list for JSON, which has no infinities and no NaN."""
    special = {"inf": "inf", "-inf": "-inf", "nan": None}
    flat = np.asarray(array, dtype=float).ravel()
    return [x if np.isfinite(x) else special[str(x)] for x in flat.tolist()]


def tree_arrays(estimator, in_bag):
    """One entry of `trees`; `in_bag` holds the draws of each training row, or None if unknown."""
    tree = estimator.tree_
    leaf = tree.children_left < 0
    value = tree.value[:, 0, :]
    arrays = {
        "feature": np.where(leaf, -1, tree.feature).tolist(),
        "threshold": numbers(np.where(leaf, 0.0, tree.threshold)),
        "left": np.where(leaf, -1, tree.children_left).tolist(),
        "right": np.where(leaf, -1, tree.children_right).tolist(),
        "n_values": value.shape[1],
        "value": numbers(value),
        "weight": numbers(tree.weighted_n_node_samples),
        "impurity": numbers(tree.impurity),
        "missing": np.where(tree.missing_go_to_left, 0, 1).tolist(),
    }
    if in_bag is not None:
        arrays["in_bag"] = in_bag.tolist()
    return arrays


def forest_trees(forest, n_rows):
    """Keys of `ensemble` for a forest."""
    if forest.bootstrap:
        in_bag = [np.bincount(drawn, minlength=n_rows) for drawn in forest.estimators_samples_]
    else:
        in_bag = [np.ones(n_rows, dtype=int)] * len(forest.estimators_)
    return {"trees": [tree_arrays(*pair) for pair in zip(forest.estimators_, in_bag)]}


def boosting_trees(boosting, n_rows):
    """Keys of `ensemble` for gradient boosting."""
    n_outputs = boosting.estimators_.shape[1]
    known = {
        "squared_error": ("squared_error", "identity"),
        "log_loss": ("logistic", "logit") if n_outputs == 1 else ("multinomial", "softmax"),
    }
    if boosting.loss not in known:
        raise ValueError(f"the loss is {boosting.loss!r}; expected one of {sorted(known)}")
    start = boosting.init_
    if not (isinstance(start, (str, DummyClassifier, DummyRegressor))):
        raise ValueError(f"boosting starts from {start}; only a constant start can be written")
    # The start is the same for every row. scikit-learn has no public name for it.
    base_score = boosting._raw_predict_init(np.zeros((1, boosting.n_features_in_)))
    in_bag = np.ones(n_rows, dtype=int) if boosting.subsample == 1.0 else None
    loss, link = known[boosting.loss]
    keys = {
        "link": link,
        "growth": "first_order",
        "loss": loss,
        "aggregation": "sum",
        "learning_rate": boosting.learning_rate,
        "base_score": numbers(base_score),
        "trees": [tree_arrays(tree, in_bag) for tree in boosting.estimators_.ravel()],
    }
    if n_outputs > 1:
        keys["output_of_tree"] = list(range(n_outputs)) * len(boosting.estimators_)
    return keys


def model(estimator, n_rows, feature_names):
    """The content of the file for an estimator trained on `n_rows` rows."""
    if getattr(estimator, "n_outputs_", 1) != 1:
        raise ValueError(f"{estimator.n_outputs_} responses are predicted; expected one")
    ensemble = {"feature_names": [str(name) for name in feature_names]}
    if is_classifier(estimator):
        ensemble["classes"] = [str(label) for label in estimator.classes_]
    if isinstance(estimator, FORESTS):
        ensemble |= forest_trees(estimator, n_rows)
    elif isinstance(estimator, BOOSTING):
        ensemble |= boosting_trees(estimator, n_rows)
    elif isinstance(estimator, TREES):
        ensemble["trees"] = [tree_arrays(estimator, np.ones(n_rows, dtype=int))]
    else:
        raise TypeError(f"{type(estimator).__name__} is no tree, forest or gradient boosting")
    return {"format": "lmdi-model", "version": 1, "ensemble": ensemble}


def write_forest(path, estimator, n_rows, feature_names):
    """Writes the estimator to `path`."""
    with open(path, "w") as file:
        json.dump(model(estimator, n_rows, feature_names), file, allow_nan=False)
