"""Speed of training and prediction against other libraries, in one run: ./bench train [--threads N].

Forests (100 trees, scikit-learn's defaults) and histogram boosting (100 rounds of trees with 31
leaves of 20 rows, the defaults of HistGradientBoosting without early stopping), trained on all rows
of each data set; then 100,000 rows are predicted. Boosting is compared with scikit-learn, LightGBM
and XGBoost, which have the same shape of trees, learning rate and number of bins. All sides use the
same number of threads. Times are the least of a few runs, ours and theirs in turn; a ratio above 1
means that ours is faster. Processor seconds of all threads stand beside them: on a machine with
other work they are the better guide, except that waiting threads of the others count as busy.
"""

import argparse
import os
import time

parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--trees", type=int, default=100)
parser.add_argument("--repeats", type=int, default=2)
parser.add_argument("--data", nargs="*", default=["superconductivity", "puma32H", "higgs"])
options = parser.parse_args()
os.environ["OMP_NUM_THREADS"] = str(options.threads)

import lightgbm  # noqa: E402  (after the number of threads is set)
import numpy as np  # noqa: E402
import sklearn  # noqa: E402
import xgboost  # noqa: E402
from sklearn.ensemble import (  # noqa: E402
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

import tables  # noqa: E402

N_PREDICTED = 100_000


def timed(work):
    """Seconds and processor seconds."""
    start = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start[0], time.process_time() - start[1]


def forest(classes):
    kind = RandomForestClassifier if classes else RandomForestRegressor
    return kind(options.trees, random_state=0, n_jobs=options.threads)


def hist_gradient_boosting(classes):
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return kind(max_iter=options.trees, early_stopping=False, random_state=0)


def light_gbm(classes):
    kind = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
    return kind(
        n_estimators=options.trees,
        num_leaves=31,
        min_child_samples=20,
        min_child_weight=0.0,
        learning_rate=0.1,
        max_bin=255,
        n_jobs=options.threads,
        verbose=-1,
    )


def xg_boost(classes):
    kind = xgboost.XGBClassifier if classes else xgboost.XGBRegressor
    # Rows in a leaf count by their hessian here, which is one for numbers and at most a quarter for classes.
    return kind(
        n_estimators=options.trees,
        tree_method="hist",
        grow_policy="lossguide",
        max_leaves=31,
        max_depth=0,
        min_child_weight=5 if classes else 20,
        learning_rate=0.1,
        reg_lambda=0.0,
        max_bin=255,
        n_jobs=options.threads,
    )


# What is trained, by whom.
RIVALS = [
    ("forest", "scikit-learn", forest),
    ("boosting", "scikit-learn", hist_gradient_boosting),
    ("boosting", "LightGBM", light_gbm),
    ("boosting", "XGBoost", xg_boost),
]


def ours_options(model, classes):
    common = {"trees": options.trees, "threads": options.threads}
    if model == "forest":
        return {"model": "forest", "max_features": "sqrt" if classes else None, **common}
    shape = {"max_leaf_nodes": 31, "min_samples_leaf": 20}
    return {"model": "boosting", "finder": "histogram", **shape, **common}


def main():
    tables.build()
    versions = f"scikit-learn {sklearn.__version__}, LightGBM {lightgbm.__version__}, XGBoost {xgboost.__version__}"
    print(f"{versions}; {options.threads} threads, {options.trees} trees, ", end="")
    print(f"best of {options.repeats}; load before: {os.getloadavg()[0]:.1f}")
    header = f"{'data':18} {'model':9} {'than':13} {'':8}"
    for unit in ("seconds", "processor seconds"):
        header += f" | {unit:^30}"
    print(header + f"\n{'':51}" + f" | {'theirs':>10} {'ours':>10} {'ratio':>8}" * 2)
    program = tables.Ours()
    for name in options.data:
        x, y, classes = tables.load(name)
        rows = np.random.default_rng(0).integers(0, len(x), N_PREDICTED)
        program.write("train", x, y, classes)
        program.write("test", x[rows], y[rows], classes)
        wanted = x[rows]
        for model, who, make in RIVALS:
            runs = []
            for _ in range(options.repeats):
                estimator = make(classes)
                fit = timed(lambda: estimator.fit(x, y))
                predict = timed(lambda: (estimator.predict_proba if classes else estimator.predict)(wanted))
                *ours, _ = program.run("train", "test", **ours_options(model, classes))
                # What is measured, in what unit, theirs and ours.
                runs.append([[(fit[unit], ours[2 * unit]), (predict[unit], ours[2 * unit + 1])] for unit in (0, 1)])
            best = np.min(runs, axis=0)
            for at, what in enumerate(("train", "predict")):
                line = f"{name:18} {model:9} {who:13} {what:8}"
                for their, our in best[:, at]:
                    line += f" | {their:10.3f} {our:10.3f} {their / our:8.2f}"
                print(line, flush=True)


main()
