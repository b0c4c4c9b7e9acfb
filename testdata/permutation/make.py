"""Makes expected permutation importances of scikit-learn's forests.

    pip install -r requirements.txt
    python make.py

`given` is scikit-learn's `permutation_importance` on new rows; `out_of_bag` is Breiman's measure written
out with numpy: the drop of each tree's metric when a column of its out-of-bag rows is shuffled, mean over
trees. Shuffles are random, so each has the mean and the standard error of the mean over REPEATS repetitions.
"""

import json
import pathlib
import sys

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.inspection import permutation_importance
from sklearn.metrics import accuracy_score, log_loss, r2_score, roc_auc_score

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "benches"))

from export_sklearn import model, numbers  # noqa: E402

NAMES = ["first", "second", "third", "constant"]
REPEATS = 100
N_TRAIN = 60


def data():
    random = np.random.default_rng(11)
    x = random.normal(size=(110, 4)).astype(np.float32).astype(float)
    x[:, 3] = 1.0
    signal = 2 * x[:, 0] + np.abs(x[:, 1]) + random.normal(size=len(x)) / 2
    return x, signal, (signal > 0.5).astype(int)


METRICS = {
    "r2": (lambda y, p: r2_score(y, p), "r2"),
    "accuracy": (lambda y, p: accuracy_score(y, p.argmax(axis=1)), "accuracy"),
    "log-loss": (lambda y, p: -log_loss(y, p), "neg_log_loss"),
    "auroc": (lambda y, p: roc_auc_score(y, p[:, 1]), "roc_auc"),
}


def out_of_bag(forest, x, y, metric):
    """One line a repetition: mean over trees of the drop of each column."""
    random = np.random.default_rng(3)
    drops = np.zeros((REPEATS, x.shape[1]))
    for estimator, sample in zip(forest.estimators_, forest.estimators_samples_):
        rows = np.setdiff1d(np.arange(len(x)), sample)
        predict = getattr(estimator, "predict_proba", estimator.predict)
        whole = metric(y[rows], predict(x[rows]))
        for column in range(x.shape[1]):
            for repeat in range(REPEATS):
                shuffled = x[rows].copy()
                shuffled[:, column] = random.permutation(shuffled[:, column])
                drops[repeat, column] += whole - metric(y[rows], predict(shuffled))
    return drops / len(forest.estimators_)


def summary(lines):
    error = lines.std(axis=0, ddof=1) / np.sqrt(len(lines))
    return {"mean": lines.mean(axis=0).tolist(), "error": error.tolist()}


def main():
    x, number, label = data()
    cases = []
    for metric in METRICS:
        y = number if metric == "r2" else label
        kind = RandomForestRegressor if metric == "r2" else RandomForestClassifier
        forest = kind(6, min_samples_leaf=4, random_state=2).fit(x[:N_TRAIN], y[:N_TRAIN])
        function, scoring = METRICS[metric]
        given = permutation_importance(
            forest, x[N_TRAIN:], y[N_TRAIN:], scoring=scoring, n_repeats=REPEATS, random_state=1
        )
        cases.append({
            "metric": metric,
            "n_train": N_TRAIN,
            "x": [numbers(row) for row in x],
            "y": y.tolist(),
            "model": model(forest, N_TRAIN, NAMES),
            "given": summary(given.importances.T),
            "out_of_bag": summary(out_of_bag(forest, x[:N_TRAIN], y[:N_TRAIN], function)),
        })  # fmt: skip
    text = json.dumps(cases, allow_nan=False, separators=(",", ":"))
    (HERE / "forests.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
