"""Writes a fitted scikit-learn random forest in the JSON model format (docs/model-format.md).

In-bag counts are taken from `estimators_samples_`, never drawn again from the seed: scikit-learn
changed how weights enter the draw between versions.
"""

import json

import numpy as np


def tree_arrays(estimator, in_bag):
    """One entry of `trees`."""
    tree = estimator.tree_
    leaf = tree.children_left < 0
    value = tree.value[:, 0, :]
    if hasattr(estimator, "classes_"):
        # Versions before 1.4 held weighted counts here, later ones shares.
        value = value / value.sum(axis=1, keepdims=True)
    arrays = {
        "feature": np.where(leaf, -1, tree.feature).tolist(),
        "threshold": np.where(leaf, 0.0, tree.threshold).tolist(),
        "left": np.where(leaf, -1, tree.children_left).tolist(),
        "right": np.where(leaf, -1, tree.children_right).tolist(),
        "n_values": value.shape[1],
        "value": value.ravel().tolist(),
        "weight": tree.weighted_n_node_samples.tolist(),
        "impurity": tree.impurity.tolist(),
        "missing": np.where(tree.missing_go_to_left, 0, 1).tolist(),
    }
    if in_bag is not None:
        arrays["in_bag"] = in_bag.tolist()
    return arrays


def forest_model(forest, n_rows, feature_names):
    """The file's content for a RandomForest or ExtraTrees estimator trained on `n_rows` rows."""
    if forest.n_outputs_ != 1:
        raise ValueError(f"the forest predicts {forest.n_outputs_} responses; expected one")
    if forest.bootstrap:
        in_bag = [np.bincount(drawn, minlength=n_rows) for drawn in forest.estimators_samples_]
    else:
        in_bag = [np.ones(n_rows, dtype=int)] * len(forest.estimators_)
    ensemble = {"feature_names": [str(name) for name in feature_names]}
    if hasattr(forest, "classes_"):
        ensemble["classes"] = [str(label) for label in forest.classes_]
    ensemble["trees"] = [
        tree_arrays(tree, counts) for tree, counts in zip(forest.estimators_, in_bag)
    ]
    return {"format": "lmdi-model", "version": 1, "ensemble": ensemble}


def write_forest(path, forest, n_rows, feature_names):
    """Writes the forest to `path`."""
    with open(path, "w") as file:
        json.dump(forest_model(forest, n_rows, feature_names), file)
