"""Makes the expected MDI, Saabas and local MDI values of scikit-learn's forests.

    pip install -r requirements.txt
    python make.py

Each case holds a model as benches/export_sklearn.py writes it, rows, and
- `mdi`: scikit-learn's `feature_importances_`;
- `saabas`: the differences of `tree_.value` along `decision_path` (one list per row, feature by feature,
  output by output), mean over trees or, for boosting, sum times learning rate. This is what
  treeinterpreter computes; its last release (0.2.3) does not run with numpy 2.
- `local_mdi`: mean over trees of the differences of `tree_.impurity` along `decision_path`.
"""

import json
import pathlib
import sys

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "benches"))

from export_sklearn import model, numbers  # noqa: E402

NAMES = ["first", "second", "third", "whole", "constant"]


def data():
    """Rows, counts and three classes to predict."""
    random = np.random.default_rng(7)
    x = random.normal(size=(40, 5)).astype(np.float32).astype(float)
    x[:, 3] = np.round(2 * x[:, 3])
    x[:, 4] = 1.0
    signal = x[:, 0] + np.abs(x[:, 1]) * x[:, 3] + random.normal(size=len(x)) / 4
    counts = random.poisson(np.exp(signal / 3)) + 1.0
    return x, counts, np.digitize(signal, [-0.7, 0.7]), (signal > 0).astype(int)


def changes(estimator, x, values):
    """What a number per node (and output) changes by along each row's path, by feature."""
    found = np.zeros((*x.shape, values.shape[1]))
    paths = estimator.decision_path(x.astype(np.float32))
    for row in range(len(x)):
        nodes = paths.indices[paths.indptr[row] : paths.indptr[row + 1]]
        for node, child in zip(nodes, nodes[1:]):
            found[row, estimator.tree_.feature[node]] += values[child] - values[node]
    return found


def saabas(estimator, x):
    trees = np.asarray(estimator.estimators_, dtype=object)
    if trees.ndim == 1:
        parts = [changes(tree, x, tree.tree_.value[:, 0, :]) for tree in trees]
        return np.mean(parts, axis=0)
    outputs = [
        sum(changes(tree, x, tree.tree_.value[:, 0, :]) for tree in trees[:, output])
        for output in range(trees.shape[1])
    ]
    return estimator.learning_rate * np.concatenate(outputs, axis=2)


def local_mdi(forest, x):
    parts = [changes(tree, x, -tree.tree_.impurity[:, None]) for tree in forest.estimators_]
    return np.mean(parts, axis=0)


def main():
    x, counts, three, two = data()
    grow = {"max_leaf_nodes": 9, "random_state": 5}
    cases = {
        "squared_error": (RandomForestRegressor(4, **grow), counts),
        "poisson": (RandomForestRegressor(4, criterion="poisson", **grow), counts),
        "absolute_error": (RandomForestRegressor(4, criterion="absolute_error", **grow), counts),
        "gini": (RandomForestClassifier(4, **grow), three),
        "entropy": (ExtraTreesClassifier(4, criterion="entropy", **grow), two),
        "boosting": (GradientBoostingRegressor(n_estimators=5, **grow), counts),
        "boosting_classes": (GradientBoostingClassifier(n_estimators=3, **grow), three),
    }
    content = {}
    for name, (estimator, y) in cases.items():
        estimator.fit(x, y)
        case = {
            "x": [numbers(row) for row in x],
            "model": model(estimator, len(x), NAMES),
            "mdi": estimator.feature_importances_.tolist(),
            "saabas": saabas(estimator, x).reshape(len(x), -1).tolist(),
        }
        if not name.startswith("boosting"):
            case["local_mdi"] = local_mdi(estimator, x).reshape(len(x), -1).tolist()
        content[name] = case
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    (HERE / "forests.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
