"""Makes expected MAPLE weights, column choices and slopes of scikit-learn's forests, written out with numpy.

    pip install -r requirements.txt
    python make.py

Follows Plumb and others (2018): a training row weighs, per tree, one over the number of training rows in the leaf
it shares with the explained row; columns are ordered by the impurity of the roots that split on them; as many are kept
as give the smallest error on validation rows; local models are ridge regressions with alpha 0.001.
"""

import json
import pathlib
import sys

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "benches"))

from export_sklearn import model, numbers  # noqa: E402

ALPHA = 0.001
NAMES = ["a", "b", "c", "d"]
N_TRAIN, N_VALIDATION = 60, 20


def ridge(x, y, weights):
    """Weighted ridge regression by its normal equations: intercept and slopes."""
    mean, middle = np.average(x, axis=0, weights=weights), np.average(y, weights=weights)
    centred = x - mean
    gram = centred.T @ (weights[:, None] * centred) + ALPHA * np.eye(x.shape[1])
    slopes = np.linalg.solve(gram, centred.T @ (weights * (y - middle)))
    return middle - mean @ slopes, slopes


def case(forest, x, y):
    train = x[:N_TRAIN]
    forest.fit(train, y[:N_TRAIN])
    own = forest.apply(train)
    scores = np.zeros(x.shape[1])
    for estimator in forest.estimators_:
        if estimator.tree_.feature[0] >= 0:
            scores[estimator.tree_.feature[0]] += estimator.tree_.impurity[0]
    order = np.argsort(-scores, kind="stable")

    def weights(row):
        same = own == forest.apply(row[None])
        return (same / same.sum(axis=0)).sum(axis=1)

    def error(count):
        misses = []
        for row, response in zip(x[N_TRAIN : N_TRAIN + N_VALIDATION], y[N_TRAIN:]):
            intercept, slopes = ridge(train[:, order[:count]], y[:N_TRAIN], weights(row))
            misses.append(response - intercept - row[order[:count]] @ slopes)
        return np.mean(np.square(misses))

    count = 1 + int(np.argmin([error(count) for count in range(1, 5)]))
    explained = []
    for row in x[N_TRAIN + N_VALIDATION :]:
        intercept, slopes = ridge(train[:, order[:count]], y[:N_TRAIN], weights(row))
        every = np.zeros(x.shape[1])
        every[order[:count]] = slopes
        explained.append({"weights": weights(row).tolist(), "intercept": intercept, "slopes": every.tolist()})
    return {
        "n_train": N_TRAIN,
        "n_validation": N_VALIDATION,
        "x": [numbers(row) for row in x],
        "y": y.tolist(),
        "model": model(forest, N_TRAIN, NAMES),
        "columns": order[:count].tolist(),
        "explained": explained,
    }


def main():
    random = np.random.default_rng(23)
    x = random.normal(size=(90, 4)).astype(np.float32).astype(float)
    signal = 3 * x[:, 0] + x[:, 1] ** 2 + random.normal(size=len(x)) / 3
    grow = {"n_estimators": 8, "min_samples_leaf": 5, "max_features": 0.5, "random_state": 3}
    cases = {
        "regression": case(RandomForestRegressor(**grow), x, signal),
        "classification": case(RandomForestClassifier(**grow), x, (signal > 1).astype(int)),
    }
    text = json.dumps(cases, allow_nan=False, separators=(",", ":"))
    (HERE / "forests.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
