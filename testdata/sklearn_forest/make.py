"""Makes the expected leaves and predictions of scikit-learn's trees, forests and boosting.

    pip install -r requirements.txt
    python make.py

Each file holds a model as benches/export_sklearn.py writes it, rows (the training rows first, then
new ones; null is missing), the leaf of each row in each tree (`apply`) and the prediction
(`predict`, or `predict_proba` for classes).
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
from sklearn.tree import DecisionTreeRegressor

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "benches"))

from export_sklearn import model, numbers  # noqa: E402

N_TRAIN, N_NEW = 60, 30
NAMES = ["first", "second", "third", "whole"]


def data(missing):
    """Rows, a number and three classes to predict."""
    random = np.random.default_rng(20)
    x = random.normal(size=(N_TRAIN + N_NEW, 4))
    x[:, 3] = np.round(2 * x[:, 3])
    signal = x[:, 0] + np.abs(x[:, 1]) * x[:, 3] + random.normal(size=len(x)) / 4
    if missing:
        x[random.random(x.shape) < 0.15] = np.nan
    classes = np.array(["low", "middle", "high"])[np.digitize(signal, [-0.7, 0.7])]
    return x, signal, classes


def put_above_thresholds(rows, estimator):
    """Sets one cell per row to the 64-bit number next above a threshold.

    Rounded to 32 bits, as scikit-learn does, many of them are the threshold itself and go left.
    """
    trees = np.ravel(getattr(estimator, "estimators_", [estimator]))
    splits = [
        (tree.tree_.feature[node], tree.tree_.threshold[node])
        for tree in trees
        for node in np.flatnonzero(tree.tree_.children_left >= 0)
        if np.isfinite(tree.tree_.threshold[node])
    ]
    for row, (feature, threshold) in zip(rows, splits):
        row[feature] = np.nextafter(threshold, np.inf)


def main():
    grow = {"max_leaf_nodes": 14, "random_state": 3}
    weights = np.random.default_rng(21).integers(0, 4, N_TRAIN) / 2
    cases = {
        "forest_regression": (RandomForestRegressor(4, **grow), "number", True, None),
        "forest_three_classes": (
            RandomForestClassifier(4, max_samples=0.7, **grow), "classes", True, None,
        ),
        "extra_trees_two_classes": (ExtraTreesClassifier(4, **grow), "binary", True, None),
        "tree_weighted": (DecisionTreeRegressor(**grow), "number", True, weights),
        "boosting_regression": (GradientBoostingRegressor(n_estimators=4, **grow), "number", False, None),
        "boosting_two_classes": (
            GradientBoostingClassifier(n_estimators=4, subsample=0.5, **grow), "binary", False, None,
        ),
        "boosting_three_classes": (
            GradientBoostingClassifier(n_estimators=2, learning_rate=0.3, **grow), "classes", False, None,
        ),
    }  # fmt: skip
    for name, (estimator, response, missing, weight) in cases.items():
        x, signal, classes = data(missing)
        y = {"number": signal, "classes": classes, "binary": signal > 0}[response]
        estimator.fit(x[:N_TRAIN], y[:N_TRAIN], sample_weight=weight)
        put_above_thresholds(x[N_TRAIN:], estimator)
        predict = getattr(estimator, "predict_proba", estimator.predict)
        content = {
            "n_train": N_TRAIN,
            "weighted": weight is not None,
            "x": [numbers(row) for row in x],
            "leaves": estimator.apply(x).reshape(len(x), -1).astype(int).tolist(),
            "prediction": predict(x).reshape(len(x), -1).tolist(),
            "model": model(estimator, N_TRAIN, NAMES),
        }
        text = json.dumps(content, allow_nan=False, separators=(",", ":"))
        (HERE / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
