"""Accuracy against scikit-learn: ./bench accuracy [--seeds N].

Mean test R2 (numbers) or AUROC (two classes) over 5 seeds of forests, exact and histogram boosting,
ours and scikit-learn's with the same parameters, on 5,000 random rows of each data set split 67/33.
Exits with 1 if ours is more than 0.005 below scikit-learn's anywhere.
"""

import argparse
import os
import sys

import numpy as np
import sklearn
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import train_test_split

import common
import tables

NAMES = "puma32H superconductivity california_housing miami_housing spam house_16H pol jannis".split()
ROWS = 5000
MARGIN = 0.005

parser = argparse.ArgumentParser()
parser.add_argument("--seeds", type=int, default=5)
parser.add_argument("--data", nargs="*", default=NAMES)
options = parser.parse_args()
threads = os.cpu_count()

# model: (scikit-learn's pair, its parameters, ours)
MODELS = {
    "forest": (
        (RandomForestRegressor, RandomForestClassifier),
        {"n_estimators": 100, "n_jobs": threads},
        {"model": "forest", "trees": 100},
    ),
    "boosting": (
        (GradientBoostingRegressor, GradientBoostingClassifier),
        {"n_estimators": 100, "max_depth": 3},
        {"model": "boosting", "finder": "exact", "trees": 100, "max_depth": 3},
    ),
    "histogram": (
        (HistGradientBoostingRegressor, HistGradientBoostingClassifier),
        {"max_iter": 100, "early_stopping": False},
        {
            "model": "boosting",
            "finder": "histogram",
            "trees": 100,
            "max_leaf_nodes": 31,
            "min_samples_leaf": 20,
        },
    ),
}


def main():
    program = tables.Ours(common.build("bench_train"))
    print(f"scikit-learn {sklearn.__version__}, {options.seeds} seeds, {ROWS} rows, 67/33")
    print(f"{'data':20} {'model':10} {'metric':6} {'theirs':>8} {'ours':>8} {'difference':>10}")
    worst = 0.0
    for name in options.data:
        x, y, classes = tables.load(name)
        scores = {model: [] for model in MODELS}
        for seed in range(options.seeds):
            rows = np.random.default_rng(seed).permutation(len(x))[:ROWS]
            split = train_test_split(x[rows], y[rows], test_size=0.33, random_state=seed)
            x_train, x_test, y_train, y_test = split
            program.write("train", x_train, y_train, classes)
            program.write("test", x_test, y_test, classes)
            for model, (kinds, theirs, ours) in MODELS.items():
                estimator = kinds[bool(classes)](random_state=seed, **theirs).fit(x_train, y_train)
                if classes:
                    their_answer = estimator.predict_proba(x_test)[:, 1]
                else:
                    their_answer = estimator.predict(x_test)
                sqrt = "sqrt" if model == "forest" and classes else None
                run = {**ours, "max_features": sqrt, "seed": seed, "threads": threads}
                *_, our_answer = program.run("train", "test", **run)
                score = roc_auc_score if classes else r2_score
                scores[model].append((score(y_test, their_answer), score(y_test, our_answer)))
        for model, pairs in scores.items():
            their, our = np.mean(pairs, axis=0)
            metric = "AUROC" if classes else "R2"
            print(f"{name:20} {model:10} {metric:6} {their:8.4f} {our:8.4f} {our - their:+10.4f}", flush=True)
            worst = min(worst, our - their)
    print(f"lowest difference {worst:+.4f}, allowed {-MARGIN:+.4f}")
    sys.exit(int(worst < -MARGIN))


main()
