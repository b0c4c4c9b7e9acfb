"""Speed of training and prediction against scikit-learn, in one run: ./bench train [--threads N].

Forests (100 trees, scikit-learn's defaults) and histogram boosting (100 rounds, the defaults of
HistGradientBoosting without early stopping), trained on all rows of each data set; then 100,000
rows are predicted. Both sides use the same number of threads and the same parameters. Times are the
least of a few runs, ours and theirs in turn; a ratio above 1 means that ours is faster. Processor
seconds of all threads stand beside them: on a machine with other work they are the better guide,
except that HistGradientBoosting's waiting threads count as busy.
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

import numpy as np  # noqa: E402  (after the number of threads is set)
import sklearn  # noqa: E402
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


def theirs(model, classes):
    if model == "forest":
        kind = RandomForestClassifier if classes else RandomForestRegressor
        return kind(options.trees, random_state=0, n_jobs=options.threads)
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return kind(max_iter=options.trees, early_stopping=False, random_state=0)


def ours_options(model, classes):
    common = {"trees": options.trees, "threads": options.threads}
    if model == "forest":
        return {"model": "forest", "max_features": "sqrt" if classes else None, **common}
    shape = {"max_leaf_nodes": 31, "min_samples_leaf": 20}
    return {"model": "boosting", "finder": "histogram", **shape, **common}


def main():
    tables.build()
    print(f"scikit-learn {sklearn.__version__}, {options.threads} threads, {options.trees} trees, ", end="")
    print(f"best of {options.repeats}; load before: {os.getloadavg()[0]:.1f}")
    header = f"{'data':18} {'model':9} {'':8}"
    for unit in ("seconds", "processor seconds"):
        header += f" | {unit:^30}"
    print(header + f"\n{'':37}" + f" | {'theirs':>10} {'ours':>10} {'ratio':>8}" * 2)
    program = tables.Ours()
    for name in options.data:
        x, y, classes = tables.load(name)
        rows = np.random.default_rng(0).integers(0, len(x), N_PREDICTED)
        program.write("train", x, y, classes)
        program.write("test", x[rows], y[rows], classes)
        wanted = x[rows]
        for model in ("forest", "boosting"):
            runs = []
            for _ in range(options.repeats):
                estimator = theirs(model, classes)
                fit = timed(lambda: estimator.fit(x, y))
                predict = timed(lambda: (estimator.predict_proba if classes else estimator.predict)(wanted))
                *ours, _ = program.run("train", "test", **ours_options(model, classes))
                # What is measured, in what unit, theirs and ours.
                runs.append([[(fit[unit], ours[2 * unit]), (predict[unit], ours[2 * unit + 1])] for unit in (0, 1)])
            best = np.min(runs, axis=0)
            for at, what in enumerate(("train", "predict")):
                line = f"{name:18} {model:9} {what:8}"
                for their, our in best[:, at]:
                    line += f" | {their:10.3f} {our:10.3f} {their / our:8.2f}"
                print(line, flush=True)


main()
