"""`./bench methods`: the other methods against their public implementations, in one run.

TreeSHAP, on 2,000 rows and 100 trees grown on 67 % of them, with 1 thread and with all:
- shap: TreeExplainer's path-dependent values of a scikit-learn forest. It knows no threads, so with
  several the rows are shared out to as many processes, already started;
- woodelf: its path-dependent values of the same forest, on leaf-5 forests only (its tables grow with 2 to
  the depth). It knows no threads;
- xgboost: its own engine (`pred_contribs`) on a boosted model of its own;
- ours: the same models and rows; best of several runs in a fresh process.

Then LIME, MDI+ and permutation importance, as `./bench importance` does.

The largest difference to each is printed beside the times: it is the same quantity. shap is timed on the first
`--rows-shap` rows and the time scaled up, for its cost is the same for every row. All times are processor
time, summed over processes and threads and divided by the threads asked for, so that other work on the
machine counts less; give `--wall` for the clock on the wall.

`--write` keeps the results in benches/results/methods.csv and puts their table into the README; `--table` only
does the latter.
"""

import argparse
import os
import pathlib
import tempfile
import time
import warnings
from contextlib import redirect_stderr, redirect_stdout

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("PYTHONWARNINGS", "ignore")

import numpy as np
import shap
import xgboost
from joblib import Parallel, delayed

import common
import importance

CASES = [("puma32H", 5), ("puma32H", 1), ("superconductivity", 5), ("superconductivity", 1)]
GOALS = {5: 5.0, 1: 20.0}
RESULTS = common.ROOT / "benches" / "results" / "methods.csv"
COLUMNS = ["method", "peer", "table", "leaf", "threads", "unit", "theirs", "ours"]
BEGIN, END = "<!-- ./bench methods -->\n", "<!-- end of methods -->\n"
# What a line of the README sums up: method, its comparison with another implementation, and how they are told.
SUMMED_UP = [
    ("TreeSHAP of forests", "shap", lambda one: one["method"] == "tree-shap" and one["peer"] == "shap"),
    ("TreeSHAP of forests", "woodelf", lambda one: one["peer"] == "woodelf"),
    ("TreeSHAP of XGBoost's models", "XGBoost", lambda one: one["peer"] == "xgboost"),
    ("LIME, 100 rows", "lime", lambda one: one["method"] == "lime" and one["unit"] == "1/100"),
    ("LIME, one row", "lime", lambda one: one["method"] == "lime" and one["unit"] == "1/1"),
    ("LIME with drawn neighbours, 100 rows", "lime", lambda one: one["method"] == "lime-drawn" and one["unit"] == "1/100"),
    ("LIME with drawn neighbours, one row", "lime", lambda one: one["method"] == "lime-drawn" and one["unit"] == "1/1"),
    ("MDI+", "imodels", lambda one: one["method"] == "mdi-plus"),
    ("permutation importance", "scikit-learn", lambda one: one["method"] == "permutation"),
]


class Clock:
    """Seconds of work, by the processor or by the wall."""

    def __init__(self, wall):
        self.wall = wall

    def now(self):
        if self.wall:
            return time.perf_counter()
        return time.process_time()

    def seconds(self, work, threads=1):
        start = self.now()
        result = work()
        return result, (self.now() - start) / (1 if self.wall else threads)


def shap_part(explainer, rows, wall):
    """Values of some rows, and how long they took in this process."""
    values, taken = Clock(wall).seconds(lambda: explainer.shap_values(rows, check_additivity=False))
    return values, taken


def shap_seconds(forest, rows, count, threads, wall):
    explainer = shap.TreeExplainer(forest)
    parts = np.array_split(rows[:count], threads)
    with Parallel(n_jobs=threads) as pool:
        pool(delayed(shap_part)(explainer, part[:1], wall) for part in parts)
        done = pool(delayed(shap_part)(explainer, part, wall) for part in parts)
    # Processes work side by side: the slowest one is waited for.
    slowest = max(taken for _, taken in done)
    return np.concatenate([values for values, _ in done]), slowest * len(rows) / count


def woodelf_seconds(forest, rows, clock):
    from woodelf import WoodelfExplainer

    import pandas as pd

    frame = pd.DataFrame(rows)
    # It draws progress bars and prints its own times.
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        explainer = WoodelfExplainer(forest)
        values, taken = clock.seconds(lambda: explainer.shap_values(frame))
    return np.asarray(values), taken


def ours(binary, model, rows, runs, threads, wall, directory):
    out = directory / "scores.bin"
    result = common.run(binary, model, rows, runs, "tree-shap", out, threads=threads)
    taken = result["explain" if wall else "explain_processor"]
    return common.read_matrix(out), taken if wall else taken / threads, result["prepare"]


def line(name, leaf, threads, who, theirs, mine, goal, difference):
    """Prints one comparison and returns it."""
    ratio = theirs / mine
    star = "" if goal is None or ratio >= goal else "*"
    print(
        f"{name:18} {leaf:>5} {threads:7} {who:8} {theirs:9.3f} {mine:9.4f} {ratio:8.1f}{star:1}"
        f" {difference:10.1e}",
        flush=True,
    )
    result = {"method": "tree-shap", "peer": who, "table": name, "leaf": leaf, "threads": threads}
    return {**result, "unit": "2000 rows", "theirs": theirs, "ours": mine}


def tree_shap_of_forests(binary, options, cores, clock):
    results = []
    for name, leaf in CASES:
        if options.only not in (None, name):
            continue
        sample = common.load(name, False)
        forest = common.grow(sample, leaf)
        forest.n_jobs = 1
        with tempfile.TemporaryDirectory() as directory:
            directory = pathlib.Path(directory)
            model, _, _, rows = common.hand_over(directory, sample, forest)
            for threads in sorted({1, cores}):
                mine, taken, _ = ours(
                    binary, model, rows, options.runs, threads, options.wall, directory
                )
                values, theirs = shap_seconds(
                    forest, sample.rows, options.rows_shap, threads, options.wall
                )
                off = np.abs(mine[: len(values)] - values).max() / np.abs(values).max()
                results.append(line(name, leaf, threads, "shap", theirs, taken, GOALS[leaf], off))
                if leaf == 5 and threads == 1 and not options.skip_woodelf:
                    values, theirs = woodelf_seconds(forest, sample.rows, clock)
                    off = np.abs(mine - values).max() / np.abs(values).max()
                    results.append(line(name, leaf, threads, "woodelf", theirs, taken, None, off))
    return results


def tree_shap_of_xgboost(binary, options, cores, clock):
    results = []
    for name, depth in [("puma32H", 6), ("puma32H", 12), ("superconductivity", 6), ("superconductivity", 12)]:
        if options.only not in (None, name):
            continue
        sample = common.load(name, False)
        train = xgboost.DMatrix(sample.train, label=sample.response)
        settings = {"max_depth": depth, "eta": 0.1, "nthread": cores, "seed": 0}
        booster = xgboost.train(settings, train, 100)
        booster.feature_names = [f"x{column}" for column in range(sample.rows.shape[1])]
        new = xgboost.DMatrix(sample.rows, feature_names=booster.feature_names)
        with tempfile.TemporaryDirectory() as directory:
            directory = pathlib.Path(directory)
            booster.save_model(directory / "model.json")
            common.write_matrix(directory / "rows.bin", sample.rows)
            for threads in sorted({1, cores}):
                booster.set_param({"nthread": threads})
                mine, taken, _ = ours(
                    binary,
                    directory / "model.json",
                    directory / "rows.bin",
                    options.runs,
                    threads,
                    options.wall,
                    directory,
                )
                booster.predict(new, pred_contribs=True)
                runs = [
                    clock.seconds(lambda: booster.predict(new, pred_contribs=True), threads)
                    for _ in range(options.runs)
                ]
                values, theirs = runs[0][0][:, :-1], min(taken for _, taken in runs)
                off = np.abs(mine - values).max() / np.abs(values).max()
                results.append(line(name, f"d{depth}", threads, "xgboost", theirs, taken, 1.0, off))
    return results


def put_table():
    """Puts the range of ratios of every method into the README, on one thread."""
    kept = [one for one in common.read_results(RESULTS) if one["threads"] == "1"]
    rows = ["| method | against | times as fast |", "|---|---|---:|"]
    for method, peer, belongs in SUMMED_UP:
        ratios = sorted(float(one["theirs"]) / float(one["ours"]) for one in kept if belongs(one))
        if ratios:
            rows.append(f"| {method} | {peer} | {common.figure(ratios[0])} to {common.figure(ratios[-1])} |")
    common.put_table(common.ROOT / "README.md", BEGIN, END, "\n".join(rows) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows-shap", type=int, default=100, metavar="N")
    parser.add_argument("--runs", type=int, default=5, help="our runs; the best counts")
    parser.add_argument("--only", help="one data set, TreeSHAP alone")
    parser.add_argument("--wall", action="store_true", help="time by the clock on the wall")
    parser.add_argument("--skip-woodelf", action="store_true")
    parser.add_argument("--write", action="store_true", help="keep the results and put their table into the README")
    parser.add_argument("--table", action="store_true", help="only put the table into the README")
    importance.add_options(parser)
    options = parser.parse_args()
    if options.table:
        put_table()
        return
    if options.write and options.only is not None:
        parser.error("--write keeps the results of all data sets; leave --only out")
    warnings.simplefilter("ignore")
    clock = Clock(options.wall)
    binary = common.build("bench_methods")
    cores = len(os.sched_getaffinity(0))
    print(f"{common.versions()}; xgboost {xgboost.__version__}; {cores} cores")
    print("TreeSHAP of 2,000 rows, 100 trees; seconds", "by the wall" if options.wall else "of processor")
    print("goals: 5x shap on leaf-5 forests, 20x on fully grown ones, 1x xgboost; a star marks a miss")
    print("data set            leaf threads than         theirs      ours    ratio  difference")
    results = tree_shap_of_forests(binary, options, cores, clock)
    results += tree_shap_of_xgboost(binary, options, cores, clock)
    if options.only is None:
        results += importance.compare(options, importance.COMPARISONS)
    if options.write:
        common.write_results(RESULTS, COLUMNS, results)
        put_table()


if __name__ == "__main__":
    main()
